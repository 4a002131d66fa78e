"""Outages of authorities, shared by all processes of an installation."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class AuthorityService:
    """An authority's service for one model in one environment; its other services may work meanwhile."""

    model: str
    authorizer: str
    environment: str
    stands_in_for: str = ""
    """The state (`SP`) that a contingency authority serves; empty for the normal authority of a state.

    With CT-e the normal authority of some states is the contingency of others, and may be open for one state
    and closed for another.
    """

    @property
    def stored_authorizer(self) -> str:
        """The authority as it is stored: `SVRS`, or `SVRS/SP` for a contingency."""
        return f"{self.authorizer}/{self.stands_in_for}" if self.stands_in_for else self.authorizer


@dataclass(frozen=True)
class OutageRow:
    """Failures of an authority without a success in between; `code` is the authority's, if it gave one."""

    model: str
    stored_authorizer: str
    environment: str
    since: datetime
    seen_at: datetime
    code: str | None
    message: str

    @property
    def authorizer(self) -> str:
        """The authority alone."""
        return self.service.authorizer

    @property
    def service(self) -> AuthorityService:
        authorizer, _, state = self.stored_authorizer.partition("/")
        return AuthorityService(self.model, authorizer, self.environment, state)


async def all_outages(connection: Connection) -> list[OutageRow]:
    """Returns every outage that has not ended."""
    rows = await connection.fetch(
        "select model, authorizer as stored_authorizer, environment, since, seen_at, code, message"
        " from outages"
    )
    return [OutageRow(**row) for row in rows]


async def record_outage(
    connection: Connection, service: AuthorityService, code: str | None, message: str, forgotten: timedelta
) -> None:
    """Stores a failure; it begins a new outage if the last failure is older than `forgotten`."""
    await connection.execute(
        """
        insert into outages as o (model, authorizer, environment, since, seen_at, code, message)
        values ($1, $2, $3, now(), now(), $4, $5)
        on conflict (model, authorizer, environment) do update
        set since = case when o.seen_at < now() - $6::interval then now() else o.since end,
            seen_at = now(), code = excluded.code, message = excluded.message
        """,
        service.model, service.stored_authorizer, service.environment, code, message, forgotten,
    )  # fmt: skip


async def end_outage(connection: Connection, service: AuthorityService) -> None:
    """Deletes the outage of an authority that answers again."""
    await connection.execute(
        "delete from outages where model = $1 and authorizer = $2 and environment = $3",
        service.model, service.stored_authorizer, service.environment,
    )  # fmt: skip
