"""The steps of a stream: asking for a page or for a single document, and storing what came.

Each step is one statement, and does nothing unless the caller still holds the lease by the newest token. All
pauses are counted by the clock of the database: that of a worker may be wrong.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from carimbo.storage.connection import Connection, Row
from carimbo.storage.receptions import Asker
from carimbo.storage.sql import NamedSql
from carimbo.storage.work import WHERE_HELD, Lease, write_held

MAX_TRIES_IN_GAP = 3
"""After so many questions without an answer a number of a gap gets a gap of its own: the others go on."""
MAX_TRIES_BY_KEY = 8
"""After so many questions without an answer, in two days, a document is not asked for by its key any more."""
MAX_MISSES = 30
"""After so many numbers in a row without a document, older ones of a gap are given up: they are not kept."""
MAX_SINGLE_CALLS = 18
"""Questions about single documents in an hour; the authorities allow 20, and others may ask too."""


@dataclass(frozen=True, kw_only=True)
class StreamProgress:
    """How far a stream has come."""

    last_nsu: int = 0
    """From where the next question goes on."""
    max_nsu: int = 0
    """The highest number that the authority named."""
    empty_answers: int = 0
    """Answers without documents in a row."""
    wrong_numbers: int = 0
    """Answers in a row that named an earlier number, or did not know ours."""
    unanswered: int = 0
    """Questions without an answer in a row."""


@dataclass(frozen=True)
class NsuGap:
    """Numbers whose documents did not come with a page."""

    first_nsu: int
    last_nsu: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class StreamChange:
    """What an answer to a question for a page changes."""

    progress: StreamProgress
    pause: timedelta
    """Until the next question for a page."""
    block: timedelta | None = None
    """How long nothing at all may be asked."""
    gap: NsuGap | None = None
    body: bytes | None = None
    """The answer to keep in the journal."""
    has_other_reader: bool = False
    """Whether another program reads the same sequence."""
    is_restart: bool = False
    """Whether the authority numbers documents from the beginning again: open gaps are of the old sequence."""
    is_answered: bool = False
    """Whether the authority has counted the question as one of this CNPJ."""
    is_proof: bool = False
    """Whether the answer proves the certificate: it is of the service itself, about its sequence."""
    failure: str | None = None
    """Why there is no page."""
    refusal: str | None = None
    """Why the authority refuses the company that asked: another one with the same CNPJ may ask."""
    parked_reason: str | None = None
    """Why nothing is asked any more until a person looks at it."""
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class SingleQuestion:
    """A document to ask for: by its NSU, which is in a gap, or by its access key."""

    nsu: int | None
    access_key: str | None
    gap_first: int | None


@dataclass(frozen=True, kw_only=True)
class SingleChange:
    """What an answer to a question about a single document changes."""

    body: bytes | None = None
    is_settled: bool = False
    """Whether the document need not be asked for again."""
    block: timedelta | None = None
    is_proof: bool = False
    refusal: str | None = None
    code: str | None = None
    message: str | None = None


# A statement that waits for the row of the stream still reads other tables as they were before. So the row is
# locked by a statement of its own, where others change those tables.
_LOCK = "select id from streams where subscription_id = $1 and id = $2 for update"
# The question counts from now on: a worker that dies has perhaps asked, and the next one waits. The pause is
# that of an answer without documents.
_BEGIN = NamedSql(f"""
    with held as (
        select id, not is_asked and greatest(ask_at, coalesce(blocked_until, ask_at)) <= now() as is_due
        from streams {WHERE_HELD} for update
    ), begun as (
        update streams s set is_asked = true, asked_at = now(), ask_at = now() + :pause::interval
        from held where s.subscription_id = $1 and s.id = held.id and held.is_due
    ), asker as (
        update receptions r set asked_at = now(), asked_fingerprint = :fingerprint
        from held where r.stream_id = held.id and r.id = :reception_id and held.is_due
    )
    select is_due as is_begun from held
""")
_JOURNAL = """page as (
        insert into stream_pages (stream_id, ordinal, question, body)
        select id, pages, :question, :body from held where :body::bytea is not null
    ), woken as (
        update receptions r set
            pages_due = case when :body::bytea is null then r.pages_due else held.pages end,
            next_action_at = case when r.parked_reason is null then now() end,
            proved_fingerprint = case when r.id = :asker_id and :is_proof then :fingerprint
                else r.proved_fingerprint end,
            refused_fingerprint = case when r.id = :asker_id and :refusal::text is not null then :fingerprint
                else r.refused_fingerprint end,
            refused_at = case when r.id = :asker_id and :refusal::text is not null then now()
                else r.refused_at end,
            failure = case when r.id <> :asker_id then r.failure when :is_proof then null
                else coalesce(:refusal, :failure, r.failure) end
        from held where r.stream_id = held.id and r.is_active
            and (:body::bytea is not null or r.id = :asker_id)
    )"""
_STORE_PAGE = NamedSql(
    f"""
    with held as (
        update streams set last_nsu = :last_nsu, max_nsu = :max_nsu, empty_answers = :empty_answers,
            wrong_numbers = :wrong_numbers, unanswered = :unanswered, is_asked = false,
            pages = pages + case when :body::bytea is null then 0 else 1 end,
            ask_at = now() + :pause::interval,
            blocked_until = coalesce(now() + :block::interval, blocked_until),
            last_code = case when :refusal::text is null then :code else last_code end,
            last_message = case when :refusal::text is null then :message else last_message end,
            failure = case when :refusal::text is null then :failure else failure end,
            other_reader_at = case when :has_other_reader then now() else other_reader_at end,
            lapsed_from = case when {{lapsed}} then answered_at else lapsed_from end,
            lapsed_until = case when {{lapsed}} then now() else lapsed_until end,
            answered_at = case when :is_answered then now() else answered_at end,
            parked_reason = :parked_reason
        {WHERE_HELD} returning id, pages
    ), {_JOURNAL}, closed as (
        update stream_gaps g set filled_at = now(), missing = g.missing + g.next_nsu - g.first_nsu + 1
        from held where :is_restart and g.stream_id = held.id and g.filled_at is null
    ), gap as (
        insert into stream_gaps as g (stream_id, first_nsu, last_nsu, next_nsu, reason)
        select id, :gap_first, :gap_last, :gap_last, :gap_reason from held
        where :gap_first::bigint is not null
        on conflict (stream_id, first_nsu) do update set
            last_nsu = case when g.filled_at is null then greatest(g.last_nsu, excluded.last_nsu)
                else excluded.last_nsu end,
            next_nsu = case when g.filled_at is null then greatest(g.next_nsu, excluded.next_nsu)
                else excluded.next_nsu end,
            reason = excluded.reason, created_at = now(), misses = 0, tries = 0, ask_at = now(),
            filled_at = null
    )
    select id from held
""".replace("{lapsed}", ":is_answered and answered_at < now() - :lapse::interval")
)
# A third of the questions is for gaps: their documents are there for 90 days only.
_NEXT_SINGLE = """
    select nsu, access_key, gap_first from (
        (
            select null::bigint as nsu, access_key, null::bigint as gap_first, false as is_in_gap
            from stream_requests where stream_id = $1 and answered_at is null and ask_at <= now()
            order by created_at limit 1
        )
        union all
        (
            select next_nsu, null, first_nsu, true
            from stream_gaps where stream_id = $1 and filled_at is null and ask_at <= now()
            order by last_nsu desc limit 1
        )
    ) as singles
    order by is_in_gap = (
        select count(*) % 3 = 2 from stream_calls where stream_id = $1 and at > now() - interval '1 hour'
    ) desc limit 1
"""
# A question without an answer is repeated later and later, and others are asked meanwhile.
_ASK_LATER = """tries = tries + 1,
            ask_at = now() + least(interval '15 minutes' * power(2, least(tries, 10)), interval '1 day')"""
_BEGIN_SINGLE = NamedSql(f"""
    with held as (
        select id, coalesce(blocked_until <= now(), true) and (
            select count(*) from stream_calls c
            where c.stream_id = streams.id and c.at > now() - interval '1 hour'
        ) < :most as is_allowed
        from streams {WHERE_HELD} for update
    ), forgotten as (
        delete from stream_calls using held where stream_id = held.id and at < now() - interval '1 day'
    ), call as (
        insert into stream_calls (stream_id) select id from held where is_allowed returning stream_id
    ), gap as (
        update stream_gaps g set {_ASK_LATER}
        from call where g.stream_id = call.stream_id and g.first_nsu = :gap_first
    ), request as (
        update stream_requests q set {_ASK_LATER}
        from call where q.stream_id = call.stream_id and q.access_key = :access_key
    )
    select is_allowed as is_begun from held
""")
_STORE_SINGLE = NamedSql(f"""
    with held as (
        update streams set pages = pages + case when :body::bytea is null then 0 else 1 end,
            blocked_until = coalesce(now() + :block::interval, blocked_until)
        {WHERE_HELD} returning id, pages
    ), {_JOURNAL}, gap as (
        update stream_gaps g set next_nsu = :nsu::bigint - 1, tries = 0, ask_at = now(),
            missing = g.missing + case when :body::bytea is not null then 0
                when g.misses + 1 >= {MAX_MISSES} then :nsu::bigint - g.first_nsu + 1 else 1 end,
            misses = case when :body::bytea is null then g.misses + 1 else 0 end,
            filled_at = case when :nsu::bigint <= g.first_nsu
                or (:body::bytea is null and g.misses + 1 >= {MAX_MISSES}) then now() end
        from held
        where g.stream_id = held.id and g.first_nsu = :gap_first and g.filled_at is null and :is_settled
    ), stuck as (
        select g.* from held join stream_gaps g on g.stream_id = held.id and g.first_nsu = :gap_first
            and g.filled_at is null
        where not :is_settled and g.tries >= {MAX_TRIES_IN_GAP} and g.first_nsu < :nsu::bigint
    ), passed as (
        update stream_gaps g set next_nsu = :nsu::bigint - 1, tries = 0, ask_at = now()
        from stuck where g.stream_id = stuck.stream_id and g.first_nsu = stuck.first_nsu
    ), own_gap as (
        insert into stream_gaps as g
            (stream_id, first_nsu, last_nsu, next_nsu, reason, created_at, tries, ask_at)
        select stream_id, :nsu, :nsu, :nsu, reason, created_at, tries, ask_at from stuck
        on conflict (stream_id, first_nsu) do update
        set last_nsu = excluded.last_nsu, next_nsu = excluded.next_nsu, reason = excluded.reason,
            created_at = excluded.created_at, misses = 0, tries = excluded.tries, ask_at = excluded.ask_at,
            filled_at = null
    ), request as (
        update stream_requests q set answered_at = now(), code = :code, message = :message
        from held where q.stream_id = held.id and q.access_key = :access_key
            and (:is_settled or q.tries >= {MAX_TRIES_BY_KEY})
    )
    select id from held
""")
_NEXT_OF_SINGLES = """(
                select min(ask_at) from (
                    select ask_at from stream_gaps where stream_id = $2 and filled_at is null
                    union all
                    select ask_at from stream_requests where stream_id = $2 and answered_at is null
                ) as singles
            )"""
# When a single question is allowed again: after the oldest of the last 18 is an hour old. A stream that a
# company follows never sleeps: one that the authority refused may ask again after a day.
_SCHEDULE = NamedSql(f"""
    update streams set lease_until = null, attempts = 0, next_action_at = case
        when parked_reason is not null then null
        when :is_idle and not exists (select from receptions where stream_id = $2 and is_active) then null
        else greatest(now() + :pause::interval, blocked_until, least(ask_at, case
            when {_NEXT_OF_SINGLES} is not null then greatest(
                {_NEXT_OF_SINGLES},
                (select at + interval '1 hour' from stream_calls
                 where stream_id = $2 and at > now() - interval '1 hour'
                 order by at desc offset :most - 1 limit 1)
            ) end)) end
    {WHERE_HELD} returning next_action_at
""")


class StreamSteps:
    """The steps of one stream, for the holder of its lease. All raise LeaseLost."""

    def __init__(self, connection: Connection, lease: Lease) -> None:
        self._connection = connection
        self._lease = lease

    async def begin_question(self, asker: Asker, pause: timedelta) -> bool:
        """Stores that a page is asked for now; returns False if it is not due."""
        values = {"reception_id": asker.reception_id, "fingerprint": asker.fingerprint, "pause": pause}
        return bool((await self._write(_BEGIN, values))["is_begun"])

    async def store_answer(
        self, after_nsu: int, asker: Asker | None, change: StreamChange, lapse: timedelta
    ) -> None:
        """Stores an answer in the journal and everything that follows from it.

        `asker` is None if the worker that asked is gone.
        """
        gap = change.gap
        values = {
            **vars(change),
            **vars(change.progress),
            **_asker_values(asker),
            "gap_first": gap and gap.first_nsu,
            "gap_last": gap and gap.last_nsu,
            "gap_reason": gap and gap.reason,
            "question": f"after:{after_nsu}",
            "lapse": lapse,
        }
        await self._write_locked(_STORE_PAGE, values)

    async def next_single(self) -> SingleQuestion | None:
        """Returns the single document that is asked for next, of a request or of a gap."""
        row = await self._connection.fetchrow(_NEXT_SINGLE, self._lease.key.id)
        return row and SingleQuestion(**row)

    async def begin_single(self, question: SingleQuestion) -> bool:
        """Counts a question about a single document; returns False if the limits allow none now."""
        values = {**vars(question), "most": MAX_SINGLE_CALLS}
        return bool((await self._write(_BEGIN_SINGLE, values))["is_begun"])

    async def store_single(self, question: SingleQuestion, asker: Asker, change: SingleChange) -> None:
        """Stores the answer to a question about a single document."""
        is_by_nsu = question.nsu is not None
        values = {
            **vars(question),
            **vars(change),
            **_asker_values(asker),
            "failure": None,
            "question": f"nsu:{question.nsu}" if is_by_nsu else f"key:{question.access_key}",
        }
        await self._write_locked(_STORE_SINGLE, values)

    async def schedule(self, pause: timedelta, *, is_idle: bool = False) -> None:
        """Releases the stream until something may be asked; one that nobody follows until it is woken."""
        values = {"pause": pause, "is_idle": is_idle, "most": MAX_SINGLE_CALLS}
        await self._write_locked(_SCHEDULE, values)

    async def _write_locked(self, statement: NamedSql, values: dict[str, Any]) -> None:
        async with self._connection.transaction():
            key = self._lease.key
            await self._connection.execute(_LOCK, key.subscription_id, key.id)
            await self._write(statement, values)

    async def _write(self, statement: NamedSql, values: dict[str, Any]) -> Row:
        return await write_held(self._connection, self._lease, statement.text, *statement.arguments(values))


def _asker_values(asker: Asker | None) -> dict[str, Any]:
    return {"asker_id": asker and asker.reception_id, "fingerprint": asker and asker.fingerprint}
