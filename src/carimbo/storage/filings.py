"""Filings, that is events, inutilizations and manifestations: their state and their steps.

Every table of filings has the columns `state`, `digest`, `tries`, `protocol`, `registered_at`,
`authority_code`, `authority_message` and `own_refusal`, besides those of work (see work.py). Each step is one
statement, and does nothing unless the caller still holds the row's lease by the newest token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import NO_EFFECT, Effect, HistoryEntry, Status
from carimbo.storage.connection import Connection
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.received import LOCK_COMPANY
from carimbo.storage.sql import NamedSql
from carimbo.storage.work import TABLES, WHERE_HELD, Lease, WorkKind, write_held

_KEEP_FILES = """
    insert into archive (subscription_id, owner_id, name, content)
    select held.subscription_id, held.id, file.name, file.content
    from held, unnest(:file_names::text[], :file_contents::bytea[]) as file (name, content)
    on conflict (subscription_id, owner_id, name) do update set content = excluded.content
"""
# An event about the current attempt changes the document. An event about a superseded attempt changes only
# that attempt.
_EVENT_CONSEQUENCES = f""", attempt as (
        update emissions set state = :status from held
        where :status::text is not null and emissions.subscription_id = held.subscription_id
            and emissions.document_id = held.document_id and emissions.ordinal = held.emission
    ), changed as (
        update documents set status = coalesce(:status, status), updated_at = now(),
            facts = case when :fact::text is null or :keeps_first and facts ? :fact::text then facts
                when :removes_fact then facts - :fact::text
                else facts || jsonb_build_object(
                    :fact::text, coalesce(:fact_at::timestamptz, held.registered_at, now())) end,
            replaced_by = coalesce(replaced_by, (
                select document_id from emissions where emissions.subscription_id = held.subscription_id
                    and emissions.company_id = held.company_id and emissions.access_key = :replaced_by
                    and emissions.environment = documents.environment
            ))
        from held
        where coalesce(:status, :fact) is not null and documents.subscription_id = held.subscription_id
            and documents.id = held.document_id
            and documents.emission = held.emission and documents.status = any(:allowed)
        returning documents.status
    ), history as (
        insert into document_events (subscription_id, document_id, company_id, id, type, status, sequence,
            protocol, authority_code, authority_message, actor)
        select held.subscription_id, held.document_id, held.company_id, held.id,
            case when :replaced_by::text is null then held.type else '{HistoryEntry.SUBSTITUTION}' end,
            case when held.state = 'refused' then 'rejected'
                else coalesce((select status from changed), documents.status) end,
            held.sequence, held.protocol, held.authority_code, held.authority_message, held.created_by
        from held join documents on documents.subscription_id = held.subscription_id
            and documents.id = held.document_id
    )"""
# A registered statement of a company about a received document becomes the status of the document; an
# acknowledgement only of one about which nothing was said. The lock comes before the row (see received.py).
_MANIFESTATION_CONSEQUENCES = f""", changed as (
        update received_documents d
        set status = case when locked.state = 'registered' then locked.status_after else d.status end,
            acknowledge_by = case when locked.state = 'registered' then null else d.acknowledge_by end,
            version = nextval('received_versions'), updated_at = now()
        from (select held.*, {LOCK_COMPANY.format(company_id="held.company_id")} from held) as locked
        where d.subscription_id = locked.subscription_id and d.id = locked.document_id
            and (locked.is_conclusive or d.status = 'pending')
    )"""
_CONSEQUENCES = {
    WorkKind.EVENT: _EVENT_CONSEQUENCES,
    WorkKind.INUTILIZATION: "",
    WorkKind.MANIFESTATION: _MANIFESTATION_CONSEQUENCES,
}


def _statements(template: str) -> dict[WorkKind, NamedSql]:
    """Returns the statement of each kind of filing."""
    return {
        kind: NamedSql(template.format(table=TABLES[kind], held=WHERE_HELD, consequences=consequences))
        for kind, consequences in _CONSEQUENCES.items()
    }


_KEEP_SIGNED = _statements(f"""
    with held as (
        update {{table}} set state = :state, digest = :digest {{held}} returning subscription_id, id
    ), files as ({_KEEP_FILES})
    select id from held
""")
_WRITE_STATE = _statements("update {table} set state = :state, tries = :tries {held} returning id")
_PAUSE = _statements("""
    update {table} set state = :state, tries = :tries, next_action_at = now() + :pause::interval,
        lease_until = null, attempts = 0, authority_code = :code, authority_message = :message
    {held} returning id
""")
_CONCLUDE = _statements(f"""
    with held as (
        update {{table}} set state = :state, authority_code = :code, authority_message = :message,
            protocol = :protocol, registered_at = :registered_at, own_refusal = :own_refusal, tries = 0,
            next_action_at = null, lease_until = null, attempts = 0
        {{held}} returning *
    ), files as ({_KEEP_FILES}){{consequences}}
    select id from held
""")


@dataclass(frozen=True, kw_only=True)
class Filing:
    """The columns of every filing. What is not known yet is None."""

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
    """The rules that it breaks, if we did not send it because of them."""
    created_at: datetime
    created_by: dict[str, Any] | None
    """The actor who filed it; None if 0.1.0 stored it."""
    parked_reason: str | None


@dataclass(frozen=True, kw_only=True)
class FilingVerdict:
    """The final decision of an authority, or of our own rules, about a filing."""

    state: str
    code: str | None = None
    message: str | None = None
    own_refusal: Sequence[Mapping[str, Any]] | None = None
    protocol: str | None = None
    registered_at: datetime | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    effect: Effect = NO_EFFECT
    """What an event changes in its document."""
    allowed: Sequence[str] = (Status.AUTHORIZED,)
    """The statuses in which it changes anything."""
    replaced_by: str | None = None
    """The key of the replacing document, which may be one of the company's own."""


class FilingSteps:
    """The steps of one filing, for the holder of its lease. All raise LeaseLost."""

    def __init__(self, connection: Connection, lease: Lease) -> None:
        self._connection = connection
        self._lease = lease

    async def keep_signed(self, state: str, digest: str, file_name: str, xml: bytes) -> None:
        """Stores the signed XML and the state, which says whether the authority may have it from now on."""
        values = {"state": state, "digest": digest, "file_names": [file_name], "file_contents": [xml]}
        await self._write(_KEEP_SIGNED, values)

    async def write_state(
        self, state: str, tries: int, pause: timedelta | None = None, answer: LastAnswer | None = None
    ) -> None:
        """Stores the state of a filing. A pause releases the lease.

        A pause also stores the answer that callers see meanwhile, or removes the answer of an earlier pause.
        """
        values = {
            "state": state,
            "tries": tries,
            "pause": pause,
            "code": answer and answer.code,
            "message": answer and answer.message,
        }
        await self._write(_PAUSE if pause else _WRITE_STATE, values)

    async def conclude(self, verdict: FilingVerdict) -> None:
        """Stores a verdict with all its consequences, and that nothing more is due."""
        values = {
            **vars(verdict),
            "file_names": list(verdict.files),
            "file_contents": list(verdict.files.values()),
            "status": verdict.effect.status,
            "fact": verdict.effect.fact,
            "fact_at": verdict.effect.fact_at,
            "removes_fact": verdict.effect.removes_fact,
            "keeps_first": verdict.effect.keeps_first,
        }
        await self._write(_CONCLUDE, values)

    async def _write(self, statements: Mapping[WorkKind, NamedSql], values: Mapping[str, Any]) -> None:
        statement = statements[self._lease.key.kind]
        await write_held(self._connection, self._lease, statement.text, *statement.arguments(values))
