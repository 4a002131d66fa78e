"""Codes of the operator's table, and codes that no table has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.outcome import Authorized, Available, NotJudged, Rejected, Throttled
from carimbo.fiscal.tables.statuses import Action
from carimbo.fiscal.tables.table import use_tables_of
from nfe_answers import KEY, consult, note_protocol, processed, status
from nfe_dialect import read_authorization, read_consult, read_status

action_of = NFE_DIALECT.action_of
ROWS = """# source: NT de teste
# date: 2099-01-01
code,action,text
104,processed,Lote processado
121,authorized,Autorizado de outra maneira
122,authorized_late,Autorizado tarde de outra maneira
123,in_operation,Em operação
190,rejection,Recusado
777,throttled,Devagar
"""


@pytest.fixture
def _operators_codes(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "nfe_statuses.csv").write_text(ROWS, encoding="utf-8")
    use_tables_of(tmp_path)
    yield
    use_tables_of(None)


def outcome_of(code: str, text: str = "Texto") -> object:
    return read_authorization(processed(note_protocol(code, text)).encode(), KEY)


@pytest.mark.usefixtures("_operators_codes")
class TestCodeOfTheOperatorsTable:
    @pytest.mark.parametrize(("code", "late"), [("121", False), ("122", True)])
    def test_code_of_the_operators_table_may_be_a_new_success(self, code: str, late: bool) -> None:
        outcome = outcome_of(code)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.late) == (code, late)
        assert isinstance(
            read_consult(consult(code, "x", note_protocol(code, "x")).encode(), KEY), Authorized
        )

    def test_code_of_the_operators_table_may_be_a_new_state_of_the_service(self) -> None:
        assert isinstance(read_status(status("123", "x").encode()), Available)
        assert isinstance(read_status(status("107", "x").encode()), NotJudged)

    def test_code_of_the_operators_table_may_be_a_rejection_below_200(self) -> None:
        assert isinstance(outcome_of("190"), Rejected)

    def test_code_of_the_operators_table_above_200_may_be_no_rejection(self) -> None:
        assert isinstance(outcome_of("777"), Throttled)


class TestCodeThatTheTableLacks:
    @pytest.mark.parametrize("code", ["309", "1999", "9999"])
    def test_unknown_code_from_200_on_is_a_rejection(self, code: str) -> None:
        assert action_of(code) is None
        assert isinstance(outcome_of(code), Rejected)

    def test_unknown_code_below_200_judges_nothing_unless_its_text_is_a_rejection(self) -> None:
        assert action_of("199") is None
        assert isinstance(outcome_of("199"), NotJudged)
        assert isinstance(outcome_of("199", "Rejeição: motivo novo"), Rejected)

    @pytest.mark.usefixtures("_operators_codes")
    def test_code_of_the_federal_registry_is_a_rejection_whatever_its_text(self) -> None:
        assert action_of("181") is None
        assert isinstance(outcome_of("181"), Rejected)


class TestCodeOfOurTable:
    def test_code_of_our_table_has_an_action(self) -> None:
        assert (action_of("100"), action_of("656")) == (Action.AUTHORIZED, Action.THROTTLED)
