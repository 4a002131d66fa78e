"""Webhooks: creating, reading, changing and deleting them. One serves all companies of a subscription."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import AS_STORED, Body, Integer, Record
from carimbo.service.audit import changed_fields
from carimbo.service.change_bodies import is_masked, mask_secret, refuse_read_only_changes
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.event_names import name_of, topics_of
from carimbo.service.delivery.webhook_bodies import (
    Activity,
    ChosenEventsRecord,
    EventName,
    WebhookBody,
    WebhookChanges,
    chosen_events_record,
    chosen_names,
)
from carimbo.service.delivery.webhook_headers import (
    HEADERS,
    PREVIOUS,
    SIGNING,
    CustomHeader,
    CustomHeaderRecord,
    HeaderPair,
    PreviousSecret,
    dump_headers,
    dump_previous_secrets,
    header_pairs,
    load_headers,
    load_previous_secrets,
    masked_headers,
    new_secret,
    secret_text,
)
from carimbo.service.errors import Refusal, invalid_field, not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.ports import AddressGuard
from carimbo.service.stored_records import readable_record
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.deliveries import Delivery
from carimbo.storage.identifiers import new_id
from carimbo.storage.webhooks import Webhook, WebhookFacts

MAX_WEBHOOKS = 50
_READ_ONLY = frozenset({"id", "created_at", "disabled_reason", "previous_secret_valid_until"})
_DISTANT_PAST = datetime.min.replace(tzinfo=UTC)


class LastDeliveryRecord(Record):
    """The last attempted delivery."""

    id: UUID
    event: Annotated[EventName, AS_STORED] = Field(examples=["nfe.authorized"])
    status: DeliveryStatus
    response_status: int | None = Field(examples=[200])
    attempted_at: datetime | None


class WebhookRecord(Record):
    """A webhook as callers see it."""

    id: UUID
    name: str | None = Field(examples=["Loja"])
    url: str = Field(examples=["https://example.com/webhooks"])
    headers: list[CustomHeaderRecord]
    events: ChosenEventsRecord
    active: bool
    previous_secret_valid_until: datetime | None = Field(
        description="Até quando uma chave anterior ainda assina, ao lado da atual; nulo se só a atual assina."
    )
    created_at: datetime
    updated_at: datetime
    last_delivery: LastDeliveryRecord | None = Field(description="A entrega tentada por último.")
    disabled_reason: str | None = Field(description="Por que foi desativado, se não foi por quem o usa.")


class CreatedWebhook(WebhookRecord):
    """A webhook with its secret, shown only once."""

    secret: str = Field(
        description="Chave das assinaturas (Standard Webhooks); aparece só nesta resposta.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )


@dataclass(frozen=True)
class WebhookHealth:
    """A webhook with the names of its events, and since when all its deliveries have failed."""

    record: WebhookRecord
    events: Sequence[str]
    failing_since: datetime | None


@dataclass(frozen=True)
class WebhookDetail(WebhookHealth):
    """A webhook with the end of its signing secret."""

    secret_preview: str


async def create_webhook(
    database: Database, guard: AddressGuard, subscription_id: UUID, body: WebhookBody
) -> CreatedWebhook:
    """Creates a webhook for events from now on; its secret is shown only once."""
    await _require_callable(guard, body.url)
    webhook_id, secret = new_id(), new_secret()
    async with database.tenant(subscription_id) as tenant:
        await _require_below_limit(tenant)
        await tenant.secrets.put(webhook_id, SIGNING, secret)
        await _store_headers(tenant, webhook_id, body.headers or [])
        webhook = await tenant.webhooks.add(webhook_id, _facts_of(body), is_active=body.active is not False)
        await audit_webhook(tenant, AuditAction.WEBHOOK_CREATED, webhook, {"events": webhook.events})
        (record,) = await _records(tenant, [webhook])
    return CreatedWebhook(**dict(record), secret=secret_text(secret))


async def list_webhooks(
    database: Database, subscription_id: UUID, request: PageRequest
) -> Page[WebhookRecord]:
    """Returns webhooks, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        webhooks = await tenant.webhooks.page(request.offset, request.page_size)
        return Page(await _records(tenant, webhooks), await tenant.webhooks.count(), request)


async def read_webhook(database: Database, subscription_id: UUID, webhook_id: UUID) -> WebhookRecord:
    """Returns a webhook."""
    async with database.snapshot(subscription_id) as tenant:
        return await _record_of(tenant, await tenant.webhooks.get(webhook_id))


async def list_webhook_health(
    database: Database, subscription_id: UUID, request: PageRequest
) -> Page[WebhookHealth]:
    """Returns webhooks with their failures, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        webhooks = await tenant.webhooks.page(request.offset, request.page_size)
        records = await _records(tenant, webhooks)
        total = await tenant.webhooks.count()
    listed = [
        WebhookHealth(record, webhook.events, webhook.failing_since)
        for record, webhook in zip(records, webhooks, strict=True)
    ]
    return Page(listed, total, request)


async def read_webhook_detail(database: Database, subscription_id: UUID, webhook_id: UUID) -> WebhookDetail:
    """Returns a webhook with its failures and the end of its secret."""
    async with database.snapshot(subscription_id) as tenant:
        webhook = await tenant.webhooks.get(webhook_id)
        if webhook is None:
            raise unknown_webhook()
        record = await _record_of(tenant, webhook)
        secret = await tenant.secrets.get(webhook_id, SIGNING)
    preview = mask_secret(secret_text(secret or b"").encode())
    return WebhookDetail(record, webhook.events, webhook.failing_since, preview)


async def replace_webhook(
    database: Database, guard: AddressGuard, subscription_id: UUID, webhook_id: UUID, changes: WebhookChanges
) -> WebhookRecord:
    """Changes the fields that were sent, and only those."""
    async with database.autocommit(subscription_id) as tenant:
        stored = await tenant.webhooks.get(webhook_id)
    if stored is None:
        raise unknown_webhook()
    # The lookup of the host runs outside of the transaction. An unchanged URL was checked before.
    if "url" in changes.model_fields_set and changes.url != stored.url:
        await _require_callable(guard, changes.url)
    async with database.tenant(subscription_id) as tenant:
        current = await tenant.webhooks.lock(webhook_id)
        if current is None:
            raise unknown_webhook()
        secrets = await tenant.secrets.all(webhook_id)
        # The caller may send back the date of a secret that has expired since: it counts as unchanged.
        shown = _record(current, None, secrets.get(PREVIOUS), None, now=_DISTANT_PAST)
        refuse_read_only_changes(changes, shown, _READ_ONLY)
        facts = _changed_facts(current, changes)
        _require_whole_headers(current.url, facts.url, changes, load_headers(secrets.get(HEADERS)))
        before = await _record_of(tenant, current)
        written = await tenant.webhooks.write(webhook_id, facts)
        if "headers" in changes.model_fields_set:
            await _store_headers(tenant, webhook_id, changes.headers or [])
        if changes.active is not None:
            written = await _set_active(tenant, webhook_id, active=changes.active)
        after = await _record_of(tenant, written)
        await audit_webhook(tenant, AuditAction.WEBHOOK_CHANGED, after, changed_fields(before, after))
        return after


async def set_activity(
    database: Database, subscription_id: UUID, webhook_id: UUID, activity: Activity
) -> WebhookRecord:
    """Activates or deactivates a webhook; deliveries of an inactive webhook wait."""
    async with database.tenant(subscription_id) as tenant:
        webhook = await _set_active(tenant, webhook_id, active=activity.active)
        record = await _record_of(tenant, webhook)
        action = AuditAction.WEBHOOK_ACTIVATED if activity.active else AuditAction.WEBHOOK_DEACTIVATED
        await audit_webhook(tenant, action, record)
        return record


async def delete_webhook(database: Database, subscription_id: UUID, webhook_id: UUID) -> Deleted:
    """Deletes a webhook with its secrets and deliveries, also the pending ones."""
    async with database.tenant(subscription_id) as tenant:
        webhook = await tenant.webhooks.lock(webhook_id)
        if webhook is None or not await tenant.webhooks.delete(webhook_id):
            raise unknown_webhook()
        await tenant.secrets.delete_all(webhook_id)
        await audit_webhook(tenant, AuditAction.WEBHOOK_DELETED, webhook)
    return Deleted(id=webhook_id)


async def audit_webhook(
    tenant: Tenant,
    action: AuditAction,
    webhook: Webhook | WebhookRecord,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Stores what somebody did with a webhook in the audit; of its address only the host."""
    name = webhook.name or urlsplit(webhook.url).hostname
    await tenant.audit.add(action, subject_id=webhook.id, subject_name=name, details=details)


def unknown_webhook() -> Refusal:
    """Returns the refusal for an unknown webhook id."""
    return not_found("Webhook não encontrado.")


async def _require_callable(guard: AddressGuard, url: str) -> None:
    objection = await guard.objection_to(url)
    if objection is not None:
        raise invalid_field("url", objection)


def _require_whole_headers(
    url: str, new_url: str, changes: WebhookChanges, stored: Sequence[HeaderPair]
) -> None:
    """Refuses to send stored header values to another server, because the caller may not know them."""
    if urlsplit(url)[:2] == urlsplit(new_url)[:2]:
        return
    if stored and "headers" not in changes.model_fields_set:
        sentence = (
            "O endereço do webhook mudou: envie os cabeçalhos com os valores inteiros, ou uma lista vazia."
        )
        raise invalid_field("headers", sentence)
    for position, header in enumerate(changes.headers or []):
        if is_masked(header.value):
            sentence = "O endereço do webhook mudou: envie o valor inteiro do cabeçalho."
            raise invalid_field(f"headers[{position}].value", sentence)


async def _require_below_limit(tenant: Tenant) -> None:
    await tenant.webhooks.hold()
    if await tenant.webhooks.count() >= MAX_WEBHOOKS:
        sentence = f"A assinatura já tem {MAX_WEBHOOKS} webhooks: exclua um antes de criar outro."
        raise invalid_field("body", sentence)


def _facts_of(body: WebhookBody) -> WebhookFacts:
    names = chosen_names(body.events)
    return WebhookFacts(name=body.name, url=body.url, events=names, topics=topics_of(names))


def _changed_facts(current: Webhook, changes: WebhookChanges) -> WebhookFacts:
    """Returns the facts of a webhook with the changes applied."""
    sent = changes.model_fields_set
    names = chosen_names(changes.events) if "events" in sent else current.events
    return WebhookFacts(
        name=changes.name if "name" in sent else current.name,
        url=changes.url if "url" in sent else current.url,
        events=names,
        topics=topics_of(names),
    )


async def _store_headers(tenant: Tenant, webhook_id: UUID, headers: Sequence[CustomHeader]) -> None:
    stored = load_headers(await tenant.secrets.get(webhook_id, HEADERS))
    if headers:
        await tenant.secrets.put(webhook_id, HEADERS, dump_headers(header_pairs(headers, stored)))
    else:
        await tenant.secrets.delete(webhook_id, HEADERS)


async def _set_active(tenant: Tenant, webhook_id: UUID, *, active: bool) -> Webhook | None:
    change = tenant.webhooks.activate if active else tenant.webhooks.deactivate
    return await change(webhook_id)


async def _record_of(tenant: Tenant, webhook: Webhook | None) -> WebhookRecord:
    if webhook is None:
        raise unknown_webhook()
    (record,) = await _records(tenant, [webhook])
    return record


async def _records(tenant: Tenant, webhooks: Sequence[Webhook]) -> list[WebhookRecord]:
    ids = [webhook.id for webhook in webhooks]
    headers = await tenant.secrets.of_owners(ids, HEADERS)
    previous = await tenant.secrets.of_owners(ids, PREVIOUS)
    latest = await tenant.deliveries.latest(ids)
    now = datetime.now(UTC)
    return [
        _record(webhook, headers.get(webhook.id), previous.get(webhook.id), latest.get(webhook.id), now)
        for webhook in webhooks
    ]


def _record(
    webhook: Webhook, headers: bytes | None, previous: bytes | None, last: Delivery | None, now: datetime
) -> WebhookRecord:
    still_valid = [secret.until for secret in load_previous_secrets(previous, now)]
    return WebhookRecord(
        id=webhook.id,
        name=webhook.name,
        url=webhook.url,
        headers=masked_headers(load_headers(headers)),
        events=chosen_events_record(webhook.events),
        active=webhook.is_active,
        previous_secret_valid_until=max(still_valid, default=None),
        created_at=webhook.created_at,
        updated_at=webhook.updated_at,
        last_delivery=last and _last_delivery(last),
        disabled_reason=webhook.disabled_reason,
    )


def _last_delivery(delivery: Delivery) -> LastDeliveryRecord:
    values = asdict(delivery) | {"event": name_of(delivery.topic)}
    return readable_record("deliveries", delivery.id, LastDeliveryRecord, values)


class SecretRotation(Body):
    """The request to replace a signing secret."""

    overlap_hours: Annotated[Integer, Field(ge=0, le=72)] = Field(
        default=24,
        description="Horas em que a chave antiga ainda assina, ao lado da nova; 0 descarta já as antigas.",
    )


class RotatedSecret(Record):
    """A new secret, shown only once."""

    id: UUID
    secret: str = Field(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    previous_secret_valid_until: datetime | None


async def rotate_secret(
    database: Database, subscription_id: UUID, webhook_id: UUID, request: SecretRotation
) -> RotatedSecret:
    """Replaces the signing secret; the previous ones also sign for a while, until receivers have changed."""
    # The machine's clock, which deliveries and their receivers use.
    secret, now = new_secret(), datetime.now(UTC)
    until = now + timedelta(hours=request.overlap_hours) if request.overlap_hours else None
    async with database.tenant(subscription_id) as tenant:
        webhook = await tenant.webhooks.lock(webhook_id)
        if webhook is None:
            raise unknown_webhook()
        await _store_previous_secret(tenant, webhook_id, until, now)
        await tenant.secrets.put(webhook_id, SIGNING, secret)
        details = {"overlapHours": request.overlap_hours}
        await audit_webhook(tenant, AuditAction.WEBHOOK_SECRET_ROTATED, webhook, details)
    return RotatedSecret(id=webhook_id, secret=secret_text(secret), previous_secret_valid_until=until)


async def _store_previous_secret(
    tenant: Tenant, webhook_id: UUID, until: datetime | None, now: datetime
) -> None:
    secrets = await tenant.secrets.all(webhook_id)
    if until is None:
        await tenant.secrets.delete(webhook_id, PREVIOUS)
        return
    previous = [PreviousSecret(secrets[SIGNING], until), *load_previous_secrets(secrets.get(PREVIOUS), now)]
    await tenant.secrets.put(webhook_id, PREVIOUS, dump_previous_secrets(previous))
