"""How far a request has come on its way to an authority."""

from dataclasses import dataclass
from enum import IntEnum


class Stage(IntEnum):
    """A part of the way."""

    WAITING = 0
    CONNECTING = 1
    HANDSHAKE = 2
    SENDING = 3
    """From here on bytes of the request may have left."""
    ANSWERING = 4
    """The head of the answer is here."""


@dataclass(slots=True)
class Journey:
    """Follows one request, whatever ends it."""

    stage: Stage = Stage.WAITING

    @property
    def may_have_arrived(self) -> bool:
        """Whether one byte of the request can have left."""
        return self.stage >= Stage.SENDING
