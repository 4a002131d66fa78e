"""The example bodies of the contract can be sent to the demo as they are."""

from typing import Any

import pytest

from carimbo.demo.samples import CATALOG
from carimbo.demo.seed import TAX_ID
from carimbo.fiscal.identity.tax_ids import parse_cnpj
from carimbo.web.body_examples import body_examples


def bodies_of(operation: str) -> list[dict[str, Any]]:
    return [example["value"] for example in body_examples()[operation].values()]


class TestNewCompany:
    def test_example_company_is_not_the_company_of_the_demo(self) -> None:
        numbers = {parse_cnpj(body["taxId"]) for body in bodies_of("createCompany")}
        assert len(numbers - {TAX_ID}) == len(bodies_of("createCompany"))

    def test_example_company_starts_in_homologation(self) -> None:
        assert {body["environment"] for body in bodies_of("createCompany")} == {"homologation"}


class TestNewProduct:
    def test_example_product_has_an_sku_that_no_sale_or_demo_registers(self) -> None:
        sold = [line["sku"] for body in bodies_of("createSale") for line in body["products"]]
        taken = {*sold, *(item["sku"] for item in CATALOG)}
        assert taken.isdisjoint(body["sku"] for body in bodies_of("createProduct"))


@pytest.mark.parametrize("document_type", ["nfe", "nfce", "nfse"])
class TestSettings:
    def test_example_settings_do_not_lower_the_next_number(self, document_type: str) -> None:
        full = bodies_of("changeSettings")[-1]
        only_company = bodies_of("updateOnlyCompany")[-1]["settings"]
        assert "number" not in full[document_type]
        assert "number" not in only_company[document_type]
