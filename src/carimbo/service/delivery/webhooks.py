"""Webhooks: what callers do with them. One covers all companies of its subscription."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from carimbo.fiscal.fields import Body, Flag, Record, Text
from carimbo.service.companies import Deleted
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.chosen_events import (
    ChosenEvents,
    ChosenEventsRecord,
    EventName,
    names_of,
    require_any,
    shown_events,
)
from carimbo.service.delivery.custom_headers import (
    HEADERS,
    CustomHeader,
    CustomHeaderRecord,
    CustomHeaders,
    opened,
    sealable,
    shown_pairs,
    told_pairs,
)
from carimbo.service.delivery.event_names import name_of, topics_of
from carimbo.service.delivery.signature import SIGNING, new_secret, shown_secret
from carimbo.service.errors import Refusal, invalid_field, not_found
from carimbo.service.masked import is_masked
from carimbo.service.pages import Page, PageRequest
from carimbo.service.ports import AddressGuard
from carimbo.storage.database import Database, Tenant
from carimbo.storage.deliveries import Delivery
from carimbo.storage.identifiers import new_id
from carimbo.storage.webhooks import Webhook, WebhookFacts

MOST_WEBHOOKS = 50


class WebhookBody(Body):
    """What a caller tells of a webhook."""

    url: Annotated[Text, StringConstraints(max_length=2048)] = Field(
        description="Endereço https que recebe os eventos.", examples=["https://loja.example.com/webhooks"]
    )
    name: Annotated[Text, StringConstraints(max_length=64)] | None = Field(default=None, examples=["Loja"])
    headers: CustomHeaders | None = Field(
        default=None, description="Cabeçalhos a acrescentar a cada entrega, além dos do serviço."
    )
    events: Annotated[ChosenEvents, AfterValidator(require_any)] = Field(
        description="Eventos a receber, por grupo; pelo menos um."
    )
    active: Flag | None = Field(
        default=None, description="Sem o campo, um webhook novo é ativo, e um que existe fica como está."
    )


class Activity(Body):
    """Whether a webhook is to be called."""

    active: Flag


class LastDeliveryRecord(Record):
    """How the last attempt went."""

    id: UUID
    event: EventName = Field(examples=["nfe.authorized"])
    status: DeliveryStatus
    response_status: int | None = Field(examples=[200])
    attempted_at: datetime | None


class WebhookRecord(Record):
    """A webhook as callers see it."""

    id: UUID
    name: str | None = Field(examples=["Loja"])
    url: str = Field(examples=["https://loja.example.com/webhooks"])
    headers: list[CustomHeaderRecord]
    events: ChosenEventsRecord
    active: bool
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
    database: Database, guard: AddressGuard, subscription_id: UUID, webhook_id: UUID, body: WebhookBody
) -> WebhookRecord:
    """Let a webhook be what is told: what the body does not tell is cleared, but for whether it is active."""
    async with database.autocommit(subscription_id) as tenant:
        known = await tenant.webhooks.get(webhook_id)
    if known is None:
        raise unknown_webhook()
    if body.url != known.url:
        await _require_callable(guard, body.url)
        _require_whole_headers(known.url, body)
    async with database.tenant(subscription_id) as tenant:
        written = await tenant.webhooks.write(webhook_id, _facts_of(body))
        if written is not None:
            await _keep_headers(tenant, webhook_id, body.headers or [])
        if body.active is not None:
            written = await _activated(tenant, webhook_id, active=body.active)
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


def _require_whole_headers(known_url: str, body: WebhookBody) -> None:
    """A secret that was told to one server must not get to another by whoever can't read it."""
    if urlsplit(known_url)[:2] == urlsplit(body.url)[:2]:
        return
    for position, header in enumerate(body.headers or []):
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
    latest = await tenant.deliveries.latest(ids)
    return [_record(one, headers.get(one.id), latest.get(one.id)) for one in webhooks]


def _record(webhook: Webhook, headers: bytes | None, last: Delivery | None) -> WebhookRecord:
    return WebhookRecord(
        id=webhook.id,
        name=webhook.name,
        url=webhook.url,
        headers=shown_pairs(opened(headers)),
        events=shown_events(webhook.events),
        active=webhook.is_active,
        created_at=webhook.created_at,
        updated_at=webhook.updated_at,
        last_delivery=last and _last_delivery(last),
        disabled_reason=webhook.disabled_reason,
    )


def _last_delivery(delivery: Delivery) -> LastDeliveryRecord:
    return LastDeliveryRecord(
        id=delivery.id,
        event=name_of(delivery.topic),
        status=DeliveryStatus(delivery.status),
        response_status=delivery.response_status,
        attempted_at=delivery.attempted_at,
    )
