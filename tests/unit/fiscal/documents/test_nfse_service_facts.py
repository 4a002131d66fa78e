"""Which service it is and how it is taxed: by the body or the company's settings."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts, facts_of, missing_for_shortcut
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.problems import Problem
from unit.fiscal.documents.nfse_support import DETAILED, NBS, SHORTCUT, body, codes_of, composed

USUAL: dict[str, Any] = {"federalServiceCode": "01.05", "cityServiceCode": "123", "issRate": 2.5, "nbs": NBS}


def facts(told: dict[str, Any], **settings: Any) -> ServiceFacts:
    return facts_of(NfseRequest.model_validate(told), NfseSettings.model_validate(settings))


def lacks(told: dict[str, Any], **settings: Any) -> tuple[Problem, ...]:
    with pytest.raises(Incomplete) as caught:
        facts(told, **settings)
    return caught.value.problems


class TestNationalCode:
    @pytest.mark.parametrize("told", ["1.05", "01.05", "01.05.01", "1.05.01", "010501"])
    def test_is_found_however_it_is_written(self, told: str) -> None:
        assert facts(body(federalServiceCode=told)).service.code == "010501"

    def test_of_an_item_with_several_is_asked_for_and_not_guessed(self) -> None:
        (told,) = lacks(body(federalServiceCode="17.01"))
        assert (told.code, told.path) == ("AMBIGUOUS", "federalServiceCode")
        assert dict(told.facts) == {"candidates": ("17.01.01", "17.01.02")}
        assert "17.01.01 Assessoria ou consultoria" in told.message
        assert "17.01.02 Análise, exame" in told.message

    def test_of_such_an_item_in_the_settings_is_to_be_corrected_there(self) -> None:
        (told,) = lacks(SHORTCUT, federalServiceCode="17.01", issRate=2)
        assert (told.code, told.path) == ("AMBIGUOUS", "federalServiceCode")
        assert told.hint == (
            "Configure em nfse.federalServiceCode da empresa, ou informe em federalServiceCode, o código"
            " nacional completo, com o desdobro, como 17.01.01."
        )

    @pytest.mark.parametrize("told", ["17.01.01", "170101"])
    def test_of_such_an_item_is_taken_when_it_is_told(self, told: str) -> None:
        assert facts(body(federalServiceCode=told)).service.code == "170101"

    @pytest.mark.parametrize("told", ["00.01", "01.05.02", "010502", "42.01"])
    def test_that_is_not_in_the_list_is_refused(self, told: str) -> None:
        (refusal,) = lacks(body(federalServiceCode=told))
        assert (refusal.code, refusal.path) == ("E0310", "federalServiceCode")
        assert told in refusal.message


class TestCityCode:
    @pytest.mark.parametrize(
        ("told", "written"), [("123", "123"), ("2800", None), ("12", None), ("1A3", None), ("000", None)]
    )
    def test_goes_into_the_document_only_where_it_fits(self, told: str, written: str | None) -> None:
        assert facts(body(cityServiceCode=told)).city_code == written

    @pytest.mark.parametrize(
        ("told", "settings", "field"),
        [
            (body(cityServiceCode="02800"), {"issRate": 2}, "cityServiceCode"),
            (SHORTCUT | {"serviceCode": "02800"}, USUAL, "serviceCode"),
            (SHORTCUT, USUAL | {"cityServiceCode": "02800"}, "nfse.cityServiceCode"),
        ],
        ids=["detailed", "shortcut", "company"],
    )
    def test_that_does_not_fit_is_warned_of(
        self, told: dict[str, Any], settings: dict[str, Any], field: str
    ) -> None:
        assert composed(told, settings=settings).warnings == (
            f"{field}: O código municipal “02800” não vai na nota: o leiaute nacional só tem lugar para os"
            " de 3 dígitos.",
        )

    @pytest.mark.parametrize("told", ["123", "000", "0105"])
    def test_that_fits_or_tells_nothing_new_is_not_warned_of(self, told: str) -> None:
        made = composed(body(cityServiceCode=told, federalServiceCode="01.05", iss={"rate": 0}))
        assert made.warnings == ()

    def test_of_the_shortcut_comes_before_that_of_the_company(self) -> None:
        assert facts(SHORTCUT | {"serviceCode": "456"}, **USUAL).city_code == "456"
        assert facts(SHORTCUT, **USUAL).city_code == "123"


class TestShortcut:
    def test_has_all_that_the_company_has(self) -> None:
        found = facts(SHORTCUT, **USUAL)
        assert (found.service.code, found.city_code, found.nbs) == ("010501", "123", NBS)
        assert (found.iss_rate, found.is_withheld) == (Decimal("2.5"), False)

    def test_needs_no_service_code(self) -> None:
        assert facts(SHORTCUT, federalServiceCode="01.05", issRate=0).city_code is None

    def test_may_have_a_rate_of_zero(self) -> None:
        assert facts(SHORTCUT, federalServiceCode="01.05", issRate=0).iss_rate == 0

    def test_tells_all_at_once_what_neither_has(self) -> None:
        told = lacks(SHORTCUT)
        assert codes_of(told) == {("MISSING", "federalServiceCode"), ("MISSING", "iss.rate")}
        assert [problem.hint for problem in told] == [
            "Informe federalServiceCode, como 01.05, ou configure nfse.federalServiceCode da empresa em"
            " PUT /v1/companies/{companyId}/settings.",
            "Informe iss.rate, como 2, ou configure nfse.issRate da empresa em"
            " PUT /v1/companies/{companyId}/settings.",
        ]

    def test_tells_only_what_is_missing(self) -> None:
        assert codes_of(lacks(SHORTCUT, issRate=2)) == {("MISSING", "federalServiceCode")}
        assert codes_of(lacks(SHORTCUT, federalServiceCode="01.05")) == {("MISSING", "iss.rate")}

    def test_service_code_that_nobody_knows_is_named_in_the_message(self) -> None:
        (problem,) = lacks(SHORTCUT | {"serviceCode": "456"}, issRate=2)
        assert (problem.code, problem.path) == ("MISSING", "federalServiceCode")
        assert "cityServiceCode “456”" in problem.message

    def test_national_code_of_the_body_wins_and_the_company_has_the_rate(self) -> None:
        found = facts(SHORTCUT | {"federalServiceCode": "01.07"}, **USUAL)
        assert (found.service.code, found.iss_rate) == ("010701", Decimal("2.5"))

    def test_rate_of_the_body_wins_and_the_company_has_the_service(self) -> None:
        found = facts(SHORTCUT | {"iss": {"rate": 5, "isWithheld": True}}, **USUAL)
        assert (found.service.code, found.iss_rate, found.is_withheld) == ("010501", Decimal(5), True)

    def test_needs_no_settings_if_the_body_has_national_code_and_rate(self) -> None:
        found = facts(SHORTCUT | {"federalServiceCode": "01.05", "iss": {"rate": 2}})
        assert (found.service.code, found.city_code, found.iss_rate) == ("010501", None, Decimal(2))

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
    def test_names_the_settings_that_a_shortcut_needs(
        self, settings: dict[str, Any], missing: tuple[str, ...]
    ) -> None:
        assert missing_for_shortcut(NfseSettings.model_validate(settings)) == missing


class TestDetailedForm:
    def test_takes_neither_service_nor_rate_from_the_company(self) -> None:
        told = body(federalServiceCode="01.07", cityServiceCode="2800", iss={"rate": 0, "isWithheld": True})
        found = facts(told, **USUAL)
        assert (found.service.code, found.city_code) == ("010701", None)
        assert (found.iss_rate, found.is_withheld) == (Decimal(0), True)

    def test_takes_the_nbs_of_the_company_where_it_has_none(self) -> None:
        assert facts(DETAILED, **USUAL).nbs == NBS
        assert facts(body(nbs="1.1103.22.00"), **USUAL).nbs == "111032200"
        assert facts(DETAILED).nbs is None
