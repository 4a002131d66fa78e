"""Authorized documents that were not closed: which there are, and warnings about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import CLOSING, FilingState
from carimbo.storage.connection import Connection


@dataclass(frozen=True, kw_only=True)
class OpenDocumentRow:
    """A document that is open at the authority."""

    subscription_id: UUID
    company_id: UUID
    id: UUID
    type: str
    environment: str
    number: int
    access_key: str
    open_since: datetime
    warned_days: int | None
    """How many days before the end of its term the last warning was sent; None before the first."""


# The moment of a document's creation is before that of its authorization, and only that one is in the index.
_OPEN = """
    select d.subscription_id, d.company_id, d.id, d.type, d.environment, e.number, e.access_key,
        (d.facts ->> 'openSince')::timestamptz as open_since, (d.facts ->> 'warnedDays')::int as warned_days
    from documents d
    join emissions e on e.subscription_id = d.subscription_id and e.document_id = d.id
        and e.ordinal = d.emission
    join companies c on c.subscription_id = d.subscription_id and c.id = d.company_id and c.deleted_at is null
    where d.status = 'authorized' and d.facts ? 'openSince' and not d.facts ? 'closedAt'
        and d.created_at <= {before} and (d.facts ->> 'openSince')::timestamptz <= {before}
        and d.type = any({types}) {condition}
    order by d.created_at
"""
_WARN = """
    with warned as (
        update documents set facts = facts || jsonb_build_object('warnedDays', $3::int)
        where subscription_id = $1 and id = $2 and status = 'authorized' and not facts ? 'closedAt'
            and coalesce((facts ->> 'warnedDays')::int > $3, true)
        returning subscription_id, id, company_id, type, emission, amount
    )
    insert into events (subscription_id, topic, company_id, document_id, emission, amount, issued_at, details)
    select w.subscription_id, w.type || '.expiring', w.company_id, w.id, w.emission, w.amount, e.issued_at, $4
    from warned w join emissions e on e.subscription_id = w.subscription_id and e.document_id = w.id
        and e.ordinal = w.emission
    returning id
"""


async def open_documents(
    connection: Connection, types: Sequence[str], before: datetime
) -> list[OpenDocumentRow]:
    """Returns the documents of all companies that were authorized before a moment and are still open."""
    sql = _OPEN.format(before="$1", types="$2", condition="")
    return [OpenDocumentRow(**row) for row in await connection.fetch(sql, before, list(types))]


async def documents_to_be_closed(
    connection: Connection, document_type: str, setting: str, now: datetime
) -> list[OpenDocumentRow]:
    """Returns the open documents of a type that are older than the days in that setting of their company.

    A closing that was refused is tried again a day later.
    """
    condition = (
        "and (d.facts ->> 'openSince')::timestamptz"
        " <= $1 - make_interval(days => (c.settings #>> array[d.type, $3])::int)"
        " and not exists (select from event_filings f where f.subscription_id = d.subscription_id"
        f" and f.document_id = d.id and f.emission = d.emission and f.type = '{CLOSING}'"
        f" and f.state = '{FilingState.REFUSED}' and f.created_at > now() - interval '1 day')"
    )
    sql = _OPEN.format(before="$1", types="$2", condition=condition)
    return [OpenDocumentRow(**row) for row in await connection.fetch(sql, now, [document_type], setting)]


class OpenDocuments:
    """Open documents of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def of_company(
        self, company_id: UUID, types: Sequence[str], before: datetime
    ) -> list[OpenDocumentRow]:
        """Returns the documents of a company that were authorized before a moment and are still open."""
        condition = "and d.subscription_id = $3 and d.company_id = $4"
        sql = _OPEN.format(before="$1", types="$2", condition=condition)
        rows = await self._connection.fetch(sql, before, list(types), self._subscription_id, company_id)
        return [OpenDocumentRow(**row) for row in rows]

    async def warn(self, document_id: UUID, days: int, details: dict[str, Any]) -> bool:
        """Publishes a warning about a document; returns whether this call did it, and not an earlier one."""
        event = await self._connection.fetchval(_WARN, self._subscription_id, document_id, days, details)
        return event is not None
