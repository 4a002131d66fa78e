"""Document identities that the rules accept."""

from datetime import UTC, timedelta
from typing import Any

import pytest

from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.parties.address import is_no_city, is_of_another_state
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT, PRODUCTION, emission
from unit.fiscal.keys import with_parts
from unit.fiscal.rules.breaking import Breaking, judge
from unit.fiscal.rules.breakings_parties import (
    IN_PARANA,
    KEY,
    OTHER_DIGIT,
    key_fields,
    offline_since,
    refusals,
)

RESPONSIBLE = TechnicalResponsible(
    cnpj=CNPJ, contact="Maria da Silva", email="maria@example.com", phone="1133334444"
)
ELSEWHERE = {**key_fields(with_parts(KEY, state_code="33")), "identification.state_code": "33"}


def in_contingency(emission_type: EmissionType) -> Emission:
    return emission(type=emission_type, contingency=Contingency(ISSUED_AT, "Sem conexão com a internet"))


class TestStateOfTheIssuer:
    def test_issuer_without_registration_may_be_authorized_in_another_state(self) -> None:
        assert refusals(document={**ELSEWHERE, "issuer.state_registration": None}) == []

    def test_receipt_without_registration_may_not_be_authorized_in_another_state(self) -> None:
        key = with_parts(KEY, state_code="33", model="65")
        document = {**ELSEWHERE, **key_fields(key), "issuer.state_registration": None}
        assert refusals("receipt", document=document) == ["226"]


class TestIssueDate:
    def test_clocks_may_differ_by_five_minutes(self) -> None:
        assert refusals(now=ISSUED_AT - timedelta(minutes=5)) == []
        assert refusals("receipt", now=ISSUED_AT + timedelta(minutes=5)) == []

    def test_invoice_may_be_sent_days_later(self) -> None:
        judgement = judge(Breaking("", "", now=ISSUED_AT + timedelta(days=30)))
        assert judgement.problems == ()
        assert judgement.warnings == ()

    def test_old_invoice_only_causes_a_warning(self) -> None:
        judgement = judge(Breaking("", "", now=ISSUED_AT + timedelta(days=60)))
        assert judgement.problems == ()
        assert [warning.partition(":")[0] for warning in judgement.warnings] == ["issueDate"]

    def test_receipt_of_the_offline_contingency_may_come_later(self) -> None:
        later = ISSUED_AT + timedelta(hours=20)
        assert refusals("receipt", under=in_contingency(EmissionType.OFFLINE), now=later) == []

    @pytest.mark.parametrize("emission_type", [EmissionType.OFFLINE, EmissionType.NORMAL])
    def test_no_contingency_allows_a_future_date(self, emission_type: EmissionType) -> None:
        contingent = emission_type is EmissionType.OFFLINE
        under = in_contingency(emission_type) if contingent else emission()
        assert "703" in refusals("receipt", under=under, now=ISSUED_AT - timedelta(hours=1))

    def test_issue_date_is_compared_across_time_zones(self) -> None:
        assert refusals("receipt", now=ISSUED_AT.astimezone(UTC)) == []


def warnings(**changes: Any) -> tuple[str, ...]:
    return judge(Breaking("", "", **changes)).warnings


class TestDeparture:
    @pytest.mark.parametrize("moment", ["2026-11-14T10:00:00-03:00", "2026-12-14T10:00:00-03:00"])
    def test_departure_may_be_at_the_issue_or_a_month_later(self, moment: str) -> None:
        assert warnings(body={"departedAt": moment}) == ()

    def test_departure_of_inbound_goods_may_be_before_the_issue(self) -> None:
        earlier = {"departedAt": "2026-11-13T10:00:00-03:00", "operation": "inbound", "cfop": "1949"}
        body = earlier | {"items[0].icms": {"csosn": "900"}}
        assert not [warning for warning in warnings(body=body) if warning.startswith("departedAt")]


class TestContingency:
    @pytest.mark.parametrize("after_issue", [timedelta(minutes=5), -timedelta(days=30)], ids=str)
    def test_contingency_may_begin_within_the_tolerance_of_the_clocks(self, after_issue: timedelta) -> None:
        under = offline_since(after_issue)
        assert refusals("receipt", under=under) == []
        assert warnings(good="receipt", under=under) == ()


class TestAccessKey:
    def test_wrong_digit_in_the_key_alone_is_reported_as_another_key(self) -> None:
        assert refusals(document={"id": f"NFe{str(KEY)[:-1]}{OTHER_DIGIT}"}) == ["502"]

    def test_key_of_a_person_has_the_cpf_with_leading_zeros(self) -> None:
        key = with_parts(KEY, tax_id="00052998224725")
        document = {**key_fields(key), "issuer.cnpj": None, "issuer.cpf": "52998224725"}
        assert refusals(document=document) == []

    def test_series_of_the_authorities_have_their_cnpj_in_the_key(self) -> None:
        assert refusals(document={"identification.series": 890}) == []


class TestNumericCode:
    @staticmethod
    def refusals_of(key: AccessKey, good: str = "simples sale") -> list[str]:
        document = {
            **key_fields(key),
            "identification.number": key.number,
            "identification.numeric_code": key.numeric_code,
        }
        return refusals(good, document=document)

    @pytest.mark.parametrize("code", ["00000000", "77777777", "12345678", "90123456", "01234567"])
    def test_trivial_numeric_code_is_refused(self, code: str) -> None:
        assert self.refusals_of(with_parts(KEY, numeric_code=code)) == ["897"]

    @pytest.mark.parametrize("code", ["98765432", "11111112", "00000004"])
    def test_other_numeric_code_is_accepted(self, code: str) -> None:
        assert self.refusals_of(with_parts(KEY, numeric_code=code)) == []

    def test_number_of_nine_digits_never_equals_the_numeric_code(self) -> None:
        assert self.refusals_of(with_parts(KEY, number=112345680, numeric_code="12345680")) == []

    def test_numeric_code_of_receipts_is_not_checked(self) -> None:
        assert self.refusals_of(with_parts(KEY, model="65", numeric_code="00000003"), "receipt") == []


class TestCities:
    @pytest.mark.parametrize("code", ["2201919", "5203962", "5101837", "3550308"])
    def test_every_city_code_of_the_table_is_a_city_whatever_its_digit(self, code: str) -> None:
        assert not is_no_city(code)

    def test_unknown_city_code_with_the_right_digit_may_be_newer_than_our_table(self) -> None:
        assert not is_no_city("3599990")

    @pytest.mark.parametrize("code", ["3550300", "9999999", "3599996", ""])
    def test_unknown_city_code_with_a_wrong_digit_is_no_city(self, code: str) -> None:
        assert is_no_city(code)

    def test_state_that_does_not_exist_has_no_cities_to_compare(self) -> None:
        assert not is_of_another_state("9999999", "EX")


class TestTechnicalResponsible:
    @pytest.mark.parametrize("under", [emission(), PRODUCTION], ids=["homologation", "production"])
    def test_states_that_require_a_technical_responsible_accept_the_document_with_one(
        self, under: Emission
    ) -> None:
        assert refusals("receipt", company=IN_PARANA, under=under) == ["972"]
        document = {"technical_responsible": RESPONSIBLE}
        assert refusals("receipt", company=IN_PARANA, under=under, document=document) == []

    def test_document_issued_by_the_authority_needs_no_technical_responsible(self) -> None:
        document = {"identification.issuing_process": "2"}
        assert refusals("receipt", company=IN_PARANA, document=document) == []
