"""Reads cells of CSV files as JSON values: numbers, days and words as people in Brazil write them."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

CellReader = Callable[[str], Any]
"""Returns the JSON value of a cell that is not blank. Raises UnreadableCell."""
_CURRENCY = re.compile(r"^R\$\s*")
# With dots between thousands, or without; with a decimal comma, or without.
_BRAZILIAN = re.compile(r"-?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?")
_WITH_DECIMAL_POINT = re.compile(r"-?[0-9]+\.[0-9]+")
_AMBIGUOUS = re.compile(r"-?[0-9]+\.[0-9]{3}")
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_DIGITS = re.compile(r"[0-9]+")
_CUT_TAX_ID = re.compile(r"[1-9][0-9]{0,13}")
_DAY = re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}")
_DAY_FORMAT = "%d/%m/%Y"
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YES, _NO = frozenset({"sim", "s", "true"}), frozenset({"nao", "n", "false"})


class UnreadableCell(Exception):
    """A cell does not have the form that its column needs. The message is for a person."""


def folded(text: str) -> str:
    """Returns only the letters and digits of a text, in lower case and without accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text.casefold())))


def text(cell: str) -> str:
    """Returns a text as it is."""
    return cell


def code(length: int) -> CellReader:
    """Returns a reader of codes with a number of digits: it adds the zero that a spreadsheet removed."""

    def read(cell: str) -> str:
        digits = cell.strip()
        is_cut = len(digits) == length - 1 and _DIGITS.fullmatch(digits)
        return f"0{digits}" if is_cut else digits

    return read


def tax_id(cell: str) -> str | int:
    """Returns a CPF or CNPJ; digits alone as a number, because a spreadsheet may have removed leading zeros.

    The field accepts numbers, and finds the missing zeros by the check digits.
    """
    digits = cell.strip()
    return int(digits) if _CUT_TAX_ID.fullmatch(digits) else digits


def number(cell: str) -> Decimal:
    """Returns a number: `1.234,56`, `12,5`, `1234.56` or `R$ 10`."""
    digits = _CURRENCY.sub("", cell.strip())
    if _AMBIGUOUS.fullmatch(digits):
        thousands, decimals = digits.replace(".", ""), digits.replace(".", ",")
        raise UnreadableCell(
            f"Não se sabe se o ponto de {digits} separa os milhares ou os centavos: escreva {thousands} ou"
            f" {decimals}."
        )
    if _BRAZILIAN.fullmatch(digits):
        return Decimal(digits.replace(".", "").replace(",", "."))
    if _WITH_DECIMAL_POINT.fullmatch(digits):
        return Decimal(digits)
    raise UnreadableCell("Não é um número: escreva como em 1.234,56.")


def whole_number(cell: str) -> int:
    """Returns a whole number."""
    if not _WHOLE.fullmatch(cell.strip()):
        raise UnreadableCell("Não é um número inteiro: escreva só algarismos.")
    return int(cell)


def day(cell: str) -> str:
    """Returns a day in the format of JSON: `31/12/2026` as `2026-12-31`."""
    written = cell.strip()
    try:
        if _ISO_DAY.fullmatch(written):
            return datetime.fromisoformat(written).date().isoformat()
        if _DAY.fullmatch(written):
            return datetime.strptime(written, _DAY_FORMAT).date().isoformat()  # noqa: DTZ007 - only the day
    except ValueError:
        raise UnreadableCell("Esta data não existe.") from None
    raise UnreadableCell("Não é uma data: escreva como em 31/12/2026.")


def flag(cell: str) -> bool:
    """Returns whether a cell says yes."""
    word = folded(cell)
    if word not in _YES | _NO:
        raise UnreadableCell("Escreva Sim ou Não.")
    return word in _YES


def choice(words: Mapping[str, str]) -> CellReader:
    """Returns a reader of the values of a field, which a cell names by their words or as they are."""
    values = {folded(name): value for value, word in words.items() for name in (value, word)}
    message = f"Escreva um destes: {', '.join(words.values())}."

    def read(cell: str) -> str:
        if folded(cell) not in values:
            raise UnreadableCell(message)
        return values[folded(cell)]

    return read
