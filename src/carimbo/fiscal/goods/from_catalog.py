"""Filling the bodies of NF-e and NFC-e with what the catalog knows of buyer and items."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from carimbo.fiscal.body_reading import is_blank
from carimbo.fiscal.catalog_filling import CatalogFacts, CatalogReferences
from carimbo.fiscal.catalog_sale import FiscalItem
from carimbo.fiscal.company import Company
from carimbo.fiscal.goods.cfop import is_sale as is_sale_cfop
from carimbo.fiscal.goods.from_sale import fiscal_fields
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.parties import RecipientBody
from carimbo.fiscal.party_address import filled_address

_IDENTITY = frozenset({"taxId", "foreignId"})
# What goods are, whatever is done with them; the rest is how they are taxed when they are sold.
_OF_THE_GOODS = frozenset({"ncm", "cest", "gtin", "unit", "origin"})


def references_of(request: SaleBody) -> CatalogReferences:
    """Returns the buyer, if the body lacks anything that a customer may have, and the SKUs of the items."""
    buyer = request.recipient
    skus = {item.sku: None for item in request.items if item.sku}
    return CatalogReferences(
        tax_id=buyer.tax_id if buyer and _lacks_anything(buyer) else None, skus=tuple(skus)
    )


def fill_recipient(told: Mapping[str, Any], customer: Mapping[str, Any]) -> dict[str, Any]:
    """Adds to a recipient what it lacks and the customer has, addresses field by field."""
    known = {name: value for name, value in customer.items() if name not in _IDENTITY}
    own = _present(told)
    address = own.pop("address", None)
    filled = known | own
    if isinstance(address, dict):
        filled["address"] = filled_address(address, known.get("address"))
    return filled


def day_of(request: SaleBody, issuer: Company, facts: CatalogFacts) -> date | None:
    """Returns the day on which a request asks for its document, else the day of the request itself."""
    return local_day(request.issue_date, issuer.address.state) if request.issue_date else facts.day


def fill_items(
    told: Sequence[Mapping[str, Any]], request: SaleBody, known: Mapping[str, FiscalItem], *, is_sale: bool
) -> list[Mapping[str, Any]]:
    """Adds to items the fiscal fields that they lack and the catalog has; `known` is by SKU."""
    return [
        _fill_item(one, item, known[item.sku], request, is_sale) if item.sku and item.sku in known else one
        for one, item in zip(told, request.items, strict=True)
    ]


def _fill_item(
    told: Mapping[str, Any], item: ItemBody, known: FiscalItem, request: SaleBody, is_sale: bool
) -> dict[str, Any]:
    """Fills an item.

    A tax that the body has is the body's whole, because its fields depend on each other; the code of a fiscal
    benefit depends on the ICMS, and a CEST on the NCM. A CFOP of the document holds for all items that have
    none of their own.
    """
    fields, own = fiscal_fields(known, item.quantity), _present(told)
    if item.ncm and item.ncm != fields.get("ncm"):
        fields.pop("cest", None)
    cfop = item.cfop or request.cfop
    if not is_sale or (cfop and not _is_same_operation(cfop, fields.get("cfop"))):
        fields = {name: value for name, value in fields.items() if name in _OF_THE_GOODS}
    if request.cfop:
        fields.pop("cfop", None)
    if "icms" in own:
        fields.pop("benefitCode", None)
    return fields | own


def _is_same_operation(cfop: str, catalog_cfop: str | None) -> bool:
    """Returns whether the taxes of the catalog hold for an item with a CFOP of the body.

    They are those of the catalog's own CFOP, which is one of sales unless it says otherwise. The first digit
    only tells where the goods go.
    """
    if catalog_cfop is None:
        return is_sale_cfop(cfop)
    return cfop[1:] == catalog_cfop[1:] or (is_sale_cfop(cfop) and is_sale_cfop(catalog_cfop))


def _lacks_anything(buyer: RecipientBody) -> bool:
    values = (
        buyer.name, buyer.email, buyer.phone, buyer.address, buyer.state_registration,
        buyer.municipal_registration,
    )  # fmt: skip
    return None in values


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that the caller sent, without blanks."""
    return {name: value for name, value in fields.items() if not is_blank(value)}
