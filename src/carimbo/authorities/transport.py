"""One question to one address of an authority, and the answer or why there is none."""

import asyncio
from collections.abc import Awaitable, Callable

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

Exchange = Callable[[A1Certificate, str, str, bytes, float | None], Awaitable[bytes | NotJudged]]
"""Asks: with whose certificate, at which address, by which SOAP action, in which envelope, for how long."""


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
        journey, host = Journey(), _host(address)
        try:
            async with asyncio.timeout(most_seconds or self._whole_seconds):
                answer = await self._ask(certificate, address_of(address), action, envelope, journey)
        except (OSError, NoServer, Unreadable) as error:
            return failure(error, journey, host)
        return answer.body if answer.status == _OK else _despite_status(answer, host)

    async def _ask(
        self, certificate: A1Certificate, address: Address, action: str, envelope: bytes, journey: Journey
    ) -> Answer:
        request = _request(address, action, envelope)
        return await self._connections.of(certificate).ask(address, request, journey)


def _request(address: Address, action: str, envelope: bytes) -> bytes:
    head = (
        f"POST {address.target} HTTP/1.1",
        f"Host: {address.server.name}",
        "Accept: */*",
        # What is compressed may be of any size once it is opened.
        "Accept-Encoding: identity",
        "Connection: keep-alive",
        "User-Agent: carimbo",
        f'Content-Type: application/soap+xml; charset=utf-8; action="{action}"',
        f"Content-Length: {len(envelope)}\r\n\r\n",
    )
    return "\r\n".join(head).encode("ascii") + envelope


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _despite_status(answer: Answer, host: str) -> bytes | NotJudged:
    """Some hosts send a proper answer with a status of failure; anything else is told with the status."""
    found = open_envelope(answer.body)
    if not isinstance(found, NotJudged):
        return answer.body
    if answer.status in _CERTIFICATE_REFUSED:
        cause, words = Cause.TLS, COMPANY_REFUSED
    else:
        # SOAP wants its faults sent with a status of failure: they stay faults.
        cause = Cause.FAULT if found.cause is Cause.FAULT else Cause.HTTP_STATUS
        words = found.detail
    return NotJudged(cause=cause, detail=one_line(f"{host}: HTTP {answer.status}: {words}"))
