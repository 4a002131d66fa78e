"""Sales with their lines and their status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection, only
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than
from carimbo.storage.order_keys import claiming_keys
from carimbo.storage.sql import NamedSql, search_condition

IS_WAITING = "(s.next_action_at is not null or s.parked_reason is not null)"
"""SQL condition: sale `s` waits for its scheduled time."""
# The status comes from the documents; the sale's own columns say whether its drafts wait for a time and
# whether a document was discarded.
STATUS = f"""(
    select case
        when bool_or(d.status = 'processing') then 'processing'
        when bool_and(d.status = 'authorized') and not s.has_discarded_document then 'invoiced'
        when bool_or(d.status = 'authorized') then 'partiallyInvoiced'
        when bool_or(d.status = 'canceled') and not (bool_or(d.status = 'pending') and {IS_WAITING})
            then 'canceled'
        when bool_or(d.status = 'rejected') then 'failed'
        when {IS_WAITING} then 'scheduled'
        else 'draft' end
    from documents d where d.subscription_id = s.subscription_id and d.sale_id = s.id
)"""
_WITH_UNAUTHORIZED_DOCUMENT = (
    "select d.sale_id from documents d where d.company_id = $2 and d.status <> 'authorized'"
    " and d.sale_id is not null"
)
# For each status, SQL that selects from the sales with a document that is not authorized, or adds other
# sales.
_CANDIDATES = {
    # A sale whose documents were all discarded is a draft again.
    "draft": " and d.status = 'pending'"
    " union all select n.id from sales n where n.company_id = $2 and not n.has_documents",
    "scheduled": " and d.status = 'pending'",
    "processing": " and d.status = 'processing'",
    "partiallyInvoiced": " union all"
    " select n.id from sales n where n.company_id = $2 and n.has_discarded_document",
    "failed": " and d.status = 'rejected'",
    "canceled": " and d.status = 'canceled'",
}
STATUS_FILTERS = {
    "invoiced": "s.has_documents and not s.has_discarded_document"
    f" and s.id not in ({_WITH_UNAUTHORIZED_DOCUMENT})",
    **{
        status: f"s.id in ({_WITH_UNAUTHORIZED_DOCUMENT}{candidates}) and {STATUS} = '{status}'"
        for status, candidates in _CANDIDATES.items()
    },
}
"""SQL condition of the sales `s` that have each status; $2 is their company.

It starts from the documents that are not authorized, which are few and have an index.
"""
LOSE_DOCUMENT = """
    with rest as (
        select count(*) as documents, count(*) filter (where status = 'pending') as drafts
        from documents where subscription_id = $1 and sale_id = $2
    )
    update sales set updated_at = now(), has_documents = rest.documents > 0,
        has_discarded_document = not is_direct,
        next_action_at = case when rest.drafts > 0 then next_action_at end,
        scheduled_emit_at = case when rest.drafts > 0 then scheduled_emit_at end,
        parked_reason = case when rest.drafts > 0 then parked_reason end
    from rest where subscription_id = $1 and id = $2
"""


_ZERO = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class SaleLine:
    """A line of a sale: an item and its price."""

    product_id: str
    name: str
    price: Decimal
    quantity: Decimal
    total: Decimal


@dataclass(frozen=True, kw_only=True)
class SaleLineDetails(SaleLine):
    """A line with the catalog's data of its item."""

    sale_id: UUID
    sku: str
    type: str
    category: str | None
    is_deleted: bool
    """Whether the item is not in the catalog any more."""


@dataclass(frozen=True, kw_only=True)
class NewSale:
    """A sale to store."""

    id: UUID
    company_id: UUID
    external_id: str | None
    idempotency_key: str | None = None
    is_direct: bool
    """Whether a document that a caller created directly made this sale."""
    customer_id: UUID | None
    """None for a sale to a consumer who is not in the catalog."""
    buyer_tax_id: str | None = None
    """CPF or CNPJ of a buyer without a name; no such buyer is in the catalog."""
    amount: Decimal
    discount: Decimal = _ZERO
    shipping: Decimal = _ZERO
    sold_on: date
    payment_method: str | None = None
    emit_when: str
    guarantee_date: date | None = None
    scheduled_emit_at: datetime | None = None
    """When the documents of a scheduled sale are issued."""
    send_email: bool | None = None
    product_invoice_type: str | None = None
    nfse: Mapping[str, Any] | None = None
    """The fields of its NFS-e, as JSON values."""
    notes: str | None = None
    payments: list[dict[str, Any]] | None = None
    """JSON values; None if the payment method pays the whole amount."""


@dataclass(frozen=True, kw_only=True)
class SaleRow(NewSale):
    """A stored sale."""

    created_at: datetime
    created_by: dict[str, Any] | None
    """The actor who registered it; None if 0.1.0 stored it."""
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class SaleDetails(SaleRow):
    """A sale with its status and its customer."""

    status: str
    is_waiting: bool
    """Whether it waits for its scheduled time, whatever the status of its documents."""
    customer_name: str | None
    customer_email: str | None
    customer_document: str | None
    customer_foreign_id: str | None
    is_customer_deleted: bool


@dataclass(frozen=True, kw_only=True)
class SaleFilter:
    """A filter of a company's sales; None matches all."""

    status: str | None = None
    customer_id: UUID | None = None
    external_id: str | None = None
    emit_when: str | None = None
    sold_from: date | None = None
    sold_until: date | None = None
    search: str | None = None
    """A whole external id, or words of the customer's name, e-mail or document."""


# PostgreSQL reads the matching customers once, and then the sales of the company. A union would be slow for a
# word that most customers have.
_SEARCH = """(s.external_id = {value} or s.customer_id in (
    select id from customers where subscription_id = $1 and company_id = $2 and {searched}
))"""
_IDENTITY = ("id", "company_id", "external_id", "idempotency_key", "is_direct")
_INSERTED = tuple(field.name for field in fields(NewSale))
_CHANGEABLE = tuple(name for name in _INSERTED if name not in _IDENTITY)
_COLUMNS = ", ".join(field.name for field in fields(SaleRow))
_LINE_COLUMNS = ", ".join(field.name for field in fields(SaleLine))
_LINE_TYPES = {
    "product_id": "text", "name": "text", "price": "numeric", "quantity": "numeric", "total": "numeric",
}  # fmt: skip
_DOCUMENTS_UPDATED_AT = """(
    select max(d.updated_at) from documents d where d.subscription_id = s.subscription_id and d.sale_id = s.id
)"""
_SELECT_DETAILS = f"""
    select {", ".join(f"s.{field.name}" for field in fields(SaleRow) if field.name != "updated_at")},
        greatest(s.updated_at, {_DOCUMENTS_UPDATED_AT}) as updated_at, {STATUS} as status,
        {IS_WAITING} as is_waiting,
        c.name as customer_name, c.email as customer_email, c.document as customer_document,
        c.foreign_id as customer_foreign_id, c.deleted_at is not null as is_customer_deleted
    from sales s left join customers c on c.subscription_id = s.subscription_id and c.id = s.customer_id
"""
_SELECT_LINE_DETAILS = f"""
    select {", ".join(f"l.{field.name}" for field in fields(SaleLine))}, l.sale_id, p.sku, p.type, p.category,
        p.deleted_at is not null as is_deleted
    from sale_lines l
    join products p on p.subscription_id = l.subscription_id and p.id = l.product_id
    where l.subscription_id = $1 and l.sale_id = any($2) order by l.sale_id, l.position
"""


_UNSCHEDULE = (
    "update sales set next_action_at = null, scheduled_emit_at = null, parked_reason = null,"
    " updated_at = now()"
    " where subscription_id = $1 and (next_action_at is not null or parked_reason is not null)"
)


def _insert_lines_sql(of: str) -> str:
    """Returns SQL that inserts the lines of a sale in the sale's own statement; see _line_arrays."""
    arrays = ", ".join(f":line_{name}::{column_type}[]" for name, column_type in _LINE_TYPES.items())
    return (
        f"insert into sale_lines (subscription_id, sale_id, {_LINE_COLUMNS}, position)"
        f" select {of}.subscription_id, {of}.id, line.*"
        f" from {of}, unnest({arrays}) with ordinality as line"
    )


_ADD = NamedSql(f"""
    with added as (
        insert into sales (next_action_at, subscription_id, {", ".join(_INSERTED)}, request, created_by)
        values (:scheduled_emit_at, $1, {", ".join(f":{name}" for name in _INSERTED)}, :request, :actor)
        returning *
    ), lines as ({_insert_lines_sql("added")})
    select {_COLUMNS} from added
""")
# With the next token, a worker that holds the sale can't write any more.
_REWRITE = NamedSql(f"""
    with changed as (
        update sales set {", ".join(f"{name} = :{name}" for name in _CHANGEABLE)},
            next_action_at = :scheduled_emit_at,
            lease_token = lease_token + 1, lease_until = null, attempts = 0, parked_reason = null,
            has_documents = true, has_discarded_document = false, updated_at = now()
        where subscription_id = $1 and id = $2 returning *
    )
    {_insert_lines_sql("changed")}
""")


class Sales:
    """Sales of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, sale: NewSale, lines: Sequence[SaleLine], request: str | None = None) -> SaleRow:
        """Inserts a sale with its lines and the JSON of the request that creates it.

        Raises OrderKeyTaken if another order has one of its keys.
        """
        values = {
            **vars(sale), **_line_arrays(lines), "request": request, "actor": stored_actor(self._actor),
        }  # fmt: skip
        with claiming_keys():
            row = await self._connection.fetchrow(_ADD.text, self._subscription_id, *_ADD.arguments(values))
        return SaleRow(**only(row))

    async def get(self, sale_id: UUID) -> SaleRow | None:
        """Returns a sale of any company of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from sales where subscription_id = $1 and id = $2",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return row and SaleRow(**row)

    async def request_of(self, sale_id: UUID) -> str | None:
        """Returns the JSON of the request for a sale; None if a direct document or 0.1.0 created it."""
        request: str | None = await self._connection.fetchval(
            "select request from sales where subscription_id = $1 and id = $2", self._subscription_id, sale_id
        )
        return request

    async def lock(self, sale_id: UUID) -> SaleRow | None:
        """Returns a sale and locks it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from sales where subscription_id = $1 and id = $2 for update",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return row and SaleRow(**row)

    async def show(self, sale_id: UUID) -> SaleDetails | None:
        """Returns a sale with its status and its customer, or None."""
        row = await self._connection.fetchrow(
            f"{_SELECT_DETAILS} where s.subscription_id = $1 and s.id = $2", self._subscription_id, sale_id
        )
        return row and SaleDetails(**row)

    async def page(self, company_id: UUID, wanted: SaleFilter, offset: int, size: int) -> list[SaleDetails]:
        """Returns a page of a company's sales, the latest first."""
        matching, values = self._matching(company_id, wanted)
        order = "order by s.sold_on desc, s.id desc"
        # The ids of the page in a subquery, so that the status is computed for these sales only.
        ids = f"select s.id from sales s where {matching} {order}"
        ids += f" offset ${len(values) + 1} limit ${len(values) + 2}"
        rows = await self._connection.fetch(
            f"{_SELECT_DETAILS} where s.subscription_id = $1 and s.id in ({ids}) {order}",
            *values, offset, size,
        )  # fmt: skip
        return [SaleDetails(**row) for row in rows]

    async def older(
        self, company_id: UUID, wanted: SaleFilter, after: Position | None, size: int
    ) -> KeysetPage[SaleDetails]:
        """Returns the sales after a place in a company's list, the latest first."""
        matching, values = self._matching(company_id, wanted)
        beyond = older_than(after, "s.sold_on, s.id", values)
        order = "order by s.sold_on desc, s.id desc"
        # The ids in a subquery, as in `page`.
        ids = f"select s.id from sales s where {matching}{beyond} {order} limit {size}"
        rows = await self._connection.fetch(
            f"{_SELECT_DETAILS} where s.subscription_id = $1 and s.id in ({ids}) {order}", *values
        )
        sales = [SaleDetails(**row) for row in rows]
        return keyset_page(sales, size, lambda row: (row.sold_on, row.id))

    async def count(self, company_id: UUID, wanted: SaleFilter) -> int:
        """Returns how many of a company's sales a filter matches."""
        matching, values = self._matching(company_id, wanted)
        total: int = await self._connection.fetchval(
            f"select count(*) from sales s where {matching}", *values
        )
        return total

    async def lines(self, sale_ids: Sequence[UUID]) -> list[SaleLineDetails]:
        """Returns the lines of some sales in their order, also those of deleted items."""
        rows = await self._connection.fetch(_SELECT_LINE_DETAILS, self._subscription_id, sale_ids)
        return [SaleLineDetails(**row) for row in rows]

    async def rewrite(self, sale: NewSale, lines: Sequence[SaleLine]) -> None:
        """Replaces the lines and all columns of a sale except ids and keys, in the caller's transaction."""
        await self._delete_lines(sale.id)
        values = {**vars(sale), **_line_arrays(lines)}
        await self._connection.execute(
            _REWRITE.text, self._subscription_id, sale.id, *_REWRITE.arguments(values)
        )

    async def unschedule(self, sale_id: UUID) -> None:
        """Clears the schedule of a sale: its documents were issued, or never will be."""
        await self._connection.execute(f"{_UNSCHEDULE} and id = $2", self._subscription_id, sale_id)

    async def lose_document(self, sale_id: UUID) -> None:
        """Stores that a document was discarded; if no draft is left, also clears the sale's schedule."""
        await self._connection.execute(LOSE_DOCUMENT, self._subscription_id, sale_id)

    async def unschedule_all(self, company_id: UUID) -> None:
        """Clears the schedules of all sales of a company."""
        await self._connection.execute(
            f"{_UNSCHEDULE} and company_id = $2", self._subscription_id, company_id
        )

    async def delete(self, sale_id: UUID) -> None:
        """Deletes a sale with its lines; nothing may refer to it."""
        await self._delete_lines(sale_id)
        await self._connection.execute(
            "delete from sales where subscription_id = $1 and id = $2", self._subscription_id, sale_id
        )

    async def _delete_lines(self, sale_id: UUID) -> None:
        await self._connection.execute(
            "delete from sale_lines where subscription_id = $1 and sale_id = $2",
            self._subscription_id, sale_id,
        )  # fmt: skip

    def _matching(self, company_id: UUID, wanted: SaleFilter) -> tuple[str, list[Any]]:
        """Returns the SQL condition of a filter with its values.

        It has only the parts that the filter uses: a plan for all possible parts is slow.
        """
        comparisons = (
            ("s.customer_id =", wanted.customer_id),
            ("s.external_id =", wanted.external_id),
            ("s.emit_when =", wanted.emit_when),
            ("s.sold_on >=", wanted.sold_from),
            ("s.sold_on <=", wanted.sold_until),
        )
        conditions = ["s.subscription_id = $1", "s.company_id = $2"]
        values: list[Any] = [self._subscription_id, company_id]
        if wanted.status:
            conditions.append(STATUS_FILTERS[wanted.status])
        for comparison, value in comparisons:
            if value is not None:
                values.append(value)
                conditions.append(f"{comparison} ${len(values)}")
        if wanted.search is not None:
            values.append(wanted.search)
            place = f"${len(values)}"
            conditions.append(_SEARCH.format(value=place, searched=search_condition(place)))
        return " and ".join(conditions), values


def _line_arrays(lines: Sequence[SaleLine]) -> dict[str, list[Any]]:
    """Returns the parameters of _insert_lines_sql: the values of each column."""
    return {f"line_{name}": [getattr(line, name) for line in lines] for name in _LINE_TYPES}
