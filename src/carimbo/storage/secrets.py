"""Where sealed secrets are kept, and how they are put under a new master key."""

from collections.abc import Collection
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.envelope import KeyRing, Sealed


class Secrets:
    """The secrets of one subscription's companies (and webhooks), by owner and name."""

    def __init__(self, connection: Connection, subscription_id: UUID, key_ring: KeyRing) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._key_ring = key_ring

    async def put(self, owner_id: UUID, name: str, secret: bytes) -> None:
        """Seal and store, in place of what had the name."""
        sealed = self._key_ring.seal(secret, _belonging(self._subscription_id, owner_id, name))
        await self._connection.execute(
            """
            insert into secrets (subscription_id, owner_id, name, key_id, sealed) values ($1, $2, $3, $4, $5)
            on conflict (subscription_id, owner_id, name)
            do update set key_id = excluded.key_id, sealed = excluded.sealed
            """,
            self._subscription_id, owner_id, name, sealed.key_id, sealed.content,
        )  # fmt: skip

    async def get(self, owner_id: UUID, name: str) -> bytes | None:
        """Read and open; None when there is none."""
        row = await self._connection.fetchrow(
            "select key_id, sealed from secrets where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip
        if row is None:
            return None
        belonging = _belonging(self._subscription_id, owner_id, name)
        return self._key_ring.open(Sealed(row["key_id"], row["sealed"]), belonging)

    async def all(self, owner_id: UUID) -> dict[str, bytes]:
        """Every secret of an owner, by its name."""
        rows = await self._connection.fetch(
            "select name, key_id, sealed from secrets where subscription_id = $1 and owner_id = $2",
            self._subscription_id, owner_id,
        )  # fmt: skip
        return {
            row["name"]: self._key_ring.open(
                Sealed(row["key_id"], row["sealed"]), _belonging(self._subscription_id, owner_id, row["name"])
            )
            for row in rows
        }

    async def of_owners(self, owner_ids: Collection[UUID], name: str) -> dict[UUID, bytes]:
        """The secrets of one name that some owners have."""
        rows = await self._connection.fetch(
            "select owner_id, key_id, sealed from secrets"
            " where subscription_id = $1 and owner_id = any ($2) and name = $3",
            self._subscription_id, list(owner_ids), name,
        )  # fmt: skip
        return {
            row["owner_id"]: self._key_ring.open(
                Sealed(row["key_id"], row["sealed"]), _belonging(self._subscription_id, row["owner_id"], name)
            )
            for row in rows
        }

    async def get_or_create(self, owner_id: UUID, name: str, candidate: bytes) -> bytes:
        """Read a secret, storing the candidate first if there is none; two at once agree on one."""
        belonging = _belonging(self._subscription_id, owner_id, name)
        sealed = self._key_ring.seal(candidate, belonging)
        await self._connection.execute(
            "insert into secrets (subscription_id, owner_id, name, key_id, sealed)"
            " values ($1, $2, $3, $4, $5) on conflict do nothing",
            self._subscription_id, owner_id, name, sealed.key_id, sealed.content,
        )  # fmt: skip
        secret = await self.get(owner_id, name)
        return secret if secret is not None else candidate

    async def delete(self, owner_id: UUID, name: str) -> None:
        """Forget one secret."""
        await self._connection.execute(
            "delete from secrets where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip

    async def delete_all(self, owner_id: UUID) -> None:
        """Forget every secret of an owner."""
        await self._connection.execute(
            "delete from secrets where subscription_id = $1 and owner_id = $2",
            self._subscription_id,
            owner_id,
        )


async def rewrap_some(connection: Connection, key_ring: KeyRing, most: int = 100) -> int:
    """Put up to `most` secrets under the active key; inside a transaction, beside running services.

    Rows that another process holds are skipped: a later call finds them.
    """
    rows = await connection.fetch(
        "select * from secrets where key_id <> $1 limit $2 for update skip locked", key_ring.active_id, most
    )
    for row in rows:
        key = (row["subscription_id"], row["owner_id"], row["name"])
        sealed = key_ring.rewrap(Sealed(row["key_id"], row["sealed"]), _belonging(*key))
        await connection.execute(
            "update secrets set key_id = $4, sealed = $5"
            " where subscription_id = $1 and owner_id = $2 and name = $3",
            *key, sealed.key_id, sealed.content,
        )  # fmt: skip
    return len(rows)


async def count_by_key(connection: Connection) -> dict[str, int]:
    """Tell how many secrets each master key still seals."""
    rows = await connection.fetch("select key_id, count(*) from secrets group by key_id order by key_id")
    return {row["key_id"]: row["count"] for row in rows}


def _belonging(subscription_id: UUID, owner_id: UUID, name: str) -> str:
    """The additional data of the seal: a value copied to another row does not open there."""
    return f"{subscription_id}/{owner_id}/{name}"
