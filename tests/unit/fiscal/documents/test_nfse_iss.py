"""The municipal tax (ISS): when its rate is written, who may withhold it, and what each nature needs."""

from itertools import product
from typing import Any, NamedTuple

import pytest

from carimbo.fiscal.documents.nfse.iss import IssFacts, assessment_of, is_rate_written
from carimbo.fiscal.parties.company import Company, TaxRegime
from unit.fiscal.documents.nfse_support import (
    APART,
    BRASILIA_STAYS_OUT,
    EXCESS,
    FIRM,
    FOREIGNER,
    IN_BRASILIA,
    MEI,
    NBS,
    NORMAL,
    PERSON,
    SIMPLES,
    TRADE,
    body,
    composed,
    declared,
    errors_in,
    provider,
    refusals,
    text_at,
)

ISS = "valores/trib/tribMun"
WITHHELD = {"iss": {"rate": 2.5, "isWithheld": True}, "borrower": FIRM}
BENEFIT = {"number": "35503080400001"}
EXEMPT = {"natureOfOperation": "3", "benefit": BENEFIT}
REDUCED = {"natureOfOperation": "3", "benefit": BENEFIT | {"reductionRate": 30}}
IMMUNE = {"natureOfOperation": "4", "immunityType": "3"}
SUSPENDED = {"natureOfOperation": "5", "suspension": {"processNumber": "1" * 30}}
EXPORTED = {"resultCountryCode": "US", "borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS}
NOT_TAXED = {"federalServiceCode": "99.01.01"}
NONE_BY_SIMPLES = provider(simplesIssRegime=3)


class Row(NamedTuple):
    """A row of the decision table: the provider, the body, the place, and whether the rate is written."""

    is_written: bool
    by: Company
    changes: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    is_active: bool = True
    settings: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it


TABLE = {
    "a MEI": Row(False, MEI),
    "a MEI where the agreement is not active": Row(False, MEI, is_active=False),
    "immune": Row(False, NORMAL, IMMUNE),
    "immune where the agreement is not active": Row(False, NORMAL, IMMUNE, is_active=False),
    "exported": Row(False, NORMAL, EXPORTED),
    "not taxed": Row(False, NORMAL, NOT_TAXED),
    "a special regime": Row(False, NORMAL, is_active=False, settings={"specialRegime": "6"}),
    "suspended": Row(False, NORMAL, SUSPENDED, is_active=False),
    "exempt": Row(False, NORMAL, EXEMPT, is_active=False),
    "normal, active": Row(False, NORMAL),
    "normal, active and withheld": Row(False, NORMAL, WITHHELD),
    "normal, not active": Row(True, NORMAL, is_active=False),
    "normal, not active and withheld": Row(True, NORMAL, WITHHELD, is_active=False),
    "by Simples, withheld": Row(True, SIMPLES, WITHHELD),
    "by Simples, withheld, not active": Row(True, SIMPLES, WITHHELD, is_active=False),
    "by Simples, not withheld": Row(False, SIMPLES),
    "by Simples, not withheld, not active": Row(False, SIMPLES, is_active=False),
    "apart from Simples, active": Row(False, APART),
    "apart from Simples, active and withheld": Row(False, APART, WITHHELD),
    "apart from Simples, not active": Row(True, APART, is_active=False),
    "nothing by Simples, active": Row(False, NONE_BY_SIMPLES),
    "nothing by Simples, not active": Row(True, NONE_BY_SIMPLES, is_active=False),
    "beyond the sublimit, active": Row(False, EXCESS),
    "beyond the sublimit, not active": Row(True, EXCESS, is_active=False),
}


def expected(case: IssFacts) -> bool:
    """Repeats the decision table in the words of the manual, from its first row to its last."""
    rows = (
        (case.regime is TaxRegime.MEI, False),
        (case.taxation in ("2", "3", "4"), False),
        (case.special_regime != "0", False),
        (case.is_suspended, False),
        (case.is_exempt, False),
        (case.regime is TaxRegime.NORMAL, not case.is_active),
        (case.assessment == "1", case.is_withheld),
        (case.assessment in ("2", "3"), not case.is_active),
    )
    return next(is_written for applies, is_written in rows if applies)


def cases() -> list[IssFacts]:
    """Returns every combination of facts."""
    regimes = [
        (TaxRegime.NORMAL, None),
        (TaxRegime.MEI, None),
        *product((TaxRegime.SIMPLES, TaxRegime.SIMPLES_EXCESS), "123"),
    ]
    flags = product((False, True), repeat=4)
    return [
        IssFacts(regime, assessment, special, taxation, withheld, suspended, exempt, active)
        for (regime, assessment), special, taxation, (withheld, suspended, exempt, active) in product(
            regimes, "0123456", "1234", list(flags)
        )
    ]


class TestRate:
    @pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
    def test_rate_is_written_only_where_the_table_says_so(self, row: Row) -> None:
        place = {} if row.is_active else IN_BRASILIA
        payload = body(**{"iss": {"rate": 2.5}} | place | row.changes)
        note = composed(
            payload,
            by=row.by,
            settings=row.settings,
            agreements=[] if row.is_active else [BRASILIA_STAYS_OUT],
        ).note
        assert note
        rate = note.amounts.taxes.iss.rate
        assert (rate is not None) is row.is_written
        assert rate in (None, payload["iss"]["rate"])

    def test_rate_follows_the_table_for_every_combination_of_facts(self) -> None:
        assert [case for case in cases() if is_rate_written(case) is not expected(case)] == []

    def test_rate_is_written_with_two_decimals(self) -> None:
        payload = body(iss={"rate": 2, "isWithheld": True}, borrower=FIRM)
        assert text_at(declared(payload), f"{ISS}/pAliq") == "2.00"

    def test_municipality_that_could_not_be_queried_counts_as_joined(self) -> None:
        assert text_at(declared(body(**IN_BRASILIA), by=NORMAL), f"{ISS}/pAliq") is None

    @pytest.mark.parametrize(
        ("rate", "codes"),
        [
            (1.79, {("E0621", "iss.rate")}),
            (1.8, set()),
            (5, set()),
            (5.01, {("E0595", "iss.rate")}),
            (0, {("E0621", "iss.rate")}),
        ],
    )
    def test_rate_withheld_by_simples_is_between_1_8_and_5_percent(
        self, rate: float, codes: set[Any]
    ) -> None:
        assert refusals(body(iss={"rate": rate, "isWithheld": True}, borrower=FIRM)) == codes

    def test_too_low_rate_has_another_code_where_the_agreement_is_not_active(self) -> None:
        payload = body(**IN_BRASILIA, iss={"rate": 1, "isWithheld": True}, borrower=FIRM)
        assert refusals(payload, agreements=[BRASILIA_STAYS_OUT]) == {("E0628", "iss.rate")}

    def test_written_rate_is_5_percent_at_most(self) -> None:
        payload = body(**IN_BRASILIA, iss={"rate": 5.01})
        assert refusals(payload, by=NORMAL, agreements=[BRASILIA_STAYS_OUT]) == {("E0595", "iss.rate")}

    @pytest.mark.parametrize("rate", [0, 1, 5.5, 100])
    def test_rate_that_is_not_written_may_have_any_value(self, rate: float) -> None:
        assert refusals(body(iss={"rate": rate})) == set()


class TestAssessment:
    @pytest.mark.parametrize(
        ("by", "assessment"),
        [(NORMAL, None), (MEI, None), (SIMPLES, "1"), (APART, "2"), (NONE_BY_SIMPLES, "3"), (EXCESS, "2")],
    )
    def test_assessment_is_written_for_simples_only(self, by: Company, assessment: str | None) -> None:
        assert assessment_of(by) == assessment
        assert text_at(declared(body(), by=by), "prest/regTrib/regApTribSN") == assessment

    def test_assessment_beyond_the_sublimit_is_that_of_the_settings(self) -> None:
        assert assessment_of(provider("simplesExcess", simplesIssRegime=3)) == "3"


class TestWithholding:
    def test_iss_is_withheld_by_the_taker_or_not_at_all(self) -> None:
        assert text_at(declared(body(**WITHHELD)), f"{ISS}/tpRetISSQN") == "2"
        assert text_at(declared(body()), f"{ISS}/tpRetISSQN") == "1"

    @pytest.mark.parametrize(
        ("code", "circumstances", "changes"),
        [
            ("E0580", {"by": NORMAL}, IMMUNE),
            ("E0580", {"by": NORMAL}, NOT_TAXED),
            ("E0583", {"by": MEI}, {}),
            ("E0588", {"by": NORMAL, "settings": {"specialRegime": "1"}}, {}),
            ("E0589", {"by": NORMAL}, SUSPENDED),
            ("E0594", {"by": NORMAL}, EXEMPT),
        ],
    )
    def test_withholding_is_refused_where_there_is_nothing_to_withhold(
        self, code: str, circumstances: dict[str, Any], changes: dict[str, Any]
    ) -> None:
        assert refusals(body(**WITHHELD | changes), **circumstances) == {(code, "iss.isWithheld")}

    def test_withholding_of_a_reduced_base_is_accepted(self) -> None:
        assert refusals(body(**WITHHELD | REDUCED), by=NORMAL) == set()

    def test_withholding_by_a_natural_person_is_refused(self) -> None:
        problems = refusals(body(**WITHHELD | {"borrower": PERSON | {"address": FIRM["address"]}}))
        assert problems == {("E0667", "iss.isWithheld")}

    def test_withholding_without_an_identified_taker_is_refused(self) -> None:
        problems = refusals(
            body(**WITHHELD | {"borrower": {"name": "Consumidor", "address": FIRM["address"]}})
        )
        assert problems == {("E0204", "iss.isWithheld")}

    def test_withholding_by_a_taker_without_a_brazilian_address_is_refused(self) -> None:
        problems = refusals(body(**WITHHELD | {"borrower": {"name": "Mercado", "taxId": FIRM["taxId"]}}))
        assert ("E0237", "iss.isWithheld") in problems

    def test_every_reason_against_a_withholding_is_reported_at_once(self) -> None:
        problems = refusals(body(**WITHHELD | IMMUNE | {"borrower": {"name": "Consumidor"}}), by=MEI)
        assert {code for code, path in problems if path == "iss.isWithheld"} == {
            "E0580",
            "E0583",
            "E0204",
            "E0237",
        }


class TestTaxation:
    @pytest.mark.parametrize(
        ("changes", "code"),
        [({}, "1"), (IMMUNE, "2"), (EXPORTED, "3"), (NOT_TAXED, "4"), (EXEMPT, "1"), (SUSPENDED, "1")],
    )
    def test_taxation_depends_on_nature_result_and_service(self, changes: dict[str, Any], code: str) -> None:
        assert text_at(declared(body(**changes), by=NORMAL), f"{ISS}/tribISSQN") == code

    def test_export_performed_in_brazil_names_the_country_of_its_result(self) -> None:
        assert text_at(declared(body(**EXPORTED), by=NORMAL), f"{ISS}/cPaisResult") == "US"

    def test_export_performed_abroad_does_not_name_the_country_of_its_result(self) -> None:
        note = declared(body(**EXPORTED | {"serviceCountryCode": "US"}), by=NORMAL)
        assert (text_at(note, f"{ISS}/tribISSQN"), text_at(note, f"{ISS}/cPaisResult")) == ("3", None)
        assert text_at(note, "serv/locPrest/cPaisPrestacao") == "US"


class TestRateLeftOut:
    """The note of Simples has no place for a rate unless the taker withholds the ISS (E0625)."""

    @staticmethod
    def warned(by: Company = SIMPLES, settings: dict[str, Any] | None = None, **changes: Any) -> bool:
        warnings = composed(body(**changes), by=by, settings=settings).warnings
        return any(warning.startswith("iss.rate: A alíquota de 2,5% não vai") for warning in warnings)

    def test_rate_in_the_body_that_is_not_written_is_warned_of(self) -> None:
        assert self.warned(iss={"rate": 2.5})
        assert self.warned(iss={"rate": 2.5}, settings={"issRate": 2})

    @pytest.mark.parametrize("by", [APART, NORMAL])
    def test_rate_is_not_warned_of_where_the_city_taxes_the_note(self, by: Company) -> None:
        assert not self.warned(by=by, iss={"rate": 2.5})

    def test_rate_is_not_warned_of_where_the_taker_withholds(self) -> None:
        assert not self.warned(iss={"rate": 2.5, "isWithheld": True}, borrower=FIRM)

    def test_rate_is_not_warned_of_where_it_equals_the_companys_own(self) -> None:
        assert not self.warned(iss={"rate": 2.5}, settings={"issRate": 2.5})


class TestNatureOfOperation:
    def test_exempt_operation_names_the_benefit(self) -> None:
        note = declared(body(**REDUCED), by=NORMAL)
        assert (text_at(note, f"{ISS}/BM/nBM"), text_at(note, f"{ISS}/BM/pRedBCBM")) == (
            "35503080400001",
            "30.00",
        )

    def test_immune_operation_names_the_immunity_type(self) -> None:
        assert text_at(declared(body(**IMMUNE), by=NORMAL), f"{ISS}/tpImunidade") == "3"

    @pytest.mark.parametrize(("nature", "suspension_type"), [("5", "1"), ("6", "2")])
    def test_suspended_operation_names_the_process(self, nature: str, suspension_type: str) -> None:
        note = declared(body(**SUSPENDED | {"natureOfOperation": nature}), by=NORMAL)
        suspension = text_at(note, f"{ISS}/exigSusp/tpSusp"), text_at(note, f"{ISS}/exigSusp/nProcesso")
        assert suspension == (suspension_type, "1" * 30)

    @pytest.mark.parametrize(
        ("nature", "lacking", "instruction"),
        [
            (
                "3",
                "benefit",
                "informe benefit.number, o número do benefício municipal com 14 dígitos",
            ),
            ("4", "immunityType", "imunidade: 1 entes públicos, 2 templos, 3 partidos"),
            (
                "5",
                "suspension",
                "decisão judicial: informe suspension.processNumber, o número do processo",
            ),
            ("6", "suspension", "processo administrativo: informe suspension.processNumber, o número do"),
        ],
    )
    def test_natures_3_to_6_without_their_field_say_what_to_send(
        self, nature: str, lacking: str, instruction: str
    ) -> None:
        errors = errors_in(body(natureOfOperation=nature, amount=0))
        assert set(errors) == {lacking, "amount"}
        assert errors[lacking].startswith(f"Obrigatório com a natureza da operação {nature}, ")
        assert instruction in errors[lacking]

    def test_empty_group_of_a_nature_names_the_missing_field_inside(self) -> None:
        assert errors_in(body(natureOfOperation="3", benefit={})) == {"benefit.number": "Campo obrigatório."}
        errors = errors_in(body(natureOfOperation="5", suspension={}))
        assert errors == {"suspension.processNumber": "Campo obrigatório."}

    @pytest.mark.parametrize("nature", [EXEMPT, IMMUNE, SUSPENDED])
    def test_natures_3_to_6_are_refused_for_exports(self, nature: dict[str, Any]) -> None:
        abroad = {"serviceCountryCode": "US", "foreignTrade": TRADE, "nbs": NBS}
        problems = refusals(body(**nature, **abroad), by=NORMAL)
        assert "natureOfOperation" in {path for _, path in problems}

    @pytest.mark.parametrize("surplus", [EXEMPT, IMMUNE, SUSPENDED])
    def test_fields_of_another_nature_are_refused(self, surplus: dict[str, Any]) -> None:
        problems = refusals(body(**surplus | {"natureOfOperation": "1"}), by=NORMAL)
        assert {path for _, path in problems} == set(surplus) - {"natureOfOperation"}
