"""Requests and replies as the simulator sees them; a reply may be broken on purpose."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

XML = "application/soap+xml; charset=utf-8"
HTML = "text/html; charset=utf-8"
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, read whole."""

    method: str
    path: str
    """Decoded, without the query."""
    query: str
    headers: Mapping[str, str]
    """By names in small letters."""
    body: bytes
    certificate: bytes | None
    """DER of the certificate that the client showed; None where none is asked for."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP reply."""

    status: int
    body: bytes = b""
    media_type: str = TEXT
    cut: bool = False
    """Half of the body, then the connection ends."""


@dataclass(frozen=True, slots=True)
class HungUp:
    """No reply at all: the connection ends."""


Answerer = Callable[[Request], Awaitable[Reply | HungUp]]
