"""Forms in which people issue documents: the inputs, and how the catalog fills them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormList
from carimbo.fiscal.catalog.sale import ItemType
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.tables.geography import STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenItem:
    """An item of the catalog that a person chose."""

    sku: str
    name: str
    category: str | None
    price: Decimal | None
    fiscal: Mapping[str, Any] = field(default_factory=dict)
    """Its own codes and rates, values by names of our JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueForm:
    """The form of a document type."""

    layout: FormLayout
    customer: Callable[[CustomerFacts], Mapping[str, Any]]
    """Returns the fields of the body that a customer of the catalog fills."""
    item_type: ItemType
    """The type of the items that its documents invoice."""
    item: Callable[[ChosenItem], Mapping[str, Any]]
    """Returns the fields that an item of the catalog fills: of an entry of `items`, or else of the body."""
    items: FormList | None = None
    """The list with the items; None for a document about one item."""


def party_of_form(party: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a customer for a form: without the code of the city, which follows from the city's name.

    A person may change the name, and the form has no input for the code.
    """
    address = party.get("address")
    if not address or not address.get("city"):
        return dict(party)
    named = {name: value for name, value in address.items() if name != "cityCode"}
    return {**party, "address": named}


def address_fields(prefix: str) -> tuple[FormField, ...]:
    """Returns the inputs of an address in Brazil."""
    return (
        FormField(path=f"{prefix}.zipcode", label="CEP"),
        FormField(path=f"{prefix}.street", label="Logradouro"),
        FormField(path=f"{prefix}.number", label="Número"),
        FormField(path=f"{prefix}.complement", label="Complemento"),
        FormField(path=f"{prefix}.district", label="Bairro"),
        FormField(path=f"{prefix}.city", label="Município"),
        FormField(
            path=f"{prefix}.state", label="UF", blank="Escolha", options=tuple((uf, uf) for uf in STATES)
        ),
    )
