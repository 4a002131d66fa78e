"""Where a request goes: to a server, and to what on it."""

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

_HTTPS_PORT = 443
_MOST_REMEMBERED = 1024


class NoServer(Exception):
    """An address that leads to no server; the message is Portuguese."""


class Server(NamedTuple):
    """A host, by its name or number, and a port."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """As the header Host has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _HTTPS_PORT else f"{host}:{self.port}"


class Address(NamedTuple):
    """A server, and what is asked of it."""

    server: Server
    target: str


@lru_cache(_MOST_REMEMBERED)
def address_of(url: str) -> Address:
    """Take an address apart, or raise NoServer."""
    try:
        parts = urlsplit(url)
        port = _HTTPS_PORT if parts.port is None else parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except ValueError as error:
        raise NoServer("o endereço não está bem escrito") from error
    if parts.scheme != "https" or not host:
        raise NoServer("o endereço não é de um servidor HTTPS")
    query = f"?{parts.query}" if parts.query else ""
    return Address(Server(host, port), (parts.path or "/") + query)
