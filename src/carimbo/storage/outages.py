"""Authorities that are out of service, as all processes of an installation know them."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class AuthorityPlace:
    """An authority's services for one model in one environment, which may be out while others work."""

    model: str
    authorizer: str
    environment: str


@dataclass(frozen=True)
class Outage:
    """A break without a success in between; `code` is the authority's own, if it says anything."""

    model: str
    authorizer: str
    environment: str
    since: datetime
    seen_at: datetime
    code: str | None
    message: str

    @property
    def place(self) -> AuthorityPlace:
        return AuthorityPlace(self.model, self.authorizer, self.environment)


_COLUMNS = ", ".join(field.name for field in fields(Outage))


async def all_outages(connection: Connection) -> list[Outage]:
    """Every break that is not known to be over."""
    return [Outage(**row) for row in await connection.fetch(f"select {_COLUMNS} from outages")]


async def see_outage(
    connection: Connection, place: AuthorityPlace, code: str | None, message: str, forgotten: timedelta
) -> None:
    """Write down a failure; it begins a new break when the last one was seen too long ago."""
    await connection.execute(
        """
        insert into outages as o (model, authorizer, environment, since, seen_at, code, message)
        values ($1, $2, $3, now(), now(), $4, $5)
        on conflict (model, authorizer, environment) do update
        set since = case when o.seen_at < now() - $6::interval then now() else o.since end,
            seen_at = now(), code = excluded.code, message = excluded.message
        """,
        place.model, place.authorizer, place.environment, code, message, forgotten,
    )  # fmt: skip


async def end_outage(connection: Connection, place: AuthorityPlace) -> None:
    """An authority answers again."""
    await connection.execute(
        "delete from outages where model = $1 and authorizer = $2 and environment = $3",
        place.model, place.authorizer, place.environment,
    )  # fmt: skip
