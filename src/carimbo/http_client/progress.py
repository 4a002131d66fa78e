"""How far an HTTP request has come."""

from dataclasses import dataclass, field
from enum import IntEnum


class RequestStage(IntEnum):
    """The stages of a request, in order."""

    WAITING = 0
    CONNECTING = 1
    HANDSHAKE = 2
    SENDING = 3
    """Bytes of the request may have left from this stage on."""
    ANSWERING = 4
    """The head of the response has arrived."""


@dataclass(slots=True)
class RequestProgress:
    """The stage that a request has reached; still readable after the request has failed."""

    stage: RequestStage = RequestStage.WAITING
    body: bytearray = field(default_factory=bytearray)
    """The part of the response's body that has arrived."""

    @property
    def may_have_arrived(self) -> bool:
        """Whether at least one byte of the request may have been sent."""
        return self.stage >= RequestStage.SENDING
