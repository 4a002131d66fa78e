"""Filling the body of an NF-e with what the catalog knows."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.catalog_filling import CatalogFacts, CatalogFilling
from carimbo.fiscal.catalog_sale import ItemType
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfe.destination import destination_of
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.from_sale import recipient_of
from carimbo.fiscal.documents.nfe.item_destination import Sale, sold_in
from carimbo.fiscal.documents.nfe.request import NfeRequest, Operation, Purpose
from carimbo.fiscal.goods.from_catalog import day_of, fill_items, fill_recipient, references_of
from carimbo.fiscal.goods.from_sale import in_force
from carimbo.fiscal.parties import (
    Contribution,
    ForeignAddress,
    RecipientAddress,
    RecipientBody,
    contribution_of,
)


def fill(
    body: Mapping[str, Any], request: NfeRequest, issuer: Company, known: CatalogFacts
) -> Mapping[str, Any]:
    """Fills recipient and items; the items for where the goods go, which the filled recipient tells."""
    recipient, buyer = body["recipient"], request.recipient
    if known.customer:
        recipient = fill_recipient(recipient, _as_recipient(known.customer, buyer))
        try:
            buyer = RecipientBody.model_validate(recipient)
        except ValidationError:
            # The filled body is validated as a whole next, which reports the errors by their paths.
            return {**body, "recipient": recipient}
    sale = _sale(request, buyer, issuer)
    is_sale = request.operation is Operation.OUTBOUND and request.purpose is Purpose.NORMAL
    day = day_of(request, issuer, known)
    sold = {sku: sold_in(sale, in_force(item, NAME, day)) for sku, item in known.items.items()}
    items = fill_items(body["items"], request, sold, is_sale=is_sale)
    return {**body, "recipient": recipient, "items": items}


def missing(request: NfeRequest) -> tuple[str, ...]:
    """Returns the required fields of the recipient that are missing; a foreigner may have no id."""
    buyer = request.recipient
    is_identified = buyer.tax_id or buyer.foreign_id or buyer.is_foreign
    required = {"recipient.taxId": is_identified, "recipient.name": buyer.name}
    return tuple(path for path, value in required.items() if not value)


def _as_recipient(customer: CustomerFacts, given: RecipientBody) -> dict[str, Any]:
    """Returns a customer as a recipient, without the registrations that the document can't have.

    A recipient who pays no ICMS has no state registration. Registrations are those of the customer's own
    state: with an address elsewhere they would be wrong.
    """
    stored = recipient_of(customer) | {"municipalRegistration": customer.municipal_registration}
    left_out = set()
    if given.icms_contribution not in (None, Contribution.CONTRIBUTOR):
        left_out = {"stateRegistration"}
    if _is_elsewhere(given.address, customer):
        left_out = {"stateRegistration", "municipalRegistration"}
    return {name: value for name, value in stored.items() if value is not None and name not in left_out}


def _is_elsewhere(address: RecipientAddress | None, customer: CustomerFacts) -> bool:
    """Returns whether an address of the body is abroad, or in another state than the customer's."""
    if isinstance(address, ForeignAddress):
        return True
    state = (customer.address or {}).get("state")
    return bool(address and address.state and state and address.state != state)


def _sale(request: NfeRequest, recipient: RecipientBody, seller: Company) -> Sale:
    destination = destination_of(request.model_copy(update={"recipient": recipient}), seller)
    is_contributor = contribution_of(recipient) is not Contribution.NONE
    return Sale(seller, destination.code, destination.state, is_contributor)


FILLING = CatalogFilling(ItemType.PRODUCT, references_of, fill, missing)
