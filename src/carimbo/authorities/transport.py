"""One question to one address of an authority, and the answer or why there is none."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx2

from carimbo.authorities.connections import Connections
from carimbo.authorities.failures import COMPANY_REFUSED, Journey, failure
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged, one_line
from carimbo.fiscal.soap import open_envelope

LARGEST_ANSWER = 10 * 1024 * 1024

_OK = 200
# What web servers say of a client certificate; 495 and 496 are nginx's own.
_CERTIFICATE_REFUSED = frozenset({403, 495, 496})

Exchange = Callable[[A1Certificate, str, str, bytes], Awaitable[bytes | NotJudged]]
"""Asks: with whose certificate, at which address, by which SOAP action, in which envelope."""


class Transport:
    """Puts questions over HTTPS, each with the certificate of the company that asks."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._whole_seconds = connections.patience.whole_seconds

    async def exchange(
        self, certificate: A1Certificate, address: str, action: str, envelope: bytes
    ) -> bytes | NotJudged:
        """Ask, and give back the body of the answer; one without a fiscal answer inside may be given too."""
        journey, host = Journey(), _host(address)
        try:
            async with asyncio.timeout(self._whole_seconds), self._connections.of(certificate) as client:
                status, body = await _post(client, address, action, envelope, journey)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            return failure(error, journey, host)
        if len(body) > LARGEST_ANSWER:
            return NotJudged(cause=Cause.UNREADABLE, detail=f"{host}: a resposta é grande demais")
        return body if status == _OK else _despite_status(status, body, host)


async def _post(
    client: httpx2.AsyncClient, address: str, action: str, envelope: bytes, journey: Journey
) -> tuple[int, bytes]:
    """Read the answer up to the first bytes beyond the limit."""
    headers = {
        "Content-Type": f'application/soap+xml; charset=utf-8; action="{action}"',
        # What is compressed may be of any size once it is opened.
        "Accept-Encoding": "identity",
    }
    request = client.stream("POST", address, content=envelope, headers=headers, extensions={"trace": journey})
    body = bytearray()
    async with request as response:
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > LARGEST_ANSWER:
                break
    return response.status_code, bytes(body)


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _despite_status(status: int, body: bytes, host: str) -> bytes | NotJudged:
    """Some hosts send a proper answer with a status of failure; anything else is told with the status."""
    found = open_envelope(body)
    if not isinstance(found, NotJudged):
        return body
    words = COMPANY_REFUSED if status in _CERTIFICATE_REFUSED else found.detail
    # SOAP wants its faults sent with a status of failure: they stay faults.
    cause = Cause.FAULT if found.cause is Cause.FAULT else Cause.HTTP_STATUS
    return NotJudged(cause=cause, detail=one_line(f"{host}: HTTP {status}: {words}"))
