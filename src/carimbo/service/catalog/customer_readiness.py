"""Data that a customer of the catalog lacks for the documents of a sale."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.goods.parties import NEEDED_ABROAD, NEEDED_IN_BRAZIL
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.catalog.customers import CustomerRecord, customer_record, require_customer
from carimbo.service.document_types import customer_gaps
from carimbo.storage.database import Database

_PREFIX = "customer."


@dataclass(frozen=True)
class CustomerReadiness:
    """The data that a customer lacks for documents of one type."""

    document_type: DocumentType
    missing: tuple[str, ...]
    """The fields, by paths of our JSON: `document`, `address.number`."""


async def read_customer_readiness(
    database: Database, subscription_id: UUID, company_id: UUID, customer_id: UUID
) -> tuple[CustomerRecord, list[CustomerReadiness]]:
    """Returns a customer, and what it lacks for each document type that sales issue."""
    async with database.autocommit(subscription_id) as tenant:
        customer = await require_customer(tenant, company_id, customer_id)
    return customer_record(customer), [
        CustomerReadiness(document_type, tuple(_missing(document_type, customer)))
        for document_type in DOCUMENT_TYPES
        if document_type.catalog_sale
    ]


def _missing(document_type: DocumentType, customer: CustomerFacts) -> Iterator[str]:
    for path, _ in customer_gaps([document_type], customer):
        yield path.removeprefix(_PREFIX)
    needed = [path for path, _ in customer_gaps([document_type], None)]
    # Documents of the other types leave an incomplete address out.
    if f"{_PREFIX}address" in needed and customer.address:
        lines = NEEDED_IN_BRAZIL if is_in_brazil(customer.address) else NEEDED_ABROAD
        for name in lines:
            if not customer.address.get(name):
                yield f"address.{name}"
