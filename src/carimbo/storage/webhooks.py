"""The webhooks of a subscription."""

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.delivery_queue import OUTBOUND


@dataclass(frozen=True, kw_only=True)
class WebhookFacts:
    """The facts that a caller sets; `topics` are the topics of the `events`."""

    name: str | None
    url: str
    events: list[str]
    topics: list[str]


@dataclass(frozen=True, kw_only=True)
class Webhook(WebhookFacts):
    """A stored webhook, without its secrets."""

    id: UUID
    is_active: bool
    disabled_reason: str | None
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime


_FACTS = tuple(field.name for field in fields(WebhookFacts))
_COLUMNS = ", ".join(field.name for field in fields(Webhook))
_NOT_DELETED = "subscription_id = $1 and deleted_at is null"
_BY_ID = f"{_NOT_DELETED} and id = $2"
_SELECT = f"select {_COLUMNS} from webhooks where {_BY_ID}"


class Webhooks:
    """Webhooks of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def hold(self) -> None:
        """Keeps others from adding webhooks until the transaction ends, so that the count stays right."""
        await self._connection.execute(
            "select pg_advisory_xact_lock(hashtextextended('webhooks:' || $1::uuid, 0))",
            self._subscription_id,
        )

    async def add(self, webhook_id: UUID, facts: WebhookFacts, *, is_active: bool) -> Webhook:
        """Stores a webhook."""
        row = await self._connection.fetchrow(
            f"insert into webhooks (subscription_id, id, is_active, {', '.join(_FACTS)})"
            f" values ($1, $2, $3, $4, $5, $6, $7) returning {_COLUMNS}",
            self._subscription_id, webhook_id, is_active, *(getattr(facts, name) for name in _FACTS),
        )  # fmt: skip
        return _webhook(only(row))

    async def page(self, offset: int, size: int) -> list[Webhook]:
        """Returns a page of webhooks, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from webhooks where {_NOT_DELETED}"
            " order by created_at desc, id desc offset $2 limit $3",
            self._subscription_id, offset, size,
        )  # fmt: skip
        return [_webhook(row) for row in rows]

    async def count(self) -> int:
        """Returns how many webhooks there are."""
        total: int = await self._connection.fetchval(
            f"select count(*) from webhooks where {_NOT_DELETED}", self._subscription_id
        )
        return total

    async def get(self, webhook_id: UUID) -> Webhook | None:
        """Returns a webhook that is not deleted, or None."""
        row = await self._connection.fetchrow(_SELECT, self._subscription_id, webhook_id)
        return row and _webhook(row)

    async def lock(self, webhook_id: UUID) -> Webhook | None:
        """Returns a webhook and locks it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"{_SELECT} for no key update", self._subscription_id, webhook_id
        )
        return row and _webhook(row)

    async def write(self, webhook_id: UUID, facts: WebhookFacts) -> Webhook | None:
        """Replaces the facts of a webhook; another address starts without failures."""
        row = await self._connection.fetchrow(
            f"""
            update webhooks
            set name = $3, url = $4, events = $5, topics = $6, updated_at = now(),
                failing_since = case when url = $4 then failing_since end
            where {_BY_ID} returning {_COLUMNS}
            """,
            self._subscription_id, webhook_id, *(getattr(facts, name) for name in _FACTS),
        )  # fmt: skip
        return row and _webhook(row)

    async def activate(self, webhook_id: UUID) -> Webhook | None:
        """Enables a webhook, for whatever reason it was disabled; its waiting deliveries are sent now."""
        row = await self._connection.fetchrow(
            f"""
            update webhooks
            set is_active = true, disabled_reason = null, failing_since = null, updated_at = now()
            where {_BY_ID} returning {_COLUMNS}, pg_notify($3, 'webhooks')
            """,
            self._subscription_id, webhook_id, OUTBOUND,
        )  # fmt: skip
        return row and _webhook(row)

    async def deactivate(self, webhook_id: UUID) -> Webhook | None:
        """Disables a webhook until it is activated again."""
        row = await self._connection.fetchrow(
            "update webhooks set is_active = false, updated_at = now()"
            f" where {_BY_ID} returning {_COLUMNS}",
            self._subscription_id, webhook_id,
        )  # fmt: skip
        return row and _webhook(row)

    async def delete(self, webhook_id: UUID) -> bool:
        """Marks a webhook as deleted; returns False if there is none.

        Its row is deleted later, with its deliveries: there may be so many that new events would wait.
        """
        result = await self._connection.execute(
            f"update webhooks set deleted_at = now(), is_active = false where {_BY_ID}",
            self._subscription_id, webhook_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


def _webhook(row: Row) -> Webhook:
    return Webhook(**{field.name: row[field.name] for field in fields(Webhook)})
