"""Catalog data in an NF-e: the body of a sale, and the fields that a request leaves open."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogFilling
from carimbo.fiscal.catalog.sale import (
    AnyItem,
    FiscalItem,
    ItemType,
    SaleDocumentBody,
    SalePart,
    without_absent,
)
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.request import NfeRequest, OperationDirection, Purpose
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.documents.nfe.terms import destination_of
from carimbo.fiscal.goods.cfop import (
    ABROAD,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    cfop_of_sale,
    is_sale,
    is_within_the_state,
)
from carimbo.fiscal.goods.from_catalog import fill_items, fill_recipient, issue_day_of, references_of
from carimbo.fiscal.goods.from_sale import NATIONAL, body_of_goods, origin_of, party_of, without_ended_taxes
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil
from carimbo.fiscal.parties.recipient import (
    Contribution,
    ForeignAddress,
    RecipientAddress,
    RecipientBody,
    contribution_of,
)
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


def fill(
    body: Mapping[str, Any], request: NfeRequest, issuer: Company, facts: CatalogFacts
) -> Mapping[str, Any]:
    """Fills recipient and items; the filled recipient decides the destination of the items."""
    recipient, buyer = body["recipient"], request.recipient
    if facts.customer:
        recipient = fill_recipient(recipient, _as_recipient(facts.customer, buyer))
        try:
            buyer = RecipientBody.model_validate(recipient)
        except ValidationError:
            # The filled body is validated as a whole next, which reports the errors by their paths.
            return {**body, "recipient": recipient}

    destination = destination_of(request.model_copy(update={"recipient": buyer}), issuer)
    is_contributor = contribution_of(buyer) is not Contribution.NONE
    sale = GoodsSale(issuer, destination.code, destination.state, is_contributor)
    is_normal_sale = request.operation is OperationDirection.OUTBOUND and request.purpose is Purpose.NORMAL
    day = issue_day_of(request, issuer, facts)
    sold = {
        sku: item_for_destination(sale, without_ended_taxes(item, NAME, day))
        for sku, item in facts.items.items()
    }
    items = fill_items(body["items"], request, sold, is_sale=is_normal_sale)
    return {**body, "recipient": recipient, "items": items}


def missing_recipient_fields(request: NfeRequest) -> tuple[str, ...]:
    """Returns the required fields of the recipient that are missing; a foreigner needs no id."""
    buyer = request.recipient
    is_identified = buyer.tax_id or buyer.foreign_id or buyer.is_foreign
    required = {"recipient.taxId": is_identified, "recipient.name": buyer.name}
    return tuple(path for path, value in required.items() if not value)


def _as_recipient(customer: CustomerFacts, given: RecipientBody) -> dict[str, Any]:
    """Returns a customer as a recipient, without the registrations that the document can't have.

    A recipient who pays no ICMS has no state registration. Registrations belong to the customer's own state:
    with an address in another state or abroad they would be wrong.
    """
    stored = recipient_of(customer) | {"municipalRegistration": customer.municipal_registration}
    excluded = set()
    if given.icms_contribution not in (None, Contribution.CONTRIBUTOR):
        excluded = {"stateRegistration"}
    if _is_elsewhere(given.address, customer):
        excluded = {"stateRegistration", "municipalRegistration"}
    return {name: value for name, value in stored.items() if value is not None and name not in excluded}


def _is_elsewhere(address: RecipientAddress | None, customer: CustomerFacts) -> bool:
    """Returns whether an address of the body is abroad, or in another state than the customer's."""
    if isinstance(address, ForeignAddress):
        return True
    state = (customer.address or {}).get("state")
    return bool(address and address.state and state and address.state != state)


FILLING = CatalogFilling(ItemType.PRODUCT, references_of, fill, missing_recipient_fields)
