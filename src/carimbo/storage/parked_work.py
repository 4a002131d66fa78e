"""Parked work, which waits until a person resumes or dismisses it: that of one owner, or all of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, newer_than
from carimbo.storage.work import IS_HELD, WorkKey, WorkKind


@dataclass(frozen=True)
class WorkOwner:
    """The owner of work: a subscription, or some of its companies."""

    subscription_id: UUID
    company_ids: frozenset[UUID] | None = None
    """None if the owner has all companies."""


@dataclass(frozen=True, kw_only=True)
class ParkedWork:
    """Work that waits until a person resumes or dismisses it."""

    kind: str
    subscription_id: UUID
    company_id: UUID
    id: UUID
    type: str
    document_id: UUID | None
    """The document that it is about; of a manifestation, the received one."""
    queued_at: datetime
    parked_reason: str
    is_held: bool
    """Whether only the operator may resume or dismiss it."""

    @property
    def key(self) -> WorkKey:
        return WorkKey(WorkKind(self.kind), self.subscription_id, self.id)


@dataclass(frozen=True, kw_only=True)
class NamedParkedWork(ParkedWork):
    """Parked work with the names of its owners; None for work of the installation itself."""

    subscription_name: str | None
    company_name: str | None
    document_type: str | None
    """The type of the documents that it is about; None for a sale, an e-mail and an import."""


PARKED_SQL = f"""
    select 'document' as kind, subscription_id, company_id, id, type, id as document_id, queued_at,
        parked_reason, {IS_HELD} as is_held
    from documents where status = 'processing'
    union all
    select 'event', subscription_id, company_id, id, type, document_id, created_at, parked_reason, false
    from event_filings
    union all
    select 'inutilization', subscription_id, company_id, id, document_type, null, created_at, parked_reason,
        false
    from inutilizations
    union all
    select 'stray', subscription_id, company_id, id, 'emission', document_id, created_at, parked_reason, false
    from strays
    union all
    select 'sale', subscription_id, company_id, id, emit_when, null, created_at, parked_reason, {IS_HELD}
    from sales
    union all
    select 'manifestation', subscription_id, company_id, id, type, document_id, created_at, parked_reason,
        false
    from manifestations
    union all
    select 'reception', subscription_id, company_id, id, service, null, created_at, parked_reason, false
    from receptions
    union all
    select 'stream', subscription_id, subscription_id, id, service, null, created_at, parked_reason, false
    from streams
    union all
    select 'email', subscription_id, company_id, id, asked_by, document_id, created_at, parked_reason, false
    from emails
    union all
    select 'import', subscription_id, company_id, id, kind, null, created_at, parked_reason, {IS_HELD}
    from imports
"""
"""SQL of all rows of work, with the columns of `ParkedWork`; the caller chooses those that are parked."""
_OF_OWNER = f"""
    ({PARKED_SQL}) as work
    where parked_reason is not null and ($1::uuid is null or subscription_id = $1)
        and ($2::uuid[] is null or company_id = any($2))
"""
# Only some kinds of work have the type of a document as theirs; an event, for example, has a type of its own.
_NAMED = """
    select w.*, s.name as subscription_name, coalesce(c.trade_name, c.legal_name) as company_name,
        case
            when w.kind in ('document', 'inutilization', 'reception', 'stream') then w.type
            when w.kind in ('event', 'stray') then (
                select d.type from documents d
                where d.subscription_id = w.subscription_id and d.id = w.document_id
            )
            when w.kind = 'manifestation' then (
                select r.type from received_documents r
                where r.subscription_id = w.subscription_id and r.id = w.document_id
            )
        end as document_type
    from ({parked}) as w
    left join subscriptions s on s.id = w.subscription_id
    left join companies c on c.subscription_id = w.subscription_id and c.id = w.company_id
    order by {order}
"""
_OLDEST_FIRST = "queued_at, id"
_NEWEST_FIRST = "queued_at desc, id desc"


class ParkedWorks:
    """The parked work of an owner; without an owner, that of the whole installation."""

    def __init__(self, connection: Connection, owner: WorkOwner | None = None) -> None:
        self._connection = connection
        self._owner: tuple[UUID | None, list[UUID] | None] = (None, None)
        if owner is not None:
            company_ids = None if owner.company_ids is None else list(owner.company_ids)
            self._owner = (owner.subscription_id, company_ids)

    async def all(self, work_id: UUID | None = None) -> list[ParkedWork]:
        """Returns all parked work, oldest first; only one item if an id is given."""
        rows = await self._connection.fetch(
            f"select * from {_OF_OWNER} and ($3::uuid is null or id = $3) order by {_OLDEST_FIRST}",
            *self._owner, work_id,
        )  # fmt: skip
        return [ParkedWork(**row) for row in rows]

    async def page(self, offset: int, size: int, *, newest_first: bool = False) -> list[NamedParkedWork]:
        """Returns a page of the parked work, oldest first if nothing else is wanted."""
        order = _NEWEST_FIRST if newest_first else _OLDEST_FIRST
        parked = f"select * from {_OF_OWNER} order by {order} offset $3 limit $4"
        rows = await self._connection.fetch(
            _NAMED.format(parked=parked, order=order), *self._owner, offset, size
        )
        return [NamedParkedWork(**row) for row in rows]

    async def after(self, position: Position | None, size: int) -> KeysetPage[NamedParkedWork]:
        """Returns the parked work after a place in the list, oldest first."""
        values: list[Any] = [*self._owner]
        beyond = newer_than(position, _OLDEST_FIRST, values)
        parked = f"select * from {_OF_OWNER}{beyond} order by {_OLDEST_FIRST} limit {size}"
        rows = await self._connection.fetch(_NAMED.format(parked=parked, order=_OLDEST_FIRST), *values)
        works = [NamedParkedWork(**row) for row in rows]
        return keyset_page(works, size, lambda work: (work.queued_at, work.id))

    async def count(self) -> int:
        """Returns how much work is parked."""
        total: int = await self._connection.fetchval(f"select count(*) from {_OF_OWNER}", *self._owner)
        return total
