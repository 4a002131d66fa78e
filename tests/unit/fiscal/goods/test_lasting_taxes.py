"""Taxes of catalog items: those of a line without amounts and quantities, which depend on the sale."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.reading import STORED
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.goods.item_body import ItemBody
from support import DEPENDS_ON_SALE
from unit.fiscal.goods.support import misformed

TAXES = ("icms", "pis", "cofins", "ipi", "ibsCbs")
OF_A_SALE: dict[str, Any] = {
    "icms.base": {"icms": {"base": 100}},
    "icms.amount": {"icms": {"cst": "00", "rate": 18, "amount": 0}},
    "icms.singlePhaseQuantity": {"icms": {"singlePhaseQuantity": 1}},
    "pis.quantity": {"pis": {"cst": "03", "unitRate": 0.5, "quantity": 2}},
    "cofins.base": {"cofins": {"base": "?"}},
    "ipi.sealQuantity": {"ipi": {"cst": "50", "frameworkCode": "999", "sealQuantity": 3}},
    "ibsCbs.base": {"ibsCbs": {"base": 100}},
    "ibsCbs.cbs.amount": {"ibsCbs": {"cbs": {"amount": 1}}},
    "ibsCbs.state.deferral.amount": {"ibsCbs": {"state": {"deferral": {"rate": 10, "amount": 1}}}},
    "ibsCbs.city.refund": {"ibsCbs": {"city": {"refund": {"amount": 1}}}},
    "ibsCbs.regularTaxation": {"ibsCbs": {"regularTaxation": {"cst": "000"}}},
}


def published(body: type[Body], tax: str) -> dict[str, Any]:
    """Returns the fields of a tax in the API contract, by path."""
    schema = body.model_json_schema()
    return dict(_paths(schema["properties"][tax], schema["$defs"], tax))


def _paths(field: dict[str, Any], named: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    forms = [form for form in field.get("anyOf", [field]) if form != {"type": "null"}]
    inner = named.get(forms[0].get("$ref", "").rpartition("/")[2])
    if inner is None:
        yield path, forms
    for name, field_schema in (inner or {}).get("properties", {}).items():
        yield from _paths(field_schema, named, f"{path}.{name}")


def is_of_a_sale(path: str) -> bool:
    last = path.rpartition(".")[2].lower()
    return last.endswith(("amount", "base", "quantity")) or path == "ibsCbs.regularTaxation"


def without(given: dict[str, Any], path: str) -> dict[str, Any]:
    """Returns the values without one field; the group around it stays."""
    first, _, rest = path.partition(".")
    kept = {name: value for name, value in given.items() if name != first}
    return kept | {first: without(given[first], rest)} if rest else kept


class TestForms:
    @pytest.mark.parametrize("tax", TAXES)
    def test_catalog_taxes_have_the_forms_of_a_line(self, tax: str) -> None:
        of_catalog, of_line = published(GoodsFiscal, tax), published(ItemBody, tax)
        assert of_catalog
        assert {path: of_line[path] for path in of_catalog} == of_catalog

    @pytest.mark.parametrize("tax", TAXES)
    def test_catalog_taxes_have_neither_amounts_nor_quantities(self, tax: str) -> None:
        assert [path for path in published(GoodsFiscal, tax) if is_of_a_sale(path)] == []

    @pytest.mark.parametrize("tax", ["icms", "pis", "cofins", "ipi"])
    def test_catalog_taxes_have_all_other_fields_of_a_line(self, tax: str) -> None:
        assert set(published(GoodsFiscal, tax)) == {
            path for path in published(ItemBody, tax) if not is_of_a_sale(path)
        }

    def test_catalog_taxes_have_the_rates_of_the_reform(self) -> None:
        shares = {
            f"ibsCbs.{share}.{rate}"
            for share in ("state", "city", "cbs")
            for rate in ("rate", "deferral.rate", "reduction.rate", "reduction.effectiveRate")
        }
        codes = {"ibsCbs.cst", "ibsCbs.taxClassCode", "ibsCbs.isDonation"}
        assert set(published(GoodsFiscal, "ibsCbs")) == shares | codes


class TestAmounts:
    @pytest.mark.parametrize("path", OF_A_SALE)
    def test_amounts_in_the_catalog_are_refused_at_their_path(self, path: str) -> None:
        with pytest.raises(ValidationError) as caught:
            GoodsFiscal.model_validate(OF_A_SALE[path])
        assert misformed(caught.value) == {path: DEPENDS_ON_SALE}

    def test_amounts_in_the_catalog_may_be_null(self) -> None:
        read = GoodsFiscal.model_validate({"icms": {"cst": "00", "amount": None}})
        assert read == GoodsFiscal.model_validate({"icms": {"cst": "00"}})

    @pytest.mark.parametrize("path", OF_A_SALE)
    def test_amounts_that_were_stored_are_left_out(self, path: str) -> None:
        read = GoodsFiscal.model_validate(OF_A_SALE[path], context=STORED)
        assert read.model_dump(by_alias=True, exclude_none=True) == without(OF_A_SALE[path], path)
