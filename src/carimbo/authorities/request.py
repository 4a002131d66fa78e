"""One HTTP request to an authority: its URL and its time limits."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

_HTTPS_PORT = 443
_MAX_CACHED_URLS = 1024


class InvalidUrl(Exception):
    """A URL that names no HTTPS server; the message is Portuguese."""


class ServerAddress(NamedTuple):
    """A host (name or IP address) and a port."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """The value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _HTTPS_PORT else f"{host}:{self.port}"


class ParsedUrl(NamedTuple):
    """A URL, split into the server and the request target (path and query)."""

    server: ServerAddress
    target: str


@lru_cache(_MAX_CACHED_URLS)
def parse_url(url: str) -> ParsedUrl:
    """Splits a URL into server and target. Raises InvalidUrl."""
    try:
        parts = urlsplit(url)
        port = _HTTPS_PORT if parts.port is None else parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except ValueError as error:
        raise InvalidUrl("o endereço não está bem escrito") from error
    if parts.scheme != "https" or not host:
        raise InvalidUrl("o endereço não é de um servidor HTTPS")
    query = f"?{parts.query}" if parts.query else ""
    return ParsedUrl(ServerAddress(host, port), (parts.path or "/") + query)


@dataclass(frozen=True, slots=True)
class AuthorityTimeouts:
    """Time limits of one request and its response."""

    connect_seconds: float = 5
    """Limit of the TCP connection; the TLS handshake has the same limit again."""
    read_seconds: float = 30
    """Limit between two reads of the response."""
    slot_seconds: float = 5
    """Limit of the wait for a free slot, when too many requests of the company go to the same service.

    A healthy service frees slots within seconds; a document that waits for a hanging one is tried later.
    """

    @property
    def whole_seconds(self) -> float:
        """Limit of everything together: a response that trickles in meets every limit between two reads."""
        return self.slot_seconds + 2 * self.connect_seconds + self.read_seconds
