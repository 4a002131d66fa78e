"""Parsing of webhook URLs, by the same rules when one is registered and when it is called."""

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from string import ascii_letters, digits, punctuation
from typing import NamedTuple, Self
from urllib.parse import SplitResult, quote, urlsplit

_PORTS = {"http": 80, "https": 443}
_MAX_HOST_LENGTH = 253
_MAX_CACHED_URLS = 1024
# Characters that URL parsers read in different ways, or drop.
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
# Hosts that `getaddrinfo` takes for an IPv4 address, in decimal, octal or hexadecimal.
_NUMBER_AT_END = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


class UrlRefused(Exception):
    """A URL or host that must not be called; the message is a Portuguese sentence."""


class HostPort(NamedTuple):
    """A host (name or IP address) and a port."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """Host and port as in a URL."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed URL: server and path."""

    scheme: str
    host_port: HostPort
    path: str
    """Path and query, in ASCII."""

    @property
    def server(self) -> tuple[str, HostPort]:
        """Connections to the same server can be reused."""
        return self.scheme, self.host_port

    @property
    def host_header(self) -> str:
        """The value of the `Host` header, without a default port."""
        return self.host_port.name.removesuffix(f":{_PORTS[self.scheme]}")


@lru_cache(_MAX_CACHED_URLS)
def target_of(url: str) -> Target:
    """Parses a URL. Raises UrlRefused."""
    if _AMBIGUOUS.search(url):
        raise UrlRefused("A URL não pode ter espaços, barras invertidas nem caracteres de controle.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UrlRefused("A URL não está bem escrita.") from error
    _check(parts, url)
    host_port = HostPort(host_of(parts), _PORTS[parts.scheme] if port is None else port)
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme, host_port, _ascii((parts.path or "/") + query))


def host_of(parts: SplitResult) -> str:
    """Returns the canonical spelling of a host. Raises UrlRefused."""
    host = (parts.hostname or "").removesuffix(".")
    try:
        if "[" in parts.netloc:
            address = IPv6Address(host)
            if address.scope_id:
                raise ValueError("a zone is only valid on one machine")
            return str(address)
        host = host.encode("idna").decode()
        if _NUMBER_AT_END.fullmatch(host):
            return str(IPv4Address(host))
    except ValueError as error:
        raise UrlRefused("O host da URL não está bem escrito.") from error
    if len(host) > _MAX_HOST_LENGTH or not _HOST.fullmatch(host):
        raise UrlRefused("O host da URL não está bem escrito.")
    return host


def _check(parts: SplitResult, url: str) -> None:
    if parts.scheme not in _PORTS:
        raise UrlRefused("A URL deve começar com https://.")
    if not parts.hostname:
        raise UrlRefused("A URL deve ter um host.")
    if "@" in parts.netloc:
        raise UrlRefused("A URL não pode ter usuário nem senha.")
    if "#" in url:
        raise UrlRefused("A URL não pode ter fragmento (#).")
    if parts.port == 0:
        raise UrlRefused("A porta da URL deve estar entre 1 e 65535.")


def _ascii(text: str) -> str:
    """Percent-encodes everything but ASCII (RFC 3987)."""
    return quote(text, safe=ascii_letters + digits + punctuation)


@dataclass(frozen=True)
class AllowedHosts:
    """Hosts that the operator lets webhooks reach, even in private networks; with one port or all ports."""

    hosts: frozenset[str] = frozenset()
    host_ports: frozenset[HostPort] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses `host[:port][,host[:port]...]`. Raises UrlRefused."""
        entries = [_parse_entry(entry.strip()) for entry in text.split(",") if entry.strip()]
        return cls(
            frozenset(host for host, port in entries if port is None),
            frozenset(HostPort(host, port) for host, port in entries if port is not None),
        )

    def __contains__(self, host_port: HostPort) -> bool:
        return host_port.host in self.hosts or host_port in self.host_ports


def _parse_entry(text: str) -> tuple[str, int | None]:
    try:
        return str(ip_address(text)), None
    except ValueError:
        pass
    try:
        parts = urlsplit(f"//{text}")
        if parts.netloc == text and "@" not in text:
            return host_of(parts), parts.port
    except (ValueError, UrlRefused):
        pass
    raise UrlRefused(f"{text} não é um host, nem um host com porta.")
