"""Values as a DANFSe writes them; a hyphen stands where the XML has none (NT 008, nota 12)."""

from decimal import Decimal

from carimbo.printing import formats

ABSENT = "-"
_ZIPCODE, _SERVICE, _NBS = 8, 6, 9


def told(text: str | None) -> str:
    """A text, or the sign of its absence."""
    return text or ABSENT


def joined(*parts: str | None) -> str:
    """Parts that stand in one field."""
    return " / ".join(map(told, parts))


def money(amount: Decimal | None) -> str:
    """An amount in reais."""
    return ABSENT if amount is None else f"R$ {formats.number(amount)}"


def percent(rate: Decimal | None) -> str:
    """A rate."""
    return ABSENT if rate is None else f"{formats.number(rate)}%"


def total(*amounts: Decimal | None) -> Decimal | None:
    """The sum of the amounts that are there."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if known else None


def zipcode(digits: str) -> str:
    """A CEP with point and hyphen."""
    return f"{digits[:2]}.{digits[2:5]}-{digits[5:]}" if len(digits) == _ZIPCODE else digits


def service_code(digits: str) -> str:
    """Item, subitem and their division."""
    return f"{digits[:2]}.{digits[2:4]}.{digits[4:]}" if len(digits) == _SERVICE else digits


def nbs(digits: str | None) -> str:
    """A code of the Nomenclatura Brasileira de Serviços."""
    if digits and len(digits) == _NBS:
        return f"{digits[0]}.{digits[1:5]}.{digits[5:7]}.{digits[7:]}"
    return told(digits)
