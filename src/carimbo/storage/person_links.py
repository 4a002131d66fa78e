"""Links that people open instead of signing in; only hashes of their tokens are stored."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, Row
from carimbo.storage.people import PERSON_COLUMNS, PersonRow, person_of
from carimbo.storage.sql import delete_batch


@dataclass(frozen=True, kw_only=True)
class NewPersonLink:
    """A link to store."""

    hash: bytes
    purpose: str
    person_id: UUID
    expires_at: datetime
    subscription_id: UUID | None = None
    grants_operator: bool = False
    removes_second_factor: bool = False
    is_reusable: bool = False


@dataclass(frozen=True)
class PersonLink:
    """A link that can be used, with its person."""

    person: PersonRow
    subscription_id: UUID | None
    grants_operator: bool
    removes_second_factor: bool


_IS_USABLE = (
    "l.hash = $1 and l.purpose = $2 and l.expires_at > now() and (l.used_at is null or l.is_reusable)"
    " and p.disabled_at is null"
)
_COLUMNS = f"l.member_of, l.grants_operator, l.removes_second_factor, {PERSON_COLUMNS}"


class PersonLinks:
    """All links of people."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, link: NewPersonLink) -> None:
        """Stores a link, and deletes those of the same person that no longer work."""
        await self._connection.execute(
            "delete from person_links"
            " where person_id = $1 and (expires_at < now() or (used_at is not null and not is_reusable))",
            link.person_id,
        )
        await self._connection.execute(
            "insert into person_links"
            " (hash, purpose, person_id, expires_at, member_of, grants_operator, removes_second_factor,"
            " is_reusable)"
            " values ($1, $2, $3, $4, $5, $6, $7, $8)",
            link.hash, link.purpose, link.person_id, link.expires_at, link.subscription_id,
            link.grants_operator, link.removes_second_factor, link.is_reusable,
        )  # fmt: skip

    async def find(self, hash_: bytes, purpose: str) -> PersonLink | None:
        """Returns a link that can be used, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from person_links l join people p on p.id = l.person_id where {_IS_USABLE}",
            hash_, purpose,
        )  # fmt: skip
        return row and _link(row)

    async def use(self, hash_: bytes, purpose: str) -> PersonLink | None:
        """Marks a link as used and returns it; None if it can't be used, or was used meanwhile."""
        row = await self._connection.fetchrow(
            "update person_links l set used_at = now() from people p"
            f" where p.id = l.person_id and {_IS_USABLE} returning {_COLUMNS}",
            hash_, purpose,
        )  # fmt: skip
        return row and _link(row)

    async def delete_invitations(self, person_id: UUID, subscription_id: UUID) -> None:
        """Deletes the invitations of a person to a subscription: a new one replaces them."""
        await self._connection.execute(
            "delete from person_links"
            " where person_id = $1 and member_of = $2 and purpose = 'invitation'",
            person_id, subscription_id,
        )  # fmt: skip

    async def delete_operator_invitations(self, person_id: UUID) -> bool:
        """Deletes the links that make a person an operator; returns whether there were any."""
        result = await self._connection.execute(
            "delete from person_links where person_id = $1 and grants_operator", person_id
        )
        return bool(result != "DELETE 0")

    async def delete_resets(self, person_id: UUID) -> None:
        """Deletes the links of a person for a new password."""
        await self._connection.execute(
            "delete from person_links where person_id = $1 and purpose = 'reset'", person_id
        )

    async def delete_all(self, person_id: UUID) -> None:
        """Deletes all links of a person."""
        await self._connection.execute("delete from person_links where person_id = $1", person_id)


async def delete_expired_links(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of links that expired long ago; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from person_links where hash in (
            select hash from person_links where expires_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        keep,
    )


def _link(row: Row) -> PersonLink:
    return PersonLink(
        person_of(row), row["member_of"], row["grants_operator"], bool(row["removes_second_factor"])
    )
