"""Amounts that must be the product of other fields, give or take a cent (MOC 7.0, anexo I, 4.2, note 4)."""

from decimal import Decimal

from carimbo.fiscal.money import cents
from carimbo.fiscal.rules import At

_CENT = Decimal("0.01")


def compared(path: str, told: Decimal, exact: Decimal) -> At | None:
    """Where an amount in cents is more than a cent off the rounded product, and what it should have been."""
    # What is within a cent of the product itself is so of the rounded one, which costs more to know.
    if abs(told - exact) <= _CENT:
        return None
    expected = cents(exact)
    return At(path, f"Esperado: {expected}.") if abs(told - expected) > _CENT else None


def compared_percent(path: str, told: Decimal, base: Decimal, rate: Decimal) -> At | None:
    """The same of so many percent of a base."""
    return compared(path, told, base * rate * _CENT)
