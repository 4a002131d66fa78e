"""The steps of issuing a document.

Each step is one statement, so that what belongs together is stored together or not at all. Every statement
begins with the document's row, and does nothing unless the caller still holds its lease by the newest token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.fiscal.lifecycle import REPLACED_AT, EmissionState, HistoryEntry, Status
from carimbo.storage.connection import Connection, Row
from carimbo.storage.document_events import NewEvent, event_arrays, insert_events_sql
from carimbo.storage.emissions import COLUMNS, EmissionRow, LastAnswer, NumberSeries
from carimbo.storage.identifiers import new_id
from carimbo.storage.sql import NamedSql
from carimbo.storage.work import WHERE_HELD, Lease, write_held

_KEY = "subscription_id, company_id, id"
_ATTEMPT = "emissions.subscription_id = $1 and emissions.document_id = $2 and emissions.ordinal = :ordinal"
_HELD_DOCUMENT = f"select {_KEY} from documents {WHERE_HELD} for no key update"


def _write_state_sql(held: str) -> NamedSql:
    return NamedSql(f"""
        with held as ({held}), attempt as (
            update emissions set state = :state, tries = :tries, receipt = :receipt,
                access_key = coalesce(:access_key, access_key),
                unknown_at = coalesce(:unknown_at, unknown_at),
                attempts = attempts + case when :answer_code::text is null then 0 else 1 end,
                answer_code = coalesce(:answer_code, answer_code),
                answer_message = coalesce(:answer_message, answer_message),
                answered_at = case when :answer_code::text is null then answered_at else now() end
            from held where {_ATTEMPT}
        ), history as ({insert_events_sql("held")})
        select id from held
    """)


_WRITE_STATE = _write_state_sql(_HELD_DOCUMENT)
_PAUSE = _write_state_sql(
    "update documents set next_action_at = now() + :pause::interval, lease_until = null, attempts = 0,"
    f" turn = 0 {WHERE_HELD} returning {_KEY}"
)
# After the last number of a series `next_number` becomes null, which its column refuses: see SeriesExhausted.
_TAKE_NUMBER = NamedSql(f"""
    with held as (
        update documents set emission = :ordinal {WHERE_HELD} returning {_KEY}
    ), taken as (
        insert into number_sequences as n
            (subscription_id, company_id, document_type, environment, series, next_number)
        select $1, :company_id, :document_type, :environment, :series, 2 from held
        on conflict (subscription_id, company_id, document_type, environment, series)
        do update set next_number = case when n.next_number <= :last_number then n.next_number + 1 end
        returning next_number - 1 as number
    ), history as ({insert_events_sql("held")}), superseded as (
        insert into strays (subscription_id, id, company_id, document_id, emission, tries)
        select $1, :superseded_id, :company_id, $2, e.ordinal, e.tries
        from taken, emissions e
        where :superseded_id::uuid is not null and e.subscription_id = $1 and e.document_id = $2
            and e.ordinal = :ordinal - 1
    )
    insert into emissions (subscription_id, document_id, ordinal, company_id, document_type,
        environment, series, number, numeric_code, emission_type, contingency_started_at,
        contingency_reason, state)
    select $1, $2, :ordinal, :company_id, :document_type, :environment, :series, number,
        case when :first_code = right(lpad(number::text, 9, '0'), 8) then :second_code else :first_code end,
        :emission_type, :contingency_started_at, :contingency_reason, 'numbered'
    from taken returning {", ".join(COLUMNS)}
""")
_REDIRECT = NamedSql(f"""
    with held as ({_HELD_DOCUMENT}), attempt as (
        update emissions set emission_type = :emission_type,
            contingency_started_at = :contingency_started_at, contingency_reason = :contingency_reason,
            state = 'numbered', access_key = null, digest = null, receipt = null, tries = 0
        from held where {_ATTEMPT}
    ), history as ({insert_events_sql("held")})
    select id from held
""")
_KEEP_SIGNED = NamedSql(f"""
    with held as ({_HELD_DOCUMENT}), file as (
        insert into archive (subscription_id, owner_id, name, content)
        select $1, id, :file_name, :xml from held
        on conflict (subscription_id, owner_id, name) do update set content = excluded.content
    ), attempt as (
        update emissions set issued_at = :issued_at, access_key = :access_key, digest = :digest,
            state = :state, receipt = null
        from held where {_ATTEMPT}
    ), history as ({insert_events_sql("held")})
    select id from held
""")
# The replaced document may be canceled already, if a caller asked to cancel it and the authority answered
# that it is replaced.
_REPLACE = f"""
    , replaced as (
        update documents set status = '{Status.CANCELED}', replaced_by = $2, updated_at = now()
        from held
        where documents.subscription_id = $1 and documents.id = :replaces
            and documents.status in ('{Status.AUTHORIZED}', '{Status.CANCELED}')
        returning documents.*
    ), replaced_attempt as (
        update emissions set state = '{EmissionState.CANCELED}' from replaced
        where emissions.subscription_id = $1 and emissions.document_id = replaced.id
            and emissions.ordinal = replaced.emission
    ), replaced_history as (
        insert into document_events (subscription_id, document_id, company_id, id, type, status)
        select $1, id, company_id, :replacement_event_id, '{HistoryEntry.SUBSTITUTION}', status from replaced
    )
"""
# A document that is replaced by its key stays authorized.
_REPLACE_BY_KEY = f"""
    , replaced as (
        update documents set replaced_by = $2, updated_at = now(),
            facts = documents.facts || jsonb_build_object('{REPLACED_AT}', coalesce(:authorized_at, now()))
        from held, emissions
        where documents.subscription_id = $1 and documents.status = '{Status.AUTHORIZED}'
            and emissions.subscription_id = $1 and emissions.company_id = held.company_id
            and emissions.access_key = :replaces_key and emissions.environment = documents.environment
            and documents.id = emissions.document_id and documents.emission = emissions.ordinal
        returning documents.*
    ), replaced_history as (
        insert into document_events (subscription_id, document_id, company_id, id, type, status)
        select $1, id, company_id, :replacement_event_id, '{HistoryEntry.SUBSTITUTION}', status from replaced
    )
"""


def _conclude_sql(replacing: str = "") -> NamedSql:
    return NamedSql(f"""
        with held as (
            update documents set status = :status, rejection = :rejection, allowance_period = null,
                updated_at = now(), facts = facts || :facts::jsonb, next_action_at = null,
                lease_until = null, attempts = 0
            {WHERE_HELD} returning {_KEY}
        ), files as (
            insert into archive (subscription_id, owner_id, name, content)
            select $1, id, file.name, file.content
            from held, unnest(:file_names::text[], :file_contents::bytea[]) as file (name, content)
            on conflict (subscription_id, owner_id, name) do update set content = excluded.content
        ), attempt as (
            update emissions set state = :emission_state, digest = coalesce(:digest, digest),
                protocol = :protocol, authorized_at = :authorized_at, tries = 0,
                issued_at = coalesce(:issued_at, issued_at), assigned_number = :assigned_number,
                assigned_key = :assigned_key, total_due = :total_due
            from held where {_ATTEMPT} and :emission_state::text is not null
        ), allowance as (
            insert into allowances as a (subscription_id, period, used)
            select $1, :period, :used from held where :period::text is not null
            on conflict (subscription_id, period)
            do update set used = a.used + :used, reserved = a.reserved - :released
        ){replacing}, history as ({insert_events_sql("held")})
        select id from held
    """)


_CONCLUDE = _conclude_sql()
_CONCLUDE_AND_REPLACE = _conclude_sql(_REPLACE)
_CONCLUDE_AND_REPLACE_BY_KEY = _conclude_sql(_REPLACE_BY_KEY)


@dataclass(frozen=True)
class EmissionRoute:
    """The emission type of an attempt (tpEmis) and, if that is not the normal one, since when and why."""

    emission_type: str
    contingency_started_at: datetime | None = None
    contingency_reason: str | None = None


@dataclass(frozen=True)
class NumericCodes:
    """The numeric code of a document's key, and another one if the first equals its number (rule 897)."""

    first: str
    second: str


@dataclass(frozen=True, kw_only=True)
class SignedEmission:
    """The signed XML of an attempt, and the facts that signing determines."""

    issued_at: datetime
    access_key: str
    digest: str
    file_name: str
    xml: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The final decision of an authority, or of our own rules, about a document."""

    status: str
    rejection: dict[str, Any] | None = None
    emission_state: str | None = None
    """None if there is no attempt: the document was refused before one was made."""
    digest: str | None = None
    """The digest of the signed version that was decided about, if it is not the newest one."""
    issued_at: datetime | None = None
    """When that version was issued."""
    protocol: str | None = None
    authorized_at: datetime | None = None
    assigned_number: int | None = None
    """The number that the authority assigned, if it numbers documents of this type."""
    assigned_key: str | None = None
    total_due: Decimal | None = None
    """What the recipient pays, if taxes are added to the amount."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Facts of the document, by the names of our JSON."""
    replaces: UUID | None = None
    """The document that this one replaces, which is canceled."""
    replaces_key: str | None = None
    """The key of the document that this one replaces, which stays authorized."""
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class AllowanceChange:
    """The effect of a verdict on the counters of a period: more documents used, fewer reserved."""

    period: str | None = None
    used: int = 0
    released: int = 0


class SeriesExhausted(Exception):
    """Every number of a series is taken."""


class IssuingSteps:
    """The steps of one document, for the holder of its lease. All raise LeaseLost."""

    def __init__(self, connection: Connection, lease: Lease) -> None:
        self._connection = connection
        self._lease = lease

    async def take_number(
        self,
        number_series: NumberSeries,
        ordinal: int,
        codes: NumericCodes,
        route: EmissionRoute,
        events: Sequence[NewEvent],
        *,
        supersedes_previous: bool = False,
    ) -> EmissionRow:
        """Inserts an attempt with the next number of a series. Raises SeriesExhausted.

        With `supersedes_previous`, stores the previous attempt as superseded, as its outcome is unknown.
        """
        values = {
            **vars(number_series),
            **vars(route),
            **event_arrays(events),
            "ordinal": ordinal,
            "first_code": codes.first,
            "second_code": codes.second,
            "superseded_id": new_id() if supersedes_previous else None,
        }
        try:
            return EmissionRow(**await self._write(_TAKE_NUMBER, values))
        except asyncpg.NotNullViolationError as error:
            if error.column_name == "next_number":
                raise SeriesExhausted from error
            raise

    async def redirect(self, ordinal: int, route: EmissionRoute, events: Sequence[NewEvent]) -> None:
        """Changes the route of an attempt that no authority has; it keeps its number."""
        await self._write(_REDIRECT, {"ordinal": ordinal, **vars(route), **event_arrays(events)})

    async def keep_signed(
        self, ordinal: int, signed: SignedEmission, state: str, events: Sequence[NewEvent]
    ) -> None:
        """Stores the signed XML and the state, which says whether the authority may have it from now on."""
        values = {"ordinal": ordinal, "state": state, **vars(signed), **event_arrays(events)}
        await self._write(_KEEP_SIGNED, values)

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
        """Stores the state of an attempt. A pause releases the lease; an answer counts as one more try."""
        values = {
            "ordinal": ordinal,
            "state": state,
            "tries": tries,
            "receipt": receipt,
            "access_key": access_key,
            "unknown_at": unknown_at,
            "answer_code": answer and answer.code,
            "answer_message": answer and answer.message,
            "pause": pause,
            **event_arrays(events),
        }
        await self._write(_PAUSE if pause else _WRITE_STATE, values)

    async def conclude(
        self, ordinal: int, verdict: Verdict, allowance: AllowanceChange, events: Sequence[NewEvent]
    ) -> None:
        """Stores a verdict with all its consequences, and that nothing more is due."""
        values = {
            **vars(verdict),
            **vars(allowance),
            **event_arrays(events),
            "ordinal": ordinal,
            "facts": dict(verdict.facts),
            "file_names": list(verdict.files),
            "file_contents": list(verdict.files.values()),
            "replacement_event_id": new_id(),
        }
        statement = _CONCLUDE
        if verdict.replaces:
            statement = _CONCLUDE_AND_REPLACE
        elif verdict.replaces_key:
            statement = _CONCLUDE_AND_REPLACE_BY_KEY
        await self._write(statement, values)

    async def _write(self, statement: NamedSql, values: Mapping[str, Any]) -> Row:
        return await write_held(self._connection, self._lease, statement.text, *statement.arguments(values))
