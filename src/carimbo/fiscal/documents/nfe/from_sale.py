"""The body of the NF-e that a sale of the catalog needs."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.catalog_sale import SaleBody, SalePart, without_absent
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.item_destination import Sale, sold_in
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.from_sale import body_of_goods, in_force, party_of
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.party_address import is_in_brazil


def body_of_sale(part: SalePart, settings: NfeSettings) -> SaleBody:
    """A sale that reaches the service is made at a distance: what is sold at a counter has an NFC-e."""
    sale = Sale(
        seller=part.seller,
        destination=_destination(part.seller, part.buyer),
        buyer_state=(part.buyer.address or {}).get("state", ""),
        buyer_is_contributor=part.buyer.state_registration is not None,
    )
    sold = replace(part, lines=tuple(sold_in(sale, in_force(line, NAME, part.day)) for line in part.lines))
    return body_of_goods(sold, Presence.INTERNET, recipient_of(part.buyer))


def recipient_of(customer: CustomerFacts) -> dict[str, Any]:
    """Returns a customer as the recipient of an NF-e."""
    return without_absent(party_of(customer) | {"stateRegistration": customer.state_registration})


def customer_gaps(customer: CustomerFacts | None) -> tuple[str, ...]:
    """Returns what a customer lacks to be the recipient of an NF-e: a document and an address."""
    name = () if customer else ("customer", "customer.name")
    document = () if customer and customer.known_as else ("customer.document",)
    address = () if customer and customer.address else ("customer.address",)
    return (*name, *document, *address)


def _destination(seller: Company, customer: CustomerFacts) -> str | None:
    address = customer.address or {}
    if not is_in_brazil(address):
        return ABROAD
    if address.get("state") is None:
        return None
    return WITHIN_THE_STATE if address["state"] == seller.address.state else TO_ANOTHER_STATE
