"""Bodies of NF-e and NFC-e whose missing fields are filled from the catalog."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.catalog.filling import CatalogFacts
from carimbo.fiscal.catalog.sale import FiscalItem
from carimbo.fiscal.documents.nfce import from_catalog as nfce
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe import from_catalog as nfe
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.from_catalog import fill_recipient
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from unit.fiscal.goods.support import (
    BUYER,
    CPF,
    ITEM,
    LISBON,
    NFCE_BODY,
    NFE_BODY,
    NORMAL,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    company,
)
from unit.fiscal.sold_parts import ABROAD, FAR, FIRM, HERE, PERSON

MUG = FiscalItem(
    fiscal={
        "ncm": "69111010", "cfop": "5101", "unit": "CX", "origin": "1", "gtin": "7891000315507",
        "cest": "2104600", "benefitCode": "SP010001", "icms": {"cst": "20", "rate": 18, "baseReduction": 10},
        "pis": {"cst": "03", "unitRate": 0.5},
    }
)  # fmt: skip
OF_THE_GOODS = ("ncm", "cest", "gtin", "unit", "origin")
SOLD = {"description": "Caneca", "quantity": 2, "unitValue": 35.9, "sku": "caneca"}
COMPLETE = BUYER | {
    "email": "a@example.com", "phone": "1133334444", "stateRegistration": "ISENTO",
    "municipalRegistration": "1",
}  # fmt: skip


def recipient(customer: CustomerFacts, **fields: Any) -> dict[str, Any]:
    """Returns the recipient of an NF-e after filling."""
    body = NFE_BODY | {"recipient": {"taxId": CPF, **fields}}
    filled = nfe.fill(body, NfeRequest.model_validate(body), company(), CatalogFacts(customer))
    return dict(filled["recipient"])


def item(
    fields: dict[str, Any] | None = None,
    catalog_item: FiscalItem = MUG,
    to: CustomerFacts = PERSON,
    by: Company = NORMAL,
    **document: Any,
) -> dict[str, Any]:
    """Returns the only item of an NF-e after filling."""
    body = {"recipient": {"taxId": CPF}, "items": [SOLD | (fields or {})], **document}
    facts = CatalogFacts(to, {"caneca": catalog_item})
    filled = nfe.fill(body, NfeRequest.model_validate(body), by, facts)
    return dict(filled["items"][0])


class TestRecipient:
    def test_recipient_takes_every_missing_field_from_the_customer(self) -> None:
        assert recipient(FIRM) == {
            "taxId": CPF, "name": FIRM.name, "address": HERE, "stateRegistration": "110042490114",
            "municipalRegistration": "12345",
        }  # fmt: skip

    def test_recipient_keeps_the_fields_of_the_body(self) -> None:
        fields = {"name": "Maria Souza", "email": "outra@example.com", "address": SAO_PAULO | {"number": "7"}}
        assert (
            recipient(PERSON, **fields).items()
            >= {"name": "Maria Souza", "email": "outra@example.com"}.items()
        )
        assert recipient(PERSON, **fields)["address"]["number"] == "7"

    def test_recipient_keeps_its_cpf_when_the_customer_is_also_foreign(self) -> None:
        filled = recipient(replace(ABROAD, document=CPF))
        assert (filled["taxId"], filled["name"], "foreignId" in filled) == (CPF, ABROAD.name, False)

    def test_recipient_takes_a_null_field_as_missing(self) -> None:
        body = NFE_BODY | {"recipient": {"taxId": CPF, "name": None, "email": None}}
        request = NfeRequest.model_validate(body)
        filled = nfe.fill(body, request, company(), CatalogFacts(PERSON))
        assert filled["recipient"]["name"] == "Maria da Silva"
        assert filled["recipient"]["email"] == "maria@example.com"

    @pytest.mark.parametrize("contribution", ["none", "exempt"])
    def test_recipient_that_pays_no_icms_takes_no_state_registration(self, contribution: str) -> None:
        assert "stateRegistration" not in recipient(FIRM, icmsContribution=contribution)

    def test_recipient_that_pays_icms_takes_the_state_registration(self) -> None:
        assert recipient(FIRM, icmsContribution="contributor")["stateRegistration"] == "110042490114"

    @pytest.mark.parametrize("address", [RIO_DE_JANEIRO, {"cityCode": "3304557"}, LISBON])
    def test_recipient_in_another_state_or_country_takes_no_registration(
        self, address: dict[str, str]
    ) -> None:
        filled = recipient(FIRM, address=address)
        assert filled.keys() & {"stateRegistration", "municipalRegistration"} == set()

    @pytest.mark.parametrize(
        "address", [{"state": "sp"}, {"street": "Rua Nova"}, SAO_PAULO | {"number": "7"}]
    )
    def test_recipient_in_the_same_state_takes_the_state_registration(self, address: dict[str, str]) -> None:
        assert recipient(FIRM, address=address)["stateRegistration"] == "110042490114"


class TestAddress:
    """Partial addresses of a body, filled from the address of a customer."""

    @staticmethod
    def filled(fields: dict[str, Any]) -> Any:
        return fill_recipient({"taxId": CPF, "address": fields}, {"name": "Maria", "address": HERE})[
            "address"
        ]

    def test_address_takes_missing_fields_one_by_one(self) -> None:
        assert self.filled({"number": HERE["number"], "complement": "ap. 3"}) == HERE | {
            "complement": "ap. 3"
        }

    def test_address_in_another_spelling_is_the_same_place(self) -> None:
        fields = {"zipcode": "01001-000", "city": "SAO PAULO", "state": "sp", "countryCode": "1058"}
        assert self.filled(fields) == HERE | fields

    @pytest.mark.parametrize(
        "fields",
        [
            {"city": "Campinas", "state": "SP"},
            {"zipcode": "13010-000"},
            {"street": "Rua Nova"},
            {"countryCode": "2496"},
        ],
    )
    def test_address_of_another_place_is_not_completed_from_the_customer(
        self, fields: dict[str, Any]
    ) -> None:
        assert self.filled(fields) == fields


class TestItem:
    def test_item_takes_its_fiscal_fields_and_taxes(self) -> None:
        assert item() == SOLD | {
            "ncm": "69111010", "cfop": "5101", "unit": "CX", "origin": "1", "gtin": "7891000315507",
            "cest": "2104600", "benefitCode": "SP010001",
            "icms": {"cst": "20", "rate": 18, "baseReduction": 10},
            "pis": {"cst": "03", "unitRate": Decimal("0.5"), "quantity": 2},
        }  # fmt: skip

    def test_item_keeps_the_fields_of_the_body(self) -> None:
        fields = {"ncm": "69120000", "cfop": "5405", "unit": "UN", "origin": "0", "pis": {"cst": "07"}}
        assert item(fields).items() >= fields.items()

    def test_item_with_its_own_icms_takes_nothing_of_the_catalogs_icms(self) -> None:
        filled = item({"icms": {"cst": "00"}})
        assert filled["icms"] == {"cst": "00"}
        assert "benefitCode" not in filled

    def test_item_uses_the_cfop_of_the_document_before_the_cfop_of_the_catalog(self) -> None:
        assert "cfop" not in item(cfop="5910")

    def test_item_without_company_defaults_is_national_unless_the_catalog_says_otherwise(self) -> None:
        alone = FiscalItem(fiscal={"ncm": "69120000"}, follows_company_defaults=False)
        assert item(catalog_item=alone)["origin"] == "0"

    def test_item_with_another_sku_takes_nothing(self) -> None:
        assert item({"sku": "prato"}) == SOLD | {"sku": "prato"}

    def test_item_takes_cfop_and_rate_for_the_state_of_the_filled_recipient(self) -> None:
        filled = item(catalog_item=replace(MUG, fiscal={**MUG.fiscal, "origin": "0"}), to=FAR)
        assert (filled["cfop"], filled["icms"]["rate"]) == ("6107", 12)

    def test_item_of_an_export_has_no_rate(self) -> None:
        body = {"recipient": {"foreignId": "EIN123456789", "name": "Model", "address": {
            "street": "5th Avenue", "number": "1", "district": "Manhattan", "countryCode": "2496",
            "country": "ESTADOS UNIDOS",
        }}, "items": [SOLD]}  # fmt: skip
        facts = CatalogFacts(items={"caneca": MUG})
        filled = nfe.fill(body, NfeRequest.model_validate(body), NORMAL, facts)["items"][0]
        assert (filled["cfop"], "rate" in filled["icms"]) == ("7101", False)

    @pytest.mark.parametrize("fields", [{"purpose": "return"}, {"operation": "inbound"}])
    def test_item_that_is_not_sold_takes_only_the_fields_of_the_goods(self, fields: dict[str, Any]) -> None:
        assert item(**fields).keys() == {*SOLD, *OF_THE_GOODS}

    @pytest.mark.parametrize("cfop", ["5910", "5915", "5949", "6152"])
    def test_item_with_a_cfop_of_no_sale_takes_only_the_fields_of_the_goods(self, cfop: str) -> None:
        assert item({"cfop": cfop}).keys() == {*SOLD, *OF_THE_GOODS, "cfop"}
        assert item(cfop=cfop).keys() == {*SOLD, *OF_THE_GOODS}

    def test_item_with_a_cfop_of_a_sale_in_a_gift_takes_the_taxes_of_a_sale(self) -> None:
        assert item({"cfop": "5102"}, cfop="5910")["icms"] == MUG.fiscal["icms"]

    @pytest.mark.parametrize("cfop", [None, "5911", "6911"])
    def test_item_that_the_catalog_gives_away_takes_the_taxes_of_a_gift(self, cfop: str | None) -> None:
        sample = replace(MUG, fiscal={**MUG.fiscal, "cfop": "5911"})
        filled = item({"cfop": cfop}, catalog_item=sample)
        assert (filled["cfop"], filled["icms"]) == (cfop or "5911", MUG.fiscal["icms"])

    def test_item_that_the_catalog_gives_away_takes_no_taxes_if_it_is_sold(self) -> None:
        sample = replace(MUG, fiscal={**MUG.fiscal, "cfop": "5911"})
        assert item({"cfop": "5102"}, catalog_item=sample).keys() == {*SOLD, *OF_THE_GOODS, "cfop"}

    def test_item_with_its_own_icms_takes_the_other_taxes_of_the_catalog(self) -> None:
        taxed = replace(MUG, fiscal={**MUG.fiscal, "ipi": {"cst": "50", "rate": 10}})
        filled = item({"icms": {"cst": "40"}}, catalog_item=taxed)
        assert (filled["icms"], filled["ipi"]) == ({"cst": "40"}, {"cst": "50", "rate": 10})


class TestReferences:
    def test_references_of_a_complete_body_are_empty(self) -> None:
        body = NFE_BODY | {"recipient": COMPLETE}
        assert nfe.FILLING.references(NfeRequest.model_validate(body)).is_empty
        assert nfe.FILLING.references(NfeRequest.model_validate(body | {"items": [SOLD]})).skus == ("caneca",)

    @pytest.mark.parametrize("name", sorted(COMPLETE.keys() - {"taxId"}))
    def test_references_of_an_incomplete_recipient_name_the_customer(self, name: str) -> None:
        lacking = {field: value for field, value in COMPLETE.items() if field != name}
        request = NfeRequest.model_validate(NFE_BODY | {"recipient": lacking})
        assert nfe.FILLING.references(request).tax_id == CPF

    def test_references_of_a_foreigner_name_no_customer(self) -> None:
        foreigner = {"foreignId": "P1234567", "name": "John"}
        request = NfeRequest.model_validate(NFE_BODY | {"recipient": foreigner})
        assert nfe.FILLING.references(request).is_empty

    def test_references_of_a_receipt_that_is_already_printed_are_empty(self) -> None:
        body = NFCE_BODY | {"items": [SOLD], "recipient": {"taxId": CPF}}
        assert not nfce.FILLING.references(NfceRequest.model_validate(body)).is_empty
        paper = {"accessKey": "3" * 44, "number": 1, "series": 1, "issuedAt": "2026-11-14T10:00:00-03:00"}
        contingency = {"startedAt": paper["issuedAt"], "reason": "Sem conexão com a internet"}
        printed = body | {"issueMode": "offlineContingency", "contingency": contingency, **paper}
        assert nfce.FILLING.references(NfceRequest.model_validate(printed)).is_empty


class TestReceipt:
    @staticmethod
    def filled(customer: CustomerFacts, catalog_item: FiscalItem = MUG) -> dict[str, Any]:
        body = NFCE_BODY | {"items": [SOLD, ITEM], "recipient": {"taxId": CPF}}
        facts = CatalogFacts(customer, {"caneca": catalog_item})
        return dict(nfce.fill(body, NfceRequest.model_validate(body), company(), facts))

    def test_receipt_takes_items_and_buyer_without_a_state_registration(self) -> None:
        filled = self.filled(FIRM)
        assert filled["recipient"] == {"taxId": CPF, "name": FIRM.name}
        assert (filled["items"][0]["cfop"], filled["items"][1]) == ("5101", ITEM)

    @pytest.mark.parametrize(("cst", "is_taken"), [("50", True), ("53", False)])
    def test_receipt_takes_an_ipi_only_if_it_is_due(self, cst: str, is_taken: bool) -> None:
        ipi = {"cst": cst, "rate": 10} if is_taken else {"cst": cst}
        taxed = replace(MUG, fiscal={**MUG.fiscal, "ipi": ipi})
        assert ("ipi" in self.filled(FIRM, taxed)["items"][0]) is is_taken

    def test_receipt_takes_no_address_abroad(self) -> None:
        assert self.filled(replace(ABROAD, document=CPF))["recipient"].keys() == {"taxId", "name"}


class TestEndedContributions:
    @pytest.mark.parametrize(("day", "is_taken"), [("2026-12-31", True), ("2027-01-01", False)])
    def test_ended_contributions_are_taken_up_to_their_last_day(self, day: str, is_taken: bool) -> None:
        facts = CatalogFacts(PERSON, {"caneca": MUG}, day=date.fromisoformat(day))
        body = {"recipient": {"taxId": CPF}, "items": [SOLD]}
        filled = nfe.fill(body, NfeRequest.model_validate(body), NORMAL, facts)
        assert ("pis" in filled["items"][0]) is is_taken
        assert "icms" in filled["items"][0]

    def test_ended_contributions_follow_the_issue_date_of_the_body(self) -> None:
        facts = CatalogFacts(None, {"caneca": MUG}, day=date(2027, 1, 1))
        body = NFCE_BODY | {"items": [SOLD], "issueDate": "2026-12-31T23:58:00-03:00"}
        filled = nfce.fill(body, NfceRequest.model_validate(body), NORMAL, facts)
        assert "pis" in filled["items"][0]


class TestMissingFields:
    @pytest.mark.parametrize(
        ("buyer", "paths"),
        [
            (BUYER, ()),
            ({"taxId": CPF}, ("recipient.name",)),
            ({"foreignId": "PASS123", "name": "John"}, ()),
        ],
    )
    def test_missing_fields_of_an_nfe_are_id_and_name(
        self, buyer: dict[str, Any], paths: tuple[str, ...]
    ) -> None:
        assert (
            nfe.missing_recipient_fields(NfeRequest.model_validate(NFE_BODY | {"recipient": buyer})) == paths
        )
