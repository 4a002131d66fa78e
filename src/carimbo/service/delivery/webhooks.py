"""Webhooks: what callers do with them. One covers all companies of its subscription."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.fields import AS_STORED, Record
from carimbo.service.companies import Deleted
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.chosen_events import (
    ChosenEventsRecord,
    EventName,
    names_of,
    shown_events,
)
from carimbo.service.delivery.custom_headers import (
    HEADERS,
    CustomHeader,
    CustomHeaderRecord,
    Pair,
    opened,
    sealable,
    shown_pairs,
    told_pairs,
)
from carimbo.service.delivery.event_names import name_of, topics_of
from carimbo.service.delivery.signature import PREVIOUS, SIGNING, new_secret, opened_previous, shown_secret
from carimbo.service.delivery.webhook_bodies import Activity, WebhookBody, WebhookChanges
from carimbo.service.errors import Refusal, invalid_field, not_found
from carimbo.service.masked import is_masked
from carimbo.service.pages import Page, PageRequest
from carimbo.service.ports import AddressGuard
from carimbo.service.read_only import refuse_changed
from carimbo.service.readable import readable_record
from carimbo.storage.database import Database, Tenant
from carimbo.storage.deliveries import Delivery
from carimbo.storage.identifiers import new_id
from carimbo.storage.webhooks import Webhook, WebhookFacts

MOST_WEBHOOKS = 50
_READ_ONLY = frozenset({"id", "created_at", "disabled_reason", "previous_secret_valid_until"})
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class LastDeliveryRecord(Record):
    """How the last attempt went."""

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
    """A webhook and its secret, shown this once."""

    secret: str = Field(
        description="Chave das assinaturas (Standard Webhooks); aparece só nesta resposta.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )


async def create_webhook(
    database: Database, guard: AddressGuard, subscription_id: UUID, body: WebhookBody
) -> CreatedWebhook:
    """Listen to events from now on; the secret that signs them is shown this once."""
    await _require_callable(guard, body.url)
    webhook_id, secret = new_id(), new_secret()
    async with database.tenant(subscription_id) as tenant:
        await _require_room(tenant)
        await tenant.secrets.put(webhook_id, SIGNING, secret)
        await _keep_headers(tenant, webhook_id, body.headers or [])
        webhook = await tenant.webhooks.add(webhook_id, _facts_of(body), is_active=body.active is not False)
        (record,) = await _shown(tenant, [webhook])
    return CreatedWebhook(**dict(record), secret=shown_secret(secret))


async def list_webhooks(
    database: Database, subscription_id: UUID, request: PageRequest
) -> Page[WebhookRecord]:
    """List webhooks, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        found = await tenant.webhooks.page(request.offset, request.page_size)
        return Page(await _shown(tenant, found), await tenant.webhooks.count(), request)


async def read_webhook(database: Database, subscription_id: UUID, webhook_id: UUID) -> WebhookRecord:
    """Show a webhook."""
    async with database.snapshot(subscription_id) as tenant:
        return await _shown_one(tenant, await tenant.webhooks.get(webhook_id))


async def replace_webhook(
    database: Database, guard: AddressGuard, subscription_id: UUID, webhook_id: UUID, changes: WebhookChanges
) -> WebhookRecord:
    """Writes the fields that were sent, and only those."""
    async with database.autocommit(subscription_id) as tenant:
        before = await tenant.webhooks.get(webhook_id)
    if before is None:
        raise unknown_webhook()
    # No row is held while the network is asked. An address that the webhook had was checked when it got it.
    if "url" in changes.model_fields_set and changes.url != before.url:
        await _require_callable(guard, changes.url)
    async with database.tenant(subscription_id) as tenant:
        current = await tenant.webhooks.lock(webhook_id)
        if current is None:
            raise unknown_webhook()
        secrets = await tenant.secrets.all(webhook_id)
        # An old secret may end between reading and sending back: its date is the stored one even then.
        shown = _record(current, None, secrets.get(PREVIOUS), None, now=_LONG_AGO)
        refuse_changed(changes, shown, _READ_ONLY)
        facts = _changed_facts(current, changes)
        _require_whole_headers(current.url, facts.url, changes, opened(secrets.get(HEADERS)))
        written = await tenant.webhooks.write(webhook_id, facts)
        if "headers" in changes.model_fields_set:
            await _keep_headers(tenant, webhook_id, changes.headers or [])
        if changes.active is not None:
            written = await _activated(tenant, webhook_id, active=changes.active)
        return await _shown_one(tenant, written)


async def set_activity(
    database: Database, subscription_id: UUID, webhook_id: UUID, activity: Activity
) -> WebhookRecord:
    """Call a webhook or not; what it is owed waits meanwhile."""
    async with database.tenant(subscription_id) as tenant:
        webhook = await _activated(tenant, webhook_id, active=activity.active)
        return await _shown_one(tenant, webhook)


async def delete_webhook(database: Database, subscription_id: UUID, webhook_id: UUID) -> Deleted:
    """Delete a webhook with its secrets and deliveries; what it was owed is not sent any more."""
    async with database.tenant(subscription_id) as tenant:
        if not await tenant.webhooks.delete(webhook_id):
            raise unknown_webhook()
        await tenant.secrets.delete_all(webhook_id)
    return Deleted(id=webhook_id)


def unknown_webhook() -> Refusal:
    """Tell that there is none by an id."""
    return not_found("Webhook não encontrado.")


async def _require_callable(guard: AddressGuard, url: str) -> None:
    objection = await guard.objection_to(url)
    if objection is not None:
        raise invalid_field("url", objection)


def _require_whole_headers(url: str, new_url: str, changes: WebhookChanges, stored: Sequence[Pair]) -> None:
    """Refuses stored header values for another server: a caller that can't read them must not move them."""
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


async def _require_room(tenant: Tenant) -> None:
    await tenant.webhooks.hold()
    if await tenant.webhooks.count() >= MOST_WEBHOOKS:
        sentence = f"A assinatura já tem {MOST_WEBHOOKS} webhooks: exclua um antes de criar outro."
        raise invalid_field("body", sentence)


def _facts_of(body: WebhookBody) -> WebhookFacts:
    names = names_of(body.events)
    return WebhookFacts(name=body.name, url=body.url, events=names, topics=topics_of(names))


def _changed_facts(current: Webhook, changes: WebhookChanges) -> WebhookFacts:
    """Returns a webhook's facts with those that were sent in the place of the present ones."""
    sent = changes.model_fields_set
    names = names_of(changes.events) if "events" in sent else current.events
    return WebhookFacts(
        name=changes.name if "name" in sent else current.name,
        url=changes.url if "url" in sent else current.url,
        events=names,
        topics=topics_of(names),
    )


async def _keep_headers(tenant: Tenant, webhook_id: UUID, headers: Sequence[CustomHeader]) -> None:
    stored = opened(await tenant.secrets.get(webhook_id, HEADERS))
    if headers:
        await tenant.secrets.put(webhook_id, HEADERS, sealable(told_pairs(headers, stored)))
    else:
        await tenant.secrets.delete(webhook_id, HEADERS)


async def _activated(tenant: Tenant, webhook_id: UUID, *, active: bool) -> Webhook | None:
    change = tenant.webhooks.activate if active else tenant.webhooks.deactivate
    return await change(webhook_id)


async def _shown_one(tenant: Tenant, webhook: Webhook | None) -> WebhookRecord:
    if webhook is None:
        raise unknown_webhook()
    (record,) = await _shown(tenant, [webhook])
    return record


async def _shown(tenant: Tenant, webhooks: Sequence[Webhook]) -> list[WebhookRecord]:
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
    still_valid = [secret.until for secret in opened_previous(previous, now)]
    return WebhookRecord(
        id=webhook.id,
        name=webhook.name,
        url=webhook.url,
        headers=shown_pairs(opened(headers)),
        events=shown_events(webhook.events),
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
