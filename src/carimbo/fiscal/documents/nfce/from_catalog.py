"""Fills the request body of an NFC-e with data of the catalog about recipient and items."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogFilling, CatalogReferences
from carimbo.fiscal.catalog.sale import ItemType
from carimbo.fiscal.documents.nfce.document import NAME
from carimbo.fiscal.documents.nfce.from_sale import recipient_of, without_untaxed_ipi
from carimbo.fiscal.documents.nfce.request import IssueMode, NfceRequest
from carimbo.fiscal.goods import from_catalog
from carimbo.fiscal.goods.from_catalog import fill_items, fill_recipient, issue_day_of
from carimbo.fiscal.goods.from_sale import without_ended_taxes
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties.company import Company


def references_of(request: NfceRequest) -> CatalogReferences:
    """Returns the references to the catalog; none for a receipt that is printed already."""
    is_printed = request.issue_mode is IssueMode.OFFLINE_CONTINGENCY
    return CatalogReferences() if is_printed else from_catalog.references_of(request)


def fill(
    body: Mapping[str, Any], request: NfceRequest, issuer: Company, facts: CatalogFacts
) -> Mapping[str, Any]:
    """Fills recipient and items; a receipt is always a sale within the state.

    Only a delivery needs an address: other receipts take none from the catalog.
    """
    buyer = recipient_of(facts.customer) if facts.customer else None
    if buyer and request.presence is not Presence.DELIVERY:
        buyer.pop("address", None)
    recipient = {"recipient": fill_recipient(body["recipient"], buyer)} if buyer else {}
    day = issue_day_of(request, issuer, facts)
    sold = {
        sku: without_untaxed_ipi(without_ended_taxes(item, NAME, day)) for sku, item in facts.items.items()
    }
    items = fill_items(body["items"], request, sold, is_sale=True)
    return {**body, **recipient, "items": items}


def missing_recipient_fields(request: NfceRequest) -> tuple[str, ...]:
    """Returns nothing: the buyer of a receipt needs no name."""
    return ()


FILLING = CatalogFilling(ItemType.PRODUCT, references_of, fill, missing_recipient_fields)
