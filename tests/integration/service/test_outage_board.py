"""The breaker: what makes it open, what closes it, and that every process knows the same."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Cause,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from carimbo.service import outage_board
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.outages import AuthorityPlace

AFTER = timedelta(minutes=5)
NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
OUT = Unavailable(code="109", message="Serviço paralisado sem previsão", outage=Outage.WITHOUT_FORECAST)
NO_SERVICE = (Cause.TIMEOUT, Cause.CONNECTION, Cause.HTTP_STATUS, Cause.HTML, Cause.EMPTY)
AT_WORK = Available(code="107", message="")


def authorized(at: datetime) -> Authorized:
    return Authorized(code="100", message="", protocol="1", authorized_at=at, protocol_xml=b"")


ANSWERS: tuple[Outcome, ...] = (
    authorized(NOW),
    Rejected(code="528", message=""),
    Denied(code="302", message=""),
    Canceled(code="101", message=""),
    Duplicate(code="204", message=""),
    Unknown(code="217", message=""),
    Processing(code="103", message="", receipt="1", wait_seconds=1),
)
# Nothing of the service itself: our own patience, our count, our certificate, or an odd answer.
BESIDE_THE_POINT: tuple[Outcome, ...] = (
    Throttled(code="656", message=""),
    *(NotJudged(cause=cause, detail="") for cause in Cause if cause not in NO_SERVICE),
)


def failure(cause: Cause) -> NotJudged:
    return NotJudged(cause=cause, detail=f"seen: {cause}", may_have_arrived=False)


@dataclass
class Clock:
    """Tells the time that a test wants, from the real one on: the database has that one."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def place() -> AuthorityPlace:
    """An authority that no other test knows."""
    return AuthorityPlace("55", str(new_id()), "production")


@pytest.fixture
def new_board(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], OutageBoard]]:
    """Boards of different processes, which read and write at every turn."""
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(outage_board, "_WRITTEN_EVERY_SECONDS", 0.0)
    yield lambda: OutageBoard(database, AFTER, clock)


NewBoard = Callable[[], OutageBoard]


@pytest.fixture
def board(new_board: NewBoard) -> OutageBoard:
    return new_board()


async def begun(board: OutageBoard, place: AuthorityPlace) -> datetime:
    """Since when an authority that was seen failing is out."""
    await board.saw(place, OUT)
    outage = await board.outage_of(place)
    assert outage is not None
    return outage.since


class TestBeginning:
    @pytest.mark.parametrize("how", list(Outage))
    async def test_an_authority_that_says_so_is_out(
        self, board: OutageBoard, place: AuthorityPlace, how: Outage
    ) -> None:
        await board.saw(place, Unavailable(code="108", message="Paralisado", outage=how))
        outage = await board.outage_of(place)
        assert outage is not None
        assert (outage.code, outage.message) == ("108", "Paralisado")

    @pytest.mark.parametrize("cause", NO_SERVICE)
    async def test_one_that_does_not_answer_is_out(
        self, board: OutageBoard, place: AuthorityPlace, cause: Cause
    ) -> None:
        await board.saw(place, failure(cause))
        outage = await board.outage_of(place)
        assert outage is not None
        assert (outage.code, outage.message) == (None, f"seen: {cause}")

    @pytest.mark.parametrize("outcome", [*ANSWERS, *BESIDE_THE_POINT])
    async def test_nothing_else_is_a_break(
        self, board: OutageBoard, place: AuthorityPlace, outcome: Outcome
    ) -> None:
        await board.saw(place, outcome)
        assert await board.outage_of(place) is None

    async def test_one_place_s_break_is_no_other_s(self, board: OutageBoard, place: AuthorityPlace) -> None:
        await board.saw(place, OUT)
        assert await board.outage_of(AuthorityPlace("65", place.authorizer, "production")) is None


class TestEnd:
    @pytest.mark.parametrize("outcome", ANSWERS)
    async def test_whatever_it_judges_it_is_at_work(
        self, board: OutageBoard, place: AuthorityPlace, outcome: Outcome
    ) -> None:
        await begun(board, place)
        await board.saw_judged(place, outcome)
        assert await board.outage_of(place) is None

    @pytest.mark.parametrize("outcome", [*ANSWERS, AT_WORK])
    async def test_an_answer_to_a_question_ends_nothing(
        self, board: OutageBoard, place: AuthorityPlace, outcome: Outcome | Available
    ) -> None:
        since = await begun(board, place)
        await board.saw(place, outcome)
        outage = await board.outage_of(place)
        assert outage is not None
        assert outage.since == since

    @pytest.mark.parametrize(("seconds_before", "ends"), [(0, True), (59, True), (61, False)])
    async def test_a_document_that_turns_out_authorised_ends_it_unless_that_was_long_before(
        self, board: OutageBoard, place: AuthorityPlace, seconds_before: int, ends: bool
    ) -> None:
        since = await begun(board, place)
        await board.saw_found(place, authorized(since - timedelta(seconds=seconds_before)))
        assert (await board.outage_of(place) is None) == ends

    @pytest.mark.parametrize("outcome", ANSWERS[1:])
    async def test_one_that_turns_out_otherwise_ends_nothing(
        self, board: OutageBoard, place: AuthorityPlace, outcome: Outcome
    ) -> None:
        await begun(board, place)
        await board.saw_found(place, outcome)
        assert await board.outage_of(place) is not None

    @pytest.mark.parametrize("outcome", BESIDE_THE_POINT)
    async def test_what_says_nothing_of_the_service_ends_nothing(
        self, board: OutageBoard, place: AuthorityPlace, outcome: Outcome
    ) -> None:
        since = await begun(board, place)
        await board.saw_judged(place, outcome)
        outage = await board.outage_of(place)
        assert outage is not None
        assert outage.since == since

    async def test_a_break_that_comes_after_it_is_another_one(
        self, board: OutageBoard, place: AuthorityPlace
    ) -> None:
        since = await begun(board, place)
        await board.saw_judged(place, ANSWERS[0])
        assert await begun(board, place) > since

    async def test_an_answer_that_comes_right_after_the_failure_ends_it_too(
        self, board: OutageBoard, place: AuthorityPlace
    ) -> None:
        await board.saw(place, OUT)
        await board.saw_judged(place, ANSWERS[0])
        assert await board.outage_of(place) is None


class TestContingency:
    async def test_takes_over_so_long_after_the_beginning(
        self, board: OutageBoard, place: AuthorityPlace
    ) -> None:
        assert await board.contingency_at(place) is None
        since = await begun(board, place)
        await board.saw(place, failure(Cause.TIMEOUT))
        assert await board.contingency_at(place) == since + AFTER

    async def test_that_says_that_it_is_out_is_closed_for_a_minute(
        self, board: OutageBoard, place: AuthorityPlace, clock: Clock
    ) -> None:
        assert not await board.is_closed(place)
        await board.saw(place, OUT)
        assert await board.is_closed(place)
        clock.ahead = timedelta(seconds=61)
        assert not await board.is_closed(place)
        assert await board.outage_of(place) is not None

    async def test_whose_answer_is_lost_once_is_not_closed(
        self, board: OutageBoard, place: AuthorityPlace
    ) -> None:
        await board.saw(place, failure(Cause.TIMEOUT))
        assert not await board.is_closed(place)

    async def test_that_does_not_answer_for_a_while_is_closed(
        self, board: OutageBoard, place: AuthorityPlace, database: Database
    ) -> None:
        await board.saw(place, failure(Cause.TIMEOUT))
        async with database.connection() as connection:
            await connection.execute(
                "update outages set since = since - interval '11 seconds' where authorizer = $1",
                place.authorizer,
            )
        await board.saw(place, failure(Cause.TIMEOUT))
        assert await board.is_closed(place)


class TestForgetting:
    async def test_a_break_that_nobody_saw_for_ten_minutes_is_over_for_all_that_is_known(
        self, board: OutageBoard, place: AuthorityPlace, clock: Clock
    ) -> None:
        await board.saw(place, OUT)
        clock.ahead = timedelta(minutes=9)
        assert await board.contingency_at(place) is not None
        clock.ahead = timedelta(minutes=10, seconds=1)
        assert await board.outage_of(place) is None
        assert await board.contingency_at(place) is None

    async def test_the_next_failure_begins_another(
        self, board: OutageBoard, place: AuthorityPlace, database: Database
    ) -> None:
        await board.saw(place, OUT)
        async with database.connection() as connection:
            before = await connection.fetchval(
                "update outages set since = since - interval '11 minutes',"
                " seen_at = seen_at - interval '11 minutes' where authorizer = $1 returning since",
                place.authorizer,
            )
        assert await begun(board, place) > before + timedelta(minutes=10)


class TestTwoBoards:
    async def test_one_sees_what_the_other_saw(self, new_board: NewBoard, place: AuthorityPlace) -> None:
        one, other = new_board(), new_board()
        since = await begun(one, place)
        assert await other.contingency_at(place) == since + AFTER

    async def test_one_ends_what_the_other_began(self, new_board: NewBoard, place: AuthorityPlace) -> None:
        one, other = new_board(), new_board()
        await begun(one, place)
        assert await other.outage_of(place) is not None
        await other.saw_judged(place, ANSWERS[0])
        assert await one.outage_of(place) is None

    async def test_both_together_see_one_break(self, new_board: NewBoard, place: AuthorityPlace) -> None:
        one, other = new_board(), new_board()
        since = await begun(one, place)
        assert await begun(other, place) == since


class TestSparing:
    async def test_failures_that_follow_each_other_are_written_once(
        self, board: OutageBoard, place: AuthorityPlace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_WRITTEN_EVERY_SECONDS", 3600.0)
        await board.saw(place, OUT)
        before = await board.outage_of(place)
        await board.saw(place, failure(Cause.TIMEOUT))
        assert await board.outage_of(place) == before

    async def test_what_was_read_a_moment_ago_is_good_enough(
        self, new_board: NewBoard, place: AuthorityPlace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 3600.0)
        one, other = new_board(), new_board()
        assert await other.outage_of(place) is None
        await one.saw(place, OUT)
        assert await one.outage_of(place) is not None
        assert await other.outage_of(place) is None
