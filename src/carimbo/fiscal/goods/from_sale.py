"""What the bodies of NF-e and NFC-e share that a sale of the catalog needs."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.catalog_sale import AnyItem, FiscalItem, SaleBody, SalePart, SoldLine, without_absent
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.party_address import is_in_brazil
from carimbo.fiscal.stored import STORED
from carimbo.fiscal.tables.countries import country_of_letters

NATIONAL = "0"
"""The origin of goods of which nobody says another."""

_CONTRIBUTIONS = ("pis", "cofins")
_TAXED_BY_UNIT = ("pis", "cofins", "ipi")
# The layout has room for less than an e-mail may have.
_LONGEST_EMAIL = 60
_PLACE_ABROAD = ("street", "number", "complement", "district", "city")
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
_SHARED_OUT = {"discount": "discount", "freight": "shipping"}


def body_of_goods(part: SalePart, presence: Presence, recipient: Mapping[str, Any] | None) -> SaleBody:
    """What was sold, how it is paid and how it travels; the rest is for the type to say."""
    json = {
        "items": [_item(line) for line in part.lines],
        "recipient": recipient,
        "presence": presence.value,
        "paymentMethod": None if part.payments else part.payment_method,
        "payments": [*map(dict, part.payments)] or None,
        "freight": {"mode": FreightMode.SENDER.value} if is_shipped(part) else None,
        "notes": part.notes,
    }
    paid = dict.fromkeys(_PAYMENT_PATHS, "payments" if part.payments else "paymentMethod")
    return SaleBody(without_absent(json), _PATHS | paid | _paths_of_items(part))


def is_shipped(part: SalePart) -> bool:
    """Whether the buyer pays for being sent the goods."""
    return any(line.shipping for line in part.lines)


def party_of(customer: CustomerFacts) -> dict[str, Any]:
    """Who buys, and where to find them."""
    email = customer.email or ""
    told = {
        **customer.known_as,
        "name": customer.name or None,
        "email": email if 0 < len(email) <= _LONGEST_EMAIL else None,
        "phone": customer.phone,
        "address": _address(customer.address) if customer.address else None,
    }
    return without_absent(told)


def _address(told: Mapping[str, Any]) -> dict[str, Any]:
    """Documents of goods know countries by the Central Bank's codes, and have no room for regions abroad."""
    if is_in_brazil(told):
        return {name: value for name, value in told.items() if name != "countryCode"}
    country = country_of_letters(told["countryCode"])
    place = {name: told.get(name) for name in _PLACE_ABROAD}
    place["countryCode"] = country.code if country else told["countryCode"]
    return without_absent(place | {"country": country and country.name})


def origin_of(item: FiscalItem) -> str | None:
    """The origin of what was sold; None leaves it to the company."""
    told: str | None = item.fiscal.get("origin")
    return told if item.follows_company_defaults else told or NATIONAL


def in_force(item: AnyItem, document: str, day: date | None) -> AnyItem:
    """Returns an item without the taxes that no longer exist on a day.

    Items of the catalog outlive taxes: nobody should have to change them all on New Year's Day.
    """
    if day is None or DatedRule.PIS_COFINS_ENDED not in rules_on(day, document):
        return item
    lasting = {name: value for name, value in item.fiscal.items() if name not in _CONTRIBUTIONS}
    return replace(item, fiscal=lasting)


def fiscal_fields(item: FiscalItem, quantity: Decimal) -> dict[str, Any]:
    """Returns the fiscal fields of a line that sells so many of an item.

    A tax on each unit is on as many as are sold.
    """
    own = GoodsFiscal.model_validate(item.fiscal, context=STORED)
    fields = own.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    for name in _TAXED_BY_UNIT:
        if "unitRate" in fields.get(name, {}):
            fields[name] = {**fields[name], "quantity": quantity}
    return without_absent({**fields, "origin": origin_of(item)})


def _item(line: SoldLine) -> dict[str, Any]:
    told = {
        "description": line.name,
        "sku": line.sku,
        "quantity": line.quantity,
        "unitValue": line.price,
        "discount": line.discount or None,
        "freight": line.shipping or None,
        **fiscal_fields(line, line.quantity),
    }
    return without_absent(told)


def _paths_of_items(part: SalePart) -> dict[str, str]:
    return {
        path: in_sale
        for at, line in enumerate(part.lines)
        for path, in_sale in _paths_of_item(f"items[{at}]", f"products[{line.position}]").items()
    }


def _paths_of_item(item: str, line: str) -> dict[str, str]:
    own = {f"{item}.{name}": f"{line}.{in_sale}" for name, in_sale in _PATHS_OF_ITEM.items()}
    shared = {f"{item}.{name}": in_sale for name, in_sale in _SHARED_OUT.items()}
    return {item: line} | own | shared
