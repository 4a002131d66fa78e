"""CSV files as Brazilian spreadsheets open them by a double click.

UTF-8 with a byte order mark, `;` between the cells, a decimal comma, and dates as dd/mm/aaaa.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from io import StringIO
from uuid import UUID

from carimbo.fiscal.local_time import in_local_time

Cell = str | int | float | Decimal | date | bool | UUID | None
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A spreadsheet would run a text with one of these beginnings as a formula. The last four are the wide forms.
_FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
TEXT_MARK = "'"
"""It makes a spreadsheet show a cell as text."""
# A spreadsheet rounds longer numbers.
_EXACT_DIGITS = 15
# A spreadsheet would take these for a power of ten, as `1e5`, and for a date, as `1-2` or `12/2026`.
_POWER = re.compile("[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+")
_DATE = re.compile("[0-9]{1,4}[-/][0-9]{1,4}([-/][0-9]{1,4})?")


def csv_lines(rows: Iterable[Sequence[Cell]], state: str | None) -> bytes:
    """Returns lines of a CSV file; moments are in the time zone of a state."""
    text = StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
    writer.writerows([cell_text(cell, state) for cell in row] for row in rows)
    return text.getvalue().encode()


def cell_text(cell: Cell, state: str | None = None) -> str:
    """Returns the text of a cell."""
    match cell:
        case None:
            return ""
        case bool():
            return "Sim" if cell else "Não"
        case datetime():
            return f"{_local(cell, state):%d/%m/%Y %H:%M}"
        case date():
            return f"{cell:%d/%m/%Y}"
        case Decimal() | float():
            return _number(Decimal(str(cell)))
    return str(cell) if isinstance(cell, int) else _harmless(str(cell))


def _local(moment: datetime, state: str | None) -> datetime:
    """Returns a moment in the time zone of a state; one at the ends of the calendar as it is."""
    try:
        return in_local_time(moment, state)
    except OverflowError:
        return moment


def _number(number: Decimal) -> str:
    """Returns a number with a decimal comma and at least two decimals; zeros beyond them are left out."""
    whole, _, decimals = f"{number:f}".partition(".")
    return f"{whole},{decimals.rstrip('0').ljust(2, '0')}"


def original_text(cell: str) -> str:
    """Returns the text of which `cell_text` made a cell: without the apostrophe that it put before it."""
    text = cell.removeprefix(TEXT_MARK)
    return text if text != cell and _is_unsafe(text) else cell


def _harmless(text: str) -> str:
    """Returns a text; if a spreadsheet would change it, with an apostrophe before it."""
    return TEXT_MARK + text if _is_unsafe(text) else text


def _is_unsafe(text: str) -> bool:
    """Returns whether a spreadsheet would run a text as a formula, or show a date or another number.

    Apostrophes before such a text don't count: its cell has one more, so that every cell can be read back.
    """
    bare = text.lstrip(TEXT_MARK)
    return bool(bare.startswith(_FORMULA_BEGINNINGS) or _is_damaged_as_number(bare) or _DATE.fullmatch(bare))


def _is_damaged_as_number(text: str) -> bool:
    if _POWER.fullmatch(text):
        return True
    is_number = text.isascii() and text.isdigit()
    return is_number and (len(text) > _EXACT_DIGITS or (text.startswith("0") and len(text) > 1))
