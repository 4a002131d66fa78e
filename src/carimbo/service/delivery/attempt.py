"""One attempt to deliver an event to a webhook, and the decision that follows."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from carimbo import __version__
from carimbo.fiscal.local_time import BRASILIA
from carimbo.service.change_bodies import mask_secret
from carimbo.service.delivery.payload import payload_json
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.delivery.webhook_headers import HEADERS, current_secrets, load_headers, signed_headers
from carimbo.service.documents.files import Links
from carimbo.service.ports import WebhookAnswer, WebhookCall, WebhookClient
from carimbo.service.waiting import jitter
from carimbo.storage.database import Database
from carimbo.storage.delivery_queue import (
    ClaimedDelivery,
    DeliveryOutcome,
    NewDeliveryAttempt,
    Receiver,
    conclude_delivery,
    receiver_of,
)
from carimbo.storage.events import PublishedEvent

_OWN_HEADERS = (("Content-Type", "application/json"), ("User-Agent", f"Carimbo/{__version__}"))
# Only with these statuses a Retry-After header is followed.
_RETRY_AFTER_STATUSES = frozenset({429, 502, 503, 504})
_INTERNAL_ERROR = "Erro interno ao preparar a entrega."


class DeliveryStatus(StrEnum):
    """The status of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True)
class DeliverySender:
    """Everything needed to deliver events."""

    database: Database
    client: WebhookClient
    links: Links
    schedule: RetrySchedule
    disable_after: timedelta
    """A webhook that has failed for this long, without a success, is disabled."""
    clock: Callable[[], datetime]


@dataclass(frozen=True)
class _PreparedDelivery:
    """An event with the webhook that receives it."""

    receiver: Receiver
    custom_headers: tuple[tuple[str, str], ...]
    secrets: tuple[bytes, ...]
    event: PublishedEvent


async def deliver(sender: DeliverySender, claimed: ClaimedDelivery) -> DeliveryStatus | None:
    """Attempts a delivery and stores the outcome; returns None if webhook or event are gone."""
    prepared = await _prepare(sender, claimed)
    if prepared is None:
        return None
    started_at, started = sender.clock(), time.perf_counter()
    payload = payload_json(prepared.event, sender.links)
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    own = _OWN_HEADERS + signed_headers(str(prepared.event.id), started_at, body, prepared.secrets)
    claimed.require_held()
    answer = await sender.client.post(WebhookCall(prepared.receiver.url, own + prepared.custom_headers, body))
    attempt = NewDeliveryAttempt(
        url=prepared.receiver.url,
        request_headers=dict(own)
        | {name: mask_secret(value.encode()) for name, value in prepared.custom_headers},
        request_body=body.decode(),
        started_at=started_at,
        milliseconds=round((time.perf_counter() - started) * 1000),
        **_response_values(answer),
    )
    return await _conclude(
        sender, claimed, attempt, decide_outcome(sender, claimed, prepared.receiver, answer)
    )


async def record_internal_error(sender: DeliverySender, claimed: ClaimedDelivery) -> None:
    """Stores an internal error as a failed attempt: callers see it in the log, and it is tried again."""
    failure = WebhookAnswer(None, "", error=_INTERNAL_ERROR)
    attempt = NewDeliveryAttempt(
        url="",
        request_headers={},
        request_body="",
        started_at=sender.clock(),
        milliseconds=0,
        **_response_values(failure),
    )
    await _conclude(sender, claimed, attempt, decide_outcome(sender, claimed, None, failure))


async def _conclude(
    sender: DeliverySender, claimed: ClaimedDelivery, attempt: NewDeliveryAttempt, outcome: DeliveryOutcome
) -> DeliveryStatus:
    async with sender.database.connection() as connection:
        await conclude_delivery(connection, claimed, attempt, outcome)
    return DeliveryStatus(outcome.status)


def _response_values(answer: WebhookAnswer) -> dict[str, Any]:
    return {"response_status": answer.status, "response_body": answer.body, "error": answer.error}


def decide_outcome(
    sender: DeliverySender,
    claimed: ClaimedDelivery,
    receiver: Receiver | None,
    answer: WebhookAnswer,
) -> DeliveryOutcome:
    """Decides what follows from an answer: done, another attempt, or giving up."""
    if answer.is_success:
        return DeliveryOutcome(status=DeliveryStatus.DELIVERED, failures=0)
    failures = claimed.failures + 1
    if claimed.is_test:
        return DeliveryOutcome(status=DeliveryStatus.FAILED, failures=failures)
    retry_after = answer.retry_after if answer.status in _RETRY_AFTER_STATUSES else None
    pause = sender.schedule.pause_after(failures, jitter(), retry_after)
    if pause is not None:
        return DeliveryOutcome(status=DeliveryStatus.PENDING, failures=failures, pause=pause)
    since = receiver.failing_since if receiver else None
    return DeliveryOutcome(
        status=DeliveryStatus.FAILED,
        failures=failures,
        judged_since=since,
        disabled_reason=_reason_to_disable(sender, since, answer),
    )


async def _prepare(sender: DeliverySender, claimed: ClaimedDelivery) -> _PreparedDelivery | None:
    async with sender.database.autocommit(claimed.subscription_id) as tenant:
        receiver = await receiver_of(tenant.connection, claimed)
        event = await tenant.events.get(claimed.event_id)
        secrets = await tenant.secrets.all(claimed.webhook_id)
    if receiver is None or event is None:
        return None
    headers = tuple(load_headers(secrets.get(HEADERS)))
    return _PreparedDelivery(receiver, headers, current_secrets(secrets, sender.clock()), event)


def _reason_to_disable(sender: DeliverySender, since: datetime | None, answer: WebhookAnswer) -> str | None:
    """Returns why a webhook is disabled after a delivery was given up; None if it is not."""
    if since is None or sender.clock() - since < sender.disable_after:
        return None
    last_failure = answer.error or f"HTTP {answer.status}"
    moment = since.astimezone(BRASILIA).strftime("%d/%m/%Y às %H:%M")
    return (
        f"Desativado automaticamente: todas as entregas falharam desde {moment}. Última falha: {last_failure}"
    )
