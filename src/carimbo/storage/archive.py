"""Files by their owner: signed documents and what authorities answered, which must never change, and logos.

All but logos are written by the statement that they belong to (issuing.py, filings.py, strays.py).
"""

from uuid import UUID

from carimbo.storage.connection import Connection


class Archive:
    """Files of one subscription, by owner and name."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def put(self, owner_id: UUID, name: str, content: bytes) -> None:
        """Keep a file; one of the same name is replaced."""
        await self._connection.execute(
            """
            insert into archive (subscription_id, owner_id, name, content) values ($1, $2, $3, $4)
            on conflict (subscription_id, owner_id, name)
            do update set content = excluded.content, created_at = now()
            """,
            self._subscription_id, owner_id, name, content,
        )  # fmt: skip

    async def get(self, owner_id: UUID, name: str) -> bytes | None:
        """A file of a document, statement or company; None when there is none."""
        content: bytes | None = await self._connection.fetchval(
            "select content from archive where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip
        return content

    async def delete(self, owner_id: UUID, name: str) -> None:
        """Remove a file, for what may change: a company's logo."""
        await self._connection.execute(
            "delete from archive where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip

    async def all(self, owner_id: UUID, beginning: str) -> list[bytes]:
        """Every file of an owner whose name begins so."""
        rows = await self._connection.fetch(
            "select content from archive where subscription_id = $1 and owner_id = $2"
            " and starts_with(name, $3)",
            self._subscription_id, owner_id, beginning,
        )  # fmt: skip
        return [row["content"] for row in rows]
