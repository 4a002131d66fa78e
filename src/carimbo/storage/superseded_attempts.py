"""Superseded attempts: another attempt replaced them before their outcome was known.

The table is called `strays`.
"""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.sql import NamedSql
from carimbo.storage.work import WHERE_HELD, Lease, write_held

_SETTLE = NamedSql(f"""
    with held as (
        update strays set next_action_at = null, lease_until = null, attempts = 0 {WHERE_HELD} returning *
    ), files as (
        insert into archive (subscription_id, owner_id, name, content)
        select held.subscription_id, held.document_id, file.name, file.content
        from held, unnest(:file_names::text[], :files::bytea[]) as file (name, content)
        on conflict (subscription_id, owner_id, name) do update set content = excluded.content
    )
    update emissions set state = :state, protocol = :protocol, authorized_at = :authorized_at,
        digest = coalesce(:digest, digest), tries = 0
    from held where emissions.subscription_id = held.subscription_id
        and emissions.document_id = held.document_id and emissions.ordinal = held.emission
    returning emissions.ordinal
""")
_PAUSE = f"""
    update strays set tries = $4, next_action_at = now() + $5::interval, lease_until = null, attempts = 0
    {WHERE_HELD}
    returning id
"""

_UNSETTLED = """
    select s.id, s.document_id, s.created_at, s.next_action_at, s.parked_reason is not null as is_parked,
        e.document_type, e.environment, e.series, e.number, e.access_key, count(*) over () as total
    from strays s join emissions e on e.subscription_id = s.subscription_id
        and e.document_id = s.document_id and e.ordinal = s.emission
    where s.subscription_id = $1 and s.company_id = $2
        and (s.next_action_at is not null or s.parked_reason is not null)
    order by s.created_at desc, s.id desc limit $3
"""


@dataclass(frozen=True)
class SupersededAttempt:
    """A superseded attempt of a document."""

    id: UUID
    company_id: UUID
    document_id: UUID
    emission: int
    tries: int
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class UnsettledAttempt:
    """A superseded attempt whose outcome is still unknown."""

    id: UUID
    document_id: UUID
    """The document, which another attempt has issued meanwhile."""
    document_type: str
    environment: str
    series: int
    number: int
    access_key: str | None
    created_at: datetime
    next_action_at: datetime | None
    """When the authority is asked again."""
    is_parked: bool
    """Whether nobody asks any more, because our own work failed too often."""


@dataclass(frozen=True, kw_only=True)
class SupersededOutcome:
    """The outcome of a superseded attempt."""

    state: str
    protocol: str | None = None
    authorized_at: datetime | None = None
    digest: str | None = None
    file_name: str | None = None
    file: bytes = b""


_COLUMNS = ", ".join(field.name for field in fields(SupersededAttempt))


class SupersededAttempts:
    """Superseded attempts of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def get(self, attempt_id: UUID) -> SupersededAttempt | None:
        """Returns a superseded attempt of any document of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from strays where subscription_id = $1 and id = $2",
            self._subscription_id, attempt_id,
        )  # fmt: skip
        return row and SupersededAttempt(**row)

    async def unsettled(self, company_id: UUID, limit: int) -> tuple[list[UnsettledAttempt], int]:
        """Returns a company's newest attempts of unknown outcome, and how many there are in all."""
        rows = await self._connection.fetch(_UNSETTLED, self._subscription_id, company_id, limit)
        names = [field.name for field in fields(UnsettledAttempt)]
        attempts = [UnsettledAttempt(**{name: row[name] for name in names}) for row in rows]
        return attempts, rows[0]["total"] if rows else 0

    async def are_open(self, document_id: UUID) -> bool:
        """Returns whether the outcome of a superseded attempt of a document is still unknown."""
        return bool(
            await self._connection.fetchval(
                "select exists (select from strays where subscription_id = $1 and document_id = $2"
                " and (next_action_at is not null or parked_reason is not null))",
                self._subscription_id, document_id,
            )
        )  # fmt: skip

    async def may_be_in_force(self, document_id: UUID, emission: int) -> bool:
        """Returns whether an earlier attempt is being settled or canceled; not if a person must decide."""
        return bool(
            await self._connection.fetchval(
                "select exists (select from strays where subscription_id = $1 and document_id = $2"
                " and next_action_at is not null) or exists (select from event_filings"
                " where subscription_id = $1 and document_id = $2 and emission < $3"
                " and next_action_at is not null)",
                self._subscription_id, document_id, emission,
            )
        )  # fmt: skip

    async def settle(self, lease: Lease, outcome: SupersededOutcome) -> None:
        """Stores the outcome of an attempt, and that nothing more is due. Raises LeaseLost."""
        files = {outcome.file_name: outcome.file} if outcome.file_name else {}
        values = {**vars(outcome), "file_names": list(files), "files": list(files.values())}
        await write_held(self._connection, lease, _SETTLE.text, *_SETTLE.arguments(values))

    async def pause(self, lease: Lease, tries: int, pause: timedelta) -> None:
        """Releases the lease until it is time to ask again. Raises LeaseLost."""
        await write_held(self._connection, lease, _PAUSE, tries, pause)
