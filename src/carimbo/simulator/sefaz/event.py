"""An event that is judged, with the document that it is about."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import ClassVar

from carimbo.simulator.group import NOTHING, Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.presented import Presented
from carimbo.simulator.sefaz.contingency import answers_for
from carimbo.simulator.sefaz.dialect import Dialect
from carimbo.simulator.sefaz.event_type import EventType
from carimbo.simulator.sefaz.rules.message import schema_fault

_SEQUENCE = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True)
class JudgedEvent(Presented):
    """One event, the root of a tree of its own; each family makes a class of it with its dialect."""

    dialect: ClassVar[Dialect]

    @cached_property
    def content(self) -> Group:
        """`infEvento`."""
        element = next(self.element.iterchildren("{*}infEvento"), None)
        return NOTHING if element is None else group_of(element)

    @cached_property
    def detail(self) -> Group:
        """`detEvento`, or the element of the type inside it where the family has one."""
        around = self.content.group("detEvento") or NOTHING
        return (around.only() or NOTHING) if self.dialect.wrapped_details else around

    @cached_property
    def document(self) -> StoredDocument | None:
        """The document of the key, if this authority answers for it."""
        stored = self.ledger.document(self.place.environment, self.access_key)
        return stored if stored and answers_for(self, stored) else None

    @cached_property
    def earlier(self) -> list[StoredEvent]:
        """The events that the document has."""
        return self.ledger.events(self.place.environment, self.access_key)

    @cached_property
    def schema_fault(self) -> str:
        """What the XSD of its type finds wrong with it; empty if nothing, or without an XSD."""
        return schema_fault(self, self.element, self.type.schema) or ""

    @property
    def id(self) -> str:
        """The Id, which repeats type, key and sequence."""
        return self.content.attributes.get("Id", "")

    @cached_property
    def type(self) -> EventType:
        """The type that `tpEvento` names."""
        return self.dialect.event_type(self.text("tpEvento"))

    @property
    def sequence(self) -> int:
        """`nSeqEvento`; zero if it is none."""
        text = self.text("nSeqEvento")
        return int(text) if _SEQUENCE.fullmatch(text) else 0

    @property
    def access_key(self) -> str:
        """Of the document."""
        return self.text(self.dialect.key_tag)

    @property
    def author(self) -> str:
        """CNPJ or CPF of the author."""
        return self.text("CNPJ") or self.text("CPF")

    @property
    def occurred_at(self) -> datetime:
        """`dhEvento`."""
        return datetime.fromisoformat(self.text("dhEvento"))

    def text(self, path: str) -> str:
        """Returns a text of the event, `detEvento/nProt`; empty if it is not there."""
        return self.content.text(path)
