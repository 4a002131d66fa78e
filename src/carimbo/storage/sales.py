"""Sales, the lines that each has, and how each stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.jobs import job_added
from carimbo.storage.order_keys import claiming_keys
from carimbo.storage.sale_status import IS_WAITING, LOSE_DOCUMENT, STATUS, STATUS_FILTERS
from carimbo.storage.work import WorkKind

_NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class SaleLine:
    """What was sold, and at which price."""

    product_id: str
    name: str
    price: Decimal
    quantity: Decimal
    total: Decimal


@dataclass(frozen=True, kw_only=True)
class ShownLine(SaleLine):
    """A line with what the catalog says of its item."""

    sale_id: UUID
    sku: str
    type: str
    category: str | None


@dataclass(frozen=True, kw_only=True)
class NewSale:
    """A sale to be stored."""

    id: UUID
    company_id: UUID
    external_id: str | None
    idempotency_key: str | None = None
    is_direct: bool
    """Whether a document that was created directly makes it."""
    customer_id: UUID | None
    """None for a sale to a consumer who is not in the catalog."""
    buyer_tax_id: str | None = None
    """CPF or CNPJ of a buyer without a name; no such buyer is in the catalog."""
    amount: Decimal
    discount: Decimal = _NOTHING
    shipping: Decimal = _NOTHING
    sold_on: date
    payment_method: str | None = None
    emit_when: str
    guarantee_date: date | None = None
    scheduled_emit_at: datetime | None = None
    """When its documents are to be issued, of a sale that waits."""
    send_email: bool | None = None
    product_invoice_type: str | None = None
    nfse: Mapping[str, Any] | None = None
    """What it says of its note of services, plain values of JSON."""
    notes: str | None = None
    payments: list[dict[str, Any]] | None = None
    """Plain values of JSON; None if the payment method pays all."""


@dataclass(frozen=True, kw_only=True)
class Sale(NewSale):
    """A stored sale."""

    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class ShownSale(Sale):
    """A sale with how it stands and whom it is to."""

    status: str
    is_waiting: bool
    """Whether its time has still to come, whatever became of its documents meanwhile."""
    customer_name: str | None
    customer_email: str | None
    customer_document: str | None
    customer_foreign_id: str | None


@dataclass(frozen=True, kw_only=True)
class SaleFilter:
    """Which sales of a company are meant; None is all."""

    status: str | None = None
    customer_id: UUID | None = None
    external_id: str | None = None
    emit_when: str | None = None
    sold_from: date | None = None
    sold_until: date | None = None


_IDENTITY = ("id", "company_id", "external_id", "idempotency_key", "is_direct")
_INSERTED = tuple(field.name for field in fields(NewSale))
_CHANGEABLE = tuple(name for name in _INSERTED if name not in _IDENTITY)
_COLUMNS = ", ".join(field.name for field in fields(Sale))
_LINE_COLUMNS = ", ".join(field.name for field in fields(SaleLine))
_LINE_TYPES = ("text", "text", "numeric", "numeric", "numeric")
_CHANGED = """(
    select max(d.updated_at) from documents d where d.subscription_id = s.subscription_id and d.sale_id = s.id
)"""
_SHOWN = f"""
    select {", ".join(f"s.{field.name}" for field in fields(Sale) if field.name != "updated_at")},
        greatest(s.updated_at, {_CHANGED}) as updated_at, {STATUS} as status,
        {IS_WAITING} as is_waiting,
        c.name as customer_name, c.email as customer_email, c.document as customer_document,
        c.foreign_id as customer_foreign_id
    from sales s left join customers c on c.subscription_id = s.subscription_id and c.id = s.customer_id
"""
_SHOWN_LINES = f"""
    select {", ".join(f"l.{field.name}" for field in fields(SaleLine))}, l.sale_id, p.sku, p.type, p.category
    from sale_lines l
    join products p on p.subscription_id = l.subscription_id and p.id = l.product_id
    where l.subscription_id = $1 and l.sale_id = any($2) order by l.sale_id, l.position
"""


_UNSCHEDULE = (
    "update sales set next_action_at = null, scheduled_emit_at = null, parked_reason = null,"
    " updated_at = now()"
    " where subscription_id = $1 and (next_action_at is not null or parked_reason is not null)"
)


def _lines_added(of: str, first: int) -> str:
    """SQL that writes lines in the statement of their sale, by parameters from the first one on."""
    arrays = ", ".join(f"${first + place}::{kind}[]" for place, kind in enumerate(_LINE_TYPES))
    return (
        f"insert into sale_lines (subscription_id, sale_id, {_LINE_COLUMNS}, position)"
        f" select {of}.subscription_id, {of}.id, line.*"
        f" from {of}, unnest({arrays}) with ordinality as line"
    )


# What comes due later than this has its job made by then.
_SOON = "interval '1 hour'"
_WAKE = "greatest(next_action_at - now(), interval '0')"
_ADD = f"""
    with added as (
        insert into sales (next_action_at, subscription_id, {", ".join(_INSERTED)}, request)
        values (${2 + _INSERTED.index("scheduled_emit_at")}, $1,
            {", ".join(f"${position}" for position in range(2, 3 + len(_INSERTED)))})
        returning *
    ), listed as ({_lines_added("added", 3 + len(_INSERTED))}),
    soon as (select * from added where next_action_at < now() + {_SOON}),
    woken as ({job_added(WorkKind.SALE, "soon", _WAKE)})
    select {_COLUMNS} from added
"""
# Another token, and with it another job: that of the time before finds nothing to do.
_REWRITE = f"""
    with changed as (
        update sales set {", ".join(f"{name} = ${place}" for place, name in enumerate(_CHANGEABLE, 3))},
            next_action_at = ${3 + _CHANGEABLE.index("scheduled_emit_at")},
            lease_token = lease_token + 1, lease_until = null, attempts = 0, parked_reason = null,
            has_documents = true, has_discarded_document = false, updated_at = now()
        where subscription_id = $1 and id = $2 returning *
    ), soon as (select * from changed where next_action_at < now() + {_SOON}),
    woken as ({job_added(WorkKind.SALE, "soon", _WAKE)})
    {_lines_added("changed", 3 + len(_CHANGEABLE))}
"""


class Sales:
    """Sales of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, sale: NewSale, lines: Sequence[SaleLine], request: str | None = None) -> Sale:
        """Inserts a sale with its lines, the job of its time and the JSON of the body that creates it.

        Raises OrderKeyTaken if another order has one of its keys.
        """
        with claiming_keys():
            row = await self._connection.fetchrow(
                _ADD,
                self._subscription_id, *(getattr(sale, name) for name in _INSERTED), request,
                *_line_columns(lines),
            )  # fmt: skip
        return Sale(**only(row))

    async def get(self, sale_id: UUID) -> Sale | None:
        """A sale of any company of the subscription."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from sales where subscription_id = $1 and id = $2",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return row and Sale(**row)

    async def request_of(self, sale_id: UUID) -> str | None:
        """Returns the JSON of the body that created a sale; None if a direct document or 0.1.0 made it."""
        request: str | None = await self._connection.fetchval(
            "select request from sales where subscription_id = $1 and id = $2", self._subscription_id, sale_id
        )
        return request

    async def lock(self, sale_id: UUID) -> Sale | None:
        """Read, and keep others from changing it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from sales where subscription_id = $1 and id = $2 for update",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return row and Sale(**row)

    async def show(self, sale_id: UUID) -> ShownSale | None:
        """A sale with what is shown of it."""
        row = await self._connection.fetchrow(
            f"{_SHOWN} where s.subscription_id = $1 and s.id = $2", self._subscription_id, sale_id
        )
        return row and ShownSale(**row)

    async def page(self, company_id: UUID, wanted: SaleFilter, offset: int, size: int) -> list[ShownSale]:
        """A page of a company's sales, the latest first."""
        matching, values = self._matching(company_id, wanted)
        paged = f"order by s.sold_on desc, s.id desc offset ${len(values) + 1} limit ${len(values) + 2}"
        # Found before they are shown: how those stand that come before the page is nobody's question.
        found = f"select s.id from sales s where {matching} {paged}"
        rows = await self._connection.fetch(
            f"{_SHOWN} where s.subscription_id = $1 and s.id in ({found}) order by s.sold_on desc, s.id desc",
            *values, offset, size,
        )  # fmt: skip
        return [ShownSale(**row) for row in rows]

    async def count(self, company_id: UUID, wanted: SaleFilter) -> int:
        """How many of a company's sales a filter matches."""
        matching, values = self._matching(company_id, wanted)
        total: int = await self._connection.fetchval(
            f"select count(*) from sales s where {matching}", *values
        )
        return total

    async def lines(self, sale_ids: Sequence[UUID]) -> list[ShownLine]:
        """What sales sell, in the order that it was told in; what was taken out of the catalog too."""
        rows = await self._connection.fetch(_SHOWN_LINES, self._subscription_id, sale_ids)
        return [ShownLine(**row) for row in rows]

    async def rewrite(self, sale: NewSale, lines: Sequence[SaleLine]) -> None:
        """Write all of a sale but what it is known by, in the caller's transaction."""
        await self._delete_lines(sale.id)
        await self._connection.execute(
            _REWRITE,
            self._subscription_id, sale.id, *(getattr(sale, name) for name in _CHANGEABLE),
            *_line_columns(lines),
        )  # fmt: skip

    async def unschedule(self, sale_id: UUID) -> None:
        """Let it wait no more: what it waited for has been done, or never will be."""
        await self._connection.execute(
            f"{_UNSCHEDULE} and id = $2",
            self._subscription_id, sale_id,
        )  # fmt: skip

    async def lose_document(self, sale_id: UUID) -> None:
        """Stores that a document was discarded: without drafts a sale waits for no time any more."""
        await self._connection.execute(LOSE_DOCUMENT, self._subscription_id, sale_id)

    async def unschedule_all(self, company_id: UUID) -> None:
        """Let no sale of a company wait any more."""
        await self._connection.execute(
            f"{_UNSCHEDULE} and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip

    async def delete(self, sale_id: UUID) -> None:
        """Delete with its lines; nothing may name it any more."""
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
        """The condition of what is asked, and no more: a plan for all that might be asked is a slow one."""
        asked = (
            ("s.customer_id =", wanted.customer_id),
            ("s.external_id =", wanted.external_id),
            ("s.emit_when =", wanted.emit_when),
            ("s.sold_on >=", wanted.sold_from),
            ("s.sold_on <=", wanted.sold_until),
        )
        given = [(comparison, value) for comparison, value in asked if value is not None]
        conditions = [f"{comparison} ${position}" for position, (comparison, _) in enumerate(given, 3)]
        by_status = [STATUS_FILTERS[wanted.status]] if wanted.status else []
        text = " and ".join(["s.subscription_id = $1", "s.company_id = $2", *by_status, *conditions])
        return text, [self._subscription_id, company_id, *(value for _, value in given)]


def _line_columns(lines: Sequence[SaleLine]) -> tuple[list[Any], ...]:
    """The parameters of the lines, a list a column."""
    return tuple([getattr(line, field.name) for line in lines] for field in fields(SaleLine))
