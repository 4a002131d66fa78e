"""Progress of a webhook call, and the text of its failure for the people who run the receiver."""

import ssl
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any

import httpcore2

from carimbo.fiscal.outcome import one_line
from carimbo.outbound.failure_texts import seconds_text, tls_failure_text
from carimbo.outbound.target import UrlRefused

CALL_ERRORS = (
    UrlRefused,
    OSError,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
)
"""All errors that a call can fail with."""


class CallStage(Enum):
    """The next thing that a call waits for."""

    CONNECTION = auto()
    ANSWER = auto()
    BODY = auto()


_TIMEOUT_TEXTS = {
    CallStage.CONNECTION: "A conexão com o servidor não foi estabelecida em {}.",
    CallStage.ANSWER: "O servidor não respondeu em {}.",
    CallStage.BODY: "A resposta do servidor não chegou inteira em {}.",
}


class CallProgress:
    """The state of a call; still readable after the call has failed."""

    def __init__(self) -> None:
        self.stage = CallStage.CONNECTION
        self.has_new_connection = False
        self.body = bytearray()

    async def trace(self, step: str, _: dict[str, Any]) -> None:
        """Follows the call; httpcore calls this at each step."""
        match step:
            case "connection.connect_tcp.started":
                self.has_new_connection = True
                self.stage = CallStage.CONNECTION
            case "http11.send_request_headers.started":
                self.stage = CallStage.ANSWER
            case "http11.receive_response_headers.complete":
                self.stage = CallStage.BODY

    @property
    def may_have_met_a_close(self) -> bool:
        """Whether the call was sent on a reused connection, which the server may have been closing."""
        return not self.has_new_connection and self.stage is CallStage.ANSWER


def call_failure_text(error: Exception, stage: CallStage, seconds: float) -> str:
    """Returns a Portuguese sentence that says why there is no response."""
    match error:
        case UrlRefused():
            return str(error)
        case TimeoutError() | httpcore2.TimeoutException():
            return _TIMEOUT_TEXTS[stage].format(seconds_text(seconds))
        case httpcore2.LocalProtocolError() | httpcore2.UnsupportedProtocol():
            return f"A chamada não pôde ser escrita ({one_line(str(error))})."
    if tls := next((cause for cause in _causes(error) if isinstance(cause, ssl.SSLError)), None):
        return tls_failure_text(tls, "servidor")
    return _FAILURE_TEXTS[stage](error)


def _connection_failure_text(error: Exception) -> str:
    causes = [cause for cause in _causes(error) if isinstance(cause, OSError)]
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "O servidor recusou a conexão."
    detail = next((cause.strerror for cause in causes if cause.strerror), "a conexão foi encerrada")
    return f"Não foi possível conectar ao servidor ({one_line(detail)})."


def _answer_failure_text(error: Exception) -> str:
    # An error of the HTTP parser has a context; an empty response has none.
    if isinstance(error, httpcore2.RemoteProtocolError) and error.__context__:
        return "O servidor respondeu algo que não é HTTP."
    return "O servidor encerrou a conexão sem responder."


def _body_failure_text(_: Exception) -> str:
    return "A resposta do servidor foi cortada ou está malformada."


_FAILURE_TEXTS = {
    CallStage.CONNECTION: _connection_failure_text,
    CallStage.ANSWER: _answer_failure_text,
    CallStage.BODY: _body_failure_text,
}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and its causes; the connection pool clears the cause, but not the context."""
    current: BaseException | None = error
    while current:
        yield current
        current = current.__cause__ or current.__context__
