"""Makes the request body of an NF-e from a sale of the catalog."""

from dataclasses import dataclass, replace
from typing import Any

from carimbo.fiscal.catalog.sale import AnyItem, FiscalItem, SaleDocumentBody, SalePart, without_absent
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.goods.cfop import (
    ABROAD,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    cfop_of_sale,
    is_sale,
    is_within_the_state,
)
from carimbo.fiscal.goods.from_sale import NATIONAL, body_of_goods, origin_of, party_of, without_ended_taxes
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil
from carimbo.fiscal.taxes.icms import interstate_rate

_WITHIN_THE_STATE_ALONE = ("rate", "fcpRate")


@dataclass(frozen=True, slots=True)
class GoodsSale:
    """Seller and destination of the goods of a sale."""

    seller: Company
    destination: str | None
    """`idDest`; None if it is unknown."""
    buyer_state: str
    buyer_is_contributor: bool


def body_of_sale(part: SalePart, settings: NfeSettings) -> SaleDocumentBody:
    """Returns the body of the NF-e of a sale, which is a distance sale: counter sales have an NFC-e."""
    address = part.buyer.address or {}
    if not is_in_brazil(address):
        destination: str | None = ABROAD
    elif address.get("state") is None:
        destination = None
    else:
        is_same_state = address["state"] == part.seller.address.state
        destination = WITHIN_THE_STATE if is_same_state else TO_ANOTHER_STATE
    sale = GoodsSale(
        seller=part.seller,
        destination=destination,
        buyer_state=address.get("state", ""),
        buyer_is_contributor=part.buyer.state_registration is not None,
    )
    lines = (item_for_destination(sale, without_ended_taxes(line, NAME, part.day)) for line in part.lines)
    return body_of_goods(replace(part, lines=tuple(lines)), Presence.INTERNET, recipient_of(part.buyer))


def item_for_destination(sale: GoodsSale, item: AnyItem) -> AnyItem:
    """Returns an item with the CFOP and ICMS of its destination.

    The catalog has CFOP and rates of sales within the state.
    """
    if sale.destination in (None, WITHIN_THE_STATE):
        return item
    changed = {"cfop": _cfop(item, sale), "icms": _icms(item, sale)}
    return replace(item, fiscal={**item.fiscal, **changed})


def _cfop(item: FiscalItem, sale: GoodsSale) -> str | None:
    cfop: str | None = item.fiscal.get("cfop")
    if cfop is None or sale.destination is None or not (is_within_the_state(cfop) and is_sale(cfop)):
        return cfop
    return cfop_of_sale(cfop[1:], sale.destination, sale.seller.tax_regime, sale.buyer_is_contributor)


def _icms(item: FiscalItem, sale: GoodsSale) -> dict[str, Any] | None:
    """Returns the ICMS with the interstate rate, and without the poverty fund of sales within the state."""
    icms: dict[str, Any] | None = item.fiscal.get("icms")
    if icms is None:
        return None
    kept = {name: value for name, value in icms.items() if name not in _WITHIN_THE_STATE_ALONE}
    if sale.destination == ABROAD or icms.get("rate") is None:
        return kept
    origin = origin_of(item) or sale.seller.defaults.origin or NATIONAL
    return kept | {"rate": interstate_rate(sale.seller.address.state, sale.buyer_state, origin)}


def recipient_of(customer: CustomerFacts) -> dict[str, Any]:
    """Returns a customer as the recipient of an NF-e."""
    return without_absent(party_of(customer) | {"stateRegistration": customer.state_registration})


def customer_gaps(customer: CustomerFacts | None) -> tuple[str, ...]:
    """Returns the fields that a customer lacks to be the recipient of an NF-e."""
    name = () if customer else ("customer", "customer.name")
    document = () if customer and customer.id_fields else ("customer.document",)
    address = () if customer and customer.address else ("customer.address",)
    return (*name, *document, *address)
