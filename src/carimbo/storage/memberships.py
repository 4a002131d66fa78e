"""The people of a subscription, with their roles."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, Row


@dataclass(frozen=True, kw_only=True)
class MembershipRow:
    """A person of a subscription."""

    person_id: UUID
    email: str
    name: str | None
    """Hidden until the person accepts: another subscription may have given it."""
    role: str
    company_ids: list[UUID] | None
    """None means all companies."""
    created_at: datetime
    accepted_at: datetime | None
    """None while the invitation waits."""
    invitation_expires_at: datetime | None
    last_signed_in_at: datetime | None
    is_disabled: bool


_SELECT = """
    select m.person_id, p.email, m.role, m.company_ids, m.created_at, m.accepted_at,
        case when m.accepted_at is not null then p.name end as name,
        (select max(l.expires_at) from person_links l
         where l.person_id = m.person_id and l.member_of = m.subscription_id
             and l.purpose = 'invitation' and l.used_at is null) as invitation_expires_at,
        case when m.accepted_at is not null then p.last_signed_in_at end as last_signed_in_at,
        m.accepted_at is not null and p.disabled_at is not null as is_disabled
    from memberships m join people p on p.id = m.person_id
    where m.subscription_id = $1
"""


class Memberships:
    """The people of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def all(self) -> list[MembershipRow]:
        """Returns everybody, by e-mail address."""
        rows = await self._connection.fetch(f"{_SELECT} order by p.email", self._subscription_id)
        return [_membership(row) for row in rows]

    async def get(self, person_id: UUID) -> MembershipRow | None:
        """Returns a person of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"{_SELECT} and m.person_id = $2", self._subscription_id, person_id
        )
        return row and _membership(row)

    async def lock_all(self) -> list[MembershipRow]:
        """Returns everybody and locks the memberships until the transaction ends."""
        rows = await self._connection.fetch(
            f"{_SELECT} order by m.person_id for update of m", self._subscription_id
        )
        return [_membership(row) for row in rows]

    async def put_invited(self, person_id: UUID, role: str, company_ids: Iterable[UUID] | None) -> bool:
        """Stores a membership that waits for its acceptance; returns False if it was accepted already."""
        result = await self._connection.execute(
            """
            insert into memberships as m (subscription_id, person_id, role, company_ids)
            values ($1, $2, $3, $4)
            on conflict (subscription_id, person_id) do update
                set role = excluded.role, company_ids = excluded.company_ids
                where m.accepted_at is null
            """,
            self._subscription_id, person_id, role, None if company_ids is None else list(company_ids),
        )  # fmt: skip
        return bool(result == "INSERT 0 1")

    async def accept(self, person_id: UUID) -> bool:
        """Accepts a waiting membership; returns False if it was withdrawn."""
        result = await self._connection.execute(
            "update memberships set accepted_at = coalesce(accepted_at, now())"
            " where subscription_id = $1 and person_id = $2",
            self._subscription_id, person_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")

    async def write(self, person_id: UUID, role: str, company_ids: Iterable[UUID] | None) -> None:
        """Replaces the role and the companies of a person."""
        await self._connection.execute(
            "update memberships set role = $3, company_ids = $4"
            " where subscription_id = $1 and person_id = $2",
            self._subscription_id, person_id, role, None if company_ids is None else list(company_ids),
        )  # fmt: skip

    async def delete(self, person_id: UUID) -> None:
        """Removes a person from the subscription, with the open invitations."""
        await self._connection.execute(
            "delete from person_links where person_id = $2 and member_of = $1",
            self._subscription_id, person_id,
        )  # fmt: skip
        await self._connection.execute(
            "delete from memberships where subscription_id = $1 and person_id = $2",
            self._subscription_id, person_id,
        )  # fmt: skip


async def subscriptions_of(connection: Connection, person_id: UUID) -> list[UUID]:
    """Returns the subscriptions that have a person, always in the same order."""
    rows = await connection.fetch(
        "select subscription_id from memberships where person_id = $1 order by subscription_id", person_id
    )
    return [row["subscription_id"] for row in rows]


def _membership(row: Row) -> MembershipRow:
    return MembershipRow(**row)
