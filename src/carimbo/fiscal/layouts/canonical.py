"""Values as canonical XML text: normalized as the manuals require, escaped as in C14N.

The text is signed without being parsed again, so every function returns exactly the C14N 1.0 form of a value,
or raises `Unwritable`.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Context, Decimal, Inexact, InvalidOperation

from carimbo.fiscal.problems import quoted


class Unwritable(ValueError):
    """The layout can't represent a value; the message is Portuguese, for the caller."""


# The character set of the layouts (TString: `[!-ÿ]{1}[ -ÿ]{0,}[!-ÿ]{1}`) without controls, `&`, `<`, `>`,
# and with single spaces: such text needs no change. The soft hyphen is excluded, because it is invisible.
_PRINTABLE = r"[!-%'-;=?-~\xa1-\xac\xae-\xff]"
_AS_IT_IS = re.compile(rf"{_PRINTABLE}+(?: {_PRINTABLE}+)*")
_PLAIN_ATTRIBUTE = re.compile(r"[0-9A-Za-z.]+")
_FORBIDDEN = re.compile(r"[^ -~\xa1-\xac\xae-\xff]")
_SPACES = re.compile(r"[ \t\n\r\x0b\x0c\x85\xa0\u2000-\u200a\u2028\u2029\u202f\u3000]+")
_ESCAPED = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_ESCAPED_IN_ATTRIBUTE = {ord("&"): "&amp;", ord("<"): "&lt;", ord('"'): "&quot;"}
# Characters that word processors and phones write instead of plain ones.
_TYPOGRAPHIC = str.maketrans(
    {
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u2015": "-",
        "\u2212": "-",
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u2026": "...",
        "\u2022": "-",
    }
)
# No text of a layout is longer (infCpl, 5000); a longer one is refused before it is examined.
MAX_TEXT_LENGTH = 5_000
_HOUR = timedelta(hours=1)
_FIRST_OFFSET, _LAST_OFFSET = timedelta(hours=-11), timedelta(hours=12)
_FIRST_YEAR, _LAST_YEAR = 2000, 2099


def text(value: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Returns a text trimmed, with single spaces, and escaped."""
    if len(value) <= max_length and _AS_IT_IS.fullmatch(value):
        return value
    return normalize(value, max_length).translate(_ESCAPED)


def text_writer(max_length: int) -> Callable[[str], str]:
    """Returns `text` for a maximum length, faster for codes of plain letters and digits."""

    def write(value: str) -> str:
        if value.isalnum() and value.isascii() and len(value) <= max_length:
            return value
        return text(value, max_length)

    return write


def text_or_nothing(value: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Like `text`, but allows an empty text, for the few elements that may be empty."""
    return text(value, max_length) if value else ""


def lines(value: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Like `text` for each line, for the few elements that keep lines; empty lines are dropped."""
    written = [normalize(line) for line in value.splitlines() if line.strip()]
    whole = "\n".join(written)
    if not whole:
        raise Unwritable("está vazio")
    _refuse_longer(whole, max_length)
    return whole.translate(_ESCAPED)


def attribute(value: object, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Returns a value escaped for an attribute, where C14N keeps `>` and escapes the quotation mark."""
    shown = str(value)
    if len(shown) <= max_length and _PLAIN_ATTRIBUTE.fullmatch(shown):
        return shown
    return normalize(shown, max_length).translate(_ESCAPED_IN_ATTRIBUTE)


def normalize(value: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Returns a text in the form that the manuals require, before escaping."""
    # Normalizing shortens a text, by white space and joined accents, but not by so much.
    if len(value) > 2 * MAX_TEXT_LENGTH and len(value.strip()) > 2 * MAX_TEXT_LENGTH:
        _refuse_longer(value, max_length)
    plain = unicodedata.normalize("NFC", _SPACES.sub(" ", value).strip()).translate(_TYPOGRAPHIC)
    if not plain:
        raise Unwritable("está vazio")
    if forbidden := _FORBIDDEN.search(plain):
        character = forbidden[0]
        # With its code point: some of the refused characters are invisible.
        shown = f"{quoted(character)} " if character.isprintable() else ""
        code_point = f"{shown}(U+{ord(character):04X})"
        raise Unwritable(f"tem um caractere que o documento fiscal não aceita: {code_point}")
    _refuse_longer(plain, max_length)
    return plain


def _refuse_longer(value: str, max_length: int) -> None:
    if len(value) > max_length:
        raise Unwritable(f"tem mais de {max_length} caracteres")


_POWER_PLACES = 4
# More digits than any field of the layouts: only a value that would lose digits raises.
_EXACTLY = Context(prec=40, traps=[Inexact, InvalidOperation])


def decimal(value: Decimal, places: int) -> str:
    """Returns a number with exactly this many decimals; adds zeros, but never rounds."""
    return decimal_writer(places)(value)


def decimal_writer(places: int) -> Callable[[Decimal], str]:
    """Returns `decimal` for a number of places."""
    point, zeros = slice(-places - 1, -places), places * "0"

    def write(value: Decimal) -> str:
        digits = str(value)
        # From four places on, a power of ten such as `1.2E+5` may have its point there too.
        if digits[point] == "." and digits[0] != "-" and (places < _POWER_PLACES or "E" not in digits):
            return digits
        if digits.isdecimal():
            return f"{digits}.{zeros}"
        whole, _, fraction = digits.partition(".")
        if len(fraction) <= places and fraction.isdecimal() and whole.isdecimal():
            return digits + zeros[len(fraction) :]
        return _exact(value, places)

    return write


def _exact(value: Decimal, places: int) -> str:
    """Handles numbers that are not plain digits: signs, powers of ten, surplus zeros, NaN."""
    try:
        exact = value.quantize(Decimal(1).scaleb(-places), None, _EXACTLY)
    except Inexact:
        raise Unwritable(f"tem mais casas decimais do que as {places} permitidas: {quoted(value)}") from None
    except InvalidOperation:
        raise Unwritable(f"não é um número que o documento possa levar: {quoted(value)}") from None
    if exact.is_nan():
        raise Unwritable("não é um número")
    # `str` writes small numbers as powers of ten, and zero may have a sign.
    return f"{exact or abs(exact):f}"


def moment(value: datetime) -> str:
    """Returns date and time with an offset, which the layouts require (TDateTimeUTC)."""
    offset = value.utcoffset()
    if offset is None:
        raise Unwritable("não tem fuso horário")
    if offset % _HOUR or not _FIRST_OFFSET <= offset <= _LAST_OFFSET:
        raise Unwritable("tem um fuso horário que não é de horas inteiras, de -11 a +12")
    _refuse_other_century(value.year)
    return value.isoformat(timespec="seconds")


def day(value: date) -> str:
    """Returns a calendar date."""
    _refuse_other_century(value.year)
    return value.isoformat()


def _refuse_other_century(year: int) -> None:
    # The layouts allow no other years (TData, TDateTimeUTC).
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise Unwritable(f"tem um ano que não é de {_FIRST_YEAR} a {_LAST_YEAR}")
