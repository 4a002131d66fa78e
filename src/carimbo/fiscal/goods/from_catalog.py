"""Fills the request bodies of NF-e and NFC-e with data of the catalog about buyer and items."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from carimbo.fiscal.body.reading import is_blank
from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogReferences
from carimbo.fiscal.catalog.sale import FiscalItem
from carimbo.fiscal.goods.cfop import is_sale as is_sale_cfop
from carimbo.fiscal.goods.from_sale import fiscal_fields
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.request import GoodsRequest
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.party_address import filled_address

_IDENTITY = frozenset({"taxId", "foreignId"})
# These fields describe the goods in every operation; the others are their taxes in a sale.
_FIELDS_OF_GOODS = frozenset({"ncm", "cest", "gtin", "unit", "origin"})


def references_of(request: GoodsRequest) -> CatalogReferences:
    """Returns the SKUs of the items, and the buyer if data of a customer is missing in the request."""
    buyer = request.recipient
    skus = {item.sku: None for item in request.items if item.sku}
    needs_customer = buyer is not None and None in (
        buyer.name,
        buyer.email,
        buyer.phone,
        buyer.address,
        buyer.state_registration,
        buyer.municipal_registration,
    )
    return CatalogReferences(tax_id=buyer.tax_id if buyer and needs_customer else None, skus=tuple(skus))


def fill_recipient(recipient: Mapping[str, Any], customer: Mapping[str, Any]) -> dict[str, Any]:
    """Adds the missing fields of a recipient from the customer, addresses field by field."""
    defaults = {name: value for name, value in customer.items() if name not in _IDENTITY}
    given = _present(recipient)
    address = given.pop("address", None)
    filled = defaults | given
    if isinstance(address, dict):
        filled["address"] = filled_address(address, defaults.get("address"))
    return filled


def issue_day_of(request: GoodsRequest, issuer: Company, facts: CatalogFacts) -> date | None:
    """Returns the day of issue that a request asks for, else the day of the request itself."""
    return local_day(request.issue_date, issuer.address.state) if request.issue_date else facts.day


def fill_items(
    bodies: Sequence[Mapping[str, Any]],
    request: GoodsRequest,
    catalog: Mapping[str, FiscalItem],
    *,
    is_sale: bool,
) -> list[Mapping[str, Any]]:
    """Adds the missing fiscal fields of the items from the catalog, which is a mapping by SKU."""
    return [
        _fill_item(body, item, catalog[item.sku], request, is_sale)
        if item.sku and item.sku in catalog
        else body
        for body, item in zip(bodies, request.items, strict=True)
    ]


def _fill_item(
    body: Mapping[str, Any], item: ItemBody, catalog_item: FiscalItem, request: GoodsRequest, is_sale: bool
) -> dict[str, Any]:
    """Fills an item.

    A tax of the body replaces the whole tax of the catalog, because its fields depend on each other. The code
    of a fiscal benefit depends on the ICMS, and a CEST on the NCM. The CFOP of the document applies to all
    items without one.
    """
    fields, given = fiscal_fields(catalog_item, item.quantity), _present(body)
    if item.ncm and item.ncm != fields.get("ncm"):
        fields.pop("cest", None)
    cfop = item.cfop or request.cfop
    if not is_sale or (cfop and not _is_same_operation(cfop, fields.get("cfop"))):
        fields = {name: value for name, value in fields.items() if name in _FIELDS_OF_GOODS}
    if request.cfop:
        fields.pop("cfop", None)
    if "icms" in given:
        fields.pop("benefitCode", None)
    return fields | given


def _is_same_operation(cfop: str, catalog_cfop: str | None) -> bool:
    """Returns whether the taxes of the catalog apply to an item with the CFOP of the body.

    They belong to the CFOP of the catalog, or to any sale if it has none. The first digit is only the
    destination of the goods.
    """
    if catalog_cfop is None:
        return is_sale_cfop(cfop)
    return cfop[1:] == catalog_cfop[1:] or (is_sale_cfop(cfop) and is_sale_cfop(catalog_cfop))


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that are not blank."""
    return {name: value for name, value in fields.items() if not is_blank(value)}
