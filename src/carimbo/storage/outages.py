"""Outages of authorities, shared by all processes of an installation."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class AuthorityService:
    """An authority's service for one model in one environment; its other services may work meanwhile."""

    model: str
    authorizer: str
    environment: str


@dataclass(frozen=True)
class OutageRow:
    """Failures of an authority without a success in between; `code` is the authority's, if it gave one."""

    model: str
    authorizer: str
    environment: str
    since: datetime
    seen_at: datetime
    code: str | None
    message: str

    @property
    def service(self) -> AuthorityService:
        return AuthorityService(self.model, self.authorizer, self.environment)


_COLUMNS = ", ".join(field.name for field in fields(OutageRow))


async def all_outages(connection: Connection) -> list[OutageRow]:
    """Returns every outage that has not ended."""
    return [OutageRow(**row) for row in await connection.fetch(f"select {_COLUMNS} from outages")]


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
        service.model, service.authorizer, service.environment, code, message, forgotten,
    )  # fmt: skip


async def end_outage(connection: Connection, service: AuthorityService) -> None:
    """Deletes the outage of an authority that answers again."""
    await connection.execute(
        "delete from outages where model = $1 and authorizer = $2 and environment = $3",
        service.model, service.authorizer, service.environment,
    )  # fmt: skip
