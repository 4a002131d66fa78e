"""A receiver's URL taken apart, by the same rules when it is told to us and when it is called."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from string import ascii_letters, digits, punctuation
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

_PORTS = {"http": 80, "https": 443}
_LONGEST_HOST = 253
# What parsers of URLs read in different ways, or throw away.
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
# What `getaddrinfo` takes for an IPv4 address, in decimal, octal or hexadecimal.
_NUMBER_AT_END = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


class Objection(Exception):
    """Why nothing is sent to an address; the message is a Portuguese sentence."""


class Place(NamedTuple):
    """A host, by its name or number, and a port."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """Both, as URLs write them."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a call goes, and what it asks for there."""

    scheme: str
    place: Place
    path: str
    """With what follows the question mark, in ASCII."""

    @property
    def host_header(self) -> str:
        """As the header Host has it: without the port that goes without saying."""
        return self.place.name.removesuffix(f":{_PORTS[self.scheme]}")


def target_of(url: str) -> Target:
    """Take a URL apart, or raise Objection."""
    if _AMBIGUOUS.search(url):
        raise Objection("A URL não pode ter espaços, barras invertidas nem caracteres de controle.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Objection("A URL não está bem escrita.") from error
    _review(parts, url)
    place = Place(host_of(parts), _PORTS[parts.scheme] if port is None else port)
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme, place, _ascii((parts.path or "/") + query))


def host_of(parts: SplitResult) -> str:
    """Give the one spelling of a host, or raise Objection."""
    host = (parts.hostname or "").removesuffix(".")
    try:
        if "[" in parts.netloc:
            return str(_without_zone(IPv6Address(host)))
        host = host.encode("idna").decode()
        if _NUMBER_AT_END.fullmatch(host):
            return str(IPv4Address(host))
    except ValueError as error:
        raise Objection("O host da URL não está bem escrito.") from error
    if len(host) > _LONGEST_HOST or not _HOST.fullmatch(host):
        raise Objection("O host da URL não está bem escrito.")
    return host


def _review(parts: SplitResult, url: str) -> None:
    if parts.scheme not in _PORTS:
        raise Objection("A URL deve começar com https://.")
    if not parts.hostname:
        raise Objection("A URL deve ter um host.")
    if "@" in parts.netloc:
        raise Objection("A URL não pode ter usuário nem senha.")
    if "#" in url:
        raise Objection("A URL não pode ter fragmento (#).")
    if parts.port == 0:
        raise Objection("A porta da URL deve estar entre 1 e 65535.")


def _without_zone(address: IPv6Address) -> IPv6Address:
    if address.scope_id:
        raise ValueError("a zone is a matter of one machine")
    return address


def _ascii(text: str) -> str:
    """Leave what is ASCII as it is, and write the rest as RFC 3987 says."""
    return quote(text, safe=ascii_letters + digits + punctuation)
