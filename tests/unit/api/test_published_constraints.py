"""The published contract has the limits that our validators check."""

from functools import cache
from typing import Any

import jsonschema_rs

from carimbo.fiscal.body.messages import FORMS
from carimbo.fiscal.body.published import DAY_PATTERN
from carimbo.fiscal.tables.geography import STATES
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
SALE = NFE | {"paymentMethod": "pix"}
RECIPIENT = {"name": "Loja", "taxId": "11222333000181"}


@cache
def validator(component: str) -> jsonschema_rs.Validator:
    schema = {"$ref": f"#/components/schemas/{component}", "components": our_contract()["components"]}
    return jsonschema_rs.validator_for(schema, validate_formats=True)


def is_valid(component: str, body: dict[str, Any]) -> bool:
    return validator(component).is_valid(body)


class TestQueryParameters:
    def test_query_parameter_that_misses_its_pattern_is_refused_with_a_hint(self) -> None:
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


# A component of the contract, a body that it takes, and changes that make it invalid.
LIMITS: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    ("NewCompany", COMPANY | {"taxId": "12abc34501de35"}, [{"taxId": "1122233300018"}]),
    ("NewCompany", COMPANY | {"email": "fiscal@example.com"}, [{"email": "fiscal"}]),
    ("NewCompany", COMPANY | {"phone": "+55 (11) 3333-4444"}, [{"phone": "3333"}]),
    ("NewCompany", COMPANY | {"cnaeCode": "4751-2/01"}, [{"cnaeCode": "475120"}]),
    (
        "NewCompany",
        COMPANY | {"address": ADDRESS | {"zipcode": "01.310-100"}},
        [{"address": ADDRESS | {"zipcode": "0131010"}}, {"address": ADDRESS | {"state": "XX"}}],
    ),
    (
        "NewCompany",
        COMPANY | {"address": ADDRESS | {"countryCode": "BR"}},
        [{"address": ADDRESS | {"countryCode": "US"}}],
    ),
    ("NewCompany", COMPANY | {"address": ADDRESS | {"countryCode": "1058"}}, []),
    ("NewStateRegistration", {"state": "SP", "number": "110.042.490.114"}, [{"number": "ISENTO"}]),
    ("NewStateRegistration", {"state": "SP", "number": "P011004243002"}, []),
    ("NfeRequest", SALE, [{"items": [ITEM | {"quantity": 0}]}]),
    ("NfceRequest", SALE, [{"items": [ITEM | {"quantity": 0}]}]),
    ("NfeRequest", NFE | {"purpose": "complement", "items": [ITEM | {"quantity": 0}]}, []),
    (
        "NfeRequest",
        NFE | {"recipient": RECIPIENT | {"stateRegistration": "isento"}},
        [{"recipient": RECIPIENT | {"stateRegistration": number}} for number in ("1", "NENHUMA")],
    ),
    ("NfeRequest", NFE | {"recipient": RECIPIENT | {"stateRegistration": "110.042.490.114"}}, []),
    ("SaleLineBody", {"sku": "caneca", "quantity": 0.5}, [{"quantity": 0}]),
    ("SaleBody", {"products": [{"sku": "caneca"}], "saleDate": "2026-11-14"}, [{"saleDate": "14/11/2026"}]),
    (
        "SaleBody",
        {"products": [{"sku": "caneca"}], "guaranteeDate": "2026-11-14T10:00:00-03:00"},
        [{"guaranteeDate": "amanhã"}],
    ),
    ("IssBody", {"rate": 2}, [{"rate": -1}, {"rate": 101}]),
    ("WithholdingBody", {"rate": 2}, [{"rate": -1}, {"rate": 101}]),
    ("CatalogDeferralBody", {"rate": 2}, [{"rate": -1}, {"rate": 101}]),
    (
        "NfseRequest",
        {"serviceDescription": "Curso", "borrower": {"name": "Maria da Silva"}, "amount": 0.01},
        [{"amount": 0}],
    ),
    ("Installment", {"number": "0" * 60, "amount": 10}, [{"number": "0" * 61}]),
]


class TestFields:
    def test_published_limits_of_fields_match_their_validators(self) -> None:
        refused = [(component, body) for component, body, _ in LIMITS if not is_valid(component, body)]
        accepted = [
            (component, change)
            for component, body, changes in LIMITS
            for change in changes
            if is_valid(component, body | change)
        ]
        assert (refused, accepted) == ([], [])

    def test_state_fields_list_all_states(self) -> None:
        registration = our_contract()["components"]["schemas"]["NewStateRegistration"]
        assert registration["properties"]["state"]["enum"] == sorted(STATES)

    def test_number_fields_have_a_number_as_default(self) -> None:
        components = our_contract()["components"]["schemas"]
        assert components["SaleLineBody"]["properties"]["quantity"]["default"] == 1
        texts = [
            (component, name)
            for component, schema in components.items()
            for name, field in schema.get("properties", {}).items()
            if field.get("type") == "number" and isinstance(field.get("default"), str)
        ]
        assert texts == []


class TestExamples:
    def test_object_examples_fit_the_published_schema(self) -> None:
        components = our_contract()["components"]["schemas"]
        examples = [(name, value) for name, part in components.items() for value in part.get("examples", ())]
        assert "DocumentRecord" in dict(examples)
        assert [name for name, value in examples if not is_valid(name, value)] == []


class TestComponents:
    def test_component_names_are_usable_by_client_generators(self) -> None:
        names = our_contract()["components"]["schemas"]
        assert [name for name in names if "__" in name or not name[0].isupper()] == []
