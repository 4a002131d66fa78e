"""Forms that people sent: each acts once, however often it arrives."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.envelope import KeyRing, Sealed
from carimbo.storage.sql import delete_batch


@dataclass(frozen=True)
class FormSubmission:
    """A form that was sent before."""

    address: str | None
    """The page with the result; None if there is no result yet."""
    age: timedelta


class FormSubmissions:
    """The forms that one person sent."""

    def __init__(self, connection: Connection, person_id: UUID, key_ring: KeyRing) -> None:
        self._connection = connection
        self._person_id = person_id
        self._key_ring = key_ring

    async def begin(self, form_id: UUID) -> bool:
        """Stores that a form arrived; returns False if it arrived before."""
        result = await self._connection.execute(
            "insert into form_submissions (person_id, id) values ($1, $2) on conflict do nothing",
            self._person_id, form_id,
        )  # fmt: skip
        return bool(result != "INSERT 0 0")

    async def find(self, form_id: UUID) -> FormSubmission | None:
        """Returns a form that arrived, or None."""
        row = await self._connection.fetchrow(
            "select address, now() - created_at as age from form_submissions"
            " where person_id = $1 and id = $2",
            self._person_id, form_id,
        )  # fmt: skip
        return row and FormSubmission(row["address"], row["age"])

    async def finish(self, form_id: UUID, address: str) -> None:
        """Stores the page that shows the result."""
        await self._connection.execute(
            "update form_submissions set address = $3 where person_id = $1 and id = $2",
            self._person_id, form_id, address,
        )  # fmt: skip

    async def abandon(self, form_id: UUID) -> None:
        """Forgets a form that was refused: it changed nothing, and may be sent again."""
        await self._connection.execute(
            "delete from form_submissions where person_id = $1 and id = $2", self._person_id, form_id
        )

    async def keep_secret(self, form_id: UUID, secret: str) -> None:
        """Seals the secret that the result of a form shows."""
        sealed = self._key_ring.seal(secret.encode(), self._belongs_to(form_id))
        await self._connection.execute(
            "update form_submissions set key_id = $3, sealed = $4 where person_id = $1 and id = $2",
            self._person_id, form_id, sealed.key_id, sealed.content,
        )  # fmt: skip

    async def secret(self, form_id: UUID, shown_for: timedelta) -> str | None:
        """Returns the secret of a form that was sent a short time ago, or None. Raises DecryptionFailed."""
        row = await self._connection.fetchrow(
            "select key_id, sealed from form_submissions"
            " where person_id = $1 and id = $2 and sealed is not null and created_at > now() - $3::interval",
            self._person_id, form_id, shown_for,
        )  # fmt: skip
        if row is None:
            return None
        sealed = Sealed(row["key_id"], row["sealed"])
        return self._key_ring.open(sealed, self._belongs_to(form_id)).decode()

    def _belongs_to(self, form_id: UUID) -> str:
        return f"form/{self._person_id}/{form_id}"


async def delete_old_submissions(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of forms that were sent long ago; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from form_submissions where (person_id, id) in (
            select person_id, id from form_submissions where created_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        keep,
    )


async def forget_shown_secrets(connection: Connection, shown_for: timedelta) -> None:
    """Deletes the secrets that no page shows any more."""
    await connection.execute(
        "update form_submissions set key_id = null, sealed = null"
        " where sealed is not null and created_at < now() - $1::interval",
        shown_for,
    )
