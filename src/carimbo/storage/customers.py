"""The customers in each company's catalog."""

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import known_address_fields
from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than
from carimbo.storage.sql import NamedSql, json_object, search_condition


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
_SELECT = f"select {_COLUMNS} from customers where subscription_id = $1 and id = $2 and deleted_at is null"
_SEARCHED = f"{_OF_COMPANY} and {search_condition('$3')}"
# Several customers may have the same e-mail, such as an accountant's: it identifies a customer only if the
# stored or the searched one has neither document nor foreign id.
_FIND = f"""
    select * from (
        select 1 as rank, * from ({_OF_COMPANY} and document = $3) as by_document
        union all
        select 2 as rank, * from ({_OF_COMPANY} and foreign_id = $4) as by_foreign_id
        union all
        select 3 as rank, * from (
            {_OF_COMPANY} and lower(email) = lower($5)
                and (document is null and foreign_id is null or $3::text is null and $4::text is null)
        ) as by_email
    ) as matches
    order by rank, created_at, id limit 1
"""
# Always in the same order, so that no two transactions deadlock.
_LOCK = """
    select pg_advisory_xact_lock(key) from (
        select hashtextextended('customer:' || $1::uuid || ':' || lower(mark), 0) as key
        from unnest($2::text[]) as mark order by key
    ) as marks
"""
_ADD = NamedSql(
    f"insert into customers (subscription_id, id, company_id, {', '.join(_FACTS)})"
    f" values ($1, $2, $3, {', '.join(f':{name}' for name in _FACTS)}) returning {_COLUMNS}"
)
_WRITE = NamedSql(
    f"update customers set {', '.join(f'{name} = :{name}' for name in _FACTS)}, updated_at = now()"
    f" where subscription_id = $1 and id = $2 and deleted_at is null returning {_COLUMNS}"
)


class Customers:
    """Customers of one subscription's companies; deleted ones are returned only where a method says so."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, customer_id: UUID, company_id: UUID, facts: CustomerFacts) -> Customer:
        """Stores a customer."""
        row = await self._connection.fetchrow(
            _ADD.text,
            self._subscription_id, customer_id, company_id, *_ADD.arguments(vars(facts)),
        )  # fmt: skip
        return _customer(only(row))

    async def find(self, company_id: UUID, facts: CustomerFacts) -> Customer | None:
        """Finds a customer by document, else by foreign id, else by an e-mail that identifies one."""
        row = await self._connection.fetchrow(
            _FIND, self._subscription_id, company_id, facts.document, facts.foreign_id, facts.email
        )
        return row and _customer(row)

    async def hold(self, company_id: UUID, facts: CustomerFacts) -> None:
        """Locks the document, foreign id and e-mail of a customer until the transaction ends.

        So two requests with the same new customer create only one.
        """
        marks = [mark for mark in (facts.document, facts.foreign_id, facts.email) if mark]
        await self._connection.execute(_LOCK, company_id, marks)

    async def page(self, company_id: UUID, search: str | None, offset: int, size: int) -> list[Customer]:
        """Returns a page of a company's customers, newest first."""
        rows = await self._connection.fetch(
            f"{_SEARCHED} order by created_at desc, id desc offset $4 limit $5",
            self._subscription_id, company_id, search, offset, size,
        )  # fmt: skip
        return [_customer(row) for row in rows]

    async def older(
        self, company_id: UUID, search: str | None, after: Position | None, size: int
    ) -> KeysetPage[Customer]:
        """Returns the customers after a place in the list, newest first."""
        values = [self._subscription_id, company_id, search]
        beyond = older_than(after, "created_at, id", values)
        rows = await self._connection.fetch(
            f"{_SEARCHED}{beyond} order by created_at desc, id desc limit {size}", *values
        )
        return keyset_page(list(map(_customer, rows)), size, lambda row: (row.created_at, row.id))

    async def count(self, company_id: UUID, search: str | None) -> int:
        """Returns how many customers a search matches."""
        total: int = await self._connection.fetchval(
            f"select count(*) from ({_SEARCHED}) as matches", self._subscription_id, company_id, search
        )
        return total

    async def get(self, customer_id: UUID) -> Customer | None:
        """Returns a customer of any company of the subscription, or None."""
        row = await self._connection.fetchrow(_SELECT, self._subscription_id, customer_id)
        return row and _customer(row)

    async def get_even_deleted(self, customer_id: UUID) -> Customer | None:
        """Returns a customer of any company of the subscription, also a deleted one, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from customers where subscription_id = $1 and id = $2",
            self._subscription_id, customer_id,
        )  # fmt: skip
        return row and _customer(row)

    async def lock(self, customer_id: UUID) -> Customer | None:
        """Returns a customer and locks it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"{_SELECT} for no key update", self._subscription_id, customer_id
        )
        return row and _customer(row)

    async def write(self, customer_id: UUID, facts: CustomerFacts) -> Customer | None:
        """Replaces all facts of a customer; returns None if there is none."""
        row = await self._connection.fetchrow(
            _WRITE.text, self._subscription_id, customer_id, *_WRITE.arguments(vars(facts))
        )
        return row and _customer(row)

    async def delete(self, company_id: UUID, customer_id: UUID) -> bool:
        """Marks a customer of a company as deleted; returns False if there is none."""
        result = await self._connection.execute(
            "update customers set deleted_at = now(), updated_at = now()"
            " where subscription_id = $1 and company_id = $2 and id = $3 and deleted_at is null",
            self._subscription_id, company_id, customer_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


def _customer(row: Row) -> Customer:
    values = {field.name: row[field.name] for field in fields(Customer)}
    address = json_object("customers", row["id"], "address", row["address"])
    return Customer(**values | {"address": known_address_fields(address)})
