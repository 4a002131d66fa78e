"""The breaker: which authorities are out of service, since when, and from when on contingency takes over.

Every process sees failures of its own and reads those of the others; what is known is a second old at most.
Only a document that was judged ends an outage, be it heard at once or asked for later: services that answer
questions and judge nothing are out.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime, timedelta

import structlog

from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Cause,
    NotJudged,
    Outcome,
    Throttled,
    Unavailable,
)
from carimbo.service.answer_log import in_log
from carimbo.storage.database import Database
from carimbo.storage.outages import AuthorityPlace, Outage, all_outages, end_outage, see_outage

_log = structlog.get_logger("carimbo.contingency")
_FRESH_SECONDS = 1.0
# Another second's worth of the same failure teaches nothing.
_WRITTEN_EVERY_SECONDS = 1.0
# After so long without a failure seen nobody knows whether the authority is still out.
_FORGOTTEN = timedelta(minutes=10)
# How long a contingency that said that it is closed is left alone.
_CLOSED_FOR = timedelta(minutes=1)
_SILENCE = timedelta(seconds=10)
# A document whose lost answer began a break was judged before it: answers are waited for, and clocks differ.
_JUDGED_BEFORE = timedelta(minutes=1)
# How often within the time before contingency an authority that says that it is back is tried.
_TRIALS = 3
_NO_SERVICE = frozenset({Cause.TIMEOUT, Cause.CONNECTION, Cause.HTTP_STATUS, Cause.HTML, Cause.EMPTY})


class OutageBoard:
    """What is known of the authorities' breaks."""

    def __init__(
        self,
        database: Database,
        contingency_after: timedelta,
        clock: Callable[[], datetime],
        clock_offset: timedelta = timedelta(),
    ) -> None:
        """`clock_offset`: how far the clock is ahead of the database's, which dates outages."""
        self._database = database
        self.after = contingency_after
        self._clock = clock
        self._clock_offset = clock_offset
        self._known: dict[AuthorityPlace, Outage] = {}
        self._read_at = float("-inf")
        self._written_at: dict[AuthorityPlace, float] = {}

    async def outage_of(self, place: AuthorityPlace) -> Outage | None:
        """The break that an authority is in, if it was seen lately."""
        await self._refresh()
        outage = self._known.get(place)
        return outage if outage and self._is_fresh(outage) else None

    async def standing(self) -> list[Outage]:
        """Every break that was seen lately."""
        await self._refresh()
        return [outage for outage in self._known.values() if self._is_fresh(outage)]

    async def contingency_at(self, place: AuthorityPlace) -> datetime | None:
        """From when on contingency takes over from an authority; None while it works."""
        outage = await self.outage_of(place)
        return outage.since + self.after if outage else None

    async def is_failing(self, place: AuthorityPlace) -> bool:
        """Tell whether a failure was seen so lately that its own word of being at work counts for nothing."""
        outage = await self.outage_of(place)
        return outage is not None and self._clock() - outage.seen_at < self.after / _TRIALS

    async def is_closed(self, place: AuthorityPlace) -> bool:
        """Tell whether a contingency authority does not serve, by what was seen a moment ago."""
        outage = await self.outage_of(place)
        if outage is None or self._clock() - outage.seen_at > _CLOSED_FOR:
            return False
        # One answer that was lost says nothing; its own word does, and so does a while without an answer.
        return outage.code is not None or outage.seen_at - outage.since >= _SILENCE

    async def saw(self, place: AuthorityPlace, outcome: Outcome | Available) -> None:
        """Learn of a failure from the answer to a question, or from its lack."""
        if _is_outage(outcome):
            await self._write(place, outcome)

    async def saw_judged(self, place: AuthorityPlace, outcome: Outcome) -> None:
        """Learn from what came of a document that was sent."""
        await self.saw(place, outcome)
        if not isinstance(outcome, NotJudged | Throttled | Unavailable) and self._is_known(place):
            await self._end(place)

    async def saw_found(self, place: AuthorityPlace, outcome: Outcome) -> None:
        """Learn from what became of a document sent before; one of long ago says nothing of today."""
        await self.saw(place, outcome)
        if not isinstance(outcome, Authorized):
            return
        outage = await self.outage_of(place)
        if outage and outcome.authorized_at >= outage.since - _JUDGED_BEFORE:
            await self._end(place)

    def _is_fresh(self, outage: Outage) -> bool:
        return self._clock() - outage.seen_at <= _FORGOTTEN

    def _is_known(self, place: AuthorityPlace) -> bool:
        """Tell whether a break was read or, since then, written."""
        return place in self._known or place in self._written_at

    async def _refresh(self) -> None:
        if time.monotonic() - self._read_at < _FRESH_SECONDS:
            return
        self._read_at = time.monotonic()
        async with self._database.connection() as connection:
            outages = await all_outages(connection)
        self._known = {outage.place: self._by_own_clock(outage) for outage in outages}

    def _by_own_clock(self, outage: Outage) -> Outage:
        offset = self._clock_offset
        return replace(outage, since=outage.since + offset, seen_at=outage.seen_at + offset)

    async def _write(self, place: AuthorityPlace, outcome: Outcome | Available) -> None:
        if time.monotonic() - self._written_at.get(place, float("-inf")) < _WRITTEN_EVERY_SECONDS:
            return
        self._written_at[place] = time.monotonic()
        seen = in_log(outcome)
        if place not in self._known:
            _log.info("authority_fails", **asdict(place), **seen)
        async with self._database.connection() as connection:
            await see_outage(connection, place, seen["code"], seen["told"], _FORGOTTEN)
        self._read_at = float("-inf")

    async def _end(self, place: AuthorityPlace) -> None:
        _log.info("authority_answers", **asdict(place))
        async with self._database.connection() as connection:
            await end_outage(connection, place)
        self._known.pop(place, None)
        self._written_at.pop(place, None)


def _is_outage(outcome: Outcome | Available) -> bool:
    """Tell failures of a service from those of a document, a certificate or our own patience."""
    match outcome:
        case Unavailable():
            return True
        case NotJudged():
            return outcome.cause in _NO_SERVICE
        case _:
            return False
