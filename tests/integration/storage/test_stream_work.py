"""Questions about single documents, and when a stream is due."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from carimbo.service.receiving.decision import BLOCK, MAX_PAUSE
from carimbo.storage.database import Database
from carimbo.storage.stream_steps import (
    MAX_MISSES,
    MAX_SINGLE_CALLS,
    MAX_TRIES_BY_KEY,
    MAX_TRIES_IN_GAP,
    SingleQuestion,
)
from carimbo.storage.streams import (
    answer_to_request,
    close_requests,
    give_up_gaps,
    repair_times,
    request_by_key,
    wake_stream,
)
from carimbo.storage.work import Lease, LeaseLost
from integration.storage.stream_rows import (
    ACCESS_KEY,
    BY_KEY,
    BY_NSU,
    HOUR,
    Stream,
    about,
    change_reception,
    only_stream,
    open_new_stream,
    reception_row,
)
from support import TIMEOUT_SECONDS, wait_until_true

SOON = timedelta(seconds=1)
OTHER_KEY = "35" + 42 * "2"
LOST: dict[str, Any] = {"body": None, "is_settled": False, "code": None, "message": None}
IN_AN_HOUR = "ask_at = now() + interval '1 hour'"
BLOCKED = "blocked_until = now() + interval '65 minutes'"


@pytest.fixture
async def stream(rows_database: Database) -> Stream:
    return await only_stream(rows_database)


async def next_single(stream: Stream, lease: Lease) -> SingleQuestion | None:
    async with stream.database.stream_steps(lease) as steps:
        return await steps.next_single()


async def request(stream: Stream, access_key: str = ACCESS_KEY) -> None:
    async with stream.database.connection() as connection:
        await request_by_key(connection, stream.id, access_key)


async def spend(stream: Stream, count: int, age: str) -> None:
    """Adds questions about single documents that were asked before."""
    await stream.run(
        f"insert into stream_calls select $1, now() - interval '{age}' from generate_series(1, $2::integer)",
        count,
    )


class TestBudget:
    async def test_no_more_than_the_budget_is_asked_in_an_hour(self, stream: Stream) -> None:
        lease = await stream.claimed()
        begun = [await stream.ask_single(lease, BY_NSU) for _ in range(MAX_SINGLE_CALLS + 2)]
        assert begun == [True] * MAX_SINGLE_CALLS + [False] * 2

    async def test_budget_is_shared_with_workers_that_took_over(self, stream: Stream) -> None:
        await spend(stream, MAX_SINGLE_CALLS - 1, "59 minutes")
        await stream.claimed()
        lease = await stream.claimed_by_another()
        assert [await stream.ask_single(lease, BY_NSU) for _ in range(2)] == [True, False]

    async def test_question_of_more_than_an_hour_ago_counts_no_more(self, stream: Stream) -> None:
        await spend(stream, MAX_SINGLE_CALLS, "61 minutes")
        assert await stream.ask_single(await stream.claimed(), BY_NSU)

    async def test_questions_of_another_stream_do_not_count(self, stream: Stream) -> None:
        other = await open_new_stream(stream.database, "12ABC34501DE35")
        await spend(other, MAX_SINGLE_CALLS, "1 minute")
        assert await stream.ask_single(await stream.claimed(), BY_NSU)

    async def test_nothing_is_asked_during_a_block(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.change(BLOCKED)
        assert not await stream.ask_single(lease, BY_NSU)
        assert await stream.rows("stream_calls") == []

    @pytest.mark.parametrize("state", ["lease_token = lease_token + 1", "lease_until = null"])
    async def test_nothing_is_asked_without_the_lease(self, stream: Stream, state: str) -> None:
        lease = await stream.claimed()
        await stream.change(state)
        with pytest.raises(LeaseLost):
            await stream.ask_single(lease, BY_NSU)
        assert await stream.rows("stream_calls") == []


class TestSingle:
    async def test_document_that_a_person_waits_for_comes_before_gaps(self, stream: Stream) -> None:
        await stream.add_gap(20, 22)
        await stream.add_gap(5, 7)
        await request(stream)
        await request(stream, OTHER_KEY)
        lease = await stream.claimed()
        assert await next_single(stream, lease) == SingleQuestion(None, ACCESS_KEY, None)
        await stream.run("update stream_requests set answered_at = now() where stream_id = $1")
        assert await next_single(stream, lease) == SingleQuestion(22, None, 20)

    async def test_every_third_question_is_for_a_gap(self, stream: Stream) -> None:
        await stream.add_gap(5, 7)
        await request(stream)
        lease, kinds = await stream.claimed(), []
        for _ in range(6):
            question = await next_single(stream, lease)
            assert question is not None
            kinds.append(question.access_key is None)
            await spend(stream, 1, "1 minute")
        assert kinds == [False, False, True] * 2

    async def test_documents_that_came_with_a_page_are_not_asked_for(self, stream: Stream) -> None:
        await request(stream)
        await request(stream, OTHER_KEY)
        async with stream.database.connection() as connection:
            await close_requests(connection, stream.id, [ACCESS_KEY])
        lease = await stream.claimed()
        assert await next_single(stream, lease) == SingleQuestion(None, OTHER_KEY, None)

    async def test_gap_that_is_too_old_is_given_up(self, stream: Stream) -> None:
        await stream.add_gap(5, 7)
        await stream.add_gap(20, 22)
        await stream.run(
            "update stream_gaps set created_at = now() - interval '91 days', next_nsu = 6"
            " where stream_id = $1 and first_nsu = 5"
        )
        async with stream.database.connection() as connection:
            await give_up_gaps(connection, timedelta(days=90))
        gaps = {gap["first_nsu"]: gap for gap in await stream.rows("stream_gaps")}
        assert (gaps[5]["missing"], gaps[5]["filled_at"] is None) == (2, False)
        assert (gaps[20]["missing"], gaps[20]["filled_at"] is None) == (0, True)

    async def test_gap_is_filled_number_by_number(self, stream: Stream) -> None:
        await stream.add_gap(5, 6)
        lease, questions = await stream.claimed(), []
        while question := await next_single(stream, lease):
            questions.append(question.nsu)
            await stream.store_single(lease, question)
        assert questions == [6, 5]
        assert [page["ordinal"] for page in await stream.rows("stream_pages")] == [1, 2]
        (gap,) = await stream.rows("stream_gaps")
        assert gap["filled_at"] is not None

    async def test_gap_is_given_up_when_only_old_numbers_are_left(self, stream: Stream) -> None:
        await stream.add_gap(1, 100)
        lease, questions = await stream.claimed(), 0
        while question := await next_single(stream, lease):
            questions += 1
            await stream.store_single(lease, question, body=None, code="137")
        (gap,) = await stream.rows("stream_gaps")
        assert (questions, gap["missing"], gap["filled_at"] is None) == (MAX_MISSES, 100, False)

    async def test_document_without_an_answer_is_asked_for_again_later_and_the_others_meanwhile(
        self, stream: Stream
    ) -> None:
        await stream.add_gap(5, 6)
        await request(stream)
        await request(stream, OTHER_KEY)
        lease = await stream.claimed()
        for question in (BY_KEY, SingleQuestion(6, None, 5)):
            assert await stream.ask_single(lease, question)
            await stream.store_single(lease, question, **LOST)
        assert await next_single(stream, lease) == SingleQuestion(None, OTHER_KEY, None)
        await stream.run("update stream_requests set ask_at = now() where stream_id = $1")
        assert await next_single(stream, lease) == BY_KEY
        (gap,) = await stream.rows("stream_gaps")
        assert gap["next_nsu"] == 6

    async def test_pause_between_questions_without_an_answer_grows_to_a_day(self, stream: Stream) -> None:
        await stream.add_gap(5, 5)
        lease, pauses = await stream.claimed(), []
        for _ in range(8):
            await stream.ask_single(lease, BY_NSU)
            await stream.store_single(lease, BY_NSU, **LOST)
            (gap,) = await stream.rows("stream_gaps")
            pauses.append((gap["ask_at"] - await stream.value("now()")).total_seconds())
        assert [round(pause / 900) for pause in pauses] == [1, 2, 4, 8, 16, 32, 64, 96]

    async def test_number_that_never_gets_an_answer_does_not_hold_back_its_gap(self, stream: Stream) -> None:
        await stream.add_gap(5, 7)
        lease, question = await stream.claimed(), SingleQuestion(6, None, 5)
        await stream.store_single(lease, SingleQuestion(7, None, 5))
        for _ in range(MAX_TRIES_IN_GAP):
            await stream.ask_single(lease, question)
            await stream.store_single(lease, question, **LOST)
        assert await next_single(stream, lease) == SingleQuestion(5, None, 5)
        await stream.store_single(lease, SingleQuestion(5, None, 5))
        gaps = {gap["first_nsu"]: gap for gap in await stream.rows("stream_gaps")}
        assert gaps[5]["filled_at"] is not None
        assert (gaps[6]["last_nsu"], gaps[6]["next_nsu"], gaps[6]["filled_at"]) == (6, 6, None)

    async def test_number_that_leaves_its_gap_is_asked_for_alone_even_if_an_old_gap_began_with_it(
        self, stream: Stream
    ) -> None:
        """A gap of an old sequence, which began with the same number, is closed."""
        await stream.add_gap(6, 90)
        await stream.run(
            "update stream_gaps set next_nsu = 80, misses = 29, created_at = now() - interval '91 days',"
            " filled_at = now() where stream_id = $1"
        )
        await stream.add_gap(5, 7)
        lease, question = await stream.claimed(), SingleQuestion(7, None, 5)
        await stream.store_single(lease, question)
        question = SingleQuestion(6, None, 5)
        for _ in range(MAX_TRIES_IN_GAP):
            await stream.ask_single(lease, question)
            await stream.store_single(lease, question, **LOST)
        gap = (await stream.gaps())[6]
        assert (gap["last_nsu"], gap["next_nsu"], gap["misses"], gap["filled_at"]) == (6, 6, 0, None)
        async with stream.database.connection() as connection:
            await give_up_gaps(connection, timedelta(days=90))
        assert (await stream.gaps())[6]["filled_at"] is None

    @pytest.mark.parametrize("answer", [{}, {"body": None, "code": "137"}, LOST])
    async def test_answer_that_comes_after_its_gap_was_given_up_does_not_open_it_again(
        self, stream: Stream, answer: dict[str, Any]
    ) -> None:
        await stream.add_gap(5, 7)
        await stream.run(
            f"update stream_gaps set created_at = now() - interval '91 days', tries = {MAX_TRIES_IN_GAP}"
            " where stream_id = $1"
        )
        lease = await stream.claimed()
        async with stream.database.connection() as connection:
            await give_up_gaps(connection, timedelta(days=90))
        await stream.store_single(lease, SingleQuestion(7, None, 5), **answer)
        (gap,) = await stream.rows("stream_gaps")
        assert (gap["missing"], gap["filled_at"] is None) == (3, False)

    async def test_document_that_never_comes_is_asked_for_by_its_key_until_it_is_hopeless(
        self, stream: Stream
    ) -> None:
        await request(stream)
        lease = await stream.claimed()
        for _ in range(MAX_TRIES_BY_KEY):
            (row,) = await stream.rows("stream_requests")
            assert row["answered_at"] is None
            await stream.ask_single(lease, BY_KEY)
            await stream.store_single(lease, BY_KEY, **LOST)
        (row,) = await stream.rows("stream_requests")
        assert row["answered_at"] is not None

    @pytest.mark.parametrize(
        ("code", "answer"), [("640", "640 Sem documento"), ("137", "137 Sem documento"), ("138", None)]
    )
    async def test_answer_without_the_document_is_kept_for_the_person_who_waits(
        self, stream: Stream, code: str, answer: str | None
    ) -> None:
        await request(stream)
        values = {"body": None, "code": code, "message": "Sem documento"}
        await stream.store_single(await stream.claimed(), BY_KEY, **values)
        async with stream.database.connection() as connection:
            assert await answer_to_request(connection, stream.id, ACCESS_KEY) == answer

    async def test_single_document_wakes_receptions_and_leaves_the_pages_alone(self, stream: Stream) -> None:
        reception = await stream.follow()
        await change_reception(stream.database, reception, "next_action_at = null")
        await stream.add_gap(5, 6)
        await stream.change(f"last_nsu = 50, {IN_AN_HOUR}")
        await stream.store_single(await stream.claimed(), BY_NSU)
        row = await stream.read()
        assert (row.last_nsu, row.pages, row.is_due) == (50, 1, False)
        stored = await reception_row(stream.database, reception)
        assert stored["pages_due"] == 1
        assert stored["next_action_at"] <= stored["now"]

    async def test_worker_whose_lease_was_taken_over_stores_no_document(self, stream: Stream) -> None:
        await stream.add_gap(5, 6)
        lease = await stream.claimed()
        await stream.claimed_by_another()
        before = await stream.rows("stream_gaps")
        with pytest.raises(LeaseLost):
            await stream.store_single(lease, BY_NSU, block=HOUR)
        assert await stream.rows("stream_gaps") == before
        assert await stream.rows("stream_pages") == []
        assert not (await stream.read()).is_blocked


class TestSchedule:
    async def test_stream_without_gaps_is_due_when_a_page_may_be_asked_for(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.change(IN_AN_HOUR)
        assert about(await stream.schedule(lease), HOUR)

    @pytest.mark.parametrize("age", [None, "30 minutes", "61 minutes"])
    async def test_stream_with_a_gap_is_due_as_soon_as_the_budget_allows(
        self, stream: Stream, age: str | None
    ) -> None:
        lease = await stream.claimed()
        await stream.change(IN_AN_HOUR)
        await stream.add_gap()
        if age is not None:
            await spend(stream, MAX_SINGLE_CALLS - 1, "10 minutes")
            await spend(stream, 1, age)
        expected = timedelta(minutes=30) if age == "30 minutes" else SOON
        assert about(await stream.schedule(lease), expected)

    async def test_page_that_is_allowed_before_the_budget_is_not_delayed(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.change("ask_at = now() + interval '5 minutes'")
        await stream.add_gap()
        await spend(stream, MAX_SINGLE_CALLS, "30 minutes")
        assert about(await stream.schedule(lease), timedelta(minutes=5))

    @pytest.mark.parametrize("is_gap", [True, False])
    async def test_blocked_stream_is_due_after_the_block(self, stream: Stream, is_gap: bool) -> None:
        lease = await stream.claimed()
        await stream.change(BLOCKED)
        if is_gap:
            await stream.add_gap()
        assert about(await stream.schedule(lease), timedelta(minutes=65))

    async def test_filled_gap_and_answered_request_need_no_question(self, stream: Stream) -> None:
        await stream.add_gap()
        await request(stream)
        await stream.run("update stream_gaps set filled_at = now() where stream_id = $1")
        await stream.run("update stream_requests set answered_at = now() where stream_id = $1")
        lease = await stream.claimed()
        await stream.change(IN_AN_HOUR)
        assert about(await stream.schedule(lease), HOUR)

    async def test_stream_that_nobody_follows_sleeps(self, stream: Stream) -> None:
        assert await stream.schedule(await stream.claimed(), is_idle=True) is None

    async def test_stream_whose_only_company_was_refused_does_not_sleep(self, stream: Stream) -> None:
        """It may ask again after a day, and nothing else would wake the stream then."""
        reception = await stream.follow()
        await change_reception(
            stream.database,
            reception,
            "refused_at = now(), next_action_at = null",
        )
        assert about(await stream.schedule(await stream.claimed(), is_idle=True), SOON)

    async def test_parked_stream_is_not_due(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.change("parked_reason = 'voltou ao NSU 1'")
        await stream.add_gap()
        assert await stream.schedule(lease) is None
        await request(stream)
        assert await stream.due_in() is None

    async def test_request_that_comes_while_the_stream_is_released_is_not_overlooked(
        self, stream: Stream
    ) -> None:
        lease = await stream.claimed()
        await stream.change(IN_AN_HOUR)
        async with stream.database.transaction() as connection:
            await request_by_key(connection, stream.id, ACCESS_KEY)
            release = asyncio.create_task(stream.schedule(lease))
            async with stream.database.connection() as observer:
                waiting = "exists (select from pg_locks where locktype = 'transactionid' and not granted)"
                await wait_until_true(observer.fetch, waiting, TIMEOUT_SECONDS)
        assert about(await release, SOON)

    async def test_released_stream_can_be_claimed_again(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.schedule(lease)
        with pytest.raises(LeaseLost):
            await stream.begin(lease)
        await stream.change("next_action_at = now()")
        assert (await stream.claimed()).attempts == 1


class TestRepair:
    async def test_questions_of_a_clock_that_was_ahead_count_as_asked_now(self, stream: Stream) -> None:
        await spend(stream, MAX_SINGLE_CALLS, "-10 days")
        await self._repair(stream)
        lease = await stream.claimed()
        assert not await stream.ask_single(lease, BY_NSU)
        await stream.run("update stream_calls set at = at - interval '61 minutes' where stream_id = $1")
        assert await stream.ask_single(lease, BY_NSU)

    async def test_what_a_clock_that_was_ahead_put_off_is_asked_for_at_once(self, stream: Stream) -> None:
        await stream.add_gap()
        await request(stream)
        for table in ("stream_gaps", "stream_requests"):
            await stream.run(f"update {table} set ask_at = now() + interval '10 days' where stream_id = $1")
        await self._repair(stream)
        lease, questions = await stream.claimed(), []
        while question := await next_single(stream, lease):
            questions.append(question)
            await stream.store_single(lease, question)
        assert questions == [BY_KEY, *(SingleQuestion(nsu, None, 5) for nsu in (7, 6, 5))]

    async def _repair(self, stream: Stream) -> None:
        async with stream.database.connection() as connection:
            await repair_times(connection, MAX_PAUSE, BLOCK)


class TestWake:
    @pytest.mark.parametrize("due_at", ["null", "now() + interval '1 hour'"])
    async def test_stream_is_woken_as_early_as_a_question_is_allowed(
        self, stream: Stream, due_at: str
    ) -> None:
        await stream.change(f"ask_at = now() + interval '10 minutes', next_action_at = {due_at}")
        async with stream.database.connection() as connection:
            await wake_stream(connection, stream.id)
        assert about(await stream.due_in(), timedelta(minutes=10))

    @pytest.mark.parametrize(
        "state", ["next_action_at = null, parked_reason = 'x'", "next_action_at = now() - interval '1 hour'"]
    )
    async def test_parked_or_due_stream_is_left_alone(self, stream: Stream, state: str) -> None:
        await stream.change(state)
        before = await stream.value("next_action_at")
        async with stream.database.connection() as connection:
            await wake_stream(connection, stream.id)
        assert await stream.value("next_action_at") == before

    async def test_request_wakes_a_stream_that_rests(self, stream: Stream) -> None:
        await stream.change(f"{IN_AN_HOUR}, next_action_at = now() + interval '1 hour'")
        await request(stream)
        assert about(await stream.due_in(), timedelta(0))

    async def test_request_during_a_block_waits_for_its_end(self, stream: Stream) -> None:
        await stream.change(f"{BLOCKED}, next_action_at = null")
        await request(stream)
        assert about(await stream.due_in(), timedelta(minutes=65))

    @pytest.mark.parametrize(("age", "is_open"), [("23 hours", False), ("25 hours", True)])
    async def test_answered_request_is_repeated_only_after_a_day(
        self, stream: Stream, age: str, is_open: bool
    ) -> None:
        await request(stream)
        await stream.run(
            f"update stream_requests set answered_at = now() - interval '{age}' where stream_id = $1"
        )
        await request(stream)
        (row,) = await stream.rows("stream_requests")
        assert (row["answered_at"] is None) == is_open
