"""Values as Brazilians write them."""

from datetime import date, datetime
from decimal import Decimal

_CNPJ, _CPF, _ZIPCODE = 14, 11, 8
_MOBILE, _LANDLINE = 11, 10


def number(value: Decimal, places: int = 2, most: int | None = None) -> str:
    """A number with points between thousands and a comma; more places than the least only if it has them."""
    digits = f"{value:,.{places if most is None else most}f}"
    if most is not None:
        whole, _, rest = digits.partition(".")
        digits = f"{whole}.{rest.rstrip('0').ljust(places, '0')}" if places else f"{whole}.{rest.rstrip('0')}"
    return digits.rstrip(".").translate(_SWAPPED)


def optional(value: Decimal | None, places: int = 2) -> str:
    """A number, or nothing where there is none: what is not in the XML is not printed, not even as zero."""
    return "" if value is None else number(value, places)


def day(moment: date | None) -> str:
    """A day, or nothing."""
    return "" if moment is None else f"{moment:%d/%m/%Y}"


def hour(moment: datetime | None) -> str:
    """A time of day, or nothing."""
    return "" if moment is None else f"{moment:%H:%M:%S}"


def day_and_hour(moment: datetime) -> str:
    """A moment by the clock that it was written with."""
    return f"{day(moment)} {hour(moment)}"


def tax_id(*candidates: str | None) -> str:
    """The first CNPJ or CPF that is there, with its punctuation; letters in a CNPJ too."""
    digits = next(filter(None, candidates), "")
    if len(digits) == _CNPJ:
        return f"{digits[:2]}.{digits[2:5]}.{digits[5:8]}/{digits[8:12]}-{digits[12:]}"
    if len(digits) == _CPF:
        return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"
    return digits


def zipcode(digits: str | None) -> str:
    """A CEP with its hyphen, or whatever is in its place abroad."""
    return f"{digits[:5]}-{digits[5:]}" if digits and len(digits) == _ZIPCODE else digits or ""


def phone(digits: str | None) -> str:
    """A Brazilian number with its area, or any other as it is."""
    if digits and len(digits) in (_LANDLINE, _MOBILE):
        return f"({digits[:2]}) {digits[2:-4]}-{digits[-4:]}"
    return digits or ""


def key(access_key: str) -> str:
    """An access key in groups of four."""
    return " ".join(access_key[start : start + 4] for start in range(0, len(access_key), 4))


def invoice_number(value: int) -> str:
    """Nine digits with points (MOC 7.0, Anexo II, 3.1.1)."""
    return f"{value:011,}".replace(",", ".")


_SWAPPED = str.maketrans(",.", ".,")
