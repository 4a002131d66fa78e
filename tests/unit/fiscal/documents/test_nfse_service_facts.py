"""The service of a note and its taxation, from the body or the company's settings."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts, facts_of, missing_for_shortcut
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.problems import Incomplete, Problem
from unit.fiscal.documents.nfse_support import DETAILED, NBS, SHORTCUT, body, codes_of, composed

USUAL: dict[str, Any] = {"federalServiceCode": "01.05", "cityServiceCode": "123", "issRate": 2.5, "nbs": NBS}


def facts(payload: dict[str, Any], **settings: Any) -> ServiceFacts:
    return facts_of(NfseRequest.model_validate(payload), NfseSettings.model_validate(settings))


def missing_facts(payload: dict[str, Any], **settings: Any) -> tuple[Problem, ...]:
    with pytest.raises(Incomplete) as caught:
        facts(payload, **settings)
    return caught.value.problems


class TestNationalCode:
    @pytest.mark.parametrize("code", ["1.05", "01.05", "01.05.01", "1.05.01", "010501"])
    def test_national_code_is_found_in_every_spelling(self, code: str) -> None:
        assert facts(body(federalServiceCode=code)).service.code == "010501"

    def test_item_with_several_national_codes_is_ambiguous(self) -> None:
        (problem,) = missing_facts(body(federalServiceCode="17.01"))
        assert (problem.code, problem.path) == ("AMBIGUOUS", "federalServiceCode")
        assert dict(problem.facts) == {"candidates": ("17.01.01", "17.01.02")}
        assert "17.01.01 Assessoria ou consultoria" in problem.message
        assert "17.01.02 Análise, exame" in problem.message

    def test_ambiguous_item_in_the_settings_is_to_be_corrected_there(self) -> None:
        (problem,) = missing_facts(SHORTCUT, federalServiceCode="17.01", issRate=2)
        assert (problem.code, problem.path) == ("AMBIGUOUS", "federalServiceCode")
        assert problem.hint == (
            "Configure em nfse.federalServiceCode da empresa, ou informe em federalServiceCode, o código"
            " nacional completo, com o desdobro, como 17.01.01."
        )

    @pytest.mark.parametrize("code", ["17.01.01", "170101"])
    def test_full_code_of_an_ambiguous_item_is_accepted(self, code: str) -> None:
        assert facts(body(federalServiceCode=code)).service.code == "170101"

    @pytest.mark.parametrize("code", ["00.01", "01.05.02", "010502", "42.01"])
    def test_code_outside_the_list_is_refused(self, code: str) -> None:
        (refusal,) = missing_facts(body(federalServiceCode=code))
        assert (refusal.code, refusal.path) == ("E0310", "federalServiceCode")
        assert code in refusal.message


class TestCityCode:
    @pytest.mark.parametrize(
        ("code", "written"), [("123", "123"), ("2800", None), ("12", None), ("1A3", None), ("000", None)]
    )
    def test_city_code_is_written_only_where_it_fits(self, code: str, written: str | None) -> None:
        assert facts(body(cityServiceCode=code)).city_code == written

    @pytest.mark.parametrize(
        ("payload", "settings", "field"),
        [
            (body(cityServiceCode="02800"), {"issRate": 2}, "cityServiceCode"),
            (SHORTCUT | {"serviceCode": "02800"}, USUAL, "serviceCode"),
            (SHORTCUT, USUAL | {"cityServiceCode": "02800"}, "nfse.cityServiceCode"),
        ],
        ids=["detailed", "shortcut", "company"],
    )
    def test_city_code_that_does_not_fit_is_warned_of(
        self, payload: dict[str, Any], settings: dict[str, Any], field: str
    ) -> None:
        assert composed(payload, settings=settings).warnings == (
            f"{field}: O código municipal “02800” não vai na nota: o leiaute nacional só tem lugar para os"
            " de 3 dígitos.",
        )

    @pytest.mark.parametrize("code", ["123", "000", "0105"])
    def test_city_code_that_fits_or_is_redundant_is_not_warned_of(self, code: str) -> None:
        result = composed(body(cityServiceCode=code, federalServiceCode="01.05", iss={"rate": 0}))
        assert result.warnings == ()

    def test_city_code_of_the_shortcut_overrides_that_of_the_company(self) -> None:
        assert facts(SHORTCUT | {"serviceCode": "456"}, **USUAL).city_code == "456"
        assert facts(SHORTCUT, **USUAL).city_code == "123"


class TestShortcut:
    def test_shortcut_takes_everything_from_the_company(self) -> None:
        service_facts = facts(SHORTCUT, **USUAL)
        assert (service_facts.service.code, service_facts.city_code, service_facts.nbs) == (
            "010501",
            "123",
            NBS,
        )
        assert (service_facts.iss_rate, service_facts.is_withheld) == (Decimal("2.5"), False)

    def test_shortcut_needs_no_service_code(self) -> None:
        assert facts(SHORTCUT, federalServiceCode="01.05", issRate=0).city_code is None

    def test_shortcut_may_have_a_rate_of_zero(self) -> None:
        assert facts(SHORTCUT, federalServiceCode="01.05", issRate=0).iss_rate == 0

    def test_shortcut_reports_everything_missing_at_once(self) -> None:
        missing = missing_facts(SHORTCUT)
        assert codes_of(missing) == {("MISSING", "federalServiceCode"), ("MISSING", "iss.rate")}
        assert [problem.hint for problem in missing] == [
            "Informe federalServiceCode, como 01.05, ou configure nfse.federalServiceCode da empresa em"
            " PUT /v1/companies/{companyId}/settings.",
            "Informe iss.rate, como 2, ou configure nfse.issRate da empresa em"
            " PUT /v1/companies/{companyId}/settings.",
        ]

    def test_shortcut_reports_only_what_is_missing(self) -> None:
        assert codes_of(missing_facts(SHORTCUT, issRate=2)) == {("MISSING", "federalServiceCode")}
        assert codes_of(missing_facts(SHORTCUT, federalServiceCode="01.05")) == {("MISSING", "iss.rate")}

    def test_unknown_service_code_is_named_in_the_message(self) -> None:
        (problem,) = missing_facts(SHORTCUT | {"serviceCode": "456"}, issRate=2)
        assert (problem.code, problem.path) == ("MISSING", "federalServiceCode")
        assert "cityServiceCode “456”" in problem.message

    def test_national_code_of_the_body_wins_and_the_company_has_the_rate(self) -> None:
        service_facts = facts(SHORTCUT | {"federalServiceCode": "01.07"}, **USUAL)
        assert (service_facts.service.code, service_facts.iss_rate) == ("010701", Decimal("2.5"))

    def test_rate_of_the_body_wins_and_the_company_has_the_service(self) -> None:
        service_facts = facts(SHORTCUT | {"iss": {"rate": 5, "isWithheld": True}}, **USUAL)
        assert (service_facts.service.code, service_facts.iss_rate, service_facts.is_withheld) == (
            "010501",
            Decimal(5),
            True,
        )

    def test_shortcut_with_national_code_and_rate_needs_no_settings(self) -> None:
        service_facts = facts(SHORTCUT | {"federalServiceCode": "01.05", "iss": {"rate": 2}})
        assert (service_facts.service.code, service_facts.city_code, service_facts.iss_rate) == (
            "010501",
            None,
            Decimal(2),
        )

    @pytest.mark.parametrize(("code", "written"), [("01.05.01", "123"), ("01.07", None)])
    def test_city_code_of_the_company_is_used_for_its_own_service_alone(
        self, code: str, written: str | None
    ) -> None:
        assert facts(SHORTCUT | {"federalServiceCode": code}, **USUAL).city_code == written


class TestShortcutReadiness:
    @pytest.mark.parametrize(
        ("settings", "missing"),
        [
            ({}, ("nfse.federalServiceCode", "nfse.issRate")),
            ({"federalServiceCode": "17.01", "issRate": 2}, ("nfse.federalServiceCode",)),
            ({"federalServiceCode": "17.01.01"}, ("nfse.issRate",)),
            ({"federalServiceCode": "01.05", "issRate": 0}, ()),
        ],
        ids=["nothing", "item of several codes", "no rate", "all"],
    )
    def test_settings_that_a_shortcut_needs_are_listed(
        self, settings: dict[str, Any], missing: tuple[str, ...]
    ) -> None:
        assert missing_for_shortcut(NfseSettings.model_validate(settings)) == missing


class TestDetailedForm:
    def test_detailed_form_takes_neither_service_nor_rate_from_the_company(self) -> None:
        payload = body(
            federalServiceCode="01.07", cityServiceCode="2800", iss={"rate": 0, "isWithheld": True}
        )
        service_facts = facts(payload, **USUAL)
        assert (service_facts.service.code, service_facts.city_code) == ("010701", None)
        assert (service_facts.iss_rate, service_facts.is_withheld) == (Decimal(0), True)

    def test_detailed_form_takes_the_nbs_of_the_company_where_it_has_none(self) -> None:
        assert facts(DETAILED, **USUAL).nbs == NBS
        assert facts(body(nbs="1.1103.22.00"), **USUAL).nbs == "111032200"
        assert facts(DETAILED).nbs is None
