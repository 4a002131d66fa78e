"""Parties that the rules accept."""

from dataclasses import replace
from typing import Any

import pytest

from unit.fiscal.goods.support import BUYER_CNPJ, CPF, PRODUCTION
from unit.fiscal.rules.breaking import GONE, Breaking, judge
from unit.fiscal.rules.breakings_parties import FOREIGN_CONSUMER, FUEL, refusals

ABROAD_WITH_CPF = {"recipient.foreign_id": None, "recipient.cpf": "52998224725"}
IN_BRAZIL = {"recipient.address.state": "SP", "recipient.address.city_code": "3550308"}
EXEMPT = {"recipient.stateRegistration": "ISENTO"}


def warned_of(good: str = "simples sale", **changes: Any) -> list[str]:
    return [warning.partition(":")[0] for warning in judge(Breaking("", "", good, **changes)).warnings]


class TestCountry:
    @pytest.mark.parametrize("code", ["0132", "132", "6076"])
    def test_country_code_may_lack_leading_zeros(self, code: str) -> None:
        warned_paths = warned_of("export", document={"recipient.address.country_code": code})
        assert "recipient.address.countryCode" not in warned_paths

    def test_country_is_optional(self) -> None:
        assert warned_of(document={"recipient.address.country_code": None}) == []

    def test_unknown_country_only_causes_a_warning(self) -> None:
        assert refusals("export", body={"recipient.address.countryCode": "9999"}) == []


class TestTaxIds:
    @pytest.mark.parametrize("cpf", ["00000000000", "11111111111", "99999999999"])
    def test_equal_digits_are_no_cpf(self, cpf: str) -> None:
        assert refusals(document={"recipient.cpf": cpf}) == ["237"]

    def test_zeros_are_no_cnpj(self) -> None:
        good = "simples sale to a contributor"
        assert refusals(good, document={"recipient.cnpj": "00000000000000"}) == ["208"]

    def test_cnpj_may_have_letters(self) -> None:
        good = "simples sale to a contributor"
        assert refusals(good, document={"recipient.cnpj": BUYER_CNPJ}) == []


class TestHomologation:
    def test_recipient_has_a_name_in_production(self) -> None:
        assert refusals(under=PRODUCTION) == []

    def test_receipt_may_lack_the_name_of_the_recipient(self) -> None:
        assert refusals("receipt with delivery", document={"recipient.name": None}) == []

    def test_invoice_may_not_lack_the_name_of_the_recipient(self) -> None:
        assert refusals(document={"recipient.name": None}) == ["598", "724"]


class TestForeigners:
    @pytest.mark.parametrize("foreign_id", ["AB-123/4.5", "+55 (11) 2:3", "PASSÉ12345", ""])
    def test_foreign_document_may_have_letters_digits_and_some_signs(self, foreign_id: str) -> None:
        assert refusals("export", document={"recipient.foreign_id": foreign_id}) == []

    @pytest.mark.parametrize("foreign_id", ["AB_12345", "AB&12345", "AB,12345", "AB*12345"])
    def test_foreign_document_with_other_signs_is_refused(self, foreign_id: str) -> None:
        assert refusals("export", document={"recipient.foreign_id": foreign_id}) == ["372"]

    def test_foreigner_may_consume_in_the_country(self) -> None:
        assert refusals(body=FOREIGN_CONSUMER) == []

    def test_foreigner_without_a_document_is_accepted(self) -> None:
        document = {"recipient.foreign_id": "", "recipient.cpf": None}
        assert refusals(body={"operation": "inbound", "finalConsumer": False}, document=document) == []

    def test_empty_foreign_document_is_accepted_beside_a_registration(self) -> None:
        document = {"recipient.foreign_id": "", "recipient.cnpj": None}
        assert refusals("simples sale to a contributor", document=document) == []

    @pytest.mark.parametrize(("cfop", "is_warned_of"), [("6667", False), ("6102", True)])
    def test_fuel_may_go_to_a_foreigner_in_another_state(self, cfop: str, is_warned_of: bool) -> None:
        document = {"items[0].product.cfop": cfop}
        warned_paths = warned_of("consumer in another state", body=FOREIGN_CONSUMER, document=document)
        assert ("recipient.foreignId" in warned_paths) is is_warned_of


class TestReaders:
    def test_authorized_reader_may_be_anybody_except_the_parties(self) -> None:
        assert refusals(body={"authorizedReaders": [{"taxId": BUYER_CNPJ}]}) == []

    def test_authorized_reader_of_an_anonymous_receipt_may_be_anybody(self) -> None:
        assert refusals("receipt", body={"authorizedReaders": [{"taxId": CPF}]}) == []


class TestExportsWithinTheCountry:
    @pytest.mark.parametrize("cfop", ["7501", "7552"])
    @pytest.mark.parametrize("changes", [ABROAD_WITH_CPF, IN_BRAZIL], ids=["identity", "address"])
    def test_goods_exported_by_law_alone_may_go_to_a_brazilian(
        self, cfop: str, changes: dict[str, Any]
    ) -> None:
        refused_codes = refusals("export", document={**changes, "items[0].product.cfop": cfop})
        assert {"720", "727"}.isdisjoint(refused_codes)

    @pytest.mark.parametrize("cfop", ["7501", "7552"])
    def test_goods_exported_by_law_alone_may_go_to_a_contributor(self, cfop: str) -> None:
        assert "790" not in refusals("export", body=EXEMPT, document={"items[0].product.cfop": cfop})

    def test_fuel_consumed_abroad_may_go_to_a_brazilian(self) -> None:
        fuel = {"items[0].product.cfop": "7667", "items[0].product.fuel": FUEL}
        refused_codes = refusals("export", document={**ABROAD_WITH_CPF, **IN_BRAZIL, **fuel})
        assert {"720", "727"}.isdisjoint(refused_codes)

    def test_fuel_consumed_in_the_country_may_not_be_exported_to_a_brazilian(self) -> None:
        fuel = {
            "items[0].product.cfop": "7667",
            "items[0].product.fuel": replace(FUEL, consumption_state="SP"),
        }
        assert "720" in refusals("export", document={**ABROAD_WITH_CPF, **fuel})


class TestMissingRecipient:
    def test_invoice_printed_like_a_receipt_may_have_no_recipient(self) -> None:
        document = {"identification.print_format": "6"}
        assert "719" not in refusals(document={**document, "recipient": None})
        assert "726" not in refusals(document={**document, "recipient.address": None})

    def test_export_without_recipient_is_reported_once(self) -> None:
        refused_codes = refusals("export", document={"recipient": None})
        assert "719" in refused_codes
        assert {"720", "726", "727", "790"}.isdisjoint(refused_codes)


class TestRegistration:
    def test_person_without_registration_causes_no_warning(self) -> None:
        assert "recipient.stateRegistration" not in warned_of()

    def test_company_that_states_an_exemption_causes_no_warning(self) -> None:
        body = {"recipient.taxId": BUYER_CNPJ, **EXEMPT}
        assert "recipient.stateRegistration" not in warned_of(body=body)

    def test_company_abroad_without_registration_causes_no_warning(self) -> None:
        body = {"recipient.foreignId": GONE, "recipient.taxId": BUYER_CNPJ}
        assert "recipient.stateRegistration" not in warned_of("export", body=body)

    def test_recipient_that_is_no_contributor_may_have_a_registration(self) -> None:
        document = {"recipient.icms_contributor": "9", "identification.final_consumer": "1"}
        assert refusals("simples sale to a contributor", document=document) == []


class TestExemptContributors:
    GOOD = "simples sale to a contributor"

    @pytest.mark.parametrize("csosn", ["103", "300", "400"])
    def test_untaxed_goods_may_go_to_exempt_contributors_anywhere(self, csosn: str) -> None:
        assert refusals(self.GOOD, body={**EXEMPT, "items[0].icms": {"csosn": csosn}}) == []

    @pytest.mark.parametrize("cst", ["40", "41"])
    def test_untaxed_goods_of_the_normal_regime_may_go_to_exempt_contributors(self, cst: str) -> None:
        body = {**EXEMPT, "items[0].icms": {"cst": cst}}
        assert "805" not in refusals("normal sale to a contributor", body=body)

    def test_goods_with_retained_tax_may_go_to_exempt_contributors(self) -> None:
        retained = {"csosn": "500", "retainedBase": 10, "retainedRate": 18, "substituteAmount": 0}
        body = {**EXEMPT, "items[0].icms": retained | {"retainedAmount": 1.8}}
        assert "805" not in refusals(self.GOOD, body=body)

    def test_exempt_contributors_are_accepted_in_states_that_have_them(self) -> None:
        document = {"recipient.address.state": "PR", "recipient.address.city_code": "4106902"}
        assert "805" not in refusals(self.GOOD, body=EXEMPT, document=document)
