"""Amounts of taxes, which have many forms and are often not there at all."""

from decimal import Decimal
from typing import Any


def amount_of(tax: Any, name: str) -> Decimal | None:
    """What a tax has under a name; nothing of a form that has no such amount, or of no tax."""
    value: Decimal | None = getattr(tax, name, None)
    return value
