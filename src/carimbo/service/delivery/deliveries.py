"""The log of webhook deliveries: listing, sending again, and sending a test."""

from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Annotated
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import AS_STORED, Body, Record
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.event_names import TEST, name_of, topics_of
from carimbo.service.delivery.webhook_bodies import EventName
from carimbo.service.delivery.webhooks import audit_webhook, unknown_webhook
from carimbo.service.documents.queries import DocumentReference, require_document
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.listing import Page, PageRequest, first_moment, moment_after, moment_from
from carimbo.service.stored_records import readable_record
from carimbo.service.waiting import wait_until
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.deliveries import Delivery, DeliveryFilter
from carimbo.storage.webhooks import Webhook

_TEST_MESSAGE = "Este é um evento de teste: nada aconteceu."
_FAILED_AT_ONCE = 500
"""How many failed deliveries one transaction makes due again."""
_MAX_OF_DOCUMENT = 50
"""A document has a few events; so many deliveries are those of a dozen webhooks."""


@dataclass(frozen=True)
class DeliveryReference:
    """The ids that identify a delivery."""

    subscription_id: UUID
    webhook_id: UUID
    id: UUID


class AttemptRecord(Record):
    """One attempt: request and response."""

    number: int
    url: str
    request_headers: dict[str, str] = Field(
        description="Cabeçalhos enviados, os do webhook com valores mascarados."
    )
    request_body: str
    response_status: int | None
    response_body: str | None = Field(description="Resposta, até 20 kB.")
    error: str | None = Field(description="Por que não houve resposta.")
    started_at: datetime
    milliseconds: int = Field(alias="durationMs")
    next_attempt_at: datetime | None


class DeliveryRecord(Record):
    """One event for one webhook, as callers see it."""

    id: UUID
    webhook_id: UUID
    event_id: UUID = Field(description="Id do evento, o mesmo em `webhook-id` a cada tentativa.")
    event: Annotated[EventName, AS_STORED] = Field(examples=["nfe.authorized"])
    document_id: UUID | None
    status: DeliveryStatus
    test: bool
    attempt_count: int
    response_status: int | None = Field(description="Da última tentativa.", examples=[200])
    attempted_at: datetime | None = Field(description="Quando foi a última tentativa.")
    next_attempt_at: datetime | None = Field(
        description="Nulo quando não há mais tentativas, e enquanto se espera a entrega do evento anterior do"
        " mesmo documento."
    )
    created_at: datetime


class DocumentDeliveryRecord(DeliveryRecord):
    """A delivery about a document, with the name or the address of its webhook."""

    webhook_name: str


class FailedSince(Body):
    """The request to send all failed deliveries of a webhook again."""

    since: IsoDay = Field(
        description="Um dia ou um momento, no horário de Brasília se não tem deslocamento: vão de novo as"
        " entregas cuja última tentativa falhou a partir dele.",
        examples=["2026-11-16T08:00:00-03:00"],
    )


class RedeliveredRecord(Record):
    """How many failed deliveries will be sent again."""

    webhook_id: UUID
    since: datetime
    deliveries: int = Field(description="Quantas entregas voltaram à fila.")


class DetailedDelivery(DeliveryRecord):
    """A delivery with all its attempts."""

    attempts: list[AttemptRecord]


def filter_of(
    status: DeliveryStatus | None, event: str | None, start: date | None = None, end: date | None = None
) -> DeliveryFilter:
    """Returns the filter of a list of deliveries; `event` is a name of the API; days are of Brasília."""
    topics = None
    if event is not None:
        topics = [TEST] if event == TEST else topics_of([event])
    return DeliveryFilter(status, topics, first_moment(start, None), moment_after(end, None))


async def list_deliveries(
    database: Database, subscription_id: UUID, webhook_id: UUID, wanted: DeliveryFilter, request: PageRequest
) -> Page[DeliveryRecord]:
    """Returns the deliveries of a webhook, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        await require_webhook(tenant, webhook_id)
        rows = await tenant.deliveries.page(webhook_id, wanted, request.offset, request.page_size)
        total = await tenant.deliveries.count(webhook_id, wanted)
    return Page([record_of_delivery(row) for row in rows], total, request)


async def list_document_deliveries(
    database: Database, which: DocumentReference
) -> list[DocumentDeliveryRecord]:
    """Returns the newest deliveries about a document."""
    async with database.snapshot(which.subscription_id) as tenant:
        await require_document(tenant, which)
        rows = await tenant.deliveries.of_document(which.document_id, _MAX_OF_DOCUMENT)
    return [
        DocumentDeliveryRecord.model_validate(
            {**dict(record_of_delivery(row)), "webhook_name": row.webhook_name}
        )
        for row in rows
    ]


async def read_delivery(database: Database, which: DeliveryReference) -> DetailedDelivery:
    """Returns a delivery with its attempts."""
    async with database.snapshot(which.subscription_id) as tenant:
        await require_webhook(tenant, which.webhook_id)
        return await _detailed(tenant, which)


async def redeliver(database: Database, which: DeliveryReference) -> DeliveryRecord:
    """Sends an event again, with the same id; a pending delivery just continues."""
    async with database.tenant(which.subscription_id) as tenant:
        webhook = await require_webhook(tenant, which.webhook_id)
        await _require_delivery(tenant, which)
        _require_active(webhook)
        await tenant.deliveries.redeliver(which.id)
        await audit_webhook(tenant, AuditAction.WEBHOOK_RESENT, webhook, {"deliveryId": str(which.id)})
        return record_of_delivery(await _require_delivery(tenant, which))


async def redeliver_failed(
    database: Database, subscription_id: UUID, webhook_id: UUID, since: date
) -> RedeliveredRecord:
    """Sends all deliveries again whose last attempt failed since a day or moment, but for those of tests.

    Each batch has a transaction of its own, and they come in the order of their events: no delivery becomes
    due before an earlier failed one of the same document.
    """
    moment = moment_from(since, None)
    count, last_ordinal = 0, 0
    while True:
        async with database.tenant(subscription_id) as tenant:
            webhook = await tenant.webhooks.lock(webhook_id)
            if webhook is None:
                raise unknown_webhook()
            _require_active(webhook)
            if not last_ordinal:
                details = {"since": moment.isoformat()}
                await audit_webhook(tenant, AuditAction.WEBHOOK_RESENT, webhook, details)
            batch = await tenant.deliveries.redeliver_failed(
                webhook_id, moment, last_ordinal, _FAILED_AT_ONCE
            )
        if not batch.deliveries:
            return RedeliveredRecord(webhook_id=webhook_id, since=moment, deliveries=count)
        count, last_ordinal = count + batch.deliveries, batch.last_ordinal


async def send_test(
    database: Database, subscription_id: UUID, webhook_id: UUID, max_wait: timedelta
) -> DetailedDelivery:
    """Sends a test event to a webhook, active or not, and waits for the first attempt."""
    details = {"webhookId": str(webhook_id), "message": _TEST_MESSAGE}
    async with database.tenant(subscription_id) as tenant:
        # The lock keeps the webhook from being deleted meanwhile.
        webhook = await tenant.webhooks.lock(webhook_id)
        if webhook is None:
            raise unknown_webhook()
        await audit_webhook(tenant, AuditAction.WEBHOOK_TESTED, webhook)
        delivery_id = await tenant.deliveries.add_test(webhook_id, TEST, details)
    which = DeliveryReference(subscription_id, webhook_id, delivery_id)

    async def poll() -> DetailedDelivery:
        async with database.snapshot(subscription_id) as tenant:
            return await _detailed(tenant, which)

    return await wait_until(lambda delivery: bool(delivery.attempts), await poll(), max_wait, poll)


async def require_webhook(tenant: Tenant, webhook_id: UUID) -> Webhook:
    """Returns a webhook, or refuses as if it never existed."""
    webhook = await tenant.webhooks.get(webhook_id)
    if webhook is None:
        raise unknown_webhook()
    return webhook


def _require_active(webhook: Webhook) -> None:
    if not webhook.is_active:
        sentence = "O webhook está inativo: ative-o antes de reenviar."
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus="inactive", allowed=["active"])


async def _require_delivery(tenant: Tenant, which: DeliveryReference) -> Delivery:
    delivery = await tenant.deliveries.get(which.webhook_id, which.id)
    if delivery is None:
        raise not_found("Entrega não encontrada.")
    return delivery


async def _detailed(tenant: Tenant, which: DeliveryReference) -> DetailedDelivery:
    record = record_of_delivery(await _require_delivery(tenant, which))
    attempts = await tenant.deliveries.attempts(which.id)
    values = dict(record) | {"attempts": [AttemptRecord.model_validate(attempt) for attempt in attempts]}
    return readable_record("deliveries", record.id, DetailedDelivery, values)


def record_of_delivery(delivery: Delivery) -> DeliveryRecord:
    """Returns a delivery as callers see it."""
    values = asdict(delivery) | {
        "event": name_of(delivery.topic),
        "test": delivery.is_test,
        "attempt_count": delivery.attempts_made,
        "next_attempt_at": delivery.next_action_at,
    }
    return readable_record("deliveries", delivery.id, DeliveryRecord, values)
