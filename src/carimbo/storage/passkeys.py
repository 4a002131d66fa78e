"""The passkeys of people, and the challenges that passkeys sign."""

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection


@dataclass(frozen=True, kw_only=True)
class Passkey:
    """A passkey of a person: public facts only, as the private key never leaves the device."""

    id: UUID
    person_id: UUID
    credential_id: bytes = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int
    name: str
    transports: list[str]
    created_at: datetime
    last_used_at: datetime | None


_COLUMNS = ", ".join(column.name for column in fields(Passkey))


class Passkeys:
    """All passkeys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(
        self,
        passkey_id: UUID,
        person_id: UUID,
        credential_id: bytes,
        public_key: bytes,
        sign_count: int,
        name: str,
        transports: list[str],
    ) -> Passkey | None:
        """Stores a passkey; returns None if the credential is stored already."""
        row = await self._connection.fetchrow(
            f"""
            insert into passkeys (id, person_id, credential_id, public_key, sign_count, name, transports)
            values ($1, $2, $3, $4, $5, $6, $7) on conflict (credential_id) do nothing returning {_COLUMNS}
            """,
            passkey_id, person_id, credential_id, public_key, sign_count, name, transports,
        )  # fmt: skip
        return row and Passkey(**row)

    async def all(self, person_id: UUID) -> list[Passkey]:
        """Returns the passkeys of a person, oldest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from passkeys where person_id = $1 order by created_at, id", person_id
        )
        return [Passkey(**row) for row in rows]

    async def find(self, credential_id: bytes) -> Passkey | None:
        """Returns the passkey of a credential, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from passkeys where credential_id = $1", credential_id
        )
        return row and Passkey(**row)

    async def use(self, credential_id: bytes, sign_count: int) -> bool:
        """Stores the use of a passkey; returns False if its count has not grown: it may be a copy.

        A passkey that does not count always reports zero.
        """
        result = await self._connection.execute(
            "update passkeys set sign_count = $2, last_used_at = now() where credential_id = $1"
            " and (sign_count < $2 or (sign_count = 0 and $2 = 0))",
            credential_id, sign_count,
        )  # fmt: skip
        return bool(result == "UPDATE 1")

    async def delete(self, person_id: UUID, passkey_id: UUID) -> str | None:
        """Deletes a passkey of a person and returns its name, or None."""
        name: str | None = await self._connection.fetchval(
            "delete from passkeys where person_id = $1 and id = $2 returning name", person_id, passkey_id
        )
        return name

    async def delete_all(self, person_id: UUID) -> list[str]:
        """Deletes the passkeys of a person and returns their names."""
        rows = await self._connection.fetch(
            "delete from passkeys where person_id = $1 returning name", person_id
        )
        return [row["name"] for row in rows]


class PasskeyChallenges:
    """Challenges that wait for the answer of a passkey; each can be answered once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(
        self, challenge_id: UUID, challenge: bytes, purpose: str, person_id: UUID | None, lifetime: timedelta
    ) -> None:
        """Stores a challenge, and deletes all that have expired."""
        await self._connection.execute("delete from passkey_challenges where expires_at < now()")
        await self._connection.execute(
            "insert into passkey_challenges (id, challenge, purpose, person_id, expires_at)"
            " values ($1, $2, $3, $4, now() + $5::interval)",
            challenge_id, challenge, purpose, person_id, lifetime,
        )  # fmt: skip

    async def take(self, challenge_id: UUID, purpose: str, person_id: UUID | None) -> bytes | None:
        """Deletes a challenge and returns it; None if it has expired, was used, or is for something else."""
        challenge: bytes | None = await self._connection.fetchval(
            "delete from passkey_challenges where id = $1 and purpose = $2"
            " and person_id is not distinct from $3 and expires_at > now() returning challenge",
            challenge_id, purpose, person_id,
        )  # fmt: skip
        return challenge
