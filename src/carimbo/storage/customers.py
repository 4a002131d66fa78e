"""The customers in each company's catalog."""

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.party_address import known_lines
from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.json_columns import json_object
from carimbo.storage.searching import matches_search


@dataclass(frozen=True, kw_only=True)
class Customer(CustomerFacts):
    """A customer in a company's catalog."""

    id: UUID
    company_id: UUID
    created_at: datetime
    updated_at: datetime


_FACTS = tuple(field.name for field in fields(CustomerFacts))
_COLUMNS = ", ".join(field.name for field in fields(Customer))
_OF_COMPANY = (
    f"select {_COLUMNS} from customers where subscription_id = $1 and company_id = $2 and deleted_at is null"
)
_ONE = f"select {_COLUMNS} from customers where subscription_id = $1 and id = $2 and deleted_at is null"
_SEARCHED = f"{_OF_COMPANY} and {matches_search(3)}"
# An e-mail may be that of several, such as an accountant's: it tells nothing of two who are known otherwise.
_FOUND = f"""
    select * from (
        select 1 as mark, * from ({_OF_COMPANY} and document = $3) as by_document
        union all
        select 2 as mark, * from ({_OF_COMPANY} and foreign_id = $4) as by_foreign_id
        union all
        select 3 as mark, * from (
            {_OF_COMPANY} and lower(email) = lower($5)
                and (document is null and foreign_id is null or $3::text is null and $4::text is null)
        ) as by_email
    ) as known
    order by mark, created_at, id limit 1
"""
# In one order, whoever asks, so that two never wait crosswise.
_HELD = """
    select pg_advisory_xact_lock(key) from (
        select hashtextextended('customer:' || $1::uuid || ':' || lower(mark), 0) as key
        from unnest($2::text[]) as mark order by key
    ) as marks
"""


class Customers:
    """Customers of one subscription's companies; deleted ones are not seen, unless a method says so."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, customer_id: UUID, company_id: UUID, facts: CustomerFacts) -> Customer:
        """Store a customer."""
        arguments = ", ".join(f"${position}" for position in range(4, 4 + len(_FACTS)))
        row = await self._connection.fetchrow(
            f"insert into customers (subscription_id, id, company_id, {', '.join(_FACTS)})"
            f" values ($1, $2, $3, {arguments}) returning {_COLUMNS}",
            self._subscription_id, customer_id, company_id, *(getattr(facts, name) for name in _FACTS),
        )  # fmt: skip
        return _customer(only(row))

    async def find(self, company_id: UUID, facts: CustomerFacts) -> Customer | None:
        """Find by document, else by foreign id, else by an e-mail that is not somebody else's."""
        row = await self._connection.fetchrow(
            _FOUND, self._subscription_id, company_id, facts.document, facts.foreign_id, facts.email
        )
        return row and _customer(row)

    async def hold(self, company_id: UUID, facts: CustomerFacts) -> None:
        """Wait for whoever writes a customer that these facts may be about, and keep others waiting.

        Until the transaction ends: so two that are told of a new customer at once make one.
        """
        marks = [mark for mark in (facts.document, facts.foreign_id, facts.email) if mark]
        await self._connection.execute(_HELD, company_id, marks)

    async def page(self, company_id: UUID, search: str | None, offset: int, size: int) -> list[Customer]:
        """Customers of a company, newest first."""
        rows = await self._connection.fetch(
            f"{_SEARCHED} order by created_at desc, id desc offset $4 limit $5",
            self._subscription_id, company_id, search, offset, size,
        )  # fmt: skip
        return [_customer(row) for row in rows]

    async def count(self, company_id: UUID, search: str | None) -> int:
        """How many customers a search matches."""
        total: int = await self._connection.fetchval(
            f"select count(*) from ({_SEARCHED}) as found", self._subscription_id, company_id, search
        )
        return total

    async def get(self, customer_id: UUID) -> Customer | None:
        """A customer of any company of the subscription."""
        row = await self._connection.fetchrow(_ONE, self._subscription_id, customer_id)
        return row and _customer(row)

    async def get_even_deleted(self, customer_id: UUID) -> Customer | None:
        """Returns a customer of any company of the subscription, also one that left the catalog."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from customers where subscription_id = $1 and id = $2",
            self._subscription_id, customer_id,
        )  # fmt: skip
        return row and _customer(row)

    async def lock(self, customer_id: UUID) -> Customer | None:
        """Read, and keep others from changing it until the transaction ends."""
        row = await self._connection.fetchrow(f"{_ONE} for no key update", self._subscription_id, customer_id)
        return row and _customer(row)

    async def write(self, customer_id: UUID, facts: CustomerFacts) -> Customer | None:
        """Replace all that is known of a customer."""
        changes = ", ".join(f"{name} = ${position}" for position, name in enumerate(_FACTS, 3))
        row = await self._connection.fetchrow(
            f"update customers set {changes}, updated_at = now()"
            f" where subscription_id = $1 and id = $2 and deleted_at is null returning {_COLUMNS}",
            self._subscription_id, customer_id, *(getattr(facts, name) for name in _FACTS),
        )  # fmt: skip
        return row and _customer(row)

    async def delete(self, company_id: UUID, customer_id: UUID) -> bool:
        """Mark a customer of a company as deleted; False when there is none."""
        result = await self._connection.execute(
            "update customers set deleted_at = now(), updated_at = now()"
            " where subscription_id = $1 and company_id = $2 and id = $3 and deleted_at is null",
            self._subscription_id, company_id, customer_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


def _customer(row: Row) -> Customer:
    values = {field.name: row[field.name] for field in fields(Customer)}
    address = json_object("customers", row["id"], "address", row["address"])
    return Customer(**values | {"address": known_lines(address)})
