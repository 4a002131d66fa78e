"""The taxes of the catalog's items: those of a line, but for amounts and quantities, which sales settle."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.fields import Body
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.stored import STORED
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
    """What the contract offers of a tax, by path."""
    schema = body.model_json_schema()
    return dict(_paths(schema["properties"][tax], schema["$defs"], tax))


def _paths(field: dict[str, Any], named: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    forms = [form for form in field.get("anyOf", [field]) if form != {"type": "null"}]
    inner = named.get(forms[0].get("$ref", "").rpartition("/")[2])
    if inner is None:
        yield path, forms
    for name, one in (inner or {}).get("properties", {}).items():
        yield from _paths(one, named, f"{path}.{name}")


def is_of_a_sale(path: str) -> bool:
    last = path.rpartition(".")[2].lower()
    return last.endswith(("amount", "base", "quantity")) or path == "ibsCbs.regularTaxation"


def without(told: dict[str, Any], path: str) -> dict[str, Any]:
    """The same without one field; what it stood in stays."""
    first, _, rest = path.partition(".")
    kept = {name: value for name, value in told.items() if name != first}
    return kept | {first: without(told[first], rest)} if rest else kept


class TestForms:
    @pytest.mark.parametrize("tax", TAXES)
    def test_are_those_of_a_line(self, tax: str) -> None:
        of_catalog, of_line = published(GoodsFiscal, tax), published(ItemBody, tax)
        assert of_catalog
        assert {path: of_line[path] for path in of_catalog} == of_catalog

    @pytest.mark.parametrize("tax", TAXES)
    def test_offer_neither_amounts_nor_quantities(self, tax: str) -> None:
        assert [path for path in published(GoodsFiscal, tax) if is_of_a_sale(path)] == []

    @pytest.mark.parametrize("tax", ["icms", "pis", "cofins", "ipi"])
    def test_offer_all_else(self, tax: str) -> None:
        assert set(published(GoodsFiscal, tax)) == {
            path for path in published(ItemBody, tax) if not is_of_a_sale(path)
        }

    def test_offer_the_rates_of_the_reform(self) -> None:
        shares = {
            f"ibsCbs.{share}.{rate}"
            for share in ("state", "city", "cbs")
            for rate in ("rate", "deferral.rate", "reduction.rate", "reduction.effectiveRate")
        }
        codes = {"ibsCbs.cst", "ibsCbs.taxClassCode", "ibsCbs.isDonation"}
        assert set(published(GoodsFiscal, "ibsCbs")) == shares | codes


class TestAmounts:
    @pytest.mark.parametrize("path", OF_A_SALE)
    def test_are_refused_by_their_path(self, path: str) -> None:
        with pytest.raises(ValidationError) as caught:
            GoodsFiscal.model_validate(OF_A_SALE[path])
        assert misformed(caught.value) == {path: DEPENDS_ON_SALE}

    def test_may_be_null(self) -> None:
        told = GoodsFiscal.model_validate({"icms": {"cst": "00", "amount": None}})
        assert told == GoodsFiscal.model_validate({"icms": {"cst": "00"}})

    @pytest.mark.parametrize("path", OF_A_SALE)
    def test_that_were_stored_are_left_out(self, path: str) -> None:
        read = GoodsFiscal.model_validate(OF_A_SALE[path], context=STORED)
        assert read.model_dump(by_alias=True, exclude_none=True) == without(OF_A_SALE[path], path)
