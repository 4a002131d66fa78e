import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.filing.inutilize import MOST_NUMBERS
from carimbo.service.gaps import Gap, GapReason, Stretch, deadline_of, gap_of, is_voiding_day, stretches_of
from carimbo.storage.numbering import UnusedNumbers

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "numbering.md"
NFE, NFCE, NFSE = ({kind.name: kind for kind in DOCUMENT_TYPES}[name] for name in ("nfe", "nfce", "nfse"))
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
    return Gap(first, last, GapReason.NEVER_SENT, None, year, DEADLINE, is_voidable=True, was_refused=False)


class TestDeadline:
    @pytest.mark.parametrize(
        ("issued", "deadline"),
        [
            ("2026-11-01T00:00:00-03:00", "2026-12-10T23:59:59-03:00"),
            ("2026-11-30T23:59:59-03:00", "2026-12-10T23:59:59-03:00"),
            ("2026-12-31T10:00:00-05:00", "2027-01-10T23:59:59-05:00"),
        ],
    )
    def test_is_the_end_of_the_tenth_of_the_month_after(self, issued: str, deadline: str) -> None:
        assert deadline_of(datetime.fromisoformat(issued)).isoformat() == deadline

    @pytest.mark.parametrize(
        ("state", "deadline"), [("SP", "2027-01-10T23:59:59-03:00"), ("AC", "2026-12-10T23:59:59-05:00")]
    )
    def test_goes_by_the_month_of_the_state(self, state: str, deadline: str) -> None:
        at_midnight = datetime.fromisoformat("2026-12-01T00:30:00-03:00")
        assert gap_of(unused(dated_at=at_midnight), NFE, state, ISSUED).deadline.isoformat() == deadline


class TestVoidingDays:
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
    def test_are_the_eighth_to_the_tenth_in_brasilia(self, moment: str, is_one: bool) -> None:
        assert is_voiding_day(datetime.fromisoformat(moment)) is is_one

    def test_are_three_in_every_month(self) -> None:
        noons = [datetime(2026, 1, 1, 15, tzinfo=UTC) + timedelta(days=day) for day in range(365)]
        assert sum(map(is_voiding_day, noons)) == 3 * 12

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
    def test_are_those_of_the_month_in_which_the_term_ends(self, now: str, is_due: bool) -> None:
        assert gap_of(unused(), NFE, "SP", ISSUED).is_due(datetime.fromisoformat(now)) is is_due

    def test_pass_by_what_an_authority_has_refused(self) -> None:
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
    def test_follows_from_how_far_the_attempt_came(self, state: str | None, reason: str) -> None:
        assert gap_of(unused(state=state), NFE, "SP", ISSUED).reason == reason


class TestVoidable:
    @pytest.mark.parametrize("state", ["numbered", "signed", "rejected"])
    def test_is_what_the_authority_does_not_have(self, state: str) -> None:
        assert gap_of(unused(state=state), NFE, "SP", ISSUED).is_voidable

    @pytest.mark.parametrize("state", ["sent", "authorized"])
    def test_is_not_what_it_has_or_may_have(self, state: str) -> None:
        assert not gap_of(unused(state=state), NFE, "SP", ISSUED).is_voidable

    def test_is_not_what_is_printed(self) -> None:
        assert not gap_of(unused(emission_type="9"), NFCE, "SP", ISSUED + timedelta(days=90)).is_voidable

    def test_is_nothing_of_a_type_whose_numbers_are_not_given_up(self) -> None:
        assert not gap_of(skipped(), NFSE, "SP", ISSUED).is_voidable

    @pytest.mark.parametrize(
        ("state", "now", "voidable"),
        [
            ("SP", "2026-11-26T23:59:59-03:00", False),
            ("SP", "2026-11-27T00:00:00-03:00", True),
            ("AC", "2026-11-27T00:00:00-03:00", False),
            ("AC", "2026-11-27T00:00:00-05:00", True),
        ],
    )
    def test_is_not_yet_what_the_point_of_sale_may_hand_over(
        self, state: str, now: str, voidable: bool
    ) -> None:
        """Issued on a Friday, a holiday: the term ends on Monday, the 23rd, and there are three days more."""
        found = gap_of(skipped(emission_type_above="9"), NFCE, state, datetime.fromisoformat(now))
        assert found.is_voidable is voidable

    @pytest.mark.parametrize("above", ["1", None])
    def test_is_at_once_what_was_skipped_below_no_receipt(self, above: str | None) -> None:
        assert gap_of(skipped(emission_type_above=above), NFCE, "SP", ISSUED).is_voidable

    def test_is_a_refused_documents_number_whatever_was_printed_above_it(self) -> None:
        assert gap_of(unused(emission_type_above="9"), NFCE, "SP", ISSUED).is_voidable


class TestStretches:
    def test_join_neighbours_of_a_year(self) -> None:
        gaps = [gap(3, 3), gap(4, 9), gap(11, 11), gap(12, 12, 2027), gap(13, 13, 2027)]
        assert list(stretches_of(gaps)) == [
            Stretch(2026, 3, 9), Stretch(2026, 11, 11), Stretch(2027, 12, 13),
        ]  # fmt: skip

    def test_of_nothing_are_none(self) -> None:
        assert list(stretches_of([])) == []

    @given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2 * MOST_NUMBERS + 1)), max_size=5))
    def test_hold_every_number_once_and_never_too_many(self, steps: list[tuple[int, int]]) -> None:
        gaps, end = [], 0
        for apart, length in steps:
            gaps.append(gap(end + apart, end + apart + length - 1))
            end += apart + length - 1
        found = list(stretches_of(gaps))
        assert all(one.last_number - one.first_number < MOST_NUMBERS for one in found)
        wanted = [number for one in gaps for number in range(one.first_number, one.last_number + 1)]
        assert [n for one in found for n in range(one.first_number, one.last_number + 1)] == wanted

    def test_of_a_huge_gap_are_made_as_they_are_asked_for(self) -> None:
        first = next(stretches_of([gap(10, 999_999_999)]))
        assert (first.first_number, first.last_number) == (10, 9 + MOST_NUMBERS)


class TestPage:
    def test_draws_every_state_of_an_attempt_and_no_other(self) -> None:
        (drawing,) = re.findall(r"```mermaid\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        arrows = re.findall(r"^ +(\S+) --> (\S+)", drawing, re.MULTILINE)
        assert {name for arrow in arrows for name in arrow} - {"[*]"} == set(EmissionState)

    @pytest.mark.parametrize("reason", GapReason)
    def test_explains_every_reason(self, reason: GapReason) -> None:
        assert f"| `{reason}` |" in PAGE.read_text(encoding="utf-8")
