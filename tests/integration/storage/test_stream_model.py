"""The SQL of streams does what the model of the property tests does (tests/unit/service/stream_row.py)."""

import random
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from carimbo.service.receiving.decision import BETWEEN_PAGES, LOST_ANSWER, REST
from carimbo.storage.database import Database
from carimbo.storage.stream_steps import NsuGap, StreamChange, StreamProgress
from carimbo.storage.streams import give_up_gaps, wake_stream
from carimbo.storage.work import Lease
from integration.storage.stream_rows import (
    HOUR,
    MINUTE,
    StoredPage,
    Stream,
    about,
    only_stream,
    open_new_stream,
    single_answer,
)
from unit.service.stream_row import GIVEN_UP_AFTER, ModelGap, ModelStream

DAY = timedelta(days=1)
TURNS = 100
BLOCK = timedelta(minutes=65)
_ANSWERS: dict[str, dict[str, Any]] = {
    "document": {"body": b"4"},
    "none": {"body": None},
    "silence": {"body": None, "is_settled": False, "is_proof": False},
    "block": {"body": None, "is_settled": False, "block": BLOCK},
}
# What the questions of one turn get.
_MOODS = [["none"], ["none"], ["silence"], ["document", "none"], [*_ANSWERS]]
_AGED = {
    "streams": ("ask_at", "blocked_until", "asked_at", "answered_at", "next_action_at", "lease_until"),
    "stream_gaps": ("ask_at", "created_at"),
    "stream_calls": ("at",),
}


@dataclass
class Twins:
    """A stream and its model, to both of which the same happens. The rows move back when time passes."""

    stream: Stream
    rng: random.Random
    model: ModelStream = field(default_factory=ModelStream)
    now: timedelta = timedelta(0)

    async def turn(self) -> None:
        """Does what happens between two turns, and a turn of a worker."""
        await self._wait(self.rng.choice([MINUTE, 20 * MINUTE, 20 * MINUTE, HOUR, 3 * HOUR]))
        await self._disturb()
        token, lease = self.model.claim(self.now), await self.stream.claim()
        assert (token is None) == (lease is None)
        if token is None or lease is None:
            return
        begun = self.model.begin(token, self.now)
        assert await self.stream.begin(lease) == begun
        if begun or self.rng.random() < 0.1:
            await self._store_page(token, lease)
        mood = self.rng.choice(_MOODS)
        for _ in range(self.rng.randint(0, 18)):
            await self._ask_single(token, lease, self.rng.choice(mood))
        pause = self.rng.choice([BETWEEN_PAGES, HOUR])
        self.model.schedule(token, self.now, pause)
        async with self.stream.database.stream_steps(lease) as steps:
            await steps.schedule(pause)
        await self._require_same()

    async def _disturb(self) -> None:
        """Does what others do who do not hold the row."""
        match self.rng.choice(["nothing"] * 9 + ["sync", "sync", "wake", "give up"]):
            case "sync":
                self.model.open(self.now)
                await open_new_stream(self.stream.database)
            case "wake":
                self.model.wake(self.now)
                async with self.stream.database.connection() as connection:
                    await wake_stream(connection, self.stream.id)
            case "give up":
                await self._wait(self.rng.choice([HOUR, 40 * DAY]))
                self.model.give_up_gaps(self.now)
                async with self.stream.database.connection() as connection:
                    await give_up_gaps(connection, GIVEN_UP_AFTER)

    async def _store_page(self, token: int, lease: Lease) -> None:
        last_nsu = self.model.progress.last_nsu
        change: dict[str, Any] = {"pause": self.rng.choice([BETWEEN_PAGES, REST])}
        match self.rng.choice(["page", "gap", "gap", "gap", "gap", "refused", "restart"]):
            case "page":
                last_nsu += 10
                change |= {"body": b"1 2 3", "is_answered": True, "is_proof": True}
            case "gap":
                gap = NsuGap(last_nsu + 1, last_nsu + self.rng.choice([1, 5, 50]), LOST_ANSWER)
                last_nsu = gap.last_nsu
                change |= {"gap": gap, "block": self.rng.choice([None, None, BLOCK]), "is_answered": True}
            case "refused":
                change |= {"failure": "215 Falha"}
            case "restart":
                last_nsu = 0
                change |= {
                    "is_restart": True,
                    "parked_reason": self.rng.choice([None, None, "589 NSU superior"]),
                }
        stored = StreamChange(progress=StreamProgress(last_nsu=last_nsu, max_nsu=last_nsu), **change)
        self.model.store(token, None, stored, self.now)
        await self.stream.store(lease, StoredPage(None, stored))

    async def _ask_single(self, token: int, lease: Lease, kind: str) -> None:
        expected = self.model.next_single(self.now)
        async with self.stream.database.stream_steps(lease) as steps:
            question = await steps.next_single()
        assert (question is None) == (expected is None)
        if expected is None or question is None or question.nsu is None or question.gap_first is None:
            return
        # A number that left its gap may have been the highest of it: then any of the two gaps comes first.
        gap = self.model.gaps[question.gap_first]
        assert (gap.last_nsu, gap.next_nsu) == (expected.last_nsu, question.nsu)
        assert gap.is_open
        assert gap.ask_at <= self.now
        begun = self.model.begin_single(token, gap.first_nsu, self.now)
        assert await self.stream.ask_single(lease, question) == begun
        answer = _ANSWERS[kind]
        self.model.store_single(token, 0, gap.first_nsu, question.nsu, single_answer(**answer), self.now)
        await self.stream.store_single(lease, question, **answer)

    async def _wait(self, time: timedelta) -> None:
        self.now += time
        for table, columns in _AGED.items():
            key = "id" if table == "streams" else "stream_id"
            changes = ", ".join(f"{column} = {column} - $2::interval" for column in columns)
            await self.stream.run(f"update {table} set {changes} where {key} = $1", time)

    async def _require_same(self) -> None:
        rows, now = await self.stream.gaps(), await self.stream.value("now()")
        assert {nsu: _numbers(row) for nsu, row in rows.items()} == {
            nsu: _numbers(vars(gap) | {"filled_at": None if gap.is_open else now})
            for nsu, gap in self.model.gaps.items()
        }
        for nsu, row in rows.items():
            gap: ModelGap = self.model.gaps[nsu]
            if gap.is_open:
                assert about(row["ask_at"] - now, gap.ask_at - self.now)
                assert about(row["created_at"] - now, gap.created_at - self.now)
        due_in, due_at = await self.stream.due_in(), self.model.next_action_at
        assert due_in is None if due_at is None else about(due_in, due_at - self.now)


def _numbers(gap: dict[str, Any]) -> dict[str, Any]:
    names = ("first_nsu", "last_nsu", "next_nsu", "missing", "misses", "tries")
    return {name: gap[name] for name in names} | {"is_open": gap["filled_at"] is None}


@pytest.mark.parametrize("seed", range(6))
async def test_rows_and_model_agree_whatever_happens(rows_database: Database, seed: int) -> None:
    stream = await only_stream(rows_database)
    await stream.follow()
    twins = Twins(stream, random.Random(seed))
    for _ in range(TURNS):
        await twins.turn()
