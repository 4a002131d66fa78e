"""Manifestations: the statements of companies about received documents, registered at an authority."""

from dataclasses import dataclass, fields
from datetime import timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection
from carimbo.storage.filings import Filing
from carimbo.storage.sql import NamedSql
from carimbo.storage.work import Lease, WorkKey, WorkKind


@dataclass(frozen=True, kw_only=True)
class NewManifestation:
    """A statement to register; `request` is the JSON of the caller's request."""

    id: UUID
    company_id: UUID
    document_id: UUID
    type: str
    sequence: int
    request: str
    status_after: str
    is_conclusive: bool
    is_automatic: bool


@dataclass(frozen=True, kw_only=True)
class Manifestation(Filing):
    """A stored statement."""

    document_id: UUID
    type: str
    sequence: int
    request: str
    status_after: str
    is_conclusive: bool
    is_automatic: bool


_COLUMNS = ", ".join(field.name for field in fields(Manifestation))
_INSERTED = tuple(field.name for field in fields(NewManifestation))
_ADD = NamedSql(f"""
    insert into manifestations (subscription_id, created_by, {", ".join(_INSERTED)})
    values ($1, :actor, {", ".join(f":{name}" for name in _INSERTED)})
    on conflict do nothing returning {_COLUMNS}
""")
_ADD_FOR_LOT = NamedSql(f"""
    insert into manifestations (subscription_id, created_by, {", ".join(_INSERTED)}, next_action_at)
    values ($1, :actor, {", ".join(f":{name}" for name in _INSERTED)}, null)
    on conflict do nothing returning {_COLUMNS}
""")
_CLAIM_LOT = f"""
    with picked as (
        select m.id from manifestations m
        join received_documents d on d.subscription_id = m.subscription_id and d.id = m.document_id
        where m.subscription_id = $1 and m.company_id = $2 and d.environment = $3 and m.is_automatic
            and m.state in ('queued', 'signed', 'sent') and m.next_action_at is null
            and m.parked_reason is null and coalesce(m.lease_until <= now(), true)
        order by m.created_at, m.id limit $4 for update of m skip locked
    )
    update manifestations m
    set lease_token = lease_token + 1, lease_until = now() + $5::interval, attempts = attempts + 1,
        next_action_at = now() + $5::interval
    from picked where m.subscription_id = $1 and m.id = picked.id
    returning {", ".join(f"m.{field.name}" for field in fields(Manifestation))}, m.lease_token
"""


class Manifestations:
    """Manifestations of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, manifestation: NewManifestation) -> Manifestation | None:
        """Inserts a statement that is due now; returns None if the same one exists already."""
        row = await self._connection.fetchrow(
            _ADD.text, self._subscription_id, *_ADD.arguments(self._values(manifestation))
        )
        return row and Manifestation(**row)

    async def get(self, manifestation_id: UUID) -> Manifestation | None:
        """Returns a statement, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from manifestations where subscription_id = $1 and id = $2",
            self._subscription_id, manifestation_id,
        )  # fmt: skip
        return row and Manifestation(**row)

    async def of_document(self, document_id: UUID) -> list[Manifestation]:
        """Returns the statements about a document, oldest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from manifestations where subscription_id = $1 and document_id = $2"
            " order by created_at, id",
            self._subscription_id, document_id,
        )  # fmt: skip
        return [Manifestation(**row) for row in rows]

    async def add_for_lot(self, manifestation: NewManifestation) -> Manifestation | None:
        """Inserts an automatic statement, which waits for a lot; returns None if the same one exists."""
        row = await self._connection.fetchrow(
            _ADD_FOR_LOT.text, self._subscription_id, *_ADD_FOR_LOT.arguments(self._values(manifestation))
        )
        return row and Manifestation(**row)

    async def claim_lot(
        self, company_id: UUID, environment: str, limit: int, duration: timedelta
    ) -> list[tuple[Manifestation, Lease]]:
        """Claims automatic statements of a company that wait for a lot, oldest first.

        One that is not concluded under its lease is settled alone (see filing), and is in no lot again.
        """
        rows = await self._connection.fetch(
            _CLAIM_LOT, self._subscription_id, company_id, environment, limit, duration
        )
        claimed = []
        for row in sorted(rows, key=itemgetter("created_at", "id")):
            values = dict(row)
            token = values.pop("lease_token")
            key = WorkKey(WorkKind.MANIFESTATION, self._subscription_id, row["id"])
            claimed.append((Manifestation(**values), Lease(key, token, 1)))
        return claimed

    def _values(self, manifestation: NewManifestation) -> dict[str, Any]:
        return {**vars(manifestation), "actor": stored_actor(self._actor)}
