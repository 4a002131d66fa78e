"""A call of a resource in front of the judge, before anybody looks into what it asks for."""

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from carimbo.simulator.family import World
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.place import Place
from carimbo.simulator.trust import Credential

NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"


@dataclass(frozen=True, slots=True)
class Posted:
    """XML that came in JSON, opened."""

    xml: bytes = b""
    """As it was packed; empty if it could not be unpacked."""
    root: etree._Element | None = None
    """None if it is not well-formed."""

    @property
    def id(self) -> str:
        """Of what is signed in it; empty where there is none."""
        found = None if self.root is None else self.root.find("{*}*[@Id]")
        return "" if found is None else found.get("Id", "")


NOTHING_POSTED = Posted()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, as far as it was understood."""

    place: Place
    world: World
    sender: Credential | None
    """Of the connection."""
    parameters: Mapping[str, str]
    """What the path names, by the names of its template: `chave`, `id`."""
    posted: Posted = NOTHING_POSTED
    """What a POST brought."""

    @property
    def ledger(self) -> Ledger:
        """What the authority holds."""
        return Ledger(self.world.store)
