"""Questions for pages: one worker asks at a time, when it is allowed, and stores the answer at once."""

import asyncio
from datetime import timedelta

import pytest

from carimbo.fiscal.outcome import Rejected
from carimbo.service.receiving.decision import LOST_ANSWER, OTHER_READER, REST, StreamDecider
from carimbo.storage.database import Database
from carimbo.storage.stream_steps import NsuGap, SingleQuestion, StreamProgress
from carimbo.storage.streams import give_up_gaps, open_stream
from carimbo.storage.work import LeaseLost
from integration.storage.stream_rows import (
    BODY,
    ENVIRONMENT,
    HOUR,
    MINUTE,
    SERVICE,
    TAX_ID,
    StoredPage,
    Stream,
    about,
    asker_of,
    change_reception,
    only_stream,
    open_new_stream,
    page_answer,
    reception_row,
)

EIGHT = 8


@pytest.fixture
async def stream(rows_database: Database) -> Stream:
    return await only_stream(rows_database)


class TestOpen:
    async def test_two_that_open_a_stream_at_once_get_the_same(self, rows_database: Database) -> None:
        await only_stream(rows_database)
        opened = await asyncio.gather(
            *(open_new_stream(rows_database, "12ABC34501DE35") for _ in range(EIGHT))
        )
        assert len({stream.id for stream in opened}) == 1

    @pytest.mark.parametrize("other", [("cte", ENVIRONMENT, TAX_ID), (SERVICE, "homologation", TAX_ID)])
    async def test_each_service_and_environment_has_its_own_stream(
        self, stream: Stream, other: tuple[str, str, str]
    ) -> None:
        async with stream.database.connection() as connection:
            assert await open_stream(connection, *other, REST) != stream.id

    async def test_parked_stream_that_is_opened_works_again_but_asks_no_earlier(self, stream: Stream) -> None:
        await stream.change(
            "parked_reason = 'x', attempts = 5, next_action_at = null, ask_at = now(),"
            " blocked_until = now() + interval '30 minutes', last_nsu = 7"
        )
        await open_new_stream(stream.database)
        row = await stream.read()
        assert (row.parked_reason, row.last_nsu, row.next_action_at) == (None, 7, row.blocked_until)
        assert await stream.value("attempts") == 0

    @pytest.mark.parametrize(("asked_ago", "answered_ago"), [(90, 90), (30, 30), (40, 20)])
    @pytest.mark.parametrize("due_at", ["null", "now() + interval '5 hours'"])
    async def test_opened_stream_is_asked_as_soon_as_it_has_rested(
        self, stream: Stream, asked_ago: int, answered_ago: int, due_at: str
    ) -> None:
        """Also one that nobody followed any more, and one that is asked rarely because nothing is new."""
        await stream.change(
            f"asked_at = now() - interval '{asked_ago} minutes',"
            f" answered_at = now() - interval '{answered_ago} minutes',"
            f" ask_at = now() + interval '5 hours', next_action_at = {due_at}"
        )
        await open_new_stream(stream.database)
        rested_in = REST - answered_ago * MINUTE
        assert about(await stream.value("ask_at - now()"), rested_in)
        assert about(await stream.due_in(), max(rested_in, timedelta(0)))


class TestBegin:
    async def test_only_one_of_several_workers_begins_a_question(self, stream: Stream) -> None:
        async def turn() -> bool:
            lease = await stream.claim()
            return lease is not None and await stream.begin(lease)

        assert sum(await asyncio.gather(*(turn() for _ in range(EIGHT)))) == 1

    async def test_begun_question_counts_as_asked_and_allows_no_other_for_an_hour(
        self, stream: Stream
    ) -> None:
        assert (await stream.read()).has_rested
        await stream.begin(await stream.claimed())
        row = await stream.read()
        assert (row.is_asked, row.is_due, row.has_rested) == (True, False, False)
        assert await stream.value("ask_at - now()") > timedelta(minutes=59)

    async def test_worker_whose_lease_was_taken_over_begins_no_question(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.claimed_by_another()
        with pytest.raises(LeaseLost):
            await stream.begin(lease)
        assert not (await stream.read()).is_asked

    @pytest.mark.parametrize(
        "state",
        [
            "ask_at = now() + interval '1 minute'",
            "blocked_until = now() + interval '1 minute'",
            "is_asked = true",
        ],
    )
    async def test_question_that_is_not_allowed_is_not_begun(self, stream: Stream, state: str) -> None:
        lease = await stream.claimed()
        await stream.change(state)
        assert not await stream.begin(lease)
        assert (await stream.read()).asked_at is None

    async def test_question_is_allowed_again_after_a_block(self, stream: Stream) -> None:
        await stream.change("blocked_until = now() - interval '1 second'")
        await stream.begin(await stream.claimed())
        assert (await stream.read()).is_asked


class TestStore:
    async def test_answer_with_documents_moves_the_stream_and_wakes_all_that_follow_it(
        self, stream: Stream
    ) -> None:
        followers = [await stream.follow(), await stream.follow()]
        for reception in followers:
            await change_reception(stream.database, reception, "next_action_at = null")
        lease = await stream.claimed()
        await stream.begin(lease)
        await stream.store(lease, page_answer())
        row = await stream.read()
        assert (row.last_nsu, row.max_nsu, row.is_asked, row.pages, row.last_code) == (
            50,
            80,
            False,
            1,
            "138",
        )
        assert timedelta(0) < await stream.value("ask_at - now()") <= timedelta(seconds=1)
        assert row.answered_at is not None
        ((ordinal, question, body),) = [
            (page["ordinal"], page["question"], page["body"]) for page in await stream.rows("stream_pages")
        ]
        assert (ordinal, question, body) == (1, "after:0", BODY)
        for reception in followers:
            stored = await reception_row(stream.database, reception)
            assert (stored["pages_due"], stored["pages_read"]) == (1, 0)
            assert stored["next_action_at"] <= stored["now"]

    async def test_answer_without_documents_wakes_nobody(self, stream: Stream) -> None:
        reception = await stream.follow()
        await change_reception(stream.database, reception, "next_action_at = null")
        await stream.store(await stream.claimed(), page_answer(body=None))
        assert (await stream.read()).pages == 0
        assert await stream.rows("stream_pages") == []
        assert (await reception_row(stream.database, reception))["next_action_at"] is None

    async def test_stopped_and_parked_receptions_are_not_woken_but_the_parked_one_misses_nothing(
        self, stream: Stream
    ) -> None:
        stopped, parked = await stream.follow(), await stream.follow()
        await change_reception(stream.database, stopped, "is_active = false, next_action_at = null")
        await change_reception(stream.database, parked, "parked_reason = 'x', next_action_at = null")
        await stream.store(await stream.claimed(), page_answer())
        rows = [await reception_row(stream.database, reception) for reception in (stopped, parked)]
        assert [row["next_action_at"] for row in rows] == [None, None]
        assert rows[1]["pages_due"] == 1

    async def test_block_is_stored_with_its_gap(self, stream: Stream) -> None:
        gap = NsuGap(1, 30, OTHER_READER)
        change = page_answer(last_nsu=30, body=None, block=HOUR, has_other_reader=True, code="656", gap=gap)
        await stream.store(await stream.claimed(), change)
        row = await stream.read()
        assert (row.last_nsu, row.is_blocked, row.is_due) == (30, True, False)
        assert row.other_reader_at is not None
        (stored,) = await stream.rows("stream_gaps")
        assert (stored["first_nsu"], stored["next_nsu"], stored["last_nsu"]) == (1, 30, 30)
        assert (stored["reason"], stored["filled_at"]) == (OTHER_READER, None)

    async def test_later_answer_does_not_end_a_block(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.store(lease, page_answer(block=HOUR))
        await stream.store(lease, page_answer())
        assert (await stream.read()).is_blocked

    async def test_refusal_is_stored_for_the_company_that_asked_alone(self, stream: Stream) -> None:
        refused, other = await stream.follow(), await stream.follow()
        change = page_answer(
            asker_of(refused.id), is_answered=False, is_proof=False, body=None, refusal="593 CNPJ"
        )
        await stream.store(await stream.claimed(), change)
        rows = [await reception_row(stream.database, reception) for reception in (refused, other)]
        assert [row["failure"] for row in rows] == ["593 CNPJ", None]
        assert [row["refused_at"] is not None for row in rows] == [True, False]
        assert [row["refused_fingerprint"] for row in rows] == ["a1", None]
        assert (await stream.read()).last_message is None

    async def test_answer_that_proves_nothing_is_stored_with_its_failure(self, stream: Stream) -> None:
        asker = await stream.follow()
        change = page_answer(asker_of(asker.id), is_proof=False, body=None, failure="429 Muitas consultas")
        await stream.store(await stream.claimed(), change)
        row = await reception_row(stream.database, asker)
        assert (row["proved_fingerprint"], row["failure"]) == (None, "429 Muitas consultas")
        assert (await stream.read()).failure == "429 Muitas consultas"

    async def test_answer_proves_the_certificate_that_asked_alone(self, stream: Stream) -> None:
        asker, other = await stream.follow(), await stream.follow()
        await stream.store(await stream.claimed(), page_answer(asker_of(asker.id)))
        rows = [await reception_row(stream.database, reception) for reception in (asker, other)]
        assert [row["proved_fingerprint"] for row in rows] == ["a1", None]
        assert [row["pages_due"] for row in rows] == [1, 1]

    async def test_worker_whose_lease_was_taken_over_stores_nothing(self, stream: Stream) -> None:
        reception = await stream.follow()
        lease = await stream.claimed()
        await stream.begin(lease)
        await stream.claimed_by_another()
        before = await stream.read(), await reception_row(stream.database, reception)
        gap = NsuGap(1, 30, OTHER_READER)
        with pytest.raises(LeaseLost):
            await stream.store(lease, page_answer(asker_of(reception.id), refusal="593", gap=gap))
        after = await stream.read(), await reception_row(stream.database, reception)
        assert (after[0], after[1] | {"now": None}) == (before[0], before[1] | {"now": None})
        assert await stream.rows("stream_pages") == await stream.rows("stream_gaps") == []

    async def test_answer_after_sixty_days_of_silence_shows_the_lapse(self, stream: Stream) -> None:
        lease = await stream.claimed()
        await stream.change("answered_at = now() - interval '59 days'")
        await stream.store(lease, page_answer())
        assert (await stream.read()).lapsed_until is None
        await stream.change("answered_at = now() - interval '61 days'")
        silent_since = (await stream.read()).answered_at
        await stream.store(lease, page_answer(is_answered=False))
        assert (await stream.read()).lapsed_until is None
        await stream.store(lease, page_answer())
        row = await stream.read()
        assert (row.lapsed_from, row.lapsed_until) == (silent_since, row.answered_at)


class TestRestart:
    """A new sequence of the authority has other documents with the same numbers."""

    async def test_third_answer_that_the_number_is_unknown_closes_the_gaps_and_counts_them(
        self, stream: Stream
    ) -> None:
        other = await open_new_stream(stream.database, "12ABC34501DE35")
        for add_gap in (stream.add_gap, other.add_gap):
            await add_gap(5, 9)
        await stream.add_gap(20, 22)
        await stream.run(
            "update stream_gaps set next_nsu = 7, missing = 1 where stream_id = $1 and first_nsu = 5"
        )
        await stream.add_gap(30, 39)
        await stream.run(
            "update stream_gaps set next_nsu = 35, missing = 10, filled_at = now()"
            " where stream_id = $1 and first_nsu = 30"
        )
        lease, progress, open_gaps = await stream.claimed(), StreamProgress(last_nsu=100, max_nsu=100), []
        for _ in range(3):
            decider = StreamDecider(progress, 0, unknown_nsu_codes=frozenset({"589"}))
            change = decider.decide(Rejected(code="589", message="NSU superior"))
            await stream.store(lease, StoredPage(None, change))
            progress = change.progress
            open_gaps.append({nsu for nsu, gap in (await stream.gaps()).items() if gap["filled_at"] is None})
        assert open_gaps == [{5, 20}, {5, 20}, set()]
        assert {nsu: gap["missing"] for nsu, gap in (await stream.gaps()).items()} == {5: 4, 20: 3, 30: 10}
        row = await stream.read()
        assert (row.last_nsu, row.wrong_numbers, row.parked_reason is None) == (0, 0, False)
        assert [gap["filled_at"] for gap in await other.rows("stream_gaps")] == [None]

    @pytest.mark.parametrize(
        ("is_open", "last_nsu", "expected"),
        [
            (False, 40, (40, 40)),
            (False, 200, (200, 200)),
            (True, 40, (100, 70)),
            (True, 80, (100, 80)),
            (True, 200, (200, 200)),
        ],
    )
    async def test_gap_that_is_made_again_asks_for_its_own_numbers_from_the_start(
        self, stream: Stream, is_open: bool, last_nsu: int, expected: tuple[int, int]
    ) -> None:
        await self._add_old_gap(stream, is_open=is_open)
        lease = await stream.claimed()
        await stream.store(lease, self._gap_answer(last_nsu))
        (gap,) = await stream.rows("stream_gaps")
        assert (gap["last_nsu"], gap["next_nsu"]) == expected
        assert (gap["misses"], gap["tries"], gap["reason"]) == (0, 0, LOST_ANSWER)
        assert (gap["missing"], gap["filled_at"]) == (30, None)
        async with stream.database.stream_steps(lease) as steps:
            assert await steps.next_single() == SingleQuestion(expected[1], None, 1)

    async def test_gap_that_is_made_again_is_as_young_as_its_numbers(self, stream: Stream) -> None:
        await self._add_old_gap(stream, is_open=False)
        await stream.store(await stream.claimed(), self._gap_answer(40))
        async with stream.database.connection() as connection:
            await give_up_gaps(connection, timedelta(days=90))
        (gap,) = await stream.rows("stream_gaps")
        assert (gap["filled_at"], gap["missing"]) == (None, 30)

    async def _add_old_gap(self, stream: Stream, *, is_open: bool) -> None:
        """Adds a gap of the old sequence that was asked for in part."""
        await stream.add_gap(1, 100)
        await stream.run(
            "update stream_gaps set next_nsu = 70, missing = 30, misses = 29, tries = 3,"
            " ask_at = now() + interval '1 day', created_at = now() - interval '91 days',"
            " filled_at = case when $2 then null else now() end where stream_id = $1",
            is_open,
        )

    def _gap_answer(self, last_nsu: int) -> StoredPage:
        gap = NsuGap(1, last_nsu, LOST_ANSWER)
        return page_answer(last_nsu=last_nsu, body=None, block=HOUR, code="656", gap=gap)


class TestDeath:
    async def test_question_of_a_dead_worker_is_seen_by_the_next_one(self, stream: Stream) -> None:
        await stream.begin(await stream.claimed())
        lease = await stream.claimed_by_another()
        assert (await stream.read()).is_asked
        assert not await stream.begin(lease)
        await stream.store(lease, page_answer(last_nsu=0, body=None, unanswered=1, is_answered=False))
        row = await stream.read()
        assert (row.is_asked, row.unanswered, row.answered_at) == (False, 1, None)
