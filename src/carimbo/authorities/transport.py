"""Sends one HTTPS request to an authority and returns the response, or the reason why there is none."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import InvalidUrl, ParsedUrl, parse_url
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.layouts.soap import open_envelope
from carimbo.fiscal.outcome import Cause, NotJudged, one_line
from carimbo.http_client.progress import RequestProgress, RequestStage
from carimbo.http_client.response_reader import (
    HttpResponse,
    ResponseLimits,
    ResponseReader,
    ResponseTooLong,
    UnreadableResponse,
)

LIMITS = ResponseLimits(body_bytes=10 * 1024 * 1024, framing_bytes=1024 * 1024)
_OK = 200
# Statuses that refuse a client certificate; 495 and 496 are nginx's own.
_CERTIFICATE_REFUSED = frozenset({403, 495, 496})


class HttpRequest(NamedTuple):
    """An HTTP request to a service."""

    method: str
    path: str = ""
    """The part after the URL of the service, in ASCII."""
    media_type: str = ""
    """Media type of the body; empty if there is no body."""
    body: bytes = b""


SendSoap = Callable[[A1Certificate, str, str, bytes, float | None], Awaitable[bytes | NotJudged]]
"""Sends a SOAP request: certificate, URL, SOAP action, envelope, time limit in seconds."""

SendHttp = Callable[[A1Certificate, str, HttpRequest, float | None], Awaitable[HttpResponse | NotJudged]]
"""Sends an HTTP request: certificate, URL, request, time limit in seconds. Any status is an answer."""


class HttpsTransport:
    """Sends requests over HTTPS, each with the certificate of its company."""

    def __init__(self, connections: ConnectionPools) -> None:
        self._connections = connections
        self._whole_seconds = connections.timeouts.whole_seconds

    async def exchange(
        self,
        certificate: A1Certificate,
        address: str,
        action: str,
        envelope: bytes,
        max_seconds: float | None = None,
    ) -> bytes | NotJudged:
        """Sends a SOAP request and returns the body of the response, which may lack a fiscal answer."""
        media_type = f'application/soap+xml; charset=utf-8; action="{action}"'
        request = HttpRequest("POST", "", media_type, envelope)
        response = await self.fetch(certificate, address, request, max_seconds)
        if isinstance(response, NotJudged):
            return response
        return response.body if response.status == _OK else _read_error_status(response, _host(address))

    async def fetch(
        self,
        certificate: A1Certificate,
        address: str,
        request: HttpRequest,
        max_seconds: float | None = None,
    ) -> HttpResponse | NotJudged:
        """Sends a request and returns the response, whatever its status."""
        progress = RequestProgress()
        try:
            async with asyncio.timeout(max_seconds or self._whole_seconds):
                url = parse_url(address)
                pool, encoded = self._connections.of(certificate), _encode(url, request)
                reader = ResponseReader(progress, LIMITS, has_body=request.method != "HEAD")
                response = await pool.send(url, encoded, reader)
                if response.is_cut:
                    raise ResponseTooLong
                return response
        except (OSError, InvalidUrl, UnreadableResponse) as error:
            return failure_of(error, progress, _host(address))


def _encode(url: ParsedUrl, request: HttpRequest) -> bytes:
    method, path, media_type, body = request
    head = (
        f"{method} {url.target}{path} HTTP/1.1",
        f"Host: {url.server.name}",
        "Accept: */*",
        # A compressed response could expand to any size.
        "Accept-Encoding: identity",
        "Connection: keep-alive",
        "User-Agent: carimbo",
        f"Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n" if media_type else "\r\n",
    )
    return "\r\n".join(head).encode("ascii") + body


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _read_error_status(response: HttpResponse, host: str) -> bytes | NotJudged:
    """Returns the body if it has a fiscal answer, which some hosts send with an error status."""
    content = open_envelope(response.body)
    if not isinstance(content, NotJudged):
        return response.body
    if response.status in _CERTIFICATE_REFUSED:
        cause, text = Cause.CERTIFICATE_NOT_ACCEPTED, _COMPANY_REFUSED
    else:
        # SOAP faults come with an error status; they are still faults.
        cause = Cause.FAULT if content.cause is Cause.FAULT else Cause.HTTP_STATUS
        text = content.detail
    return NotJudged(cause=cause, detail=one_line(f"{host}: HTTP {response.status}: {text}"))


_TIMEOUT_TEXTS = {
    RequestStage.WAITING: "nenhuma conexão ficou livre a tempo",
    RequestStage.CONNECTING: "a conexão não foi aceita a tempo",
    RequestStage.HANDSHAKE: "a negociação TLS não terminou a tempo",
    RequestStage.SENDING: "a resposta não veio a tempo",
    RequestStage.ANSWERING: "a resposta não chegou inteira a tempo",
}
# X509_V_ERR_* of OpenSSL.
_UNTRUSTED = "o certificado do servidor não é de uma autoridade confiável"
_OTHER_NAME = "o certificado do servidor é de outro endereço"
_VERIFICATION_TEXTS = {
    2: _UNTRUSTED,
    9: "o certificado do servidor ainda não vale",
    10: "o certificado do servidor está vencido",
    18: _UNTRUSTED,
    19: _UNTRUSTED,
    20: _UNTRUSTED,
    21: _UNTRUSTED,
    62: _OTHER_NAME,
    64: _OTHER_NAME,
}
_ALERTS_ABOUT_OUR_CERTIFICATE = ("CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED", "HANDSHAKE_FAILURE")
_COMPANY_REFUSED = "o servidor recusou o certificado da empresa"
# The server closed the connection, with or without a TLS shutdown: not a failure of TLS itself.
_CLOSED = (ssl.SSLEOFError, ssl.SSLZeroReturnError)


def failure_of(error: Exception, progress: RequestProgress, host: str) -> NotJudged:
    """Returns the cause of a failed request, and whether the request may have arrived before it failed."""
    cause, text = _cause_and_text(error, progress.stage)
    detail = one_line(f"{host}: {text}")
    return NotJudged(cause=cause, detail=detail, may_have_arrived=progress.may_have_arrived)


def _cause_and_text(error: Exception, stage: RequestStage) -> tuple[Cause, str]:
    if isinstance(error, TimeoutError):
        return Cause.NO_ROOM if stage is RequestStage.WAITING else Cause.TIMEOUT, _TIMEOUT_TEXTS[stage]
    if isinstance(error, UnreadableResponse):
        is_too_long = isinstance(error, ResponseTooLong)
        return Cause.UNREADABLE, "a resposta é grande demais" if is_too_long else "a resposta não é HTTP"
    if isinstance(error, ssl.SSLError) and not isinstance(error, _CLOSED):
        return _tls_failure(error)
    if stage is RequestStage.HANDSHAKE:
        return Cause.TLS, "a conexão foi encerrada durante a negociação TLS"
    if stage is RequestStage.ANSWERING:
        return Cause.UNREADABLE, "a resposta foi cortada"
    return Cause.CONNECTION, _connection_failure_text(error, stage)


def _tls_failure(error: ssl.SSLError) -> tuple[Cause, str]:
    if isinstance(error, ssl.SSLCertVerificationError):
        text = _VERIFICATION_TEXTS.get(error.verify_code, f"certificado do servidor: {error.verify_message}")
        return Cause.TLS, text
    reason = error.reason or type(error).__name__
    if "ALERT" in reason and any(word in reason for word in _ALERTS_ABOUT_OUR_CERTIFICATE):
        return Cause.CERTIFICATE_NOT_ACCEPTED, f"{_COMPANY_REFUSED} ({reason})"
    return Cause.TLS, f"a negociação TLS falhou ({reason})"


def _connection_failure_text(error: Exception, stage: RequestStage) -> str:
    if isinstance(error, InvalidUrl):
        return str(error)
    if isinstance(error, socket.gaierror):
        return "endereço não encontrado"
    if isinstance(error, ConnectionRefusedError):
        return "conexão recusada"
    if stage is RequestStage.SENDING:
        return "a conexão foi encerrada sem resposta"
    return f"a conexão falhou ({error})"
