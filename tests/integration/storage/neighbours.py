"""Two subscriptions, for tests that neither reaches the other's rows."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import asyncpg

from carimbo.fiscal.module_settings import LAST_NUMBER
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.service.access import Authenticator
from carimbo.service.people.people import invite
from carimbo.service.people.roles import MemberRole
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.certificates import CertificateSummary
from carimbo.storage.database import Database, Tenant
from carimbo.storage.emails import EmailAttempt, EmailOutcome
from carimbo.storage.emissions import NumberSeries
from carimbo.storage.event_filings import NewEventFiling
from carimbo.storage.exports import NewExport
from carimbo.storage.identifiers import new_id
from carimbo.storage.imports import ImportProblem, ImportProgress, NewImport
from carimbo.storage.inutilizations import NewInutilization
from carimbo.storage.issuing import EmissionRoute, IssuingSteps, NumericCodes, SignedEmission
from carimbo.storage.products import NewProduct, new_product_id
from carimbo.storage.sales import NewSale, SaleLine
from carimbo.storage.webhooks import WebhookFacts
from carimbo.storage.work import Lease, WorkKey, WorkKind
from claimed_rows import claim_row
from integration.storage.document_rows import CREATED, new_document
from integration.storage.received_rows import add_received

TAX_ID = "11222333000181"
SIGNED = SignedEmission(
    issued_at=datetime(2026, 11, 10, tzinfo=UTC),
    access_key="35" + 42 * "1",
    digest="digest",
    file_name="signed/digest",
    xml=b"<NFe/>",
)
CODES = NumericCodes("12345678", "87654321")
SUMMARY = CertificateSummary(
    tax_id=TAX_ID,
    subject_name="LOJA MODELO LTDA:11222333000181",
    serial_number="01",
    fingerprint="ab" * 32,
    valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    expires_at=datetime(2027, 1, 1, tzinfo=UTC),
)
CUSTOMER = CustomerFacts(
    name="Maria da Silva", email="maria@example.com", document="52998224725", foreign_id="P123456"
)
SKU = "consultoria"
SENT = EmailOutcome(
    status="sent",
    sent_at=datetime(2026, 11, 10, tzinfo=UTC),
    attempt=EmailAttempt(
        number=1,
        started_at=datetime(2026, 11, 10, tzinfo=UTC),
        milliseconds=5,
        recipients=["maria@example.com"],
        outcome="sent",
        code=250,
        message="Ok",
    ),
)
TOPIC = "webhook.test"
WEBHOOK = WebhookFacts(
    name="Loja", url="https://example.com/", events=["nfe.authorized"], topics=["nfe.authorized"]
)
_DAY = """
    insert into document_days (subscription_id, company_id, day, environment, type, status, shard, documents,
        amount)
    values ($1, $2, '2026-11-10', 'production', 'nfe', 'authorized', 0, 1, 10)
"""
_ATTEMPT = """
    with attempted as (
        update deliveries set attempted_at = now(), attempts_made = 1 where subscription_id = $1 and id = $2
    )
    insert into delivery_attempts (subscription_id, delivery_id, number, url, request_headers, request_body,
        started_at, milliseconds)
    values ($1, $2, 1, 'https://example.com/', '{}', '{}', now(), 5)
"""

FORM = "emitir/nfse"


@dataclass(frozen=True)
class Neighbours:
    """Two subscriptions: the owner has a company with rows in every table, the stranger has none."""

    database: Database
    owner: UUID
    stranger: UUID
    company_id: UUID
    registration_id: UUID
    document_id: UUID
    event_id: UUID
    range_id: UUID
    superseded_id: UUID
    customer_id: UUID
    product_id: str
    sale_id: UUID
    email_id: UUID
    webhook_id: UUID
    delivery_id: UUID
    export_id: UUID
    import_id: UUID
    person_id: UUID
    reception_id: UUID
    received_id: UUID
    manifestation_id: UUID

    @property
    def number_series(self) -> NumberSeries:
        return number_series_of(self.company_id)

    async def owner_rows(self) -> dict[str, list[asyncpg.Record]]:
        return await all_rows(self.database, self.owner)


async def all_rows(database: Database, subscription_id: UUID) -> dict[str, list[asyncpg.Record]]:
    """Returns every row that a subscription has, by table."""
    async with database.connection() as connection:
        tables = await connection.fetch(
            "select table_name from information_schema.columns"
            " where column_name = 'subscription_id' and table_schema = 'public'"
        )
        return {
            name: await connection.fetch(
                f"select * from {name} t where subscription_id = $1 order by t", subscription_id
            )
            for (name,) in tables
        }


async def create_neighbours(database: Database, authenticator: Authenticator) -> Neighbours:
    """Creates both subscriptions, and all rows of the owner."""
    owner = (await create_subscription(authenticator, "Dona")).subscription_id
    stranger = (await create_subscription(authenticator, "Vizinha")).subscription_id
    company_id, registration_id = new_id(), new_id()
    email, now = f"{owner}@example.com", datetime.now(UTC)
    invitation = await invite(database, email, subscription_id=owner, role=MemberRole.OWNER, now=now)
    async with database.tenant(owner) as tenant:
        await _add_company(tenant, company_id, registration_id)
        document_id, superseded_id = await _add_document(tenant, company_id)
        event, numbers = new_cancellation(company_id, document_id), new_range(company_id)
        await tenant.event_filings.add(event)
        await tenant.inutilizations.add(numbers)
        await tenant.connection.execute(_DAY, owner, company_id)
        sale, product = await _add_sale(tenant, company_id)
        assert sale.customer_id is not None
        webhook = await tenant.webhooks.add(new_id(), WEBHOOK, is_active=True)
        await tenant.form_drafts.put(company_id, invitation.person.id, FORM, {"amount": "150,00"})
        return Neighbours(
            database,
            owner,
            stranger,
            company_id,
            registration_id,
            document_id,
            event_id=event.id,
            range_id=numbers.id,
            superseded_id=superseded_id,
            customer_id=sale.customer_id,
            product_id=product.id,
            sale_id=sale.id,
            email_id=await _add_email(tenant, company_id, document_id),
            webhook_id=webhook.id,
            person_id=invitation.person.id,
            delivery_id=await _add_delivery(tenant, owner, webhook.id),
            export_id=await _add_exports(tenant, company_id),
            import_id=await _add_import(tenant, company_id),
            **await add_received(tenant, company_id, TAX_ID),
        )


async def _add_company(tenant: Tenant, company_id: UUID, registration_id: UUID) -> None:
    await tenant.companies.add(company_id, TAX_ID, {"legal_name": "Loja Modelo Ltda"})
    await tenant.certificates.put(company_id, SUMMARY)
    await tenant.state_registrations.add(company_id, registration_id, "SP", "110042490114", True)
    await tenant.number_sequences.set_next_number(company_id, "nfe", "production", 1, 42)
    await tenant.secrets.put(company_id, "csc", b"secret")
    await tenant.allowances.reserve("2026-11", None)


async def _add_document(tenant: Tenant, company_id: UUID) -> tuple[UUID, UUID]:
    """Adds a document with an attempt in force and a superseded attempt before it."""
    document = new_document(company_id, idempotency_key="key", external_id="direct order")
    await tenant.documents.add(document, [CREATED], queued=True)
    steps = await _steps_of(tenant, document.id)
    await steps.take_number(number_series_of(company_id), 1, CODES, EmissionRoute("1"), [])
    await steps.keep_signed(1, SIGNED, "sent", [])
    await steps.take_number(
        number_series_of(company_id), 2, CODES, EmissionRoute("6"), [], supersedes_previous=True
    )
    superseded = "select id from strays where document_id = $1"
    return document.id, await tenant.connection.fetchval(superseded, document.id)


async def _add_sale(tenant: Tenant, company_id: UUID) -> tuple[NewSale, NewProduct]:
    customer = await tenant.customers.add(new_id(), company_id, CUSTOMER)
    product, sale = new_product(company_id), new_sale(company_id, customer.id)
    await tenant.products.add(product)
    await tenant.sales.add(sale, [line_of(product.id)])
    return sale, product


async def _add_email(tenant: Tenant, company_id: UUID, document_id: UUID) -> UUID:
    email = await tenant.emails.add(company_id, document_id, ["maria@example.com"])
    await tenant.emails.write(await _claimed(tenant, WorkKind.EMAIL, email.id), SENT)
    return email.id


async def _add_exports(tenant: Tenant, company_id: UUID) -> UUID:
    export = NewExport(
        id=new_id(),
        company_id=company_id,
        environment="production",
        month=date(2026, 11, 1),
        content="xml",
        token_hash=company_id.bytes,
        documents_total=1,
    )
    await tenant.exports.add(export, timedelta(days=7))
    await tenant.export_schedules.save(
        company_id, 5, ["maria@example.com"], "xml", date(2026, 11, 1), is_active=True
    )
    return export.id


async def _add_import(tenant: Tenant, company_id: UUID) -> UUID:
    """Adds an import in process, with a refused line."""
    row = await tenant.imports.add(
        NewImport(
            id=new_id(),
            company_id=company_id,
            kind="products",
            file_name="produtos.csv",
            content=b"SKU;Nome\na;b\nc;Caneca\n",
            lines_total=2,
        )
    )
    problem = ImportProblem(line=2, position=0, field="Nome", message="Curto.", cells=["a", "b"])
    lease = await _claimed(tenant, WorkKind.IMPORT, row.id)
    await tenant.imports.advance(lease, row, ImportProgress(lines=1, refused=1, problems=[problem]))
    return row.id


async def _add_delivery(tenant: Tenant, owner: UUID, webhook_id: UUID) -> UUID:
    delivery_id = await tenant.deliveries.add_test(webhook_id, TOPIC, {})
    await tenant.connection.execute(_ATTEMPT, owner, delivery_id)
    return delivery_id


def number_series_of(company_id: UUID) -> NumberSeries:
    """Returns the series in which the company numbers its NF-e."""
    return NumberSeries(company_id, "nfe", "production", 1, LAST_NUMBER)


def new_cancellation(company_id: UUID, document_id: UUID) -> NewEventFiling:
    """Returns a new cancellation of a document's first attempt."""
    return NewEventFiling(
        id=new_id(),
        company_id=company_id,
        document_id=document_id,
        emission=1,
        type="cancellation",
        sequence=1,
        request="{}",
    )


def new_range(company_id: UUID) -> NewInutilization:
    """Returns a new range of unused numbers."""
    return NewInutilization(
        id=new_id(),
        company_id=company_id,
        document_type="nfe",
        environment="production",
        series=1,
        first_number=10,
        last_number=12,
        year=2026,
        justification="Numeração pulada por falha de sistema",
    )


def new_product(company_id: UUID, sku: str = SKU) -> NewProduct:
    return NewProduct(
        id=new_product_id(),
        company_id=company_id,
        sku=sku,
        name="Consultoria",
        type="service",
        category="other_service",
        follows_company_defaults=True,
    )


def new_sale(company_id: UUID, customer_id: UUID) -> NewSale:
    return NewSale(
        id=new_id(),
        company_id=company_id,
        external_id="order",
        is_direct=False,
        customer_id=customer_id,
        amount=Decimal("150.00"),
        sold_on=date(2026, 11, 10),
        emit_when="immediately",
    )


def line_of(product_id: str) -> SaleLine:
    """Returns a sale line with one unit of a product."""
    return SaleLine(
        product_id=product_id,
        name="Consultoria",
        price=Decimal(150),
        quantity=Decimal(1),
        total=Decimal("150.00"),
    )


async def _steps_of(tenant: Tenant, document_id: UUID) -> IssuingSteps:
    """Claims a document that is due and returns its steps."""
    return IssuingSteps(tenant.connection, await _claimed(tenant, WorkKind.DOCUMENT, document_id))


async def _claimed(tenant: Tenant, work_kind: WorkKind, row_id: UUID) -> Lease:
    lease = await claim_row(tenant.connection, WorkKey(work_kind, tenant.subscription_id, row_id))
    assert lease is not None
    return lease
