"""The published bodies of all issued types: every field has a description in Portuguese."""

from collections.abc import Iterator
from typing import Any

import pytest

from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfse.request import NfseRequest

NFE: dict[str, Any] = NfeRequest.model_json_schema()
NFCE: dict[str, Any] = NfceRequest.model_json_schema()
NFSE: dict[str, Any] = NfseRequest.model_json_schema()
CTE: dict[str, Any] = CteRequest.model_json_schema()
CTE_OS: dict[str, Any] = CteOsRequest.model_json_schema()
BOTH = pytest.mark.parametrize("body", [NFE, NFCE], ids=["NF-e", "NFC-e"])
ALL = pytest.mark.parametrize(
    "body", [NFE, NFCE, NFSE, CTE, CTE_OS], ids=["NF-e", "NFC-e", "NFS-e", "CT-e", "CT-e OS"]
)
CHOICES_OF_GOODS = {".presence", "FreightBody.mode", "PaymentBody.term"}
WITH_CHOICES = pytest.mark.parametrize(
    ("body", "some"),
    [
        (NFE, CHOICES_OF_GOODS),
        (NFCE, CHOICES_OF_GOODS),
        (CTE, {".purpose", ".serviceType"}),
        (CTE_OS, {".purpose", ".serviceType"}),
    ],
    ids=["NF-e", "NFC-e", "CT-e", "CT-e OS"],
)
OF_AN_ITEM = {
    "origin", "gtin", "cest", "benefitCode", "icms", "pis", "cofins", "ipi", "ibsCbs", "discount", "freight",
    "insurance", "other",
}  # fmt: skip
OF_A_SALE = {
    "payments", "freight", "presence", "notes", "authorizedReaders", "discount", "insurance", "other",
}  # fmt: skip
OF_AN_NFE = {"finalConsumer", "purpose", "operation", "references", "billing", "deliveryAddress"}


def fields(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every field of a body and of the objects in it, with the names of the object and the field."""
    for title, schema in {"": body, **body["$defs"]}.items():
        for name, field in schema.get("properties", {}).items():
            yield f"{title}.{name}", field


def words_of(field: dict[str, Any], body: dict[str, Any]) -> list[str]:
    """Returns the words of a field that is a choice."""
    places = [field, *field.get("anyOf", ()), *field.get("allOf", ())]
    named = [body["$defs"][place["$ref"].rpartition("/")[2]] for place in places if "$ref" in place]
    return [word for schema in named for word in schema.get("enum", ())]


class TestDescriptions:
    @ALL
    def test_every_field_has_a_sentence_as_description(self, body: dict[str, Any]) -> None:
        descriptions = {name: field.get("description", "") for name, field in fields(body)}
        assert [
            name for name, words in descriptions.items() if not words.endswith(".") or len(words) < 6
        ] == []

    @ALL
    def test_descriptions_fit_in_two_lines(self, body: dict[str, Any]) -> None:
        assert [name for name, field in fields(body) if len(field["description"]) > 230] == []

    @WITH_CHOICES
    def test_descriptions_of_choices_name_every_word(self, body: dict[str, Any], some: set[str]) -> None:
        choices = [(name, field) for name, field in fields(body) if words_of(field, body)]
        assert {name for name, _ in choices} >= some
        for name, field in choices:
            unnamed = [word for word in words_of(field, body) if word not in field["description"]]
            assert (name, unnamed) == (name, [])

    @BOTH
    def test_descriptions_of_layout_groups_name_the_official_tag(self, body: dict[str, Any]) -> None:
        descriptions = {name: field["description"] for name, field in fields(body)}
        assert descriptions["Observation.name"] == "Campo `xCampo` do leiaute."
        assert descriptions["Fuel.anpCode"] == "Campo `cProdANP` do leiaute."


class TestFields:
    @BOTH
    def test_items_have_the_fields_of_a_fiscal_document(self, body: dict[str, Any]) -> None:
        assert set(body["$defs"]["ItemBody"]["properties"]) >= OF_AN_ITEM

    @BOTH
    def test_both_bodies_have_the_fields_of_a_sale(self, body: dict[str, Any]) -> None:
        assert set(body["properties"]) >= OF_A_SALE

    def test_nfe_has_the_fields_of_sales_between_companies(self) -> None:
        assert set(NFE["properties"]) >= OF_AN_NFE

    def test_nfe_requires_recipient_and_items(self) -> None:
        assert set(NFE["required"]) == {"recipient", "items"}

    def test_nfse_requires_description_amount_and_taker(self) -> None:
        assert set(NFSE["required"]) == {"serviceDescription", "amount", "borrower"}

    def test_nfce_requires_its_items(self) -> None:
        assert set(NFCE["required"]) == {"items"}

    def test_cte_requires_price_and_icms(self) -> None:
        assert set(CTE["required"]) == {"serviceAmount", "icms"}

    def test_cte_os_requires_service_price_and_icms(self) -> None:
        assert set(CTE_OS["required"]) == {"serviceType", "serviceAmount", "icms"}
