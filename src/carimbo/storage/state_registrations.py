"""State registrations (inscrições estaduais) of each company, one per state."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, only

_COLUMNS = "id, state, number, is_default, created_at"


@dataclass(frozen=True)
class StateRegistration:
    """A company's number at one state's tax office."""

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
    ) -> StateRegistration:
        """Store a registration; there is one of each state."""
        row = await self._connection.fetchrow(
            f"""
            insert into state_registrations (subscription_id, company_id, id, state, number, is_default)
            values ($1, $2, $3, $4, $5, $6)
            returning {_COLUMNS}
            """,
            self._subscription_id, company_id, registration_id, state, number, is_default,
        )  # fmt: skip
        return StateRegistration(**only(row))

    async def find_by_state(self, company_id: UUID, state: str) -> UUID | None:
        """The registration in a state; None when there is none."""
        found: UUID | None = await self._connection.fetchval(
            "select id from state_registrations"
            " where subscription_id = $1 and company_id = $2 and state = $3",
            self._subscription_id, company_id, state,
        )  # fmt: skip
        return found

    async def all(self, company_id: UUID) -> list[StateRegistration]:
        """Newest first; there are 27 at most."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from state_registrations where subscription_id = $1 and company_id = $2"
            " order by created_at desc, id desc",
            self._subscription_id, company_id,
        )  # fmt: skip
        return [StateRegistration(**row) for row in rows]

    async def clear_default(self, company_id: UUID) -> None:
        """Let none be the default, before another becomes it."""
        await self._connection.execute(
            "update state_registrations set is_default = false"
            " where subscription_id = $1 and company_id = $2 and is_default",
            self._subscription_id, company_id,
        )  # fmt: skip

    async def delete_all(self, company_id: UUID) -> None:
        """Remove all of a company's."""
        await self._connection.execute(
            "delete from state_registrations where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip

    async def delete(self, company_id: UUID, registration_id: UUID) -> bool:
        """Remove one; when it was the default, the oldest left takes its place."""
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
