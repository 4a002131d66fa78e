"""The rows of sealed secrets, and moving them to a new master key."""

from collections.abc import Collection, Mapping
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.envelope import KeyRing, Sealed


class Secrets:
    """The secrets of one subscription's companies and webhooks, by owner and name."""

    def __init__(self, connection: Connection, subscription_id: UUID, key_ring: KeyRing) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._key_ring = key_ring

    async def put(self, owner_id: UUID, name: str, secret: bytes) -> None:
        """Seals and stores a secret; one of the same name is replaced."""
        sealed = self._key_ring.seal(secret, _belongs_to(self._subscription_id, owner_id, name))
        await self._connection.execute(
            """
            insert into secrets (subscription_id, owner_id, name, key_id, sealed) values ($1, $2, $3, $4, $5)
            on conflict (subscription_id, owner_id, name)
            do update set key_id = excluded.key_id, sealed = excluded.sealed
            """,
            self._subscription_id, owner_id, name, sealed.key_id, sealed.content,
        )  # fmt: skip

    async def get(self, owner_id: UUID, name: str) -> bytes | None:
        """Returns an opened secret, or None. Raises DecryptionFailed."""
        row = await self._connection.fetchrow(
            "select key_id, sealed from secrets where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip
        if row is None:
            return None
        belongs_to = _belongs_to(self._subscription_id, owner_id, name)
        return self._key_ring.open(Sealed(row["key_id"], row["sealed"]), belongs_to)

    async def all(self, owner_id: UUID) -> dict[str, bytes]:
        """Returns every secret of an owner, by name."""
        rows = await self._connection.fetch(
            "select name, key_id, sealed from secrets where subscription_id = $1 and owner_id = $2",
            self._subscription_id, owner_id,
        )  # fmt: skip
        sealed = {row["name"]: Sealed(row["key_id"], row["sealed"]) for row in rows}
        return open_secrets(self._key_ring, self._subscription_id, owner_id, sealed)

    async def of_owners(self, owner_ids: Collection[UUID], name: str) -> dict[UUID, bytes]:
        """Returns the secrets of one name by their owners."""
        rows = await self._connection.fetch(
            "select owner_id, key_id, sealed from secrets"
            " where subscription_id = $1 and owner_id = any ($2) and name = $3",
            self._subscription_id, list(owner_ids), name,
        )  # fmt: skip
        return {
            row["owner_id"]: self._key_ring.open(
                Sealed(row["key_id"], row["sealed"]),
                _belongs_to(self._subscription_id, row["owner_id"], name),
            )
            for row in rows
        }

    async def get_or_create(self, owner_id: UUID, name: str, candidate: bytes) -> bytes:
        """Returns a secret, after storing the candidate if there is none; concurrent callers get the same."""
        sealed = self._key_ring.seal(candidate, _belongs_to(self._subscription_id, owner_id, name))
        await self._connection.execute(
            "insert into secrets (subscription_id, owner_id, name, key_id, sealed)"
            " values ($1, $2, $3, $4, $5) on conflict do nothing",
            self._subscription_id, owner_id, name, sealed.key_id, sealed.content,
        )  # fmt: skip
        secret = await self.get(owner_id, name)
        return secret if secret is not None else candidate

    async def delete(self, owner_id: UUID, name: str) -> None:
        """Deletes a secret."""
        await self._connection.execute(
            "delete from secrets where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip

    async def delete_all(self, owner_id: UUID) -> None:
        """Deletes every secret of an owner."""
        await self._connection.execute(
            "delete from secrets where subscription_id = $1 and owner_id = $2",
            self._subscription_id, owner_id,
        )  # fmt: skip


def open_secrets(
    key_ring: KeyRing, subscription_id: UUID, owner_id: UUID, sealed: Mapping[str, Sealed]
) -> dict[str, bytes]:
    """Opens secrets of an owner, by name. Raises DecryptionFailed."""
    return {
        name: key_ring.open(secret, _belongs_to(subscription_id, owner_id, name))
        for name, secret in sealed.items()
    }


async def rewrap_batch(connection: Connection, key_ring: KeyRing, batch_size: int = 100) -> int:
    """Moves up to `batch_size` secrets to the active master key and returns how many; needs a transaction.

    The service may run meanwhile. Rows that another process has locked are skipped: a later call finds them.
    """
    rows = await connection.fetch(
        "select * from secrets where key_id <> $1 limit $2 for update skip locked",
        key_ring.active_id,
        batch_size,
    )
    for row in rows:
        key = (row["subscription_id"], row["owner_id"], row["name"])
        sealed = key_ring.rewrap(Sealed(row["key_id"], row["sealed"]), _belongs_to(*key))
        await connection.execute(
            "update secrets set key_id = $4, sealed = $5"
            " where subscription_id = $1 and owner_id = $2 and name = $3",
            *key, sealed.key_id, sealed.content,
        )  # fmt: skip
    return len(rows)


async def count_by_key(connection: Connection) -> dict[str, int]:
    """Returns how many secrets each master key seals."""
    rows = await connection.fetch("select key_id, count(*) from secrets group by key_id order by key_id")
    return {row["key_id"]: row["count"] for row in rows}


def _belongs_to(subscription_id: UUID, owner_id: UUID, name: str) -> str:
    """Returns the additional data of the encryption: a value copied to another row does not open there."""
    return f"{subscription_id}/{owner_id}/{name}"
