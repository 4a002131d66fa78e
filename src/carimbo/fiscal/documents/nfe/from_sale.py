"""The body of the NF-e that a sale of the catalog needs."""

from dataclasses import replace
from typing import Any

from carimbo.fiscal.catalog_sale import SaleBody, SalePart, SoldLine, without_absent
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.goods.cfop import (
    ABROAD,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    cfop_of_sale,
    is_sale,
    is_within_the_state,
)
from carimbo.fiscal.goods.from_sale import NATIONAL, body_of_goods, origin_of, party_of
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.party_address import is_in_brazil
from carimbo.fiscal.taxes.icms import interstate_rate

_WITHIN_THE_STATE_ALONE = ("rate", "fcpRate")


def body_of_sale(part: SalePart, settings: NfeSettings) -> SaleBody:
    """A sale that reaches the service is made at a distance: what is sold at a counter has an NFC-e."""
    buyer = party_of(part.buyer) | {"stateRegistration": part.buyer.state_registration}
    bound = replace(part, lines=tuple(_bound(line, part) for line in part.lines))
    return body_of_goods(bound, Presence.INTERNET, without_absent(buyer))


def customer_gaps(customer: CustomerFacts | None) -> tuple[str, ...]:
    """Returns what a customer lacks to be the recipient of an NF-e: a document and an address."""
    document = () if customer and customer.known_as else ("customer.document",)
    address = () if customer and customer.address else ("customer.address",)
    return (*(() if customer else ("customer",)), *document, *address)


def _bound(line: SoldLine, part: SalePart) -> SoldLine:
    """The line as it is for where the goods go: the catalog has what holds within the state."""
    destination = _destination(part.seller, part.buyer)
    if destination in (None, WITHIN_THE_STATE):
        return line
    changed = {"cfop": _cfop(line, part, destination), "icms": _icms(line, part, destination)}
    return replace(line, fiscal={**line.fiscal, **changed})


def _cfop(line: SoldLine, part: SalePart, destination: str) -> str | None:
    cfop: str | None = line.fiscal.get("cfop")
    if cfop is None or not (is_within_the_state(cfop) and is_sale(cfop)):
        return cfop
    is_contributor = part.buyer.state_registration is not None
    return cfop_of_sale(cfop[1:], destination, part.seller.tax_regime, is_contributor)


def _icms(line: SoldLine, part: SalePart, destination: str) -> dict[str, Any] | None:
    """A rate within the state gives way to that between the two, and its poverty fund to none."""
    icms: dict[str, Any] | None = line.fiscal.get("icms")
    if icms is None:
        return None
    kept = {name: value for name, value in icms.items() if name not in _WITHIN_THE_STATE_ALONE}
    if destination == ABROAD or icms.get("rate") is None:
        return kept
    buyer_state = (part.buyer.address or {}).get("state", "")
    origin = origin_of(line) or part.seller.defaults.origin or NATIONAL
    return kept | {"rate": interstate_rate(part.seller.address.state, buyer_state, origin)}


def _destination(seller: Company, customer: CustomerFacts) -> str | None:
    address = customer.address or {}
    if not is_in_brazil(address):
        return ABROAD
    if address.get("state") is None:
        return None
    return WITHIN_THE_STATE if address["state"] == seller.address.state else TO_ANOTHER_STATE
