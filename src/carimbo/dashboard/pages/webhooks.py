"""Webhooks: whether each answers, its deliveries, and everything that an attempt sent and received."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.shown import Badge, badges, indented_json
from carimbo.dashboard.submissions import new_secret
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.deliveries import (
    AttemptRecord,
    DeliveryRecord,
    DeliveryReference,
    DetailedDelivery,
    filter_of,
    list_deliveries,
    read_delivery,
)
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST, group_title
from carimbo.service.delivery.webhooks import (
    WebhookDetail,
    WebhookHealth,
    WebhookRecord,
    list_webhook_health,
    read_webhook,
    read_webhook_detail,
)
from carimbo.service.document_types import title_of
from carimbo.service.documents.queries import DocumentReference, read_document_and_company
from carimbo.service.errors import Refusal
from carimbo.service.exports.lists import export_deliveries, export_webhooks
from carimbo.service.listing import Page
from carimbo.service.people.roles import Capability
from carimbo.service.words import DELIVERY_STATUSES
from carimbo.storage.deliveries import DeliveryFilter

DELIVERY_BADGES = badges(
    DELIVERY_STATUSES,
    {DeliveryStatus.PENDING: "busy", DeliveryStatus.DELIVERED: "good", DeliveryStatus.FAILED: "bad"},
)
_EVENT_OPTIONS = [("", "Todos"), *((name, name) for names in EVENT_GROUPS.values() for name in names)]
_MAX_SHOWN = 20_000
"""Longer bodies are cut: pages stay small."""
_MANY_DELIVERIES = 10_000_000
_SOON = timedelta(minutes=1)
RESENT = "reenviadas"
"""The parameter of a webhook's page with the number of deliveries that were just queued again."""
ONE_WEBHOOK = "/webhooks/{webhook_id:uuid}"
ONE_DELIVERY = f"{ONE_WEBHOOK}/entregas/{{delivery_id:uuid}}"


@dataclass(frozen=True)
class WebhookRow:
    """A webhook in the list."""

    health: WebhookHealth
    badge: Badge


@dataclass(frozen=True)
class ChosenGroup:
    """The events that a webhook receives of a group."""

    title: str
    events: Sequence[str]


@dataclass(frozen=True)
class ShownBody:
    """A body as a page shows it; indented if it is JSON."""

    text: str
    is_cut: bool


@dataclass(frozen=True)
class ShownAttempt:
    """One attempt with its request and its response."""

    record: AttemptRecord
    request: ShownBody
    response: ShownBody


@dataclass(frozen=True)
class DocumentLink:
    """The document that a delivery is about."""

    title: str
    address: str


@dataclass(frozen=True)
class DeliveryDetail:
    """Everything that the page of a delivery shows."""

    webhook: WebhookRecord
    delivery: DetailedDelivery
    attempt: ShownAttempt | None
    """The chosen attempt, or the last one; None if there was none yet."""
    document: DocumentLink | None
    now: datetime

    @property
    def is_due_soon(self) -> bool:
        """Whether the next attempt is about to begin, or under way."""
        next_attempt_at = self.delivery.next_attempt_at
        return next_attempt_at is not None and next_attempt_at < self.now + _SOON

    @property
    def reload_seconds(self) -> int | None:
        """How often the page asks for news; None if there will be none."""
        if self.delivery.status != DeliveryStatus.PENDING:
            return None
        return 2 if self.is_due_soon else 30


async def webhooks(visit: SubscriptionVisit) -> Response:
    """Lists the webhooks of a subscription, newest first."""
    if wants_csv(visit):
        return csv_response(await export_webhooks(visit.services.database, visit.subscription_id))
    listed = await list_webhook_health(visit.services.database, visit.subscription_id, visit.page_request)
    rows = [WebhookRow(health, _badge(health)) for health in listed.items]
    return page(
        visit, "webhooks/list.html", webhooks=rows, total=listed.total, delivery_badges=DELIVERY_BADGES
    )


async def webhook(visit: SubscriptionVisit) -> Response:
    """Shows one webhook with its deliveries, newest first."""
    database, webhook_id, wanted = visit.services.database, webhook_id_of(visit), _filter(visit)
    if wants_csv(visit):
        return csv_response(await export_deliveries(database, visit.subscription_id, webhook_id, wanted))
    detail = await read_webhook_detail(database, visit.subscription_id, webhook_id)
    deliveries = await list_deliveries(
        database, visit.subscription_id, webhook_id, wanted, visit.page_request
    )
    return _webhook_page(visit, detail, deliveries, await new_secret(visit))


async def delivery(visit: SubscriptionVisit) -> Response:
    """Shows one delivery with all its attempts."""
    return page(
        visit,
        "webhooks/delivery.html",
        detail=await _delivery_detail(visit),
        delivery_badges=DELIVERY_BADGES,
    )


def webhook_address(visit: SubscriptionVisit, webhook_id: UUID) -> str:
    """Returns the address of a webhook's page."""
    return f"{visit.base}/webhooks/{webhook_id}"


def webhook_id_of(visit: SubscriptionVisit) -> UUID:
    """Returns the id of the webhook that the address names."""
    return UUID(visit.request.path_params["webhook_id"])


def delivery_of(visit: SubscriptionVisit) -> DeliveryReference:
    """Returns the ids of the delivery that the address names."""
    delivery_id = UUID(visit.request.path_params["delivery_id"])
    return DeliveryReference(visit.subscription_id, webhook_id_of(visit), delivery_id)


def _webhook_page(
    visit: SubscriptionVisit, detail: WebhookDetail, deliveries: Page[DeliveryRecord], secret: str | None
) -> Response:
    """Shows a webhook; `secret` is its new secret, just after it was created."""
    groups = [
        ChosenGroup(group_title(group), events)
        for group, names in EVENT_GROUPS.items()
        if (events := [name for name in names if name in detail.events])
    ]
    return page(
        visit,
        "webhooks/detail.html",
        detail=detail,
        badge_of_webhook=_badge(detail),
        groups=groups,
        deliveries=deliveries,
        delivery_badges=DELIVERY_BADGES,
        event_options=[*_EVENT_OPTIONS, (TEST, TEST)],
        now=visit.machine_time,
        secret=secret,
        resent=visit.number_filter(RESENT, _MANY_DELIVERIES),
    )


async def _delivery_detail(visit: SubscriptionVisit) -> DeliveryDetail:
    database = visit.services.database
    record = await read_delivery(database, delivery_of(visit))
    number = visit.filter("tentativa")
    chosen = [attempt for attempt in record.attempts if str(attempt.number) == number]
    attempt = next(iter(chosen or record.attempts[-1:]), None)
    return DeliveryDetail(
        await read_webhook(database, visit.subscription_id, record.webhook_id),
        record,
        _shown_attempt(attempt) if attempt else None,
        await _document_link(visit, record.document_id),
        visit.machine_time,
    )


def _shown_attempt(attempt: AttemptRecord) -> ShownAttempt:
    return ShownAttempt(attempt, _body(attempt.request_body), _body(attempt.response_body or ""))


async def _document_link(visit: SubscriptionVisit, document_id: UUID | None) -> DocumentLink | None:
    """Returns the link to a document; None if it does not exist any more."""
    if document_id is None or not visit.may(Capability.READ_DOCUMENTS):
        return None
    with suppress(Refusal):
        reference = DocumentReference(visit.subscription_id, document_id)
        document, company_id = await read_document_and_company(visit.services.database, reference)
        number = "" if document.number is None else f" {document.number}"
        address = f"{visit.of_company(company_id)}/documentos/{document_id}"
        return DocumentLink(title_of(document.type) + number, address)
    return None


def _badge(health: WebhookHealth) -> Badge:
    """Returns whether a webhook answers, in a word or two."""
    record = health.record
    if not record.active:
        return Badge("Desativado", "bad") if record.disabled_reason else Badge("Inativo", "quiet")
    if health.failing_since is not None:
        return Badge("Falhando", "bad")
    last = record.last_delivery
    if last is None:
        return Badge("Ainda sem entregas", "quiet")
    is_delivered = last.status == DeliveryStatus.DELIVERED
    return Badge("Respondendo", "good") if is_delivered else Badge("Última entrega falhou", "warn")


def _filter(visit: SubscriptionVisit) -> DeliveryFilter:
    """Returns the filters of the address. A malformed one counts as absent."""
    event = visit.filter("evento")
    return filter_of(
        visit.choice("status", DeliveryStatus),
        event if event == TEST or event in dict(_EVENT_OPTIONS) else None,
        visit.day_filter("inicio"),
        visit.day_filter("fim"),
    )


def _body(text: str) -> ShownBody:
    """Returns a body to show. What is nested too deeply, or would become too long, is not indented."""
    with suppress(ValueError, RecursionError):
        indented = indented_json(json.loads(text))
        text = indented if len(indented) <= _MAX_SHOWN else text
    return ShownBody(text[:_MAX_SHOWN], len(text) > _MAX_SHOWN)


ROUTES = (
    subscription_page("/webhooks", Capability.READ_WEBHOOKS, webhooks),
    subscription_page(ONE_WEBHOOK, Capability.READ_WEBHOOKS, webhook),
    subscription_page(ONE_DELIVERY, Capability.READ_WEBHOOKS, delivery),
)
