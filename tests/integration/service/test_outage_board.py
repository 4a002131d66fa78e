"""The circuit breaker of authorities: what opens and closes it, and that all processes share it."""

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
from carimbo.storage.outages import AuthorityService

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
# Says nothing about the service: our own timeout, our rate limit, our certificate, or an odd answer.
INCONCLUSIVE: tuple[Outcome, ...] = (
    Throttled(code="656", message=""),
    *(NotJudged(cause=cause, detail="") for cause in Cause if cause not in NO_SERVICE),
)


def failure(cause: Cause) -> NotJudged:
    return NotJudged(cause=cause, detail=f"seen: {cause}", may_have_arrived=False)


@dataclass
class Clock:
    """Returns the real time plus an offset that a test sets; the database uses the real time."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service() -> AuthorityService:
    """An authority that no other test uses."""
    return AuthorityService("55", str(new_id()), "production")


@pytest.fixture
def new_board(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], OutageBoard]]:
    """Creates boards of different processes, which read and write at every call."""
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(outage_board, "_WRITTEN_EVERY_SECONDS", 0.0)
    yield lambda: OutageBoard(database, AFTER, clock)


NewBoard = Callable[[], OutageBoard]


@pytest.fixture
def board(new_board: NewBoard) -> OutageBoard:
    return new_board()


async def begin_outage(board: OutageBoard, service: AuthorityService) -> datetime:
    """Records a failure and returns the beginning of the outage."""
    await board.record_answer(service, OUT)
    outage = await board.outage_of(service)
    assert outage is not None
    return outage.since


class TestBeginning:
    @pytest.mark.parametrize("outage_type", list(Outage))
    async def test_an_authority_that_reports_an_outage_is_out(
        self, board: OutageBoard, service: AuthorityService, outage_type: Outage
    ) -> None:
        await board.record_answer(service, Unavailable(code="108", message="Paralisado", outage=outage_type))
        outage = await board.outage_of(service)
        assert outage is not None
        assert (outage.code, outage.message) == ("108", "Paralisado")

    @pytest.mark.parametrize("cause", NO_SERVICE)
    async def test_an_authority_that_does_not_answer_is_out(
        self, board: OutageBoard, service: AuthorityService, cause: Cause
    ) -> None:
        await board.record_answer(service, failure(cause))
        outage = await board.outage_of(service)
        assert outage is not None
        assert (outage.code, outage.message) == (None, f"seen: {cause}")

    @pytest.mark.parametrize("outcome", [*ANSWERS, *INCONCLUSIVE])
    async def test_other_outcomes_are_no_outage(
        self, board: OutageBoard, service: AuthorityService, outcome: Outcome
    ) -> None:
        await board.record_answer(service, outcome)
        assert await board.outage_of(service) is None

    async def test_an_outage_does_not_affect_other_services(
        self, board: OutageBoard, service: AuthorityService
    ) -> None:
        await board.record_answer(service, OUT)
        assert await board.outage_of(AuthorityService("65", service.authorizer, "production")) is None


class TestEnd:
    @pytest.mark.parametrize("outcome", ANSWERS)
    async def test_any_verdict_ends_the_outage(
        self, board: OutageBoard, service: AuthorityService, outcome: Outcome
    ) -> None:
        await begin_outage(board, service)
        await board.record_sent_outcome(service, outcome)
        assert await board.outage_of(service) is None

    @pytest.mark.parametrize("outcome", [*ANSWERS, AT_WORK])
    async def test_an_answer_to_a_query_does_not_end_the_outage(
        self, board: OutageBoard, service: AuthorityService, outcome: Outcome | Available
    ) -> None:
        since = await begin_outage(board, service)
        await board.record_answer(service, outcome)
        outage = await board.outage_of(service)
        assert outage is not None
        assert outage.since == since

    @pytest.mark.parametrize(("seconds_before", "ends"), [(0, True), (59, True), (61, False)])
    async def test_an_authorization_found_by_a_consult_ends_the_outage_if_it_is_recent(
        self, board: OutageBoard, service: AuthorityService, seconds_before: int, ends: bool
    ) -> None:
        since = await begin_outage(board, service)
        await board.record_consulted_outcome(service, authorized(since - timedelta(seconds=seconds_before)))
        assert (await board.outage_of(service) is None) == ends

    @pytest.mark.parametrize("outcome", ANSWERS[1:])
    async def test_a_document_found_in_another_state_does_not_end_the_outage(
        self, board: OutageBoard, service: AuthorityService, outcome: Outcome
    ) -> None:
        await begin_outage(board, service)
        await board.record_consulted_outcome(service, outcome)
        assert await board.outage_of(service) is not None

    @pytest.mark.parametrize("outcome", INCONCLUSIVE)
    async def test_an_inconclusive_outcome_does_not_end_the_outage(
        self, board: OutageBoard, service: AuthorityService, outcome: Outcome
    ) -> None:
        since = await begin_outage(board, service)
        await board.record_sent_outcome(service, outcome)
        outage = await board.outage_of(service)
        assert outage is not None
        assert outage.since == since

    async def test_a_later_outage_is_a_new_one(self, board: OutageBoard, service: AuthorityService) -> None:
        since = await begin_outage(board, service)
        await board.record_sent_outcome(service, ANSWERS[0])
        assert await begin_outage(board, service) > since

    async def test_an_answer_right_after_the_failure_ends_the_outage(
        self, board: OutageBoard, service: AuthorityService
    ) -> None:
        await board.record_answer(service, OUT)
        await board.record_sent_outcome(service, ANSWERS[0])
        assert await board.outage_of(service) is None


class TestContingency:
    async def test_contingency_starts_a_fixed_time_after_the_outage(
        self, board: OutageBoard, service: AuthorityService
    ) -> None:
        assert await board.contingency_at(service) is None
        since = await begin_outage(board, service)
        await board.record_answer(service, failure(Cause.TIMEOUT))
        assert await board.contingency_at(service) == since + AFTER

    async def test_an_authority_that_reports_an_outage_is_closed_for_a_minute(
        self, board: OutageBoard, service: AuthorityService, clock: Clock
    ) -> None:
        assert not await board.is_closed(service)
        await board.record_answer(service, OUT)
        assert await board.is_closed(service)
        clock.ahead = timedelta(seconds=61)
        assert not await board.is_closed(service)
        assert await board.outage_of(service) is not None

    async def test_an_authority_is_not_closed_after_one_lost_answer(
        self, board: OutageBoard, service: AuthorityService
    ) -> None:
        await board.record_answer(service, failure(Cause.TIMEOUT))
        assert not await board.is_closed(service)

    async def test_an_authority_that_does_not_answer_for_a_while_is_closed(
        self, board: OutageBoard, service: AuthorityService, database: Database
    ) -> None:
        await board.record_answer(service, failure(Cause.TIMEOUT))
        async with database.connection() as connection:
            await connection.execute(
                "update outages set since = since - interval '11 seconds' where authorizer = $1",
                service.authorizer,
            )
        await board.record_answer(service, failure(Cause.TIMEOUT))
        assert await board.is_closed(service)


class TestExpiration:
    async def test_an_outage_not_seen_for_ten_minutes_is_over(
        self, board: OutageBoard, service: AuthorityService, clock: Clock
    ) -> None:
        await board.record_answer(service, OUT)
        clock.ahead = timedelta(minutes=9)
        assert await board.contingency_at(service) is not None
        clock.ahead = timedelta(minutes=10, seconds=1)
        assert await board.outage_of(service) is None
        assert await board.contingency_at(service) is None

    async def test_the_next_failure_begins_a_new_outage(
        self, board: OutageBoard, service: AuthorityService, database: Database
    ) -> None:
        await board.record_answer(service, OUT)
        async with database.connection() as connection:
            before = await connection.fetchval(
                "update outages set since = since - interval '11 minutes',"
                " seen_at = seen_at - interval '11 minutes' where authorizer = $1 returning since",
                service.authorizer,
            )
        assert await begin_outage(board, service) > before + timedelta(minutes=10)


class TestTwoBoards:
    async def test_a_board_sees_the_outage_of_another(
        self, new_board: NewBoard, service: AuthorityService
    ) -> None:
        first, second = new_board(), new_board()
        since = await begin_outage(first, service)
        assert await second.contingency_at(service) == since + AFTER

    async def test_a_board_ends_the_outage_of_another(
        self, new_board: NewBoard, service: AuthorityService
    ) -> None:
        first, second = new_board(), new_board()
        await begin_outage(first, service)
        assert await second.outage_of(service) is not None
        await second.record_sent_outcome(service, ANSWERS[0])
        assert await first.outage_of(service) is None

    async def test_two_boards_record_one_outage(self, new_board: NewBoard, service: AuthorityService) -> None:
        first, second = new_board(), new_board()
        since = await begin_outage(first, service)
        assert await begin_outage(second, service) == since


class TestCaching:
    async def test_consecutive_failures_are_written_once(
        self, board: OutageBoard, service: AuthorityService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_WRITTEN_EVERY_SECONDS", 3600.0)
        await board.record_answer(service, OUT)
        before = await board.outage_of(service)
        await board.record_answer(service, failure(Cause.TIMEOUT))
        assert await board.outage_of(service) == before

    async def test_a_recent_reading_is_reused(
        self, new_board: NewBoard, service: AuthorityService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 3600.0)
        first, second = new_board(), new_board()
        assert await second.outage_of(service) is None
        await first.record_answer(service, OUT)
        assert await first.outage_of(service) is not None
        assert await second.outage_of(service) is None
