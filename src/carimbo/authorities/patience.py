"""How long we wait for an authority."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of one exchange."""

    connect_seconds: float = 5
    """For the connection, and as much again for the TLS handshake."""
    read_seconds: float = 30
    """For the answer."""
    room_seconds: float = 5
    """For room beside the company's other requests to a service: one in order makes some within seconds, and
    to one that hangs a document comes again later."""

    @property
    def whole_seconds(self) -> float:
        """For everything: an answer that comes drop by drop keeps every limit between two drops."""
        return self.room_seconds + 2 * self.connect_seconds + self.read_seconds
