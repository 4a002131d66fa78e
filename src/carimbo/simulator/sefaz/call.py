"""A call of a service, before its content is looked at."""

from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import World
from carimbo.simulator.place import Place
from carimbo.simulator.sefaz.dialect import Dialect
from carimbo.simulator.trust import Credential

UTF_8 = "UTF-8"


class Received(Protocol):
    """Anything that an authority has received: a call, a document, an event, a question."""

    @property
    def dialect(self) -> Dialect:
        """The words of its family."""

    @property
    def place(self) -> Place:
        """The authority that has received it."""

    @property
    def world(self) -> World:
        """What the authority sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message in the words of a family."""

    dialect: Dialect
    root: etree._Element
    """The message itself, such as `enviNFe`: the root of a tree of its own."""

    def text_at(self, tag: str) -> str:
        """Returns the text of a child of the message; empty if it is not there."""
        return self.root.findtext(self.dialect.tag(tag)) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Message):
    """A message as it came in its envelope, and the authority that has received it."""

    text: bytes
    """The same as it is written, where a glance is enough."""
    schema: Schema | None
    """The XSD that the service wants; None if it has none, or if it is checked elsewhere."""
    sender: Credential | None
    place: Place
    world: World
    envelope_encoding: str = UTF_8
    """As the body of the request declares it, in capitals."""
    needs_header: bool = False
    header: etree._Element | None = None
    """The element in the header of the envelope, where the service has one."""

    @property
    def taxpayer(self) -> str:
        """CNPJ or CPF of the sender; empty if the certificate does not tell."""
        return self.sender.owner if self.sender else ""


@dataclass(frozen=True)
class Question:
    """What a call asks, read by its service."""

    call: Call

    @property
    def dialect(self) -> Dialect:
        """The words of its family."""
        return self.call.dialect

    @property
    def place(self) -> Place:
        """The authority that is asked."""
        return self.call.place

    @property
    def world(self) -> World:
        """What the authority sees."""
        return self.call.world
