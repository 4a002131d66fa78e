"""Makes the request bodies of NF-e and NFC-e from a sale of the catalog."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from carimbo.fiscal.body.reading import STORED
from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.catalog.sale import (
    AnyItem,
    FiscalItem,
    SaleDocumentBody,
    SalePart,
    SoldLine,
    without_absent,
)
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil
from carimbo.fiscal.tables.geography import country_of_letters

NATIONAL = "0"
"""The default origin of goods."""

_CONTRIBUTIONS = ("pis", "cofins")
_TAXED_BY_UNIT = ("pis", "cofins", "ipi")
# The layout has less room than a valid e-mail address may need.
_MAX_EMAIL_LENGTH = 60
_ADDRESS_ABROAD = ("street", "number", "complement", "district", "city")
_PATHS = {
    "items": "products",
    "items[]": "products[]",
    "freight": "shipping",
    "freight.mode": "shipping",
    "presence": "productInvoiceType",
    "recipient": "customer",
    "recipient.taxId": "customer.document",
    "recipient.address.country": "customer.address.countryCode",
    "destination": "customer.address",
    "export": "customer.address",
    "finalConsumer": "customer.stateRegistration",
}
_PAYMENT_PATHS = ("payments", "paymentMethod", "change")
_PATHS_OF_ITEM = {"description": "name", "unitValue": "price"}
_SPLIT_AMONG_ITEMS = {"discount": "discount", "freight": "shipping"}


def body_of_goods(
    part: SalePart, presence: Presence, recipient: Mapping[str, Any] | None
) -> SaleDocumentBody:
    """Returns the body with items, payment and freight; the types add the rest."""
    json = {
        "items": [_item(line) for line in part.lines],
        "recipient": recipient,
        "presence": presence.value,
        "paymentMethod": None if part.payments else part.payment_method,
        "payments": [*map(dict, part.payments)] or None,
        "freight": {"mode": FreightMode.SENDER.value} if is_shipped(part) else None,
        "notes": part.notes,
    }
    payment_paths = dict.fromkeys(_PAYMENT_PATHS, "payments" if part.payments else "paymentMethod")
    return SaleDocumentBody(without_absent(json), _PATHS | payment_paths | _paths_of_items(part))


def is_shipped(part: SalePart) -> bool:
    """Returns whether the buyer pays for shipping."""
    return any(line.shipping for line in part.lines)


def party_of(customer: CustomerFacts) -> dict[str, Any]:
    """Returns the buyer as a recipient of the request body."""
    email = customer.email or ""
    recipient = {
        **customer.id_fields,
        "name": customer.name or None,
        "email": email if 0 < len(email) <= _MAX_EMAIL_LENGTH else None,
        "phone": customer.phone,
        "address": _address(customer.address) if customer.address else None,
    }
    return without_absent(recipient)


def _address(address: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an address with the Central Bank's code of the country; regions abroad have no field."""
    if is_in_brazil(address):
        return {name: value for name, value in address.items() if name != "countryCode"}
    country = country_of_letters(address["countryCode"])
    abroad = {name: address.get(name) for name in _ADDRESS_ABROAD}
    abroad["countryCode"] = country.code if country else address["countryCode"]
    return without_absent(abroad | {"country": country and country.name})


def origin_of(item: FiscalItem) -> str | None:
    """Returns the origin of an item; None means the default of the company."""
    origin: str | None = item.fiscal.get("origin")
    return origin if item.follows_company_defaults else origin or NATIONAL


def without_ended_taxes(item: AnyItem, document: str, day: date | None) -> AnyItem:
    """Returns an item without the taxes that no longer exist on a day.

    Nobody should have to change all items of the catalog on the day on which a tax ends.
    """
    if day is None or DatedRule.PIS_COFINS_ENDED not in rules_on(day, document):
        return item
    fiscal = {name: value for name, value in item.fiscal.items() if name not in _CONTRIBUTIONS}
    return replace(item, fiscal=fiscal)


def fiscal_fields(item: FiscalItem, quantity: Decimal) -> dict[str, Any]:
    """Returns the fiscal fields of a line that sells a quantity of an item.

    Taxes by unit get the quantity sold.
    """
    fiscal = GoodsFiscal.model_validate(item.fiscal, context=STORED)
    fields = fiscal.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    for name in _TAXED_BY_UNIT:
        if "unitRate" in fields.get(name, {}):
            fields[name] = {**fields[name], "quantity": quantity}
    return without_absent({**fields, "origin": origin_of(item)})


def _item(line: SoldLine) -> dict[str, Any]:
    item = {
        "description": line.name,
        "sku": line.sku,
        "quantity": line.quantity,
        "unitValue": line.price,
        "discount": line.discount or None,
        "freight": line.shipping or None,
        **fiscal_fields(line, line.quantity),
    }
    return without_absent(item)


def _paths_of_items(part: SalePart) -> dict[str, str]:
    """Returns the path in the sale for each path of the items in the body."""
    paths = {}
    for index, line in enumerate(part.lines):
        item, product = f"items[{index}]", f"products[{line.position}]"
        paths[item] = product
        paths |= {f"{item}.{name}": f"{product}.{in_sale}" for name, in_sale in _PATHS_OF_ITEM.items()}
        paths |= {f"{item}.{name}": in_sale for name, in_sale in _SPLIT_AMONG_ITEMS.items()}
    return paths
