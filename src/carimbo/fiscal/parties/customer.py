"""Customers and recipients of documents, as facts for other modules."""

from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.parties.party_address import is_in_brazil


@dataclass(frozen=True, kw_only=True)
class CustomerFacts:
    """The facts about a customer; unknown ones are None."""

    name: str
    """Empty if a receipt has only the CPF or CNPJ of its buyer."""
    email: str | None = None
    document: str | None = None
    """CPF or CNPJ without punctuation."""
    foreign_id: str | None = None
    """The identification of a foreign customer in their country."""
    phone: str | None = None
    address: dict[str, Any] | None = None
    """Values by names of our JSON."""
    municipal_registration: str | None = None
    state_registration: str | None = None
    trade_name: str | None = None
    is_foreign: bool = False

    @property
    def is_abroad(self) -> bool:
        """Whether the customer is marked as foreign, or has an address abroad."""
        return self.is_foreign or not is_in_brazil(self.address or {})

    @property
    def id_fields(self) -> dict[str, str]:
        """The id of the customer in a request: `foreignId` for a customer abroad, else `taxId`."""
        if self.foreign_id and (self.is_abroad or not self.document):
            return {"foreignId": self.foreign_id}
        return {"taxId": self.document} if self.document else {}


@dataclass(frozen=True, slots=True)
class Addressee:
    """The recipient of a document; unknown facts are None."""

    name: str | None
    email: str | None
    tax_id: str | None = None
