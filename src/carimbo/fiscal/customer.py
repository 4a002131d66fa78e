"""Who buys from a company, as far as it is known."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class CustomerFacts:
    """What is known of a customer; None is what is not."""

    name: str
    email: str | None = None
    document: str | None = None
    """CPF or CNPJ without punctuation."""
    foreign_id: str | None = None
    """How a customer abroad is known there."""
    phone: str | None = None
    address: dict[str, Any] | None = None
    """Plain values under the names of our JSON."""
    municipal_registration: str | None = None
    state_registration: str | None = None
    trade_name: str | None = None
    is_foreign: bool = False
