"""Sefin's rules about a whole declaration, checked before it is sent."""

from typing import Any

import pytest

from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.parties.company import Company
from support import CNPJ
from unit.fiscal.documents.nfse_support import (
    BRASILIA_CODE,
    EXCESS,
    FIRM,
    FOREIGNER,
    MEI,
    NBS,
    NORMAL,
    PERSON,
    RIO_CODE,
    SAO_PAULO_CODE,
    SIMPLES,
    TAKER_CNPJ,
    TRADE,
    agreement,
    body,
    composed,
    errors_in,
    refusals,
)

OUT = agreement(SAO_PAULO_CODE, is_active=False, uses_national_emitter=False)
OWN_EMITTER = agreement(SAO_PAULO_CODE, uses_national_emitter=False)
NOT_SUPPORTED = ("MUNICIPALITY_NOT_SUPPORTED", "company.address.cityCode")
SHOW = {"name": "Concerto", "startsOn": "2026-11-20", "endsOn": "2026-11-20", "identifier": "EVT-1"}
SITE = {"workCode": "900123456789"}
ABROAD = {"nbs": NBS, "foreignTrade": TRADE}


class TestMunicipality:
    @pytest.mark.parametrize(
        ("agreed", "reason"), [(OUT, "não tem convênio ativo"), (OWN_EMITTER, "mantém emissor próprio")]
    )
    def test_municipality_outside_the_national_system_is_not_supported(
        self, agreed: Agreement, reason: str
    ) -> None:
        result = composed(body(), by=NORMAL, agreements=[agreed])
        (problem,) = result.problems
        assert (problem.code, problem.path) == NOT_SUPPORTED
        assert reason in problem.message
        assert dict(problem.facts) == {"cityCode": SAO_PAULO_CODE}

    @pytest.mark.parametrize("agreed", [OUT, OWN_EMITTER])
    def test_mei_is_supported_in_every_municipality(self, agreed: Agreement) -> None:
        assert refusals(body(), by=MEI, agreements=[agreed]) == set()

    @pytest.mark.parametrize(
        ("day", "refused"), [("2026-10-31", {NOT_SUPPORTED}), ("2026-11-01", set()), (None, set())]
    )
    @pytest.mark.parametrize("by", [SIMPLES, EXCESS])
    def test_simples_may_issue_despite_a_municipal_emitter_since_november_2026(
        self, by: Company, day: str | None, refused: set[tuple[str, str]]
    ) -> None:
        payload = body() if day is None else body(issueDate=day)
        assert refusals(payload, by=by, agreements=[OWN_EMITTER]) == refused
        assert refusals(payload, by=by, agreements=[OUT]) == {NOT_SUPPORTED}

    def test_municipality_that_joined_or_is_unknown_is_supported(self) -> None:
        assert refusals(body(), agreements=[agreement(SAO_PAULO_CODE)]) == set()
        assert refusals(body()) == set()

    def test_municipality_of_incidence_needs_no_national_emitter(self) -> None:
        elsewhere = agreement(RIO_CODE, uses_national_emitter=False)
        payload = body(federalServiceCode="07.10.02", serviceCityCode=RIO_CODE)
        assert refusals(payload, agreements=[elsewhere]) == set()

    def test_unsupported_municipality_is_reported_with_all_other_problems(self) -> None:
        problems = refusals(body(issueDate="2026-11-15", borrower=FIRM | {"taxId": CNPJ}), agreements=[OUT])
        assert problems == {NOT_SUPPORTED, ("E0015", "issueDate"), ("E0202", "borrower.taxId")}


class TestCompetence:
    @pytest.mark.parametrize(
        ("day", "codes"),
        [("2026-11-14", set()), ("2026-10-31", set()), ("2026-11-15", {("E0015", "issueDate")})],
    )
    def test_competence_is_not_after_the_day_of_issue(self, day: str, codes: set[tuple[str, str]]) -> None:
        assert refusals(body(issueDate=day)) == codes


class TestTaker:
    @pytest.mark.parametrize(
        "borrower",
        [
            PERSON,
            FIRM,
            {"taxId": TAKER_CNPJ, "name": "Mercado"},
            {"name": "Consumidor"},
            PERSON | {"email": "maria@example.com", "phone": "11 99999-9999"},
        ],
    )
    def test_taker_may_be_a_person_a_company_or_unidentified(self, borrower: dict[str, Any]) -> None:
        assert refusals(body(borrower=borrower)) == set()

    @pytest.mark.parametrize("identity", [{"foreignId": "123"}, {"noForeignIdReason": "1"}])
    def test_taker_abroad_has_an_id_or_a_reason_for_having_none(self, identity: dict[str, str]) -> None:
        borrower = {"name": "Model Inc.", "address": FOREIGNER["address"], **identity}
        assert refusals(body(**ABROAD, borrower=borrower)) == set()

    @pytest.mark.parametrize(
        ("borrower", "codes"),
        [
            (FIRM | {"taxId": CNPJ}, {("E0202", "borrower.taxId")}),
            (
                PERSON | {"foreignId": "123", "address": FIRM["address"]},
                {("AMBIGUOUS", "borrower.foreignId")},
            ),
            (FOREIGNER | {"noForeignIdReason": "1"}, {("AMBIGUOUS", "borrower.noForeignIdReason")}),
            ({"name": "Model Inc.", "address": FOREIGNER["address"]}, {("E0223", "borrower.foreignId")}),
            ({"name": "Model Inc.", "foreignId": "123"}, {("E0242", "borrower.address")}),
            (
                {"name": "Model Inc.", "foreignId": "123", "address": FIRM["address"]},
                {("E0242", "borrower.address")},
            ),
        ],
    )
    def test_contradicting_taker_is_refused(
        self, borrower: dict[str, Any], codes: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(**ABROAD, borrower=borrower)) == codes

    def test_taker_whose_municipality_taxes_the_service_needs_an_address(self) -> None:
        payload = body(federalServiceCode="17.05")
        assert refusals(payload) == {("E0234", "borrower.address")}


class TestIntermediary:
    @pytest.mark.parametrize(
        ("between", "codes"),
        [
            (FIRM, set()),
            (PERSON, set()),
            ({"name": "Alguém"}, {("E0281", "intermediary.taxId")}),
            (FIRM | {"taxId": CNPJ}, {("E0262", "intermediary.taxId")}),
            (FIRM | {"taxId": "11222333000262"}, {("E0262", "intermediary.taxId")}),
        ],
    )
    def test_intermediary_is_identified_and_not_the_provider(
        self, between: dict[str, Any], codes: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(intermediary=between)) == codes


class TestCountry:
    @pytest.mark.parametrize("country", ["BR", "1058"])
    def test_brazil_is_refused_as_a_country_abroad(self, country: str) -> None:
        countries = {"serviceCountryCode": country, "resultCountryCode": country}
        assert refusals(body(**ABROAD, **countries, borrower=FOREIGNER)) == {
            ("E0304", "serviceCountryCode"),
            ("E0590", "resultCountryCode"),
        }

    def test_unknown_country_is_refused_in_every_field(self) -> None:
        nowhere = FOREIGNER | {"address": FOREIGNER["address"] | {"countryCode": "ZZ"}}
        unknown = "País desconhecido: informe as duas letras (US) ou o código do Banco Central (2496)."
        codes = {"serviceCountryCode": "9999", "resultCountryCode": "ZZ"}
        assert errors_in(body(**ABROAD, **codes, borrower=nowhere, intermediary=nowhere)) == {
            "serviceCountryCode": unknown,
            "resultCountryCode": unknown,
            "borrower.address.countryCode": unknown,
            "intermediary.address.countryCode": unknown,
        }


class TestNbs:
    def test_nbs_must_be_in_the_table(self) -> None:
        assert refusals(body(nbs=NBS)) == set()
        assert refusals(body(nbs="999999999")) == {("E0316", "nbs")}


class TestGroupsOfServices:
    @pytest.mark.parametrize(
        ("code", "changes", "codes"),
        [
            ("07.02.01", {"construction": SITE}, set()),
            ("07.02.01", {}, {("E0370", "construction")}),
            ("07.02.01", {"construction": {}}, {("E0370", "construction")}),
            ("12.07", {"event": SHOW}, set()),
            ("12.07", {}, {("E0390", "event")}),
            ("01.05", {"construction": SITE}, {("E0372", "construction")}),
            ("01.05", {"event": SHOW}, {("E0392", "event")}),
            ("12.07", {"construction": SITE}, {("E0390", "event"), ("E0372", "construction")}),
        ],
    )
    def test_service_groups_are_required_or_refused_by_service(
        self, code: str, changes: dict[str, Any], codes: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(federalServiceCode=code, **changes)) == codes


class TestServiceAcrossTheBorder:
    @pytest.mark.parametrize(
        "changes",
        [
            {"borrower": FOREIGNER},
            {"borrower": FOREIGNER, "resultCountryCode": "US"},
            {"serviceCountryCode": "US"},
        ],
    )
    def test_service_across_the_border_needs_foreign_trade_and_nbs(self, changes: dict[str, Any]) -> None:
        assert refusals(body(**changes)) == {("E0330", "foreignTrade"), ("E0318", "nbs")}
        assert refusals(body(**changes, **ABROAD)) == set()

    def test_export_to_a_brazilian_taker_is_refused(self) -> None:
        payload = body(**ABROAD, resultCountryCode="US")
        assert refusals(payload) == {("E0529", "resultCountryCode")}


class TestUnknownPlace:
    def test_unknown_place_prevents_the_declaration(self) -> None:
        result = composed(body(natureOfOperation="2", serviceCityCode="9999999"))
        assert result.note is None
        assert {problem.path for problem in result.problems} == {"serviceCityCode"}
        assert composed(body(natureOfOperation="2", serviceCityCode=BRASILIA_CODE)).note
