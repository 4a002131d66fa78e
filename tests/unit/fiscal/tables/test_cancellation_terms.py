"""Deadlines for canceling a document: facts of the table, and the meaning of an empty cell."""

from datetime import timedelta

import pytest

from carimbo.fiscal.cancellation_deadline import CANCELLATION_TERMS, CancellationTerms
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.table_file import TableUnusable
from unit.fiscal.tables.conftest import Provide

MODELS = NFE, NFCE, CTE, CTE_OS, MDFE = "55", "65", "57", "67", "58"
HALF_AN_HOUR = timedelta(minutes=30)
DAY = timedelta(hours=24)
WEEK = timedelta(hours=168)
MONTH = timedelta(hours=720)
FILE = """# source: Diário Oficial do Estado
# date: 2099-01-01
model,state,ordinary_minutes,late_minutes,substitution_minutes
65,SP,{ordinary},,
"""


def terms_of(model: str) -> list[CancellationTerms]:
    return [terms for terms in CANCELLATION_TERMS.values() if terms.model == model]


class TestTable:
    def test_table_has_every_model_for_every_state(self) -> None:
        assert set(CANCELLATION_TERMS) == {(model, state) for model in MODELS for state in STATES}

    def test_late_cancellation_never_ends_before_the_ordinary_one(self) -> None:
        assert [terms for terms in CANCELLATION_TERMS.values() if terms.late < terms.ordinary] == []

    def test_table_of_the_operator_replaces_ours(self, provide: Provide) -> None:
        provide("cancellation_terms", FILE.format(ordinary=10))
        assert CANCELLATION_TERMS[NFCE, "SP"].ordinary == timedelta(minutes=10)

    @pytest.mark.parametrize("ordinary", ["", "30 min", "0.5"])
    def test_table_of_the_operator_must_have_whole_minutes(self, provide: Provide, ordinary: str) -> None:
        provide("cancellation_terms", FILE.format(ordinary=ordinary))
        with pytest.raises(TableUnusable, match="ordinary_minutes"):
            CANCELLATION_TERMS.load()


class TestNfe:
    def test_nfe_has_a_day_unless_the_state_has_another_term(self) -> None:
        others = {terms.state: terms.ordinary for terms in terms_of(NFE) if terms.ordinary != DAY}
        assert others == {"MT": timedelta(hours=8), "PR": WEEK, "RS": WEEK}

    def test_nfe_may_be_canceled_late_for_a_month_unless_the_state_has_another_term(self) -> None:
        others = {terms.state: terms.late for terms in terms_of(NFE) if terms.late != MONTH}
        assert others == {"AM": DAY, "RS": WEEK, "SP": timedelta(hours=480)}

    def test_nfe_has_no_substitution(self) -> None:
        assert {terms.substitution for terms in terms_of(NFE)} == {None}


class TestNfce:
    def test_nfce_has_half_an_hour_everywhere(self) -> None:
        assert {terms.ordinary for terms in terms_of(NFCE)} == {HALF_AN_HOUR}

    def test_late_cancellation_of_nfce_is_allowed_for_a_day_or_a_month(self) -> None:
        late = {terms.state: terms.late for terms in terms_of(NFCE) if terms.late > terms.ordinary}
        assert {state for state, term in late.items() if term == MONTH} == {"AM", "PI", "RJ", "RO", "SE"}
        assert set(late.values()) == {DAY, MONTH}

    def test_replaced_nfce_may_be_canceled_for_a_week(self) -> None:
        assert {terms.substitution for terms in terms_of(NFCE)} == {WEEK}


@pytest.mark.parametrize("model", [CTE, CTE_OS])
class TestCte:
    def test_cte_has_a_week_everywhere(self, model: str) -> None:
        assert {terms.ordinary for terms in terms_of(model)} == {WEEK}

    def test_cte_can_neither_be_canceled_late_nor_by_substitution(self, model: str) -> None:
        assert {(terms.late, terms.substitution) for terms in terms_of(model)} == {(WEEK, None)}


class TestMdfe:
    def test_mdfe_has_a_day_everywhere(self) -> None:
        assert {terms.ordinary for terms in terms_of(MDFE)} == {DAY}

    def test_mdfe_can_neither_be_canceled_late_nor_by_substitution(self) -> None:
        assert {(terms.late, terms.substitution) for terms in terms_of(MDFE)} == {(DAY, None)}
