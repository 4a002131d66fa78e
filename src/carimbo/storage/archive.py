"""Files by owner and name: signed documents, answers of authorities, and logos.

Only logos may change. All other files are written by the steps of issuing and filing.
"""

from uuid import UUID

from carimbo.storage.connection import Connection


class Archive:
    """Files of one subscription, by owner and name."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def put(self, owner_id: UUID, name: str, content: bytes) -> None:
        """Stores a file; one of the same name is replaced."""
        await self._connection.execute(
            """
            insert into archive (subscription_id, owner_id, name, content) values ($1, $2, $3, $4)
            on conflict (subscription_id, owner_id, name)
            do update set content = excluded.content, created_at = now()
            """,
            self._subscription_id, owner_id, name, content,
        )  # fmt: skip

    async def get(self, owner_id: UUID, name: str) -> bytes | None:
        """Returns a file of a document, filing or company, or None."""
        content: bytes | None = await self._connection.fetchval(
            "select content from archive where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip
        return content

    async def delete(self, owner_id: UUID, name: str) -> None:
        """Deletes a file; only for those that may change, that is logos."""
        await self._connection.execute(
            "delete from archive where subscription_id = $1 and owner_id = $2 and name = $3",
            self._subscription_id, owner_id, name,
        )  # fmt: skip

    async def all(self, owner_id: UUID, beginning: str) -> list[bytes]:
        """Returns every file of an owner whose name begins with `beginning`."""
        rows = await self._connection.fetch(
            "select content from archive where subscription_id = $1 and owner_id = $2"
            " and starts_with(name, $3)",
            self._subscription_id, owner_id, beginning,
        )  # fmt: skip
        return [row["content"] for row in rows]
