"""Statements to an authority other than documents: how far they came, and their steps.

Every table of filings has the columns `state`, `digest`, `tries`, `protocol`, `registered_at`,
`authority_code`, `authority_message` and `own_refusal`, besides those of work (see work.py). Each step is one
statement, and does nothing unless the caller still holds the row by the newest token of its lease.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import NO_EFFECT, Effect, Happening, Status
from carimbo.storage.connection import Connection
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.work import HELD, TABLES, Lease, WorkKind, write_held

_KEPT = """
    insert into archive (subscription_id, owner_id, name, content)
    select held.subscription_id, held.id, file.name, file.content
    from held, unnest({names}::text[], {contents}::bytea[]) as file (name, content)
    on conflict (subscription_id, owner_id, name) do update set content = excluded.content
"""
_KEEP_SIGNED = (
    "with held as (update {table} set state = $4, digest = $5 {held} returning subscription_id, id),"
    " kept as (" + _KEPT.format(names="$6", contents="$7") + ") select id from held"
)
_WRITE_STATE = "update {table} set state = $4, tries = $5 {held} returning id"
_PAUSE = (
    "update {table} set state = $4, tries = $5, next_action_at = now() + $6::interval, lease_until = null,"
    " attempts = 0, authority_code = $7, authority_message = $8 {held} returning id"
)
_CONCLUDE = (
    "with held as (update {table} set state = $4, authority_code = $5, authority_message = $6, protocol = $7,"
    " registered_at = $8, own_refusal = $11, tries = 0, next_action_at = null, lease_until = null,"
    " attempts = 0 {held}"
    " returning *), kept as (" + _KEPT.format(names="$9", contents="$10") + "){consequences}"
    " select id from held"
)
# What is told of the attempt in force is told of the document; an attempt that another took the place of
# concerns nobody but itself.
_EVENT_CONSEQUENCES = f""", attempt as (
        update emissions set state = $12 from held
        where $12::text is not null and emissions.subscription_id = held.subscription_id
            and emissions.document_id = held.document_id and emissions.ordinal = held.emission
    ), changed as (
        update documents set status = coalesce($12, status), updated_at = now(),
            facts = case when $14::text is null then facts
                else facts || jsonb_build_object($14::text, coalesce(held.registered_at, now())) end,
            replaced_by = coalesce(replaced_by, (
                select document_id from emissions where emissions.subscription_id = held.subscription_id
                    and emissions.company_id = held.company_id and emissions.access_key = $13
                    and emissions.environment = documents.environment
            ))
        from held
        where coalesce($12, $14) is not null and documents.subscription_id = held.subscription_id
            and documents.id = held.document_id
            and documents.emission = held.emission and documents.status = any($15)
        returning documents.status
    ), told as (
        insert into document_events (subscription_id, document_id, company_id, id, type, status, sequence,
            protocol, authority_code, authority_message)
        select held.subscription_id, held.document_id, held.company_id, held.id,
            case when $13::text is null then held.type else '{Happening.SUBSTITUTION}' end,
            case when held.state = 'refused' then 'rejected'
                else coalesce((select status from changed), documents.status) end,
            held.sequence, held.protocol, held.authority_code, held.authority_message
        from held join documents on documents.subscription_id = held.subscription_id
            and documents.id = held.document_id
    )"""
_CONSEQUENCES = {WorkKind.EVENT: _EVENT_CONSEQUENCES, WorkKind.INUTILIZATION: ""}


def _statements(template: str) -> dict[WorkKind, str]:
    return {
        kind: template.format(table=TABLES[kind], held=HELD, consequences=consequences)
        for kind, consequences in _CONSEQUENCES.items()
    }


_KEEP_SIGNED_OF, _WRITE_STATE_OF = _statements(_KEEP_SIGNED), _statements(_WRITE_STATE)
_PAUSE_OF, _CONCLUDE_OF = _statements(_PAUSE), _statements(_CONCLUDE)


@dataclass(frozen=True, kw_only=True)
class Filing:
    """What every statement has. What is not known yet is None."""

    id: UUID
    company_id: UUID
    state: str
    digest: str | None
    tries: int
    protocol: str | None
    registered_at: datetime | None
    authority_code: str | None
    authority_message: str | None
    own_refusal: list[dict[str, Any]] | None
    """Why we ourselves did not send it, rule by rule."""
    created_at: datetime
    parked_reason: str | None


@dataclass(frozen=True, kw_only=True)
class FilingVerdict:
    """What an authority, or we ourselves, decided about a statement."""

    state: str
    code: str | None = None
    message: str | None = None
    own_refusal: Sequence[Mapping[str, Any]] | None = None
    protocol: str | None = None
    registered_at: datetime | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    effect: Effect = NO_EFFECT
    """What an event changes of its document."""
    allowed: Sequence[str] = (Status.AUTHORIZED,)
    """The statuses in which it changes anything."""
    replaced_by: str | None = None
    """The key of what takes the document's place, which may be one of the company's own."""


class FilingSteps:
    """Steps of one statement, for whoever holds its lease."""

    def __init__(self, connection: Connection, lease: Lease) -> None:
        self._connection = connection
        self._lease = lease

    async def keep_signed(self, state: str, digest: str, file_name: str, xml: bytes) -> None:
        """Keep the signed bytes, and whether they may be at the authority from now on."""
        await self._write(_KEEP_SIGNED_OF, state, digest, [file_name], [xml])

    async def write_state(
        self, state: str, tries: int, pause: timedelta | None = None, answer: LastAnswer | None = None
    ) -> None:
        """Write how far it came; with a pause the row is nobody's until it is over.

        A pause also stores the answer that callers see meanwhile, or removes that of an earlier pause.
        """
        if pause:
            await self._write(
                _PAUSE_OF, state, tries, pause, answer and answer.code, answer and answer.message
            )
        else:
            await self._write(_WRITE_STATE_OF, state, tries)

    async def conclude(self, verdict: FilingVerdict) -> None:
        """Write a verdict with everything that follows from it, and that there is no more to do."""
        effect = verdict.effect
        consequence = (
            (effect.status, verdict.replaced_by, effect.fact, verdict.allowed)
            if self._lease.key.kind is WorkKind.EVENT
            else ()
        )
        await self._write(
            _CONCLUDE_OF,
            verdict.state, verdict.code, verdict.message, verdict.protocol, verdict.registered_at,
            list(verdict.files), list(verdict.files.values()), verdict.own_refusal, *consequence,
        )  # fmt: skip

    async def _write(self, statements: Mapping[WorkKind, str], *arguments: object) -> None:
        await write_held(self._connection, self._lease, statements[self._lease.key.kind], *arguments)
