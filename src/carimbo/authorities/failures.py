"""What went wrong on the way to an authority, in words, and whether the request can have arrived."""

import socket
import ssl

from carimbo.authorities.address import NoServer
from carimbo.authorities.http_answer import Unreadable
from carimbo.authorities.journey import Journey, Stage
from carimbo.fiscal.outcome import Cause, NotJudged, one_line

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


def failure(error: Exception, journey: Journey, host: str) -> NotJudged:
    """Tell what went wrong, and whether the request can have arrived before it did."""
    cause, words = _told(error, journey.stage)
    detail = one_line(f"{host}: {words}")
    return NotJudged(cause=cause, detail=detail, may_have_arrived=journey.may_have_arrived)


def _told(error: Exception, stage: Stage) -> tuple[Cause, str]:
    if isinstance(error, TimeoutError):
        return Cause.NO_ROOM if stage is Stage.WAITING else Cause.TIMEOUT, _TOO_LATE[stage]
    if isinstance(error, Unreadable):
        return Cause.UNREADABLE, str(error)
    if isinstance(error, ssl.SSLError) and not isinstance(error, _ENDED):
        return _of_tls(error)
    if stage is Stage.HANDSHAKE:
        return Cause.TLS, "a conexão foi encerrada durante a negociação TLS"
    if stage is Stage.ANSWERING:
        return Cause.UNREADABLE, "a resposta foi cortada"
    return Cause.CONNECTION, _of_connection(error, stage)


def _of_tls(error: ssl.SSLError) -> tuple[Cause, str]:
    if isinstance(error, ssl.SSLCertVerificationError):
        words = _VERIFICATION.get(error.verify_code, f"certificado do servidor: {error.verify_message}")
        return Cause.TLS, words
    reason = error.reason or type(error).__name__
    if "ALERT" in reason and any(word in reason for word in _ABOUT_OUR_CERTIFICATE):
        return Cause.CERTIFICATE_NOT_ACCEPTED, f"{COMPANY_REFUSED} ({reason})"
    return Cause.TLS, f"a negociação TLS falhou ({reason})"


def _of_connection(error: Exception, stage: Stage) -> str:
    if isinstance(error, NoServer):
        return str(error)
    if isinstance(error, socket.gaierror):
        return "endereço não encontrado"
    if isinstance(error, ConnectionRefusedError):
        return "conexão recusada"
    if stage is Stage.SENDING:
        return "a conexão foi encerrada sem resposta"
    return f"a conexão falhou ({error})"
