"""Filling the body of an NFC-e with what the catalog knows."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.catalog_filling import CatalogFacts, CatalogFilling, CatalogReferences
from carimbo.fiscal.catalog_sale import ItemType
from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfce.document import NAME
from carimbo.fiscal.documents.nfce.from_sale import recipient_of, sold_by_receipt
from carimbo.fiscal.documents.nfce.request import IssueMode, NfceRequest
from carimbo.fiscal.goods import from_catalog
from carimbo.fiscal.goods.from_catalog import day_of, fill_items, fill_recipient
from carimbo.fiscal.goods.from_sale import in_force
from carimbo.fiscal.goods.presence import Presence


def references_of(request: NfceRequest) -> CatalogReferences:
    """Returns nothing for a receipt that is on paper already: the document says what the paper says."""
    is_printed = request.issue_mode is IssueMode.OFFLINE_CONTINGENCY
    return CatalogReferences() if is_printed else from_catalog.references_of(request)


def fill(
    body: Mapping[str, Any], request: NfceRequest, issuer: Company, known: CatalogFacts
) -> Mapping[str, Any]:
    """Fills recipient and items; a receipt is always a sale within the state.

    Only a delivery needs an address: another receipt takes none from the catalog.
    """
    buyer = recipient_of(known.customer) if known.customer else None
    if buyer and request.presence is not Presence.DELIVERY:
        buyer.pop("address", None)
    recipient = {"recipient": fill_recipient(body["recipient"], buyer)} if buyer else {}
    day = day_of(request, issuer, known)
    sold = {sku: sold_by_receipt(in_force(item, NAME, day)) for sku, item in known.items.items()}
    items = fill_items(body["items"], request, sold, is_sale=True)
    return {**body, **recipient, "items": items}


def missing(request: NfceRequest) -> tuple[str, ...]:
    """Returns nothing: the buyer of a receipt needs no name."""
    return ()


FILLING = CatalogFilling(ItemType.PRODUCT, references_of, fill, missing)
