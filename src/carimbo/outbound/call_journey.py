"""How far a call came, and what went wrong on the way, in words for whoever runs the receiver."""

import ssl
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any

import httpcore2

from carimbo.fiscal.outcome import one_line
from carimbo.outbound.sentences import of_seconds, of_tls
from carimbo.outbound.target import Objection

FAILURES = (
    Objection,
    OSError,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
)
"""All that can keep a call from its answer."""


class Stage(Enum):
    """What a call waits for."""

    CONNECTION = auto()
    ANSWER = auto()
    BODY = auto()


_TOO_LATE = {
    Stage.CONNECTION: "A conexão com o servidor não foi estabelecida em {}.",
    Stage.ANSWER: "O servidor não respondeu em {}.",
    Stage.BODY: "A resposta do servidor não chegou inteira em {}.",
}


class Journey:
    """What is known of one call while it is under way."""

    def __init__(self) -> None:
        self.stage = Stage.CONNECTION
        self.has_new_connection = False
        self.body = bytearray()

    async def trace(self, step: str, _: dict[str, Any]) -> None:
        """Hear of a step from the pool of connections."""
        match step:
            case "connection.connect_tcp.started":
                self.has_new_connection = True
                self.stage = Stage.CONNECTION
            case "http11.send_request_headers.started":
                self.stage = Stage.ANSWER
            case "http11.receive_response_headers.complete":
                self.stage = Stage.BODY

    @property
    def may_have_met_its_end(self) -> bool:
        """Whether the call went out on a connection that the server may have been about to close."""
        return not self.has_new_connection and self.stage is Stage.ANSWER


def failure(error: Exception, stage: Stage, seconds: float) -> str:
    """Tell in a Portuguese sentence why there is no answer."""
    match error:
        case Objection():
            return str(error)
        case TimeoutError() | httpcore2.TimeoutException():
            return _TOO_LATE[stage].format(of_seconds(seconds))
        case httpcore2.LocalProtocolError() | httpcore2.UnsupportedProtocol():
            return f"A chamada não pôde ser escrita ({one_line(str(error))})."
    if tls := next((cause for cause in _causes(error) if isinstance(cause, ssl.SSLError)), None):
        return of_tls(tls, "servidor")
    return _BY_STAGE[stage](error)


def _of_connection(error: Exception) -> str:
    causes = [cause for cause in _causes(error) if isinstance(cause, OSError)]
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "O servidor recusou a conexão."
    detail = next((cause.strerror for cause in causes if cause.strerror), "a conexão foi encerrada")
    return f"Não foi possível conectar ao servidor ({one_line(detail)})."


def _of_answer(error: Exception) -> str:
    # That nothing came has no other error behind it, as that of a parser is.
    if isinstance(error, httpcore2.RemoteProtocolError) and error.__context__:
        return "O servidor respondeu algo que não é HTTP."
    return "O servidor encerrou a conexão sem responder."


def _of_body(error: Exception) -> str:
    return "A resposta do servidor foi cortada ou está malformada."


_BY_STAGE = {Stage.CONNECTION: _of_connection, Stage.ANSWER: _of_answer, Stage.BODY: _of_body}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came from; the pool of connections wipes the cause, but not the context."""
    found: BaseException | None = error
    while found:
        yield found
        found = found.__cause__ or found.__context__
