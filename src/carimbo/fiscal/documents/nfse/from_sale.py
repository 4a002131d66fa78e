"""The body of the NFS-e that a sale of the catalog needs."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.catalog_sale import SaleBody, SalePart, SoldLine, without_absent
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfse.request import LONGEST_DESCRIPTION
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.sold_service import Facts, service_of
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.money import total, with_decimal_comma
from carimbo.fiscal.party_address import is_in_brazil
from carimbo.fiscal.problems import Problem

_SHORTEST_NAME, _LONGEST_NAME = 3, 64
_LONGEST_EMAIL = 80
# Shops ask nobody for it, and of a country nothing is known but its name.
_DISPENSED_FROM_FOREIGN_ID = "1"
_KNOWN_ABROAD = {"foreignId", "noForeignIdReason"}
# What is bought from afar crosses the border by itself, between strangers, in reais, and nobody supports it.
_BOUGHT_FROM_AFAR = {
    "deliveryMode": "1",
    "relationship": "0",
    "currencyCode": "790",
    "providerSupport": "01",
    "takerSupport": "01",
    "temporaryGoods": "1",
    "sharedWithMdic": "0",
}
_MORE = "..."
_BRACES = str.maketrans("{}", "()")
_SERVICE_CODE = "serviceItemCode"
_NAMES_OF_FACTS = {_SERVICE_CODE: "federalServiceCode"}
# What the first line tells, and the groups that only some services demand.
_PATHS_OF_ITEM = {
    "name": "name",
    "sku": "sku",
    "category": "category",
    "guarantee": "guarantee",
    "federalServiceCode": _SERVICE_CODE,
    "cityServiceCode": "cityServiceCode",
    "iss": "iss",
    "nbs": "nbs",
    "cnaeCode": "cnaeCode",
    "taxes": "taxes",
    "ibsCbs": "ibsCbs",
    "construction": _SERVICE_CODE,
    "event": _SERVICE_CODE,
}
_PATHS = {
    "serviceDescription": "nfse.discrimination",
    "issueDate": "nfse.competenceDate",
    "serviceLocation": "nfse.serviceLocation",
    "serviceCityCode": "nfse.cityIbge",
    "ibsCbs.property": "nfse.property",
    "amount": "products",
    "discounts": "discount",
    "discounts.unconditional": "discount",
    "foreignTrade": "customer.foreign",
    "borrower": "customer",
    "borrower.taxId": "customer.document",
    "borrower.noForeignIdReason": "customer.foreignId",
}


def body_of_sale(part: SalePart, settings: NfseSettings) -> SaleBody:
    """One note of all services that were sold."""
    facts, borrower = service_of(part.lines, settings), _borrower(part.buyer)
    if part.note.property is not None:
        facts |= {"ibsCbs": {**facts.get("ibsCbs", {}), "property": part.note.property}}
    told = {
        "serviceDescription": _description(part),
        **_item(part.lines[0]),
        **_in_the_request(facts),
        **_price(part),
        "issueDate": part.note.competence_date and part.note.competence_date.isoformat(),
        "serviceLocation": part.note.service_location,
        "serviceCityCode": part.note.city_ibge,
        "borrower": borrower,
        "foreignTrade": _foreign_trade(part) if _KNOWN_ABROAD & borrower.keys() else None,
        "notes": part.notes,
    }
    return SaleBody(without_absent(told), _PATHS | _paths_of_item(part.lines[0].position))


def customer_gaps(customer: CustomerFacts | None) -> tuple[str, ...]:
    """Returns what a customer lacks to be the taker of an NFS-e, who may do without a document."""
    return () if customer else ("customer", "customer.name")


def _description(part: SalePart) -> str:
    """As told, or else a line for each service, as many as there is room for."""
    if part.note.discrimination:
        return part.note.discrimination
    listed = "\n".join(map(_described, part.lines))
    is_whole = len(listed) <= LONGEST_DESCRIPTION
    return listed if is_whole else listed[: LONGEST_DESCRIPTION - len(_MORE)] + _MORE


def _described(line: SoldLine) -> str:
    """A name is no place for variables, which a sale has in a description of its own."""
    name = line.name.translate(_BRACES)
    if line.quantity == 1:
        return name
    return f"{with_decimal_comma(f'{line.quantity.normalize():,f}')} x {name}"


def _item(line: SoldLine) -> dict[str, Any]:
    name = line.name[:_LONGEST_NAME].strip()
    return {
        "name": name if len(name) >= _SHORTEST_NAME else None,
        "sku": line.sku,
        "category": line.category,
        "guarantee": line.guarantee,
    }


def _in_the_request(facts: Facts) -> dict[str, Any]:
    return {_NAMES_OF_FACTS.get(name, name): value for name, value in facts.items()}


def _price(part: SalePart) -> dict[str, Any]:
    """Shipping without goods is a part of the price; what is taken off is taken off for good."""
    if not _charged(part):
        raise Incomplete(_for_nothing(part.lines[0]))
    discount = total(line.discount for line in part.lines)
    return {"amount": _charged(part), "discounts": {"unconditional": discount} if discount else None}


def _for_nothing(line: SoldLine) -> Problem:
    return Problem(
        "NO_AMOUNT", f"products[{line.position}].price", "O total dos serviços deve ser maior que zero."
    )


def _charged(part: SalePart) -> Decimal:
    return total(amount for line in part.lines for amount in (line.total, line.shipping))


def _borrower(customer: CustomerFacts) -> dict[str, Any]:
    known_as, email = _known_as(customer), customer.email or ""
    taker = {
        **known_as,
        "name": customer.name,
        "municipalRegistration": customer.municipal_registration,
        "email": email if 0 < len(email) <= _LONGEST_EMAIL else None,
        "phone": customer.phone,
        "address": None if _lives_abroad(customer) and "taxId" in known_as else customer.address or None,
    }
    return without_absent(taker)


def _known_as(customer: CustomerFacts) -> dict[str, str]:
    """Sefin takes an id of abroad with an address there and no other (E0223, E0242).

    Who lives here and has no document stays unidentified.
    """
    if customer.address and not _lives_abroad(customer):
        return {"taxId": customer.document} if customer.document else {}
    is_unknown_abroad = customer.is_abroad and not customer.known_as
    return {"noForeignIdReason": _DISPENSED_FROM_FOREIGN_ID} if is_unknown_abroad else customer.known_as


def _lives_abroad(customer: CustomerFacts) -> bool:
    return not is_in_brazil(customer.address or {})


def _foreign_trade(part: SalePart) -> dict[str, Any]:
    return _BOUGHT_FROM_AFAR | {"amount": _charged(part)}


def _paths_of_item(position: int) -> dict[str, str]:
    return {path: f"products[{position}].{in_sale}" for path, in_sale in _PATHS_OF_ITEM.items()}
