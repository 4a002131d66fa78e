"""The text of a failed webhook call, for the people who run the receiver."""

import os
import ssl

from carimbo.fiscal.outcome import one_line
from carimbo.http_client.progress import RequestStage
from carimbo.http_client.response_reader import UnreadableResponse
from carimbo.outbound.failure_texts import seconds_text, tls_failure_text
from carimbo.outbound.target import UrlRefused


class UnwritableCall(Exception):
    """A call has a header that HTTP can't carry; the message is Portuguese."""


CALL_ERRORS = (UrlRefused, UnwritableCall, UnreadableResponse, OSError)
"""All errors that a call can fail with."""

_NOT_CONNECTED = "A conexão com o servidor não foi estabelecida em {}."
_TIMEOUT_TEXTS = {
    RequestStage.WAITING: _NOT_CONNECTED,
    RequestStage.CONNECTING: _NOT_CONNECTED,
    RequestStage.HANDSHAKE: _NOT_CONNECTED,
    RequestStage.SENDING: "O servidor não respondeu em {}.",
    RequestStage.ANSWERING: "A resposta do servidor não chegou inteira em {}.",
}


def call_failure_text(error: Exception, stage: RequestStage, seconds: float) -> str:
    """Returns a Portuguese sentence that says why there is no response."""
    match error:
        case UrlRefused():
            return str(error)
        case UnwritableCall():
            return f"A chamada não pôde ser escrita ({one_line(str(error))})."
        case TimeoutError():
            return _TIMEOUT_TEXTS[stage].format(seconds_text(seconds))
        case ssl.SSLError():
            return tls_failure_text(error, "servidor")
    if stage < RequestStage.SENDING:
        return _connection_failure_text(error, stage)
    return _answer_failure_text(error, stage)


_CLOSED = "O servidor encerrou a conexão sem responder."


def _connection_failure_text(error: Exception, stage: RequestStage) -> str:
    # Not the message of the error, which has the address.
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, ConnectionRefusedError):
        return "O servidor recusou a conexão."
    if isinstance(error, ConnectionResetError) and stage is RequestStage.CONNECTING:
        # The server had accepted the connection.
        return _CLOSED
    if number is None:
        # OpenSSL's word for a server that closes during the handshake.
        return "A conexão TLS com o servidor falhou (UNEXPECTED_EOF_WHILE_READING)."
    return f"Não foi possível conectar ao servidor ({one_line(os.strerror(number))})."


def _answer_failure_text(error: Exception, stage: RequestStage) -> str:
    if stage is RequestStage.ANSWERING:
        return "A resposta do servidor foi cortada ou está malformada."
    return "O servidor respondeu algo que não é HTTP." if isinstance(error, UnreadableResponse) else _CLOSED
