"""A call of a service in front of the judge, before anybody looks into what it asks for."""

from dataclasses import dataclass

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import World
from carimbo.simulator.place import Place
from carimbo.simulator.trust import Credential

UTF_8 = "UTF-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One message, as it came in its envelope."""

    root: etree._Element
    """The message itself, such as `enviNFe`: the root of a tree of its own."""
    text: bytes
    """The same as it is written, where a glance is enough."""
    schema: Schema | None
    """The XSD that the service wants; None if it has none, or if it is checked elsewhere."""
    sender: Credential | None
    place: Place
    world: World
    envelope_encoding: str = UTF_8
    """As the body of the request declares it, in capitals."""


@dataclass(frozen=True)
class Question:
    """What a call asks, read by its service."""

    call: Call

    @property
    def place(self) -> Place:
        """Where it is asked."""
        return self.call.place

    @property
    def world(self) -> World:
        """What the authority sees."""
        return self.call.world
