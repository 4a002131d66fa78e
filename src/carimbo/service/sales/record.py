"""Sales as callers see them."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import groupby
from typing import Any
from uuid import UUID

from pydantic import Field, TypeAdapter

from carimbo.fiscal.body.fields import Body, Number, Record
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.fiscal.money import format_amount
from carimbo.service.actors import CREATED_BY, ActorRecord, actor_record
from carimbo.service.documents.record import Rejection, record_of
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.sales.body import EmitWhen
from carimbo.service.stored_records import UNREADABLE, record_or_partial
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.sales import SaleDetails, SaleFilter, SaleLineDetails

MAX_TRIES = 10
"""Attempts to change or emit a sale that other requests change meanwhile."""


class SaleStatus(StrEnum):
    """The status of a sale, computed from its documents."""

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    PROCESSING = "processing"
    INVOICED = "invoiced"
    PARTIALLY_INVOICED = "partiallyInvoiced"
    FAILED = "failed"
    CANCELED = "canceled"


class SaleCustomer(Record):
    """The customer of a sale."""

    id: UUID
    name: str
    email: str | None
    document: str | None = Field(description="CPF ou CNPJ, com pontuação.", examples=["529.982.247-25"])
    is_deleted: bool = Field(exclude=True)
    """Whether the catalog does not have the customer any more; only pages need it, for their links."""


class SaleProduct(Record):
    """A line of a sale."""

    id: str
    sku: str
    name: str
    type: str
    category: str | None
    price: Number
    quantity: Number
    total: Number
    is_deleted: bool = Field(exclude=True)
    """Whether the catalog does not have the item any more; only pages need it, for their links."""


class SaleInvoice(Record):
    """A document of a sale."""

    id: UUID
    type: str = Field(examples=["nfse"])
    status: Status
    amount: Number
    number: int | None
    access_key: str | None
    rejection: Rejection | None


class SalePayment(Record):
    """A payment of a sale."""

    method: str = Field(description="Código do meio de pagamento (tPag).", examples=["17"])
    amount: Number
    term: str | None = None
    description: str | None = None


class SaleNote(Record):
    """The values that a sale sets for its NFS-e."""

    discrimination: str | None = None
    competence_date: str | None = None
    service_location: str | None = None
    city_ibge: str | None = None
    property: dict[str, Any] | None = None


_PAYMENTS = TypeAdapter(list[SalePayment])


class SaleRecord(Record):
    """A sale as callers see it."""

    id: UUID
    external_id: str | None
    status: SaleStatus
    customer: SaleCustomer | None = Field(description="Cliente; nulo na venda a consumidor não identificado.")
    products: list[SaleProduct]
    amount: Number = Field(
        description="Total dos itens, menos o desconto, mais o frete; sem o IPI, que a nota soma."
    )
    discount: Number
    shipping: Number
    sale_date: date
    payment_method: str | None
    payments: list[SalePayment]
    emit_when: EmitWhen
    guarantee_date: date | None
    scheduled_emit_at: datetime | None = Field(description="Quando os documentos são emitidos, se há hora.")
    send_email: bool | None
    product_invoice_type: str | None
    nfse: SaleNote | None
    notes: str | None
    invoices: list[SaleInvoice]
    warnings: list[str] = Field(
        default=[], description="Avisos desta resposta, como o de uma chave repetida com outro corpo."
    )
    created_at: datetime
    created_by: ActorRecord | None = CREATED_BY
    updated_at: datetime
    is_direct: bool = Field(exclude=True)
    """Whether a document that was created directly made this sale; only pages need it, for their buttons."""

    @property
    def has_emittable(self) -> bool:
        """Whether it has drafts or rejected documents that can be emitted with it."""
        is_canceled = self.status is SaleStatus.CANCELED
        return not is_canceled and any(document.status in EMITTABLE for document in self.invoices)

    @property
    def is_unissued(self) -> bool:
        """Whether none of its documents was issued, or is about to be."""
        return all(document.status in EMITTABLE for document in self.invoices)


class SaleQuery(Body):
    """The filters of a list of sales."""

    status: SaleStatus | None = None
    customer_id: UUID | None = None
    external_id: str | None = None
    emit_when: EmitWhen | None = None
    start_date: date | None = None
    end_date: date | None = None
    search: str | None = None


async def read_sale(database: Database, subscription_id: UUID, company_id: UUID, sale_id: UUID) -> SaleRecord:
    """Returns a sale."""
    async with database.snapshot(subscription_id) as tenant:
        return await sale_record(tenant, company_id, sale_id)


async def list_sales(
    database: Database, subscription_id: UUID, company_id: UUID, query: SaleQuery, request: PageRequest
) -> Page[SaleRecord]:
    """Lists a company's sales, newest first."""
    filter_ = sale_filter(query)
    async with database.snapshot(subscription_id) as tenant:
        sales = await tenant.sales.page(company_id, filter_, request.offset, request.page_size)
        total = await tenant.sales.count(company_id, filter_)
        return Page(await _records(tenant, sales), total, request)


def sale_filter(query: SaleQuery) -> SaleFilter:
    """Returns the filter of a list of sales."""
    return SaleFilter(
        status=query.status,
        customer_id=query.customer_id,
        external_id=query.external_id,
        emit_when=query.emit_when,
        sold_from=query.start_date,
        sold_until=query.end_date,
        search=query.search,
    )


async def sale_record(tenant: Tenant, company_id: UUID, sale_id: UUID) -> SaleRecord:
    """Returns a sale of a company, or refuses as if it never existed."""
    sale = await tenant.sales.show(sale_id)
    if sale is None or sale.company_id != company_id:
        raise unknown_sale()
    (record,) = await _records(tenant, [sale])
    return record


def sale_name(external_id: str | None, sold_on: date, amount: Decimal) -> str:
    """Returns how the audit names a sale: by the caller's own identifier, or else by day and amount."""
    return external_id or f"de {sold_on:%d/%m/%Y}, de R$ {format_amount(amount)}"


def unknown_sale() -> Refusal:
    """Returns the refusal of a sale that does not exist."""
    return not_found("Venda não encontrada.")


def changed_meanwhile() -> Refusal:
    """Returns the refusal after too many concurrent changes of the same sale."""
    sentence = "A venda está sendo alterada por outras requisições: leia-a e tente de novo."
    return Refusal(ErrorCode.VERSION_CONFLICT, sentence)


async def _records(tenant: Tenant, sales: Sequence[SaleDetails]) -> list[SaleRecord]:
    ids = [sale.id for sale in sales]
    rows = await tenant.sales.lines(ids)
    lines = {sale_id: list(own) for sale_id, own in groupby(rows, lambda line: line.sale_id)}
    documents = await tenant.documents.of_sales(ids)
    return [
        _record(
            sale, lines.get(sale.id, []), [document for document in documents if document.sale_id == sale.id]
        )
        for sale in sales
    ]


def _record(sale: SaleDetails, lines: Sequence[SaleLineDetails], documents: Sequence[Document]) -> SaleRecord:
    """Returns a sale as callers see it, without payments and `nfse` if they can't be read."""
    record = _record_without_json(sale, lines, documents)
    return record_or_partial(
        "sales",
        sale.id,
        lambda: record.model_copy(
            update={
                "payments": _PAYMENTS.validate_python(sale.payments or []),
                "nfse": None if sale.nfse is None else SaleNote.model_validate(sale.nfse),
            }
        ),
        lambda: record.model_copy(update={"warnings": [UNREADABLE]}),
    )


def _record_without_json(
    sale: SaleDetails, lines: Sequence[SaleLineDetails], documents: Sequence[Document]
) -> SaleRecord:
    return SaleRecord(
        id=sale.id,
        external_id=sale.external_id,
        status=SaleStatus(sale.status),
        customer=_customer(sale),
        products=[_product(line) for line in lines],
        amount=sale.amount,
        discount=sale.discount,
        shipping=sale.shipping,
        sale_date=sale.sold_on,
        payment_method=sale.payment_method,
        payments=[],
        emit_when=EmitWhen(sale.emit_when),
        guarantee_date=sale.guarantee_date,
        scheduled_emit_at=sale.scheduled_emit_at,
        send_email=sale.send_email,
        product_invoice_type=sale.product_invoice_type,
        nfse=None,
        notes=sale.notes,
        invoices=[_invoice(document) for document in documents],
        created_at=sale.created_at,
        created_by=actor_record(sale.created_by),
        updated_at=sale.updated_at,
        is_direct=sale.is_direct,
    )


def _customer(sale: SaleDetails) -> SaleCustomer | None:
    document = sale.customer_document
    if sale.customer_id is None or sale.customer_name is None:
        return None
    return SaleCustomer(
        id=sale.customer_id,
        name=sale.customer_name,
        email=sale.customer_email,
        document=document and shown_tax_id(document),
        is_deleted=sale.is_customer_deleted,
    )


def _product(line: SaleLineDetails) -> SaleProduct:
    return SaleProduct(
        id=line.product_id,
        sku=line.sku,
        name=line.name,
        type=line.type,
        category=line.category,
        price=line.price,
        quantity=line.quantity,
        total=line.total,
        is_deleted=line.is_deleted,
    )


def _invoice(document: Document) -> SaleInvoice:
    record = record_of(document)
    return SaleInvoice(
        id=record.id,
        type=record.type,
        status=record.status,
        amount=record.amount,
        number=record.number,
        access_key=record.access_key,
        rejection=record.rejection,
    )
