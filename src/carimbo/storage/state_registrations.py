"""State registrations (inscrições estaduais) of companies, at most one for each state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, only

_COLUMNS = "id, state, number, is_default, created_at"


@dataclass(frozen=True)
class StateRegistrationRow:
    """A company's registration in one state."""

    id: UUID
    state: str
    number: str
    is_default: bool
    created_at: datetime


class StateRegistrations:
    """Registrations of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(
        self, company_id: UUID, registration_id: UUID, state: str, number: str, is_default: bool
    ) -> StateRegistrationRow:
        """Stores a registration in a state that has none yet."""
        row = await self._connection.fetchrow(
            f"""
            insert into state_registrations (subscription_id, company_id, id, state, number, is_default)
            values ($1, $2, $3, $4, $5, $6)
            returning {_COLUMNS}
            """,
            self._subscription_id, company_id, registration_id, state, number, is_default,
        )  # fmt: skip
        return StateRegistrationRow(**only(row))

    async def find_by_state(self, company_id: UUID, state: str) -> UUID | None:
        """Returns the id of the registration in a state, or None."""
        registration_id: UUID | None = await self._connection.fetchval(
            "select id from state_registrations"
            " where subscription_id = $1 and company_id = $2 and state = $3",
            self._subscription_id, company_id, state,
        )  # fmt: skip
        return registration_id

    async def all(self, company_id: UUID) -> list[StateRegistrationRow]:
        """Returns all registrations of a company, at most 27, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from state_registrations where subscription_id = $1 and company_id = $2"
            " order by created_at desc, id desc",
            self._subscription_id, company_id,
        )  # fmt: skip
        return [StateRegistrationRow(**row) for row in rows]

    async def of_companies(self, company_ids: Sequence[UUID]) -> dict[UUID, list[StateRegistrationRow]]:
        """Returns the registrations of several companies by company, newest first."""
        rows = await self._connection.fetch(
            f"select company_id, {_COLUMNS} from state_registrations"
            " where subscription_id = $1 and company_id = any($2) order by created_at desc, id desc",
            self._subscription_id, company_ids,
        )  # fmt: skip
        registrations: dict[UUID, list[StateRegistrationRow]] = {}
        for row in rows:
            company_id, *columns = row.values()
            registrations.setdefault(company_id, []).append(StateRegistrationRow(*columns))
        return registrations

    async def clear_default(self, company_id: UUID) -> None:
        """Clears the default registration, before another one becomes the default."""
        await self._connection.execute(
            "update state_registrations set is_default = false"
            " where subscription_id = $1 and company_id = $2 and is_default",
            self._subscription_id, company_id,
        )  # fmt: skip

    async def set_default(self, company_id: UUID, registration_id: UUID) -> StateRegistrationRow | None:
        """Makes a registration the default, after `clear_default`; returns it, or None if there is none."""
        row = await self._connection.fetchrow(
            f"""
            update state_registrations set is_default = true
            where subscription_id = $1 and company_id = $2 and id = $3
            returning {_COLUMNS}
            """,
            self._subscription_id, company_id, registration_id,
        )  # fmt: skip
        return StateRegistrationRow(**row) if row else None

    async def delete_all(self, company_id: UUID) -> None:
        """Deletes all registrations of a company."""
        await self._connection.execute(
            "delete from state_registrations where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip

    async def delete(self, company_id: UUID, registration_id: UUID) -> bool:
        """Deletes a registration and returns whether there was one.

        If it was the default, the oldest of the others becomes the default.
        """
        result = await self._connection.execute(
            "delete from state_registrations where subscription_id = $1 and company_id = $2 and id = $3",
            self._subscription_id, company_id, registration_id,
        )  # fmt: skip
        await self._connection.execute(
            """
            update state_registrations set is_default = true
            where subscription_id = $1 and company_id = $2 and id = (
                select id from state_registrations where subscription_id = $1 and company_id = $2
                order by is_default desc, created_at, id limit 1)
            """,
            self._subscription_id, company_id,
        )  # fmt: skip
        return bool(result == "DELETE 1")
