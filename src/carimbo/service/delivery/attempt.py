"""One attempt to deliver an event to a webhook, and the decision that follows."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from carimbo import __version__
from carimbo.fiscal.local_time import BRASILIA
from carimbo.service.change_bodies import mask_secret
from carimbo.service.delivery.batches import Batches
from carimbo.service.delivery.payload import payload_json
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.delivery.webhook_headers import HEADERS, current_secrets, load_headers, signed_headers
from carimbo.service.documents.files import Links
from carimbo.service.ports import WebhookAnswer, WebhookCall, WebhookClient
from carimbo.service.waiting import jitter
from carimbo.storage.database import Database
from carimbo.storage.delivery_attempts import (
    ConcludedDelivery,
    DeliveryContent,
    DeliveryOutcome,
    NewDeliveryAttempt,
    Receiver,
    conclude_deliveries,
    read_contents,
)
from carimbo.storage.delivery_queue import ClaimedDelivery
from carimbo.storage.events import PublishedEvent
from carimbo.storage.secrets import open_secrets

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

    @cached_property
    def contents(self) -> Batches[ClaimedDelivery, DeliveryContent | None]:
        """Reads what deliveries send; those that were claimed together are read together."""
        return Batches(self._read)

    @cached_property
    def successes(self) -> Batches[ConcludedDelivery, bool]:
        """Stores successful deliveries; those that end while others are stored are stored together."""
        return Batches(self.conclude)

    async def conclude(self, deliveries: Sequence[ConcludedDelivery]) -> Sequence[bool]:
        """Stores attempts; returns for each whether its lease was still held."""
        async with self.database.connection() as connection:
            return await conclude_deliveries(connection, deliveries)

    async def _read(self, deliveries: Sequence[ClaimedDelivery]) -> Sequence[DeliveryContent | None]:
        async with self.database.connection() as connection:
            return await read_contents(connection, deliveries)


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
    outcome = decide_outcome(sender, claimed, prepared.receiver, answer)
    return await _conclude(sender, ConcludedDelivery(claimed, attempt, outcome), prepared.receiver)


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
    outcome = decide_outcome(sender, claimed, None, failure)
    await _conclude(sender, ConcludedDelivery(claimed, attempt, outcome), None)


async def _conclude(
    sender: DeliverySender, delivery: ConcludedDelivery, receiver: Receiver | None
) -> DeliveryStatus:
    """Stores an attempt. Raises LeaseLost.

    An outcome that changes the webhook is stored alone: two workers that changed several webhooks each, in
    another order, would wait for each other.
    """
    status = DeliveryStatus(delivery.outcome.status)
    if status is DeliveryStatus.DELIVERED and receiver and receiver.failing_since is None:
        is_stored = await sender.successes.put(delivery)
    else:
        (is_stored,) = await sender.conclude([delivery])
    if not is_stored:
        raise delivery.claimed.lease_lost()
    return status


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
    content = await sender.contents.put(claimed)
    if content is None:
        return None
    secrets = open_secrets(
        sender.database.key_ring, claimed.subscription_id, claimed.webhook_id, content.secrets
    )
    headers = tuple(load_headers(secrets.get(HEADERS)))
    signers = current_secrets(secrets, sender.clock())
    return _PreparedDelivery(content.receiver, headers, signers, content.event)


def _reason_to_disable(sender: DeliverySender, since: datetime | None, answer: WebhookAnswer) -> str | None:
    """Returns why a webhook is disabled after a delivery was given up; None if it is not."""
    if since is None or sender.clock() - since < sender.disable_after:
        return None
    last_failure = answer.error or f"HTTP {answer.status}"
    moment = since.astimezone(BRASILIA).strftime("%d/%m/%Y às %H:%M")
    return (
        f"Desativado automaticamente: todas as entregas falharam desde {moment}. Última falha: {last_failure}"
    )
