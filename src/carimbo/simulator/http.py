"""HTTP requests and replies of the simulator. A reply can be broken on purpose."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

XML = "application/soap+xml; charset=utf-8"
HTML = "text/html; charset=utf-8"
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """One complete HTTP request."""

    method: str
    path: str
    """Decoded, without the query."""
    query: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    certificate: bytes | None
    """DER of the client certificate; None on the port that does not ask for one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP reply."""

    status: int
    body: bytes = b""
    media_type: str = TEXT
    cut: bool = False
    """Whether the connection closes after half of the body."""


@dataclass(frozen=True, slots=True)
class ConnectionClosed:
    """No reply: the connection closes."""


RequestHandler = Callable[[Request], Awaitable[Reply | ConnectionClosed]]
