"""The people of the installation."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from uuid import UUID

from carimbo.storage.actors import Actor, ActorKind
from carimbo.storage.connection import Connection, Row


@dataclass(frozen=True, kw_only=True)
class PersonRow:
    """Somebody who may sign in to the dashboard, without any secret."""

    id: UUID
    email: str
    """In lower case."""
    name: str | None
    is_operator: bool
    has_password: bool
    has_totp: bool
    passkeys: int
    """The number of passkeys."""
    created_at: datetime
    last_signed_in_at: datetime | None
    disabled_at: datetime | None

    @property
    def actor(self) -> Actor:
        """The person as the author of changes. Roles that may not see e-mail addresses see its name."""
        return Actor(ActorKind.PERSON, self.id, self.name or self.email.partition("@")[0])

    @property
    def has_account(self) -> bool:
        """Whether the person has signed in before, or can sign in without a link."""
        return self.has_password or self.passkeys > 0 or self.last_signed_in_at is not None


@dataclass(frozen=True)
class PersonWithSecret:
    """A person with what a password is compared with."""

    person: PersonRow
    password_hash: str | None = field(repr=False)


_FIELDS = tuple(person_field.name for person_field in fields(PersonRow))
_EXPRESSIONS = {
    "has_password": "p.password_hash is not null",
    "has_totp": "p.totp_enabled",
    "passkeys": "(select count(*) from passkeys k where k.person_id = p.id)::integer",
}
PERSON_COLUMNS = ", ".join(f"{_EXPRESSIONS.get(name, f'p.{name}')} as person_{name}" for name in _FIELDS)
"""The columns of a person for a statement that calls the table `p`; see `person_of`."""
_SELECT = f"select {PERSON_COLUMNS}, p.password_hash from people p"


def person_of(row: Row) -> PersonRow:
    """Returns the person of a row that has `PERSON_COLUMNS`."""
    return PersonRow(**{name: row[f"person_{name}"] for name in _FIELDS})


class People:
    """All people of the installation."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get_or_add(self, person_id: UUID, email: str, name: str | None) -> PersonRow:
        """Returns the person with an e-mail address, after adding it if there is none, and locks it."""
        await self._connection.execute(
            "insert into people (id, email, name) values ($1, $2, $3) on conflict (email) do nothing",
            person_id, email, name,
        )  # fmt: skip
        row = await self._connection.fetchrow(f"{_SELECT} where p.email = $1 for update of p", email)
        if row is None:
            raise LookupError("a person that was just added is gone")
        return person_of(row)

    async def find(self, email: str) -> PersonWithSecret | None:
        """Returns the person with an e-mail address, or None."""
        row = await self._connection.fetchrow(f"{_SELECT} where p.email = $1", email)
        return row and PersonWithSecret(person_of(row), row["password_hash"])

    async def get(self, person_id: UUID) -> PersonWithSecret | None:
        """Returns a person, or None."""
        row = await self._connection.fetchrow(f"{_SELECT} where p.id = $1", person_id)
        return row and PersonWithSecret(person_of(row), row["password_hash"])

    async def lock(self, person_id: UUID) -> PersonWithSecret | None:
        """Returns a person and locks it until the transaction ends."""
        # A statement that waits for the lock would count the passkeys as they were before it waited.
        await self._connection.execute("select from people where id = $1 for update", person_id)
        return await self.get(person_id)

    async def all(self) -> list[PersonRow]:
        """Returns everybody, by e-mail address."""
        rows = await self._connection.fetch(f"{_SELECT} order by p.email")
        return [person_of(row) for row in rows]

    async def set_name(self, person_id: UUID, name: str | None) -> None:
        """Sets the name of a person."""
        await self._connection.execute("update people set name = $2 where id = $1", person_id, name)

    async def make_operator(self, person_id: UUID) -> None:
        """Makes a person an operator of the installation."""
        await self._connection.execute("update people set is_operator = true where id = $1", person_id)

    async def remove_operator(self, person_id: UUID) -> None:
        """Makes an operator an ordinary person again."""
        await self._connection.execute("update people set is_operator = false where id = $1", person_id)

    async def set_password(self, person_id: UUID, password_hash: str) -> None:
        """Replaces the password of a person."""
        await self._connection.execute(
            "update people set password_hash = $2 where id = $1", person_id, password_hash
        )

    async def mark_signed_in(self, person_id: UUID) -> bool:
        """Stores that a person signs in now; returns False if the person is disabled or gone."""
        result = await self._connection.execute(
            "update people set last_signed_in_at = now() where id = $1 and disabled_at is null", person_id
        )
        return bool(result == "UPDATE 1")

    async def set_disabled(self, person_id: UUID, *, is_disabled: bool) -> None:
        """Disables or enables a person; the first time of being disabled stays."""
        await self._connection.execute(
            "update people set disabled_at = case when $2 then coalesce(disabled_at, now()) end"
            " where id = $1",
            person_id, is_disabled,
        )  # fmt: skip

    async def set_totp(self, person_id: UUID, last_step: int | None) -> None:
        """Enables the second factor with the time step of its first code; None disables it."""
        await self._connection.execute(
            "update people set totp_enabled = $2::bigint is not null, totp_last_step = $2 where id = $1",
            person_id, last_step,
        )  # fmt: skip

    async def use_totp_step(self, person_id: UUID, step: int) -> bool:
        """Stores the time step of a code; returns False if a code of this step or a later one was used."""
        result = await self._connection.execute(
            "update people set totp_last_step = $2"
            " where id = $1 and totp_enabled and coalesce(totp_last_step, -1) < $2",
            person_id, step,
        )  # fmt: skip
        return bool(result == "UPDATE 1")
