"""Basic parts of a process that need no database: the clock and the listening address."""

import socket
from collections.abc import Callable
from datetime import UTC, datetime

from carimbo.settings import Settings


def now() -> datetime:
    """Returns the machine's time, which PostgreSQL and the receivers of webhooks and e-mails use too."""
    return datetime.now(UTC)


def clock_of(settings: Settings) -> Callable[[], datetime]:
    """Returns the clock that dates documents: the machine's, moved by the offset in the settings."""
    offset = settings.clock_offset
    return (lambda: now() + offset) if offset else now


class AddressUnusable(Exception):
    """The process can't listen on an address: it is in use, forbidden, or not of this machine."""


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens on an address. Raises AddressUnusable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise AddressUnusable(f"{host}:{port} ({error.strerror})") from error
