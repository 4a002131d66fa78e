"""What a document that is created directly sells, and to whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SoldTo:
    """Who buys, as far as the document tells."""

    name: str
    document: str | None = None
    """CPF or CNPJ without punctuation."""
    foreign_id: str | None = None
    """How a buyer abroad is known there."""
    email: str | None = None
    phone: str | None = None
    address: Mapping[str, Any] | None = None
    """Plain values under the names of our JSON."""
    municipal_registration: str | None = None
    state_registration: str | None = None
    trade_name: str | None = None
    is_foreign: bool = False


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

    customer: SoldTo
    item: SoldItem
    amount: Decimal
    sold_on: date | None = None
    """None where the document does not say: it is the day on which it is created."""
