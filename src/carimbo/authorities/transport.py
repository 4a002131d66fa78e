"""One question to one service of an authority, and the answer or why there is none."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from carimbo.authorities.address import Address, NoServer, address_of
from carimbo.authorities.connections import Connections
from carimbo.authorities.failures import COMPANY_REFUSED, failure
from carimbo.authorities.http_answer import Answer, Unreadable
from carimbo.authorities.journey import Journey
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged, one_line
from carimbo.fiscal.soap import open_envelope

_OK = 200
# What web servers say of a client certificate; 495 and 496 are nginx's own.
_CERTIFICATE_REFUSED = frozenset({403, 495, 496})


class Question(NamedTuple):
    """What is asked of a service over HTTP."""

    method: str
    path: str = ""
    """What follows the address of the service, in ASCII."""
    media_type: str = ""
    """Of the body; empty where there is none."""
    body: bytes = b""


Exchange = Callable[[A1Certificate, str, str, bytes, float | None], Awaitable[bytes | NotJudged]]
"""Asks: with whose certificate, at which address, by which SOAP action, in which envelope, for how long."""

Fetch = Callable[[A1Certificate, str, Question, float | None], Awaitable[Answer | NotJudged]]
"""Asks: with whose certificate, at which address, what, for how long; an answer may have any status."""


class Transport:
    """Puts questions over HTTPS, each with the certificate of the company that asks."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._whole_seconds = connections.patience.whole_seconds

    async def exchange(
        self,
        certificate: A1Certificate,
        address: str,
        action: str,
        envelope: bytes,
        most_seconds: float | None = None,
    ) -> bytes | NotJudged:
        """Ask, and give back the body of the answer; one without a fiscal answer inside may be given too."""
        media_type = f'application/soap+xml; charset=utf-8; action="{action}"'
        question = Question("POST", "", media_type, envelope)
        answer = await self.fetch(certificate, address, question, most_seconds)
        if isinstance(answer, NotJudged):
            return answer
        return answer.body if answer.status == _OK else _despite_status(answer, _host(address))

    async def fetch(
        self,
        certificate: A1Certificate,
        address: str,
        question: Question,
        most_seconds: float | None = None,
    ) -> Answer | NotJudged:
        """Ask, and give back whatever is answered."""
        journey = Journey()
        try:
            async with asyncio.timeout(most_seconds or self._whole_seconds):
                place = address_of(address)
                pool, request = self._connections.of(certificate), _request(place, question)
                return await pool.ask(place, request, journey, has_body=question.method != "HEAD")
        except (OSError, NoServer, Unreadable) as error:
            return failure(error, journey, _host(address))


def _request(address: Address, question: Question) -> bytes:
    method, path, media_type, body = question
    head = (
        f"{method} {address.target}{path} HTTP/1.1",
        f"Host: {address.server.name}",
        "Accept: */*",
        # What is compressed may be of any size once it is opened.
        "Accept-Encoding: identity",
        "Connection: keep-alive",
        "User-Agent: carimbo",
        f"Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n" if media_type else "\r\n",
    )
    return "\r\n".join(head).encode("ascii") + body


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _despite_status(answer: Answer, host: str) -> bytes | NotJudged:
    """Some hosts send a proper answer with a status of failure; anything else is told with the status."""
    found = open_envelope(answer.body)
    if not isinstance(found, NotJudged):
        return answer.body
    if answer.status in _CERTIFICATE_REFUSED:
        cause, words = Cause.CERTIFICATE_NOT_ACCEPTED, COMPANY_REFUSED
    else:
        # SOAP wants its faults sent with a status of failure: they stay faults.
        cause = Cause.FAULT if found.cause is Cause.FAULT else Cause.HTTP_STATUS
        words = found.detail
    return NotJudged(cause=cause, detail=one_line(f"{host}: HTTP {answer.status}: {words}"))
