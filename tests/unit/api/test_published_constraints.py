"""The published contract has the limits that our validators check."""

from functools import cache
from typing import Any

import jsonschema_rs
import pytest

from carimbo.fiscal.field_messages import FORMS
from carimbo.fiscal.published import DAY_PATTERN
from carimbo.fiscal.tables.states import STATES
from unit.api.docs_contracts import our_contract

COMPANY = {"taxId": "11.222.333/0001-81", "legalName": "Loja Modelo Ltda"}
ADDRESS = {
    "street": "Avenida Paulista",
    "number": "1000",
    "district": "Bela Vista",
    "city": "São Paulo",
    "state": "SP",
    "zipcode": "01310-100",
}
ITEM = {"description": "Caneca", "quantity": 2, "unitValue": 35.9, "ncm": "69120000"}
NFE = {"recipient": {"name": "Maria da Silva", "taxId": "529.982.247-25"}, "items": [ITEM]}


@cache
def validator(component: str) -> jsonschema_rs.Validator:
    schema = {"$ref": f"#/components/schemas/{component}", "components": our_contract()["components"]}
    return jsonschema_rs.validator_for(schema, validate_formats=True)


def is_valid(component: str, body: dict[str, Any]) -> bool:
    return validator(component).is_valid(body)


class TestQueryParameters:
    def test_with_a_pattern_are_refused_with_what_to_send(self) -> None:
        operations = [operation for path in our_contract()["paths"].values() for operation in path.values()]
        schemas = [
            schema
            for operation in operations
            for parameter in operation.get("parameters", ())
            for schema in parameter["schema"].get("anyOf", [parameter["schema"]])
        ]
        patterns = {schema["pattern"] for schema in schemas if "pattern" in schema}
        # Days are refused by a validator of their own, with its own message.
        assert patterns - FORMS.keys() == {DAY_PATTERN}


class TestCompany:
    @pytest.mark.parametrize(
        ("field", "good", "bad"),
        [
            ("taxId", "12abc34501de35", "1122233300018"),
            ("email", "fiscal@example.com", "fiscal"),
            ("phone", "+55 (11) 3333-4444", "3333"),
            ("cnaeCode", "4751-2/01", "475120"),
        ],
    )
    def test_field_is_limited_as_its_validator_limits_it(self, field: str, good: str, bad: str) -> None:
        assert is_valid("NewCompany", COMPANY | {field: good})
        assert not is_valid("NewCompany", COMPANY | {field: bad})

    @pytest.mark.parametrize(("field", "bad"), [("zipcode", "0131010"), ("state", "XX")])
    def test_address_is_limited_as_its_validators_limit_it(self, field: str, bad: str) -> None:
        assert is_valid("NewCompany", COMPANY | {"address": ADDRESS | {"zipcode": "01.310-100"}})
        assert not is_valid("NewCompany", COMPANY | {"address": ADDRESS | {field: bad}})

    @pytest.mark.parametrize(("code", "is_good"), [("BR", True), ("1058", True), ("US", False)])
    def test_country_of_a_company_is_brazil_by_either_code(self, code: str, is_good: bool) -> None:
        assert is_valid("NewCompany", COMPANY | {"address": ADDRESS | {"countryCode": code}}) is is_good

    def test_state_is_published_as_the_list_of_all_states(self) -> None:
        registration = our_contract()["components"]["schemas"]["NewStateRegistration"]
        assert registration["properties"]["state"]["enum"] == sorted(STATES)

    @pytest.mark.parametrize(
        ("number", "is_good"), [("110.042.490.114", True), ("P011004243002", True), ("ISENTO", False)]
    )
    def test_state_registration_has_digits(self, number: str, is_good: bool) -> None:
        assert is_valid("NewStateRegistration", {"state": "SP", "number": number}) is is_good


class TestDocuments:
    @pytest.mark.parametrize("component", ["NfeRequest", "NfceRequest"])
    def test_sale_has_quantities_above_zero(self, component: str) -> None:
        body = NFE | {"paymentMethod": "pix"}
        assert is_valid(component, body)
        assert not is_valid(component, body | {"items": [ITEM | {"quantity": 0}]})

    def test_line_of_a_sale_of_the_catalog_has_a_quantity_above_zero(self) -> None:
        assert is_valid("SaleLineBody", {"sku": "caneca", "quantity": 0.5})
        assert not is_valid("SaleLineBody", {"sku": "caneca", "quantity": 0})

    def test_default_of_a_number_is_published_as_a_number(self) -> None:
        line = our_contract()["components"]["schemas"]["SaleLineBody"]["properties"]
        assert line["quantity"]["default"] == 1
        texts = [
            (component, name)
            for component, schema in our_contract()["components"]["schemas"].items()
            for name, field in schema.get("properties", {}).items()
            if field.get("type") == "number" and isinstance(field.get("default"), str)
        ]
        assert texts == []

    @pytest.mark.parametrize("component", ["IssBody", "WithholdingBody", "CatalogDeferralBody"])
    @pytest.mark.parametrize("rate", [-1, 101])
    def test_rate_is_from_0_to_100_in_requests_and_answers(self, component: str, rate: int) -> None:
        assert is_valid(component, {"rate": 2})
        assert not is_valid(component, {"rate": rate})

    def test_service_has_a_price_above_zero(self) -> None:
        note = {"serviceDescription": "Curso", "borrower": {"name": "Maria da Silva"}}
        assert is_valid("NfseRequest", note | {"amount": 0.01})
        assert not is_valid("NfseRequest", note | {"amount": 0})

    @pytest.mark.parametrize(
        ("field", "good", "bad"),
        [
            ("saleDate", "2026-11-14", "14/11/2026"),
            ("guaranteeDate", "2026-11-14T10:00:00-03:00", "amanhã"),
        ],
    )
    def test_day_of_a_sale_is_in_the_format_of_iso_8601(self, field: str, good: str, bad: str) -> None:
        sale = {"products": [{"sku": "caneca"}]}
        assert is_valid("SaleBody", sale | {field: good})
        assert not is_valid("SaleBody", sale | {field: bad})

    def test_complement_may_have_no_quantity(self) -> None:
        assert is_valid("NfeRequest", NFE | {"purpose": "complement", "items": [ITEM | {"quantity": 0}]})

    @pytest.mark.parametrize(
        ("registration", "is_good"),
        [("isento", True), ("110.042.490.114", True), ("1", False), ("NENHUMA", False)],
    )
    def test_recipient_has_a_registration_or_is_exempt(self, registration: str, is_good: bool) -> None:
        recipient = {"name": "Loja", "taxId": "11222333000181", "stateRegistration": registration}
        assert is_valid("NfeRequest", NFE | {"recipient": recipient}) is is_good

    def test_texts_of_the_layout_have_its_lengths(self) -> None:
        installment = {"number": "0" * 60, "amount": 10}
        assert is_valid("Installment", installment)
        assert not is_valid("Installment", installment | {"number": "0" * 61})


class TestExamples:
    def test_of_a_whole_object_have_the_form_that_is_published(self) -> None:
        components = our_contract()["components"]["schemas"]
        examples = [(name, value) for name, part in components.items() for value in part.get("examples", ())]
        assert "DocumentRecord" in dict(examples)
        assert [name for name, value in examples if not is_valid(name, value)] == []


class TestComponents:
    def test_have_names_that_a_client_generator_can_use(self) -> None:
        names = our_contract()["components"]["schemas"]
        assert [name for name in names if "__" in name or not name[0].isupper()] == []
