"""Outages of the authorities: since when they last, and when contingency begins (a circuit breaker).

Every process records the failures that it sees and reads those of the others at most a second later. An
outage ends only when the authority has judged a document, whether the answer came at once or by a later
query. A service that answers queries but judges no document is still out.
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
from carimbo.service.authority_answers import log_fields
from carimbo.storage.database import Database
from carimbo.storage.outages import AuthorityService, OutageRow, all_outages, end_outage, record_outage

_log = structlog.get_logger("carimbo.contingency")
_FRESH_SECONDS = 1.0
# More failures within the same second add nothing.
_WRITTEN_EVERY_SECONDS = 1.0
# After this time without a failure it is unknown whether the outage lasts.
_FORGOTTEN = timedelta(minutes=10)
# After a contingency authority says that it is closed, it is not tried again for this time.
_CLOSED_FOR = timedelta(minutes=1)
_SILENCE = timedelta(seconds=10)
# An outage may begin with a lost answer. That document was judged a little before the outage: we waited for
# its answer, and clocks differ. Its authorization ends the outage too.
_JUDGED_BEFORE = timedelta(minutes=1)
# An authority may say that it is in operation and still fail. It is tried this often before contingency.
_TRIALS = 3
_NO_SERVICE = frozenset({Cause.TIMEOUT, Cause.CONNECTION, Cause.HTTP_STATUS, Cause.HTML, Cause.EMPTY})


class OutageBoard:
    """The current outages of the authorities."""

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
        self._outages: dict[AuthorityService, OutageRow] = {}
        self._read_at = float("-inf")
        self._written_at: dict[AuthorityService, float] = {}

    async def outage_of(self, service: AuthorityService) -> OutageRow | None:
        """Returns the outage of an authority, if a failure was seen recently."""
        await self._refresh()
        outage = self._outages.get(service)
        return outage if outage and self._is_fresh(outage) else None

    async def current_outages(self) -> list[OutageRow]:
        """Returns all outages with a recent failure."""
        await self._refresh()
        return [outage for outage in self._outages.values() if self._is_fresh(outage)]

    async def last_outages(self) -> list[OutageRow]:
        """Returns all outages without a success since, also those whose last failure is long ago."""
        await self._refresh()
        return list(self._outages.values())

    async def contingency_at(self, service: AuthorityService) -> datetime | None:
        """Returns when contingency replaces an authority; None while the authority works."""
        outage = await self.outage_of(service)
        return outage.since + self.after if outage else None

    async def is_failing(self, service: AuthorityService) -> bool:
        """Returns whether the authority failed so recently that we do not trust its status "in operation"."""
        outage = await self.outage_of(service)
        return outage is not None and self._clock() - outage.seen_at < self.after / _TRIALS

    async def is_closed(self, service: AuthorityService) -> bool:
        """Returns whether a contingency authority was closed or silent within the last minute."""
        outage = await self.outage_of(service)
        if outage is None or self._clock() - outage.seen_at > _CLOSED_FOR:
            return False
        # A single lost answer proves nothing. It is closed if it says so, or if it is silent for seconds.
        return outage.code is not None or outage.seen_at - outage.since >= _SILENCE

    async def record_answer(self, service: AuthorityService, outcome: Outcome | Available) -> None:
        """Records an outage if the answer to a query, or its absence, is a failure of the service."""
        if _is_outage(outcome):
            await self._write(service, outcome)

    async def record_sent_outcome(self, service: AuthorityService, outcome: Outcome) -> None:
        """Records the outcome of sending a document; any judgement ends an outage."""
        await self.record_answer(service, outcome)
        is_judged = not isinstance(outcome, NotJudged | Throttled | Unavailable)
        # There is an outage: we read it, or recorded it after the last read.
        if is_judged and (service in self._outages or service in self._written_at):
            await self._end(service)

    async def record_consulted_outcome(self, service: AuthorityService, outcome: Outcome) -> None:
        """Records the outcome of a query about a sent document; a recent authorization ends an outage."""
        await self.record_answer(service, outcome)
        if not isinstance(outcome, Authorized):
            return
        outage = await self.outage_of(service)
        if outage and outcome.authorized_at >= outage.since - _JUDGED_BEFORE:
            await self._end(service)

    def _is_fresh(self, outage: OutageRow) -> bool:
        return self._clock() - outage.seen_at <= _FORGOTTEN

    async def _refresh(self) -> None:
        if time.monotonic() - self._read_at < _FRESH_SECONDS:
            return
        self._read_at = time.monotonic()
        async with self._database.connection() as connection:
            outages = await all_outages(connection)
        # Converts from the database's clock to ours.
        offset = self._clock_offset
        self._outages = {
            outage.service: replace(outage, since=outage.since + offset, seen_at=outage.seen_at + offset)
            for outage in outages
        }

    async def _write(self, service: AuthorityService, outcome: Outcome | Available) -> None:
        if time.monotonic() - self._written_at.get(service, float("-inf")) < _WRITTEN_EVERY_SECONDS:
            return
        self._written_at[service] = time.monotonic()
        answer = log_fields(outcome)
        if service not in self._outages:
            _log.info("authority_fails", **asdict(service), **answer)
        async with self._database.connection() as connection:
            await record_outage(connection, service, answer["code"], answer["told"], _FORGOTTEN)
        self._read_at = float("-inf")

    async def _end(self, service: AuthorityService) -> None:
        _log.info("authority_answers", **asdict(service))
        async with self._database.connection() as connection:
            await end_outage(connection, service)
        self._outages.pop(service, None)
        self._written_at.pop(service, None)


def _is_outage(outcome: Outcome | Available) -> bool:
    """Returns whether an outcome is a failure of the service, not of a document or a certificate."""
    match outcome:
        case Unavailable():
            return True
        case NotJudged():
            return outcome.cause in _NO_SERVICE
        case _:
            return False
