"""The API credential of each subscription: only hashes, and the previous one while it is still valid."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.companies import CompanyRow, joined_columns, joined_company
from carimbo.storage.connection import Connection
from carimbo.storage.subscriptions import Subscription, subscription_of


@dataclass(frozen=True)
class CredentialRow:
    """A subscription's credential, without its secret."""

    subscription_id: UUID
    secret_hash: bytes = field(repr=False)
    secret_preview: str
    previous_secret_hash: bytes | None = field(repr=False)
    previous_valid_until: datetime | None
    created_at: datetime
    rotated_at: datetime | None
    last_used_at: datetime | None


_COLUMNS = """subscription_id, secret_hash, secret_preview, previous_secret_hash,
    case when previous_valid_until > now() then previous_valid_until end as previous_valid_until,
    created_at, rotated_at, last_used_at"""
_FIND = f"""
    select c.subscription_id, c.secret_hash, c.secret_preview, c.previous_secret_hash,
           case when c.previous_valid_until > now() then c.previous_valid_until end as previous_valid_until,
           c.created_at as credential_created_at, c.rotated_at, c.last_used_at,
           s.id, s.name, s.features, s.created_at,
           p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute,
           {joined_columns("company")}
    from credentials c
    join subscriptions s on s.id = c.subscription_id
    join plans p on p.name = s.plan
    left join companies company on company.subscription_id = c.subscription_id and company.id = $2
    where c.subscription_id = $1
"""


class Credentials:
    """The credential of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, secret_hash: bytes, preview: str) -> None:
        """Stores the first secret."""
        await self._connection.execute(
            "insert into credentials (subscription_id, secret_hash, secret_preview) values ($1, $2, $3)",
            self._subscription_id, secret_hash, preview,
        )  # fmt: skip

    async def get(self) -> CredentialRow | None:
        """Returns the credential; None before there is one."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from credentials where subscription_id = $1",
            self._subscription_id,
        )
        return row and CredentialRow(**row)

    async def lock(self) -> CredentialRow | None:
        """Returns the credential and locks it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from credentials where subscription_id = $1 for update",
            self._subscription_id,
        )
        return row and CredentialRow(**row)

    async def rotate(self, secret_hash: bytes, preview: str, overlap: timedelta) -> CredentialRow | None:
        """Replaces the secret; the old one stays valid for the overlap. Returns None if there is none."""
        row = await self._connection.fetchrow(
            f"""
            update credentials set
                previous_secret_hash = secret_hash, previous_valid_until = now() + $4::interval,
                secret_hash = $2, secret_preview = $3, rotated_at = now()
            where subscription_id = $1 returning {_COLUMNS}
            """,
            self._subscription_id, secret_hash, preview, overlap,
        )  # fmt: skip
        return row and CredentialRow(**row)

    async def touch(self) -> None:
        """Stores that the credential was used now."""
        await self._connection.execute(
            "update credentials set last_used_at = now() where subscription_id = $1", self._subscription_id
        )


async def find_credential(
    connection: Connection, subscription_id: UUID, company_id: UUID | None
) -> tuple[CredentialRow, Subscription, CompanyRow | None] | None:
    """Returns all that authentication needs, and a company of the subscription, read in one round trip.

    The company may be a deleted one.
    """
    row = await connection.fetchrow(_FIND, subscription_id, company_id)
    if row is None:
        return None
    credential = CredentialRow(
        subscription_id=row["subscription_id"],
        secret_hash=row["secret_hash"],
        secret_preview=row["secret_preview"],
        previous_secret_hash=row["previous_secret_hash"],
        previous_valid_until=row["previous_valid_until"],
        created_at=row["credential_created_at"],
        rotated_at=row["rotated_at"],
        last_used_at=row["last_used_at"],
    )
    return credential, subscription_of(row), joined_company(row)
