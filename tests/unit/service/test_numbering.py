import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.filing.gaps import (
    Gap,
    GapReason,
    NumberRange,
    deadline_of,
    gap_of,
    is_inutilization_day,
    number_ranges,
)
from carimbo.service.filing.inutilize import MAX_NUMBERS
from carimbo.storage.numbering import UnusedNumbers

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "numbering.md"
NFE, NFCE, NFSE = (
    {document_type.name: document_type for document_type in DOCUMENT_TYPES}[name]
    for name in ("nfe", "nfce", "nfse")
)
DOCUMENT = UUID(int=7)
ISSUED = datetime(2026, 11, 20, 12, tzinfo=UTC)
DEADLINE = datetime.fromisoformat("2026-12-10T23:59:59-03:00")


def unused(**changes: object) -> UnusedNumbers:
    values: dict[str, object] = {
        "first_number": 4,
        "last_number": 4,
        "document_id": DOCUMENT,
        "state": "rejected",
        "emission_type": "1",
        "dated_at": ISSUED,
        "emission_type_above": "1",
        "was_refused": False,
    }
    return UnusedNumbers(**values | changes)  # type: ignore[arg-type]


def skipped(**changes: object) -> UnusedNumbers:
    return unused(document_id=None, state=None, emission_type=None, **changes)


def gap(first: int, last: int, year: int = 2026) -> Gap:
    return Gap(
        first, last, GapReason.NEVER_SENT, None, year, DEADLINE, can_be_inutilized=True, was_refused=False
    )


class TestDeadline:
    @pytest.mark.parametrize(
        ("issued", "deadline"),
        [
            ("2026-11-01T00:00:00-03:00", "2026-12-10T23:59:59-03:00"),
            ("2026-11-30T23:59:59-03:00", "2026-12-10T23:59:59-03:00"),
            ("2026-12-31T10:00:00-05:00", "2027-01-10T23:59:59-05:00"),
        ],
    )
    def test_deadline_is_the_end_of_the_tenth_of_the_next_month(self, issued: str, deadline: str) -> None:
        assert deadline_of(datetime.fromisoformat(issued)).isoformat() == deadline

    @pytest.mark.parametrize(
        ("state", "deadline"), [("SP", "2027-01-10T23:59:59-03:00"), ("AC", "2026-12-10T23:59:59-05:00")]
    )
    def test_deadline_depends_on_the_month_in_the_states_time_zone(self, state: str, deadline: str) -> None:
        at_midnight = datetime.fromisoformat("2026-12-01T00:30:00-03:00")
        assert gap_of(unused(dated_at=at_midnight), NFE, state, ISSUED).deadline.isoformat() == deadline


class TestInutilizationDays:
    @pytest.mark.parametrize(
        ("moment", "is_one"),
        [
            ("2026-12-08T02:59:59+00:00", False),
            ("2026-12-08T03:00:00+00:00", True),
            ("2026-12-09T12:00:00+00:00", True),
            ("2026-12-11T02:59:59+00:00", True),
            ("2026-12-11T03:00:00+00:00", False),
        ],
    )
    def test_inutilization_days_are_the_eighth_to_the_tenth_in_brasilia(
        self, moment: str, is_one: bool
    ) -> None:
        assert is_inutilization_day(datetime.fromisoformat(moment)) is is_one

    def test_every_month_has_three_inutilization_days(self) -> None:
        noons = [datetime(2026, 1, 1, 15, tzinfo=UTC) + timedelta(days=day) for day in range(365)]
        assert sum(map(is_inutilization_day, noons)) == 3 * 12

    @pytest.mark.parametrize(
        ("now", "is_due"),
        [
            ("2026-12-07T23:59:59-03:00", False),
            ("2026-12-08T00:00:00-03:00", True),
            ("2026-12-10T23:59:59-03:00", True),
            ("2026-12-11T00:00:00-03:00", False),
            ("2027-01-09T12:00:00-03:00", False),
        ],
    )
    def test_inutilization_days_are_in_the_month_of_the_deadline(self, now: str, is_due: bool) -> None:
        assert gap_of(unused(), NFE, "SP", ISSUED).is_due(datetime.fromisoformat(now)) is is_due

    def test_refused_voiding_is_not_repeated(self) -> None:
        assert not gap_of(unused(was_refused=True), NFE, "SP", ISSUED).is_due(DEADLINE)


class TestReason:
    @pytest.mark.parametrize(
        ("state", "reason"),
        [
            (None, "neverSent"),
            ("numbered", "neverSent"),
            ("signed", "unknownToAuthority"),
            ("sent", "unknownFate"),
            ("rejected", "abandonedRejection"),
            ("authorized", "authorizedTwice"),
        ],
    )
    def test_reason_depends_on_the_state_of_the_attempt(self, state: str | None, reason: str) -> None:
        assert gap_of(unused(state=state), NFE, "SP", ISSUED).reason == reason


class TestInutilizable:
    @pytest.mark.parametrize("state", ["numbered", "signed", "rejected"])
    def test_number_that_the_authority_lacks_is_voidable(self, state: str) -> None:
        assert gap_of(unused(state=state), NFE, "SP", ISSUED).can_be_inutilized

    @pytest.mark.parametrize("state", ["sent", "authorized"])
    def test_number_that_the_authority_has_or_may_have_is_not_voidable(self, state: str) -> None:
        assert not gap_of(unused(state=state), NFE, "SP", ISSUED).can_be_inutilized

    def test_number_of_a_printed_document_is_not_voidable(self) -> None:
        assert not gap_of(
            unused(emission_type="9"), NFCE, "SP", ISSUED + timedelta(days=90)
        ).can_be_inutilized

    def test_type_that_keeps_its_numbers_has_no_voidable_ones(self) -> None:
        assert not gap_of(skipped(), NFSE, "SP", ISSUED).can_be_inutilized

    @pytest.mark.parametrize(
        ("state", "now", "voidable"),
        [
            ("SP", "2026-11-26T23:59:59-03:00", False),
            ("SP", "2026-11-27T00:00:00-03:00", True),
            ("AC", "2026-11-27T00:00:00-03:00", False),
            ("AC", "2026-11-27T00:00:00-05:00", True),
        ],
    )
    def test_number_that_a_point_of_sale_may_still_send_is_not_yet_voidable(
        self, state: str, now: str, voidable: bool
    ) -> None:
        """Issued on a Friday, a holiday: the term ends on Monday, the 23rd, and there are three days more."""
        unused_number = gap_of(skipped(emission_type_above="9"), NFCE, state, datetime.fromisoformat(now))
        assert unused_number.can_be_inutilized is voidable

    @pytest.mark.parametrize("above", ["1", None])
    def test_number_skipped_without_a_later_receipt_is_voidable_at_once(self, above: str | None) -> None:
        assert gap_of(skipped(emission_type_above=above), NFCE, "SP", ISSUED).can_be_inutilized

    def test_refused_number_is_voidable_whatever_was_printed_after_it(self) -> None:
        assert gap_of(unused(emission_type_above="9"), NFCE, "SP", ISSUED).can_be_inutilized


class TestStretches:
    def test_adjacent_numbers_of_a_year_are_joined(self) -> None:
        gaps = [gap(3, 3), gap(4, 9), gap(11, 11), gap(12, 12, 2027), gap(13, 13, 2027)]
        assert list(number_ranges(gaps)) == [
            NumberRange(2026, 3, 9), NumberRange(2026, 11, 11), NumberRange(2027, 12, 13),
        ]  # fmt: skip

    def test_no_gaps_give_no_ranges(self) -> None:
        assert list(number_ranges([])) == []

    @given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2 * MAX_NUMBERS + 1)), max_size=5))
    def test_ranges_hold_every_number_once_within_the_limit(self, steps: list[tuple[int, int]]) -> None:
        gaps, end = [], 0
        for apart, length in steps:
            gaps.append(gap(end + apart, end + apart + length - 1))
            end += apart + length - 1
        ranges = list(number_ranges(gaps))
        assert all(numbers.last_number - numbers.first_number < MAX_NUMBERS for numbers in ranges)
        wanted = [number for gap in gaps for number in range(gap.first_number, gap.last_number + 1)]
        assert [
            n for numbers in ranges for n in range(numbers.first_number, numbers.last_number + 1)
        ] == wanted

    def test_ranges_of_a_huge_gap_are_generated_lazily(self) -> None:
        first = next(number_ranges([gap(10, 999_999_999)]))
        assert (first.first_number, first.last_number) == (10, 9 + MAX_NUMBERS)


class TestPage:
    def test_page_draws_every_state_of_an_attempt_and_no_other(self) -> None:
        (drawing,) = re.findall(r"```mermaid\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        arrows = re.findall(r"^ +(\S+) --> (\S+)", drawing, re.MULTILINE)
        assert {name for arrow in arrows for name in arrow} - {"[*]"} == set(EmissionState)

    @pytest.mark.parametrize("reason", GapReason)
    def test_page_explains_every_reason(self, reason: GapReason) -> None:
        assert f"| `{reason}` |" in PAGE.read_text(encoding="utf-8")
