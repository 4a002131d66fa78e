"""Prometheus metrics of requests to the tax authorities, in every process that sends them."""

import time
from collections.abc import Awaitable
from typing import NamedTuple, TypeVar

from prometheus_client import Counter, Histogram

from carimbo.fiscal.distribution import UnreadablePage
from carimbo.fiscal.outcome import Cause, NotJudged, Throttled, Unavailable

_SERVICE = ("model", "authorizer", "environment", "service")
_HELD_BACK = "held_back"
# Outcomes of requests that were never sent.
_NOT_SENT = frozenset({_HELD_BACK, Cause.NO_ROOM})
ANSWERS = Counter(
    "carimbo_authority_answers_total",
    "Requests to authorities by outcome: answered, unavailable (the authority says so), throttled (656), "
    "held_back (not sent, because the authority would block us), or the cause of a missing verdict (timeout, "
    "connection, tls, certificate_not_accepted, http_status, fault, html, empty, unreadable, "
    "unexpected_answer, undecided, no_room).",
    [*_SERVICE, "outcome"],
)
ANSWER_SECONDS = Histogram(
    "carimbo_authority_seconds",
    "Duration of requests to authorities, until the answer or until we stop waiting.",
    _SERVICE,
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
)

Answer = TypeVar("Answer")


class ServiceLabels(NamedTuple):
    """A service of an authority, by its official names, as metric labels."""

    model: str
    authorizer: str
    environment: str
    name: str


async def measured(service: ServiceLabels, request: Awaitable[Answer]) -> Answer:
    """Awaits a request, counts its outcome and returns its answer."""
    started = time.perf_counter()
    answer = await request
    outcome = _outcome(answer)
    ANSWERS.labels(*service, outcome).inc()
    if outcome not in _NOT_SENT:
        ANSWER_SECONDS.labels(*service).observe(time.perf_counter() - started)
    return answer


def _outcome(answer: object) -> str:
    match answer:
        case NotJudged():
            return answer.cause
        case UnreadablePage():
            return answer.failure.cause
        case Throttled():
            return "throttled" if answer.was_asked else _HELD_BACK
        case Unavailable():
            return "unavailable"
        case _:
            return "answered"
