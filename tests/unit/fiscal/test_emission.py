"""One attempt to issue: its moment by the state's clock, and combinations that no authority accepts."""

from datetime import UTC, datetime
from typing import Any

import pytest

from carimbo.fiscal.emission import Contingency, EmissionType, UnusableEmission, local_moment
from unit.fiscal.goods.support import emission

TRIVIAL = "O código numérico (cNF) é trivial ou repete o número do documento."
UNEXPLAINED = "A contingência tem data e justificativa, e a emissão normal não tem."
CONTINGENCY = Contingency(datetime(2026, 11, 14, 12, tzinfo=UTC), "Sem resposta da SEFAZ")
CONTINGENCIES = [emission_type for emission_type in EmissionType if emission_type is not EmissionType.NORMAL]


def refusal(**changes: Any) -> str:
    with pytest.raises(UnusableEmission) as raised:
        emission(**changes)
    return str(raised.value)


class TestLocalMoment:
    @pytest.mark.parametrize(
        ("state", "text"),
        [
            ("SP", "2026-11-30T23:30:00-03:00"),
            ("PE", "2026-11-30T23:30:00-03:00"),
            ("AM", "2026-11-30T22:30:00-04:00"),
            ("MT", "2026-11-30T22:30:00-04:00"),
            ("AC", "2026-11-30T21:30:00-05:00"),
        ],
    )
    def test_moment_is_by_the_clock_of_the_state(self, state: str, text: str) -> None:
        assert local_moment(datetime(2026, 12, 1, 2, 30, tzinfo=UTC), state).isoformat() == text

    @pytest.mark.parametrize(
        "sent", ["2026-12-01T02:30:00+00:00", "2026-12-01T11:30:00+09:00", "2026-11-30T23:30:00-03:00"]
    )
    def test_moment_is_the_same_whatever_offset_was_sent(self, sent: str) -> None:
        moment = local_moment(datetime.fromisoformat(sent), "SP")
        assert moment.isoformat() == "2026-11-30T23:30:00-03:00"

    def test_moment_keeps_the_summer_time_of_its_day(self) -> None:
        summer = local_moment(datetime(2018, 12, 1, 12, tzinfo=UTC), "SP")
        assert summer.isoformat() == "2018-12-01T10:00:00-02:00"

    def test_moment_has_whole_seconds(self) -> None:
        moment = local_moment(datetime(2026, 11, 14, 13, 0, 0, 999_999, tzinfo=UTC), "SP")
        assert moment.isoformat() == "2026-11-14T10:00:00-03:00"


class TestNumericCode:
    @pytest.mark.parametrize("code", ["00000000", "11111111", "99999999", "12345678", "01234567"])
    def test_trivial_numeric_code_is_refused(self, code: str) -> None:
        assert refusal(numeric_code=code) == TRIVIAL

    @pytest.mark.parametrize(
        ("number", "code"), [(3, "00000003"), (23456, "00023456"), (987_654_321, "87654321")]
    )
    def test_numeric_code_that_repeats_the_number_is_refused(self, number: int, code: str) -> None:
        assert refusal(number=number, numeric_code=code) == TRIVIAL
        assert emission(number=number + 1, numeric_code=code).numeric_code == code

    @pytest.mark.parametrize("code", ["", "1", "1234568", "123456820", "1234568A", "1234568²", "12345682\n"])
    def test_numeric_code_without_eight_digits_is_refused(self, code: str) -> None:
        assert refusal(numeric_code=code) == TRIVIAL


class TestContingency:
    @pytest.mark.parametrize("emission_type", CONTINGENCIES)
    def test_contingency_with_its_reason_is_accepted(self, emission_type: EmissionType) -> None:
        assert emission(type=emission_type, contingency=CONTINGENCY).contingency is CONTINGENCY

    @pytest.mark.parametrize("emission_type", CONTINGENCIES)
    def test_contingency_without_its_reason_is_refused(self, emission_type: EmissionType) -> None:
        assert refusal(type=emission_type) == UNEXPLAINED

    def test_contingency_in_a_normal_emission_is_refused(self) -> None:
        assert refusal(contingency=CONTINGENCY) == UNEXPLAINED

    def test_unusable_emission_is_a_value_error(self) -> None:
        assert issubclass(UnusableEmission, ValueError)
