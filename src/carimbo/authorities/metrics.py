"""Prometheus metrics of what is asked of the tax authorities, by every process that asks."""

import time
from collections.abc import Awaitable
from typing import NamedTuple, TypeVar

from prometheus_client import Counter, Histogram

from carimbo.fiscal.outcome import Cause, NotJudged, Throttled, Unavailable

_SERVICE = ("model", "authorizer", "environment", "service")
_HELD_BACK = "held_back"
# Nothing left the house.
_NOT_ASKED = frozenset({_HELD_BACK, Cause.NO_ROOM})
ANSWERS = Counter(
    "carimbo_authority_answers_total",
    "Questions to authorities by what came of them: answered, unavailable (its own word), throttled (656), "
    "held_back (not asked, so as not to be blocked), or why nothing was learnt (timeout, connection, tls, "
    "certificate_not_accepted, http_status, fault, html, empty, unreadable, unexpected_answer, undecided,"
    " no_room).",
    [*_SERVICE, "outcome"],
)
ANSWER_SECONDS = Histogram(
    "carimbo_authority_seconds",
    "How long authorities take to answer, or we to give them up.",
    _SERVICE,
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
)

Answer = TypeVar("Answer")


class AskedService(NamedTuple):
    """A service of an authority, by its official names."""

    model: str
    authorizer: str
    environment: str
    name: str


async def measured(service: AskedService, asking: Awaitable[Answer]) -> Answer:
    """Ask, and count what comes of it."""
    started = time.perf_counter()
    answer = await asking
    outcome = _outcome(answer)
    ANSWERS.labels(*service, outcome).inc()
    if outcome not in _NOT_ASKED:
        ANSWER_SECONDS.labels(*service).observe(time.perf_counter() - started)
    return answer


def _outcome(answer: object) -> str:
    match answer:
        case NotJudged():
            return answer.cause
        case Throttled():
            return "throttled" if answer.was_asked else _HELD_BACK
        case Unavailable():
            return "unavailable"
        case _:
            return "answered"
