"""One attempt to deliver an event to a webhook, and what follows from it."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from carimbo import __version__
from carimbo.fiscal.local_time import BRASILIA
from carimbo.service.backoff import dice
from carimbo.service.delivery.custom_headers import HEADERS, opened
from carimbo.service.delivery.payload import payload_of
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.delivery.signature import signed_headers, signers
from carimbo.service.links import Links
from carimbo.service.masked import masked
from carimbo.service.ports import WebhookAnswer, WebhookCall, WebhookClient
from carimbo.storage.database import Database
from carimbo.storage.delivering import (
    Attempt,
    ClaimedDelivery,
    DeliveryFate,
    Receiver,
    conclude_delivery,
    receiver_of,
)
from carimbo.storage.events import ToldEvent

_OWN_HEADERS = (("Content-Type", "application/json"), ("User-Agent", f"Carimbo/{__version__}"))
# Others tell nothing of when to come back.
_STATUSES_WITH_WISHES = frozenset({429, 502, 503, 504})
_MISHAP = "Erro interno ao preparar a entrega."


class DeliveryStatus(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True)
class Postman:
    """What events are delivered with."""

    database: Database
    client: WebhookClient
    links: Links
    schedule: RetrySchedule
    disable_after: timedelta
    """Of nothing but failures."""
    clock: Callable[[], datetime]


@dataclass(frozen=True)
class _Parcel:
    """An event on its way to a webhook."""

    receiver: Receiver
    custom_headers: tuple[tuple[str, str], ...]
    signers: tuple[bytes, ...]
    event: ToldEvent


async def deliver(postman: Postman, claimed: ClaimedDelivery) -> DeliveryStatus | None:
    """Try once, and write how it went; None when there is nobody left to tell."""
    parcel = await _prepared(postman, claimed)
    if parcel is None:
        return None
    started_at, started = postman.clock(), time.perf_counter()
    body = _body(payload_of(parcel.event, postman.links))
    own = _OWN_HEADERS + signed_headers(str(parcel.event.id), started_at, body, parcel.signers)
    claimed.require_held()
    answer = await postman.client.post(WebhookCall(parcel.receiver.url, own + parcel.custom_headers, body))
    attempt = Attempt(
        url=parcel.receiver.url,
        request_headers=dict(own) | {name: masked(value.encode()) for name, value in parcel.custom_headers},
        request_body=body.decode(),
        started_at=started_at,
        milliseconds=round((time.perf_counter() - started) * 1000),
        **_told(answer),
    )
    return await _conclude(postman, claimed, attempt, fate_of(postman, claimed, parcel.receiver, answer))


async def record_mishap(postman: Postman, claimed: ClaimedDelivery) -> None:
    """Count what went wrong in our own house as a failure: it is seen in the log, and tried again later."""
    nothing = WebhookAnswer(None, "", error=_MISHAP)
    attempt = Attempt(
        url="",
        request_headers={},
        request_body="",
        started_at=postman.clock(),
        milliseconds=0,
        **_told(nothing),
    )
    await _conclude(postman, claimed, attempt, fate_of(postman, claimed, None, nothing))


async def _conclude(
    postman: Postman, claimed: ClaimedDelivery, attempt: Attempt, fate: DeliveryFate
) -> DeliveryStatus:
    async with postman.database.connection() as connection:
        await conclude_delivery(connection, claimed, attempt, fate)
    return DeliveryStatus(fate.status)


def _told(answer: WebhookAnswer) -> dict[str, Any]:
    return {"response_status": answer.status, "response_body": answer.body, "error": answer.error}


def fate_of(
    postman: Postman, claimed: ClaimedDelivery, receiver: Receiver | None, answer: WebhookAnswer
) -> DeliveryFate:
    """Decide what follows from an answer."""
    if answer.is_success:
        return DeliveryFate(status=DeliveryStatus.DELIVERED, failures=0)
    failures = claimed.failures + 1
    if claimed.is_test:
        return DeliveryFate(status=DeliveryStatus.FAILED, failures=failures)
    wish = answer.retry_after if answer.status in _STATUSES_WITH_WISHES else None
    pause = postman.schedule.pause_after(failures, dice(), wish)
    if pause is not None:
        return DeliveryFate(status=DeliveryStatus.PENDING, failures=failures, pause=pause)
    since = receiver.failing_since if receiver else None
    return DeliveryFate(
        status=DeliveryStatus.FAILED,
        failures=failures,
        judged_since=since,
        disabled_reason=_reason_to_disable(postman, since, answer),
    )


async def _prepared(postman: Postman, claimed: ClaimedDelivery) -> _Parcel | None:
    async with postman.database.autocommit(claimed.subscription_id) as tenant:
        receiver = await receiver_of(tenant.connection, claimed)
        event = await tenant.events.get(claimed.event_id)
        secrets = await tenant.secrets.all(claimed.webhook_id)
    if receiver is None or event is None:
        return None
    headers = tuple(opened(secrets.get(HEADERS)))
    return _Parcel(receiver, headers, signers(secrets, postman.clock()), event)


def _body(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def _reason_to_disable(postman: Postman, since: datetime | None, answer: WebhookAnswer) -> str | None:
    """Why a webhook that something was just given up for is not to be called any more, if it isn't."""
    if since is None or postman.clock() - since < postman.disable_after:
        return None
    last = answer.error or f"HTTP {answer.status}"
    moment = since.astimezone(BRASILIA).strftime("%d/%m/%Y às %H:%M")
    return f"Desativado automaticamente: todas as entregas falharam desde {moment}. Última falha: {last}"
