"""The steps of a document's way, each one statement: what must be written together can't be written apart.

Every statement begins with the document's row, and does nothing unless the caller still holds it by the
newest token of its lease.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.fiscal.lifecycle import EmissionState, Happening, Status
from carimbo.storage.connection import Connection, Row
from carimbo.storage.document_events import NewEvent, event_columns, events_told
from carimbo.storage.emissions import COLUMNS, Emission, LastAnswer, Place
from carimbo.storage.identifiers import new_id
from carimbo.storage.jobs import job_added
from carimbo.storage.work import HELD, Lease, WorkKind, write_held

_KEY = "subscription_id, company_id, id"
_ATTEMPT = "emissions.subscription_id = $1 and emissions.document_id = $2 and emissions.ordinal = $4"


def _state_written(held: str) -> str:
    return f"""
        with held as ({held}), attempt as (
            update emissions set state = $5, tries = $6, receipt = $7, access_key = coalesce($8, access_key),
                unknown_at = coalesce($9, unknown_at),
                attempts = attempts + case when $17::text is null then 0 else 1 end,
                answer_code = coalesce($17, answer_code), answer_message = coalesce($18, answer_message),
                answered_at = case when $17::text is null then answered_at else now() end
            from held where {_ATTEMPT}
        ), told as ({events_told("held", 10)})
        select id from held
    """


_HELD_DOCUMENT = f"select {_KEY} from documents {HELD} for no key update"
_TAKE_NUMBER = f"""
    with held as (
        update documents set emission = $4 {HELD} returning {_KEY}
    ), taken as (
        insert into number_sequences as n
            (subscription_id, company_id, document_type, environment, series, next_number)
        select $1, $5, $6, $7, $8, 2 from held
        on conflict (subscription_id, company_id, document_type, environment, series)
        do update set next_number = case when n.next_number <= $19 then n.next_number + 1 end
        returning next_number - 1 as number
    ), told as ({events_told("held", 12)}), left_behind as (
        insert into strays (subscription_id, id, company_id, document_id, emission, tries)
        select $1, $22, $5, $2, e.ordinal, e.tries
        from taken, emissions e
        where $22::uuid is not null and e.subscription_id = $1 and e.document_id = $2 and e.ordinal = $4 - 1
        returning *
    ), woken as ({job_added(WorkKind.STRAY, "left_behind")})
    insert into emissions (subscription_id, document_id, ordinal, company_id, document_type,
        environment, series, number, numeric_code, emission_type, contingency_started_at,
        contingency_reason, state)
    select $1, $2, $4, $5, $6, $7, $8, number,
        case when $9 = right(lpad(number::text, 9, '0'), 8) then $10 else $9 end, $11, $20, $21, 'numbered'
    from taken returning {", ".join(COLUMNS)}
"""
_REDIRECT = f"""
    with held as ({_HELD_DOCUMENT}), attempt as (
        update emissions set emission_type = $5, contingency_started_at = $6, contingency_reason = $7,
            state = 'numbered', access_key = null, digest = null, receipt = null, tries = 0
        from held where {_ATTEMPT}
    ), told as ({events_told("held", 8)})
    select id from held
"""
_KEEP_SIGNED = f"""
    with held as ({_HELD_DOCUMENT}), kept as (
        insert into archive (subscription_id, owner_id, name, content) select $1, id, $5, $6 from held
        on conflict (subscription_id, owner_id, name) do update set content = excluded.content
    ), attempt as (
        update emissions set issued_at = $7, access_key = $8, digest = $9, state = $10, receipt = null
        from held where {_ATTEMPT}
    ), told as ({events_told("held", 11)})
    select id from held
"""
_WRITE_STATE = _state_written(_HELD_DOCUMENT)
_PAUSE = _state_written(
    "update documents set next_action_at = now() + $19::interval, lease_until = null, attempts = 0, turn = 0"
    f" {HELD} returning {_KEY}"
)
# What is replaced may be known as canceled already: who asked to cancel it was told of the replacement first.
_CONCLUDE = f"""
    with held as (
        update documents set status = $5, rejection = $6, allowance_period = null, updated_at = now(),
            facts = facts || $29::jsonb, next_action_at = null, lease_until = null, attempts = 0
        {HELD} returning {_KEY}
    ), kept as (
        insert into archive (subscription_id, owner_id, name, content)
        select $1, id, file.name, file.content
        from held, unnest($11::text[], $12::bytea[]) as file (name, content)
        on conflict (subscription_id, owner_id, name) do update set content = excluded.content
    ), attempt as (
        update emissions set state = $7, digest = coalesce($8, digest), protocol = $9, authorized_at = $10,
            tries = 0, issued_at = coalesce($23, issued_at), assigned_number = $24, assigned_key = $25,
            total_due = $28
        from held where {_ATTEMPT} and $7::text is not null
    ), plan as (
        insert into allowances as a (subscription_id, period, used)
        select $1, $13, $14 from held where $13::text is not null
        on conflict (subscription_id, period)
        do update set used = a.used + $14, reserved = a.reserved - $15
    ), replaced as (
        update documents set status = '{Status.CANCELED}', replaced_by = $2, updated_at = now()
        from held
        where documents.subscription_id = $1 and documents.id = $26
            and documents.status in ('{Status.AUTHORIZED}', '{Status.CANCELED}')
        returning documents.*
    ), taken_back as (
        update emissions set state = '{EmissionState.CANCELED}' from replaced
        where emissions.subscription_id = $1 and emissions.document_id = replaced.id
            and emissions.ordinal = replaced.emission
    ), told_of_it as (
        insert into document_events (subscription_id, document_id, company_id, id, type, status)
        select $1, id, company_id, $27, '{Happening.SUBSTITUTION}', status from replaced
    ), told as ({events_told("held", 16)})
    select id from held
"""


@dataclass(frozen=True)
class EmissionWay:
    """How an attempt goes to the authority (tpEmis), and since when and why that is not the normal way."""

    emission_type: str
    contingency_started_at: datetime | None = None
    contingency_reason: str | None = None


@dataclass(frozen=True)
class NumericCodes:
    """The code that a document's key gets, and another should the first be that of its number (rule 897)."""

    first: str
    second: str


@dataclass(frozen=True, kw_only=True)
class Signed:
    """What signing makes known of an attempt, and the bytes themselves."""

    issued_at: datetime
    access_key: str
    digest: str
    file_name: str
    xml: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What an authority, or we ourselves, decided about a document."""

    status: str
    rejection: dict[str, Any] | None = None
    emission_state: str | None = None
    """None when no attempt is decided: it never left the house."""
    digest: str | None = None
    """The signed version that was decided about, where it is not the newest."""
    issued_at: datetime | None = None
    """When that version was issued."""
    protocol: str | None = None
    authorized_at: datetime | None = None
    assigned_number: int | None = None
    """What the authority numbered it by, where that is its affair."""
    assigned_key: str | None = None
    total_due: Decimal | None = None
    """What the receiver pays, where taxes are added to the amount."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Facts from an event of another sender, by the names of our JSON."""
    replaces: UUID | None = None
    """The document that is canceled as this one takes its place."""
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Settlement:
    """What a verdict does to the plan: documents used more, and places kept less, in a period."""

    period: str | None = None
    used: int = 0
    released: int = 0


class SeriesExhausted(Exception):
    """Every number of a series is taken."""


@contextmanager
def _end_told() -> Iterator[None]:
    """Tell the end of a series: after its last number there is none, and the statement fails as a whole."""
    try:
        yield
    except asyncpg.NotNullViolationError as error:
        if error.column_name == "next_number":
            raise SeriesExhausted from error
        raise


class IssuingSteps:
    """Steps of one document, for whoever holds its lease."""

    def __init__(self, connection: Connection, lease: Lease) -> None:
        self._connection = connection
        self._lease = lease

    async def take_number(
        self,
        place: Place,
        ordinal: int,
        codes: NumericCodes,
        way: EmissionWay,
        events: Sequence[NewEvent],
        *,
        leaves_stray: bool = False,
    ) -> Emission:
        """Take the next number of a series for an attempt; a number that is taken fails on its index.

        The attempt before it is left behind as a stray if nobody knows what became of it.
        """
        with _end_told():
            row = await self._write(
                _TAKE_NUMBER,
                ordinal, place.company_id, place.document_type, place.environment, place.series,
                codes.first, codes.second, way.emission_type, *event_columns(events), place.last_number,
                way.contingency_started_at, way.contingency_reason, new_id() if leaves_stray else None,
            )  # fmt: skip
        return Emission(**row)

    async def redirect(self, ordinal: int, way: EmissionWay, events: Sequence[NewEvent]) -> None:
        """Let an attempt that no authority has go another way, under the number that it has."""
        await self._write(
            _REDIRECT,
            ordinal, way.emission_type, way.contingency_started_at, way.contingency_reason,
            *event_columns(events),
        )  # fmt: skip

    async def keep_signed(self, ordinal: int, signed: Signed, state: str, events: Sequence[NewEvent]) -> None:
        """Keep the signed bytes, and whether they may be at the authority from now on."""
        await self._write(
            _KEEP_SIGNED,
            ordinal, signed.file_name, signed.xml, signed.issued_at, signed.access_key,
            signed.digest, state, *event_columns(events),
        )  # fmt: skip

    async def write_state(
        self,
        ordinal: int,
        state: str,
        *,
        tries: int,
        receipt: str | None = None,
        access_key: str | None = None,
        unknown_at: datetime | None = None,
        answer: LastAnswer | None = None,
        pause: timedelta | None = None,
        events: Sequence[NewEvent] = (),
    ) -> None:
        """Write how far an attempt came. With a pause the lease is released.

        With an answer, the attempt counts as one more try.
        """
        await self._write(
            _PAUSE if pause else _WRITE_STATE,
            ordinal, state, tries, receipt, access_key, unknown_at, *event_columns(events),
            answer and answer.code, answer and answer.message, *([pause] if pause else []),
        )  # fmt: skip

    async def conclude(
        self, ordinal: int, verdict: Verdict, settlement: Settlement, events: Sequence[NewEvent]
    ) -> None:
        """Write a verdict with everything that follows from it, and that there is no more to do."""
        await self._write(
            _CONCLUDE,
            ordinal, verdict.status, verdict.rejection, verdict.emission_state, verdict.digest,
            verdict.protocol, verdict.authorized_at, list(verdict.files), list(verdict.files.values()),
            settlement.period, settlement.used, settlement.released, *event_columns(events),
            verdict.issued_at, verdict.assigned_number, verdict.assigned_key, verdict.replaces, new_id(),
            verdict.total_due, dict(verdict.facts),
        )  # fmt: skip

    async def _write(self, statement: str, *arguments: object) -> Row:
        return await write_held(self._connection, self._lease, statement, *arguments)
