"""The form of a customer: the labels of its fields, and the body that shows a stored customer."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.fiscal.catalog.sale import without_absent
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.issue_form import address_fields
from carimbo.fiscal.parties.address import shown_zipcode
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import is_in_brazil
from carimbo.fiscal.tables.geography import BRAZIL, COUNTRIES, find_municipality
from carimbo.service.catalog.code_search import folded
from carimbo.service.catalog.customers import (
    CustomerBody,
    CustomerChanges,
    CustomerDetails,
    seems_foreign,
)


def new_customer_form() -> FormLayout:
    """Returns the form of a new customer."""
    return _form(CustomerBody)


def changed_customer_form() -> FormLayout:
    """Returns the form of a stored customer, which may lack an e-mail."""
    return _form(CustomerChanges)


def _form(body: type[CustomerDetails]) -> FormLayout:
    return FormLayout(body=body, sections=(_IDENTITY, _ADDRESS, _abroad()))


_IDENTITY = FormSection(
    title="Quem é",
    parts=(
        FormField(path="name", label="Nome ou razão social", is_required=True),
        FormField(path="document", label="CPF ou CNPJ", hint="Com ou sem pontuação."),
        FormField(path="email", label="E-mail"),
        FormField(path="phone", label="Telefone", hint="Com DDD."),
        FormField(path="tradeName", label="Nome fantasia"),
        FormField(
            path="stateRegistration",
            label="Inscrição estadual",
            hint="De empresas que a têm; ISENTO se a empresa é isenta.",
        ),
        FormField(path="municipalRegistration", label="Inscrição municipal"),
    ),
)
_ADDRESS = FormSection(
    title="Endereço",
    note="Há documentos que só saem com o endereço completo.",
    parts=(
        *address_fields("address"),
        FormField(
            path="address.cityCode",
            label="Código IBGE do município",
            hint="Só se o nome e a UF não bastam.",
        ),
    ),
)


def _abroad() -> FormSection:
    """Returns the fields of customers abroad, with the countries of the table that the operator uses now."""
    return FormSection(
        title="Cliente do exterior",
        note="Com outro país, a rua, o número e a cidade vão nos campos acima, sem CEP e sem UF.",
        parts=(
            FormField(path="address.countryCode", label="País", options=_countries(), blank="Brasil"),
            FormField(path="address.region", label="Estado, província ou região"),
            FormField(path="address.postalCode", label="Código postal"),
            FormField(path="foreignId", label="Identificação fiscal no país de origem"),
            FormField(path="foreign", label="É do exterior", hint="Na falta, pelo documento e pelo país."),
        ),
        is_open=False,
    )


def _countries() -> tuple[tuple[str, str], ...]:
    names = {country.iso2: country.name for country in COUNTRIES.values() if country.iso2 != BRAZIL}
    return tuple(sorted(names.items(), key=lambda country: folded(country[1])))


def typed_customer(customer: CustomerFacts) -> dict[str, Any]:
    """Returns a stored customer as the body that its form shows.

    What follows from other fields is left out, because it would contradict them after a change.
    """
    is_foreign = customer.is_foreign if customer.is_foreign != seems_foreign(customer) else None
    return without_absent(
        {
            "name": customer.name,
            "document": customer.document and shown_tax_id(customer.document),
            "email": customer.email,
            "phone": customer.phone,
            "tradeName": customer.trade_name,
            "stateRegistration": customer.state_registration,
            "municipalRegistration": customer.municipal_registration,
            "foreignId": customer.foreign_id,
            "foreign": is_foreign,
            "address": customer.address and _typed_address(customer.address),
        }
    )


def _typed_address(address: Mapping[str, Any]) -> dict[str, Any]:
    municipality = find_municipality(address.get("city") or "", address.get("state") or "")
    implied = {"cityCode": municipality.ibge} if municipality else {}
    if is_in_brazil(address):
        implied["countryCode"] = BRAZIL
    lines = {name: line for name, line in address.items() if implied.get(name) != line}
    return lines | ({"zipcode": shown_zipcode(lines["zipcode"])} if lines.get("zipcode") else {})
