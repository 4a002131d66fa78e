"""The forms of catalog items: they have an input for what an item can have."""

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from carimbo.fiscal.body.form_layout import field_facts
from carimbo.fiscal.body.reading import parts_of
from carimbo.service.catalog.product_bodies import ITEM_BODIES, ProductType
from carimbo.service.catalog.product_form import product_form

_WITHOUT_INPUT = {
    ProductType.PRODUCT: set[str](),
    ProductType.SERVICE: {
        "ibsCbs.property",
        "ibsCbs.referencedKeys",
        "taxes.ownDebit.base",
        "taxes.pisCofinsCst",
    },
    ProductType.SPLIT: {"fiscalFollowsCompanyDefaults"},
}
"""Rare fields, which stay as they are when an item is changed in its form."""


def single_values(body: type[BaseModel], path: str = "") -> Iterator[str]:
    """Yields the paths of the fields of a body, at any depth, that are no groups."""
    published = body.model_json_schema()["properties"]
    for name, field in body.model_fields.items():
        own_name = field.alias or name
        parts = [part for part in parts_of(field.annotation) if isinstance(part, type)]
        groups = [part for part in parts if issubclass(part, BaseModel)]
        if own_name not in published:
            # Such a field refuses every value.
            continue
        if groups and own_name != "components":
            yield from single_values(groups[0], f"{path}{own_name}.")
        else:
            yield f"{path}{own_name}"


@pytest.mark.parametrize("item_type", ProductType)
def test_form_of_an_item_has_every_field_of_its_body(item_type: ProductType) -> None:
    layout = product_form(item_type)
    inputs = {part.path for part in layout.parts}
    for path in inputs:
        # An input without a field is a LookupError.
        field_facts(layout.body, path)
    missing = set(single_values(ITEM_BODIES[item_type])) - inputs - {"type"}
    rare = _WITHOUT_INPUT[item_type]
    assert {path for path in missing if not any(path.startswith(each) for each in rare)} == set()
    assert {each for each in rare if not any(path.startswith(each) for path in missing)} == set()
