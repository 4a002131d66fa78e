"""Fills the request body of an NF-e with data of the catalog about recipient and items."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogFilling
from carimbo.fiscal.catalog.sale import ItemType
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.from_sale import GoodsSale, item_for_destination, recipient_of
from carimbo.fiscal.documents.nfe.request import NfeRequest, OperationDirection, Purpose
from carimbo.fiscal.documents.nfe.terms import destination_of
from carimbo.fiscal.goods.from_catalog import fill_items, fill_recipient, issue_day_of, references_of
from carimbo.fiscal.goods.from_sale import without_ended_taxes
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.recipient import (
    Contribution,
    ForeignAddress,
    RecipientAddress,
    RecipientBody,
    contribution_of,
)


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
