"""What a document that is created directly sells, and to whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from carimbo.fiscal.customer import CustomerFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class SoldItem:
    """What is sold, as a catalog has it."""

    sku: str
    name: str
    type: str
    """`service` or `product`."""
    category: str
    guarantee: int | None = None
    """Days."""
    fiscal: Mapping[str, Any] = field(default_factory=dict)
    """Codes and rates of its own, plain values under the names of our JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectSale:
    """The sale that a document makes: one item, once."""

    customer: CustomerFacts
    item: SoldItem
    price: Decimal
    discount: Decimal = Decimal(0)
    sold_on: date | None = None
    """None where the document does not say: it is the day on which it is created."""
