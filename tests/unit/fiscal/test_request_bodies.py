"""The published bodies of NF-e, NFC-e and NFS-e: every field is told in Portuguese."""

from collections.abc import Iterator
from typing import Any

import pytest

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfse.request import NfseRequest

NFE: dict[str, Any] = NfeRequest.model_json_schema()
NFCE: dict[str, Any] = NfceRequest.model_json_schema()
NFSE: dict[str, Any] = NfseRequest.model_json_schema()
BOTH = pytest.mark.parametrize("body", [NFE, NFCE], ids=["NF-e", "NFC-e"])
ALL = pytest.mark.parametrize("body", [NFE, NFCE, NFSE], ids=["NF-e", "NFC-e", "NFS-e"])
OF_AN_ITEM = {
    "origin", "gtin", "cest", "benefitCode", "icms", "pis", "cofins", "ipi", "ibsCbs", "discount", "freight",
    "insurance", "other",
}  # fmt: skip
OF_A_SALE = {
    "payments", "freight", "presence", "notes", "authorizedReaders", "discount", "insurance", "other",
}  # fmt: skip
OF_AN_NFE = {"finalConsumer", "purpose", "operation", "references", "billing", "deliveryAddress"}


def fields(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field of a body and of the objects in it, by the names of its object and its own."""
    for title, schema in {"": body, **body["$defs"]}.items():
        for name, field in schema.get("properties", {}).items():
            yield f"{title}.{name}", field


def words_of(field: dict[str, Any], body: dict[str, Any]) -> list[str]:
    """The words that a field may have, where it is a choice."""
    places = [field, *field.get("anyOf", ()), *field.get("allOf", ())]
    named = [body["$defs"][one["$ref"].rpartition("/")[2]] for one in places if "$ref" in one]
    return [word for schema in named for word in schema.get("enum", ())]


class TestDescriptions:
    @ALL
    def test_stand_at_every_field_as_a_sentence(self, body: dict[str, Any]) -> None:
        told = {name: field.get("description", "") for name, field in fields(body)}
        assert [name for name, words in told.items() if not words.endswith(".") or len(words) < 6] == []

    @ALL
    def test_fit_in_two_lines(self, body: dict[str, Any]) -> None:
        assert [name for name, field in fields(body) if len(field["description"]) > 230] == []

    @BOTH
    def test_of_choices_name_every_word(self, body: dict[str, Any]) -> None:
        choices = [(name, field) for name, field in fields(body) if words_of(field, body)]
        assert {name for name, _ in choices} >= {".presence", "FreightBody.mode", "PaymentBody.term"}
        for name, field in choices:
            unnamed = [word for word in words_of(field, body) if word not in field["description"]]
            assert (name, unnamed) == (name, [])

    @BOTH
    def test_of_groups_of_the_layout_name_the_official_tag(self, body: dict[str, Any]) -> None:
        told = {name: field["description"] for name, field in fields(body)}
        assert told["Observation.name"] == "Campo `xCampo` do leiaute."
        assert told["Fuel.anpCode"] == "Campo `cProdANP` do leiaute."


class TestFields:
    @BOTH
    def test_of_items_are_those_of_a_fiscal_document(self, body: dict[str, Any]) -> None:
        assert set(body["$defs"]["ItemBody"]["properties"]) >= OF_AN_ITEM

    @BOTH
    def test_of_sales_are_in_either_document(self, body: dict[str, Any]) -> None:
        assert set(body["properties"]) >= OF_A_SALE

    def test_of_the_nfe_are_those_of_sales_between_companies(self) -> None:
        assert set(NFE["properties"]) >= OF_AN_NFE

    def test_that_an_nfe_must_have_are_recipient_and_items(self) -> None:
        assert set(NFE["required"]) == {"recipient", "items"}

    def test_that_an_nfse_must_have_are_description_amount_and_taker(self) -> None:
        assert set(NFSE["required"]) == {"serviceDescription", "amount", "borrower"}

    def test_that_an_nfce_must_have_are_its_items(self) -> None:
        assert set(NFCE["required"]) == {"items"}
