"""Messages that say which values came from the catalog."""

from typing import Any

import pytest

from carimbo.fiscal.catalog.filling import catalog_origins

POSTED: dict[str, Any] = {
    "recipient": {"taxId": "52998224725", "name": None, "address": {"street": "Praça da Sé"}},
    "items": [{"sku": "prato", "ncm": "69120000"}, {"sku": "caneca", "icms": {"cst": "00"}}],
}
FILLED: dict[str, Any] = {
    "recipient": {
        "taxId": "52998224725", "name": "Maria", "address": {"street": "Praça da Sé", "number": "100"},
    },
    "items": [
        {"sku": "prato", "ncm": "69120000"},
        {"sku": "caneca", "ncm": "69111010", "ipi": {"cst": "50"}, "icms": {"cst": "00"}},
    ],
}  # fmt: skip
MUG = "do item “caneca” do catálogo"


class TestExplain:
    @pytest.mark.parametrize(
        ("path", "field", "record"),
        [
            ("recipient.name", "recipient.name", "do cadastro do cliente"),
            ("recipient.address.number", "recipient.address.number", "do cadastro do cliente"),
            ("items[1].ncm", "items[1].ncm", MUG),
            ("items[1].ipi.rate", "items[1].ipi", MUG),
        ],
    )
    def test_message_names_the_record_of_a_filled_field(self, path: str, field: str, record: str) -> None:
        origins = catalog_origins(POSTED, FILLED, "recipient")
        assert origins.explain(path, "Errado.") == f"Errado. O valor de {field} vem {record}."

    @pytest.mark.parametrize(
        "path",
        [
            "recipient", "recipient.taxId", "recipient.nameless", "recipient.address.street", "items[0].ncm",
            "items[1].icms.cst", "items[1].icms.rate", "items[11].ncm", "company.taxId", "",
        ],
    )  # fmt: skip
    def test_message_about_a_field_of_the_body_is_unchanged(self, path: str) -> None:
        assert catalog_origins(POSTED, FILLED, "recipient").explain(path, "Errado.") == "Errado."

    def test_message_names_the_catalog_alone_if_no_sku_is_near(self) -> None:
        origins = catalog_origins({"sku": "a"}, {"sku": "a", "serviceCode": "0105"}, "borrower")
        assert origins.explain("serviceCode", "Errado.") == "Errado. O valor de serviceCode vem do catálogo."

    def test_list_that_became_longer_counts_as_a_filled_field(self) -> None:
        posted, filled = ({"items": [{"sku": "a", "codes": codes}]} for codes in ([1], [1, 2]))
        origins = catalog_origins(posted, filled, "recipient")
        assert origins.by_path == {"items[0].codes": "do item “a” do catálogo"}
