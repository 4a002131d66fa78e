"""The body of the NFS-e that a sale of the catalog needs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from carimbo.fiscal.catalog.sale import SaleDocumentBody, SalePart, SoldLine, without_absent
from carimbo.fiscal.documents.nfse.bodies import IssBody, ServiceIbsCbsBody, TaxesBody
from carimbo.fiscal.documents.nfse.ibs_cbs import USUAL_INDICATOR, takes_usual_indicator
from carimbo.fiscal.documents.nfse.request import MAX_DESCRIPTION_LENGTH
from carimbo.fiscal.documents.nfse.service_facts import (
    SETTINGS_ROUTE,
    code_digits,
    services_named,
    written_city_code,
)
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.money import total, with_decimal_comma
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil
from carimbo.fiscal.problems import Incomplete, Problem, quoted

_MIN_NAME_LENGTH, _MAX_NAME_LENGTH = 3, 64
_MAX_EMAIL_LENGTH = 80
# Shops do not ask for a foreign id, and only the name of the country is known.
_DISPENSED_FROM_FOREIGN_ID = "1"
_FOREIGN_ID_FIELDS = {"foreignId", "noForeignIdReason"}
# A distance sale: cross-border delivery between unrelated parties, in reais, without support programmes.
_DISTANCE_SALE = {
    "deliveryMode": "1",
    "relationship": "0",
    "currencyCode": "790",
    "providerSupport": "01",
    "takerSupport": "01",
    "temporaryGoods": "1",
    "sharedWithMdic": "0",
}
_ELLIPSIS = "..."
_BRACES = str.maketrans("{}", "()")
_SERVICE_CODE = "serviceItemCode"
_NAMES_OF_FACTS = {_SERVICE_CODE: "federalServiceCode"}
# Fields that come from the first line, and the groups that only some services require.
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
_DETAILED = ("serviceItemCode", "cityServiceCode", "iss")
# Required fields of every note, and the settings that have them for all items.
_SETTINGS = {"serviceItemCode": "nfse.federalServiceCode", "iss": "nfse.issRate"}
# Fields of an item that must agree, with a function that makes equivalent values equal; a DPS has no CNAE.
_COMPARED: Mapping[str, Callable[[Any], Any]] = {
    "serviceItemCode": code_digits,
    "cityServiceCode": written_city_code,
    "iss": IssBody.model_validate,
    "nbs": lambda code: code.replace(".", ""),
    "taxes": TaxesBody.model_validate,
}
_NO_SETTINGS = NfseSettings()

Facts = dict[str, Any]
"""Fiscal fields of an item, by their names in the catalog."""


def body_of_sale(part: SalePart, settings: NfseSettings) -> SaleDocumentBody:
    """Returns the body of one note of all services of a sale."""
    facts, borrower = service_of(part.lines, settings), borrower_of(part.buyer)
    if part.note.property is not None:
        facts |= {"ibsCbs": {**facts.get("ibsCbs", {}), "property": part.note.property}}
    # Shipping without goods is a part of the price.
    price = total(amount for line in part.lines for amount in (line.total, line.shipping))
    description, first = _description(part), part.lines[0]
    if not price:
        raise Incomplete(
            Problem(
                "NO_AMOUNT",
                f"products[{first.position}].price",
                "O total dos serviços deve ser maior que zero.",
            )
        )
    name, discount = first.name[:_MAX_NAME_LENGTH].strip(), total(line.discount for line in part.lines)
    body = {
        "serviceDescription": description,
        "name": name if len(name) >= _MIN_NAME_LENGTH else None,
        "sku": first.sku,
        "category": first.category,
        "guarantee": first.guarantee,
        **{_NAMES_OF_FACTS.get(fact, fact): value for fact, value in facts.items()},
        "amount": price,
        "discounts": {"unconditional": discount} if discount else None,
        "issueDate": part.note.competence_date and part.note.competence_date.isoformat(),
        "serviceLocation": part.note.service_location,
        "serviceCityCode": part.note.city_ibge,
        "borrower": borrower,
        "foreignTrade": _DISTANCE_SALE | {"amount": price} if _FOREIGN_ID_FIELDS & borrower.keys() else None,
        "notes": part.notes,
    }
    item_paths = {path: f"products[{first.position}].{in_sale}" for path, in_sale in _PATHS_OF_ITEM.items()}
    return SaleDocumentBody(without_absent(body), _PATHS | item_paths)


def customer_gaps(customer: CustomerFacts | None) -> tuple[str, ...]:
    """Returns the fields that a customer lacks to be the taker of an NFS-e; a document is not required."""
    return () if customer else ("customer", "customer.name")


def _description(part: SalePart) -> str:
    """Returns the description: as given, else a line for each service, cut to the limit."""
    if part.note.discrimination:
        return part.note.discrimination
    listed = "\n".join(map(_described, part.lines))
    is_whole = len(listed) <= MAX_DESCRIPTION_LENGTH
    return listed if is_whole else listed[: MAX_DESCRIPTION_LENGTH - len(_ELLIPSIS)] + _ELLIPSIS


def _described(line: SoldLine) -> str:
    """Returns a line with quantity and name; braces in a name are no variables, and are replaced."""
    name = line.name.translate(_BRACES)
    if line.quantity == 1:
        return name
    return f"{with_decimal_comma(f'{line.quantity.normalize():,f}')} x {name}"


def borrower_of(customer: CustomerFacts) -> dict[str, Any]:
    """Returns a customer as the taker of a note.

    Sefin accepts a foreign id only with an address abroad (E0223, E0242). A customer in Brazil without a
    document stays unidentified.
    """
    lives_abroad = not is_in_brazil(customer.address or {})
    if customer.address and not lives_abroad:
        id_fields = {"taxId": customer.document} if customer.document else {}
    elif customer.is_abroad and not customer.id_fields:
        id_fields = {"noForeignIdReason": _DISPENSED_FROM_FOREIGN_ID}
    else:
        id_fields = customer.id_fields
    email = customer.email or ""
    taker = {
        **id_fields,
        "name": customer.name,
        "municipalRegistration": customer.municipal_registration,
        "email": email if 0 < len(email) <= _MAX_EMAIL_LENGTH else None,
        "phone": customer.phone,
        "address": None if lives_abroad and "taxId" in id_fields else customer.address or None,
    }
    return without_absent(taker)


def service_of(lines: Sequence[SoldLine], settings: NfseSettings) -> Facts:
    """Returns the service that all lines share; raises `Incomplete` if they differ.

    Facts that the items leave to the company are filled in when the note is issued. If any item has a fact of
    the detailed form, the body needs all of them: today's settings of the company fill in the rest, unless
    the item takes nothing from them. The company's NBS applies to every item without one.
    """
    given = [without_absent(line.fiscal) for line in lines]
    defaults = [settings if line.follows_company_defaults else _NO_SETTINGS for line in lines]
    detailed = [facts | _detailed_form(facts, own) for facts, own in zip(given, defaults, strict=True)]
    with_nbs = [{"nbs": settings.nbs} | facts for facts in detailed]
    differences = [
        problem
        for line, facts in zip(lines[1:], with_nbs[1:], strict=True)
        for problem in _differences(lines[0], with_nbs[0], line, facts)
    ]
    if differences:
        raise Incomplete(*differences)
    is_detailed = any(facts.get(name) is not None for facts in given for name in _DETAILED)
    if not is_detailed:
        return given[0]
    if not _SETTINGS.keys() <= detailed[0].keys():
        raise Incomplete(*_missing(lines[0], detailed[0]))
    return detailed[0]


def _missing(line: SoldLine, facts: Facts) -> Iterator[Problem]:
    for name, setting in _SETTINGS.items():
        if name not in facts:
            yield Problem(
                "MISSING",
                f"products[{line.position}].{name}",
                "Falta no item e nas configurações da empresa.",
                f"Informe {name} no item do catálogo ou configure {setting} da empresa {SETTINGS_ROUTE}.",
            )


def _detailed_form(given: Facts, settings: NfseSettings) -> Facts:
    """Returns the facts of the detailed form, of the item or else of the settings.

    Any municipal code makes the body detailed, so that it takes nothing from the company when the note is
    issued: without a code of the same service, the national code is repeated, which no note contains.
    """
    code, usual = given.get("serviceItemCode", settings.federal_service_code), settings.federal_service_code
    is_usual = code is None or usual is None or code_digits(code) == code_digits(usual)
    own_city_code = settings.city_service_code if is_usual else None
    city_code = own_city_code or (code_digits(code) if code else None)
    rate = None if settings.iss_rate is None else {"rate": settings.iss_rate}
    facts = {
        "serviceItemCode": code,
        "cityServiceCode": given.get("cityServiceCode") or city_code,
        "iss": given.get("iss", rate),
    }
    return without_absent(facts)


def _differences(first: SoldLine, firsts: Facts, line: SoldLine, facts: Facts) -> Iterator[Problem]:
    actual, expected = _comparable(facts), _comparable(firsts)
    for name in actual:
        if actual[name] != expected[name]:
            yield Problem(
                "DIFFERENT_SERVICES",
                f"products[{line.position}].{name}",
                f"A NFS-e é de um só serviço, e {quoted(line.name)} não tem o mesmo {name} de"
                f" {quoted(first.name)}.",
                "Venda em separado os serviços que têm códigos ou tributação diferentes.",
            )


def _comparable(facts: Facts) -> Facts:
    """Returns the facts of an item in a form in which equivalent facts are equal."""
    compared = {
        name: normalize(facts[name]) if facts.get(name) is not None else None
        for name, normalize in _COMPARED.items()
    }
    return compared | {"ibsCbs": _ibs_cbs(facts)}


def _ibs_cbs(facts: Facts) -> ServiceIbsCbsBody | None:
    """Returns IBS and CBS of an item, with the operation indicator that it gets by default."""
    if facts.get("ibsCbs") is None:
        return None
    body = ServiceIbsCbsBody.model_validate(facts["ibsCbs"])
    services = services_named(facts.get("serviceItemCode", ""))
    nbs = (facts.get("nbs") or "").replace(".", "") or None
    if body.operation_indicator or len(services) != 1 or not takes_usual_indicator(services[0], nbs, body):
        return body
    return body.model_copy(update={"operation_indicator": USUAL_INDICATOR})
