"""Who buys from a company, as far as it is known."""

from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.party_address import is_in_brazil


@dataclass(frozen=True, kw_only=True)
class CustomerFacts:
    """What is known of a customer; None is what is not."""

    name: str
    """Empty if a receipt has only the CPF or CNPJ of its buyer."""
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

    @property
    def is_abroad(self) -> bool:
        """Whether the customer is said to be abroad, or has an address there."""
        return self.is_foreign or not is_in_brazil(self.address or {})

    @property
    def known_as(self) -> dict[str, str]:
        """What documents know the customer by, as their bodies say it: who is abroad by the id of there."""
        if self.foreign_id and (self.is_abroad or not self.document):
            return {"foreignId": self.foreign_id}
        return {"taxId": self.document} if self.document else {}
