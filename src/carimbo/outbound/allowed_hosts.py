"""Hosts that the operator lets webhooks reach, wherever they are."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from carimbo.outbound.target import Objection, Place, host_of


@dataclass(frozen=True)
class AllowedHosts:
    """Names and addresses, each with one port or with all of them."""

    hosts: frozenset[str] = frozenset()
    places: frozenset[Place] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `host[:port][,host[:port]...]`, or raise Objection."""
        read = [_entry(entry.strip()) for entry in text.split(",") if entry.strip()]
        return cls(
            frozenset(host for host, port in read if port is None),
            frozenset(Place(host, port) for host, port in read if port is not None),
        )

    def __contains__(self, place: Place) -> bool:
        return place.host in self.hosts or place in self.places


def _entry(text: str) -> tuple[str, int | None]:
    try:
        return str(ip_address(text)), None
    except ValueError:
        pass
    try:
        parts = urlsplit(f"//{text}")
        if parts.netloc == text and "@" not in text:
            return host_of(parts), parts.port
    except (ValueError, Objection):
        pass
    raise Objection(f"{text} não é um host, nem um host com porta.")
