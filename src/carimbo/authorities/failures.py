"""What went wrong on the way to an authority, in words, and whether the request can have arrived."""

import socket
import ssl
import sys
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

import h11
import httpx2

from carimbo.fiscal.outcome import Cause, NotJudged, one_line


class Stage(IntEnum):
    """How far a request has come."""

    WAITING = 0
    CONNECTING = 1
    HANDSHAKE = 2
    SENDING = 3
    """From here on bytes of the request may have left."""
    ANSWERING = 4
    """The head of the answer is here."""


_STAGES = {
    "connection.connect_tcp.started": Stage.CONNECTING,
    "connection.start_tls.started": Stage.HANDSHAKE,
    "http11.send_request_headers.started": Stage.SENDING,
    "http11.receive_response_headers.complete": Stage.ANSWERING,
}
_TOO_LATE = {
    Stage.WAITING: "nenhuma conexão ficou livre a tempo",
    Stage.CONNECTING: "a conexão não foi aceita a tempo",
    Stage.HANDSHAKE: "a negociação TLS não terminou a tempo",
    Stage.SENDING: "a resposta não veio a tempo",
    Stage.ANSWERING: "a resposta não chegou inteira a tempo",
}
# X509_V_ERR_* of OpenSSL.
_UNTRUSTED = "o certificado do servidor não é de uma autoridade confiável"
_OTHER_NAME = "o certificado do servidor é de outro endereço"
_VERIFICATION = {
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
_ABOUT_OUR_CERTIFICATE = ("CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED", "HANDSHAKE_FAILURE")
COMPANY_REFUSED = "o servidor recusou o certificado da empresa"
# The other side hung up, politely or not: that is no failure of TLS itself.
_ENDED = (ssl.SSLEOFError, ssl.SSLZeroReturnError)


class Journey:
    """Follows a request, as the HTTP library tells of it."""

    def __init__(self) -> None:
        self.stage = Stage.WAITING
        self.handled_before = sys.exception()
        """What our caller was dealing with when it asked: Python chains it to every error from here on."""

    async def __call__(self, event: str, _: Mapping[str, Any]) -> None:
        """Hear of an event (httpcore's extension `trace`)."""
        self.stage = _STAGES.get(event, self.stage)


def failure(error: Exception, journey: Journey, host: str) -> NotJudged:
    """Tell what went wrong, and whether the request can have arrived before it did."""
    cause, words = _told(list(_reasons(error, journey.handled_before)), journey.stage)
    has_left = journey.stage >= Stage.SENDING
    return NotJudged(cause=cause, detail=one_line(f"{host}: {words}"), may_have_arrived=has_left)


def _told(reasons: list[BaseException], stage: Stage) -> tuple[Cause, str]:
    if any(isinstance(reason, httpx2.TimeoutException | TimeoutError) for reason in reasons):
        return Cause.TIMEOUT, _TOO_LATE[stage]
    for reason in reasons:
        if isinstance(reason, ssl.SSLError) and not isinstance(reason, _ENDED):
            return Cause.TLS, _of_tls(reason)
    if stage is Stage.HANDSHAKE:
        return Cause.TLS, "a conexão foi encerrada durante a negociação TLS"
    if stage is Stage.ANSWERING:
        return Cause.UNREADABLE, "a resposta foi cortada"
    if any(isinstance(reason, h11.RemoteProtocolError) for reason in reasons):
        return Cause.UNREADABLE, "a resposta não é HTTP"
    return Cause.CONNECTION, _of_connection(reasons, stage)


def _reasons(error: BaseException | None, end: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, through the layers of libraries, groups of attempts included."""
    while error is not None and error is not end:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for one in error.exceptions:
                yield from _reasons(one, end)
        error = error.__cause__ or error.__context__


def _of_tls(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _VERIFICATION.get(error.verify_code, f"certificado do servidor: {error.verify_message}")
    reason = error.reason or type(error).__name__
    if "ALERT" in reason and any(word in reason for word in _ABOUT_OUR_CERTIFICATE):
        return f"{COMPANY_REFUSED} ({reason})"
    return f"a negociação TLS falhou ({reason})"


def _of_connection(reasons: list[BaseException], stage: Stage) -> str:
    for reason in reasons:
        if isinstance(reason, socket.gaierror):
            return "endereço não encontrado"
        if isinstance(reason, ConnectionRefusedError):
            return "conexão recusada"
    if stage is Stage.SENDING:
        return "a conexão foi encerrada sem resposta"
    return f"a conexão falhou ({reasons[0]})"
