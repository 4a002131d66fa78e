"""An event in front of the judge, with the note that it is about."""

import re
from dataclasses import dataclass
from functools import cached_property

from carimbo.simulator.group import NOTHING, Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.event_types import EVENT_TYPES, EventType
from carimbo.simulator.nfse.stored import note_of
from carimbo.simulator.presented import Presented

_DETAIL = re.compile("e([0-9]{6})")


@dataclass(frozen=True)
class EventCase(Presented):
    """One `pedRegEvento`, which has passed its XSD; it is the root of a tree of its own."""

    asked_key: str
    """Of the note whose address it came to."""

    @cached_property
    def told(self) -> Group:
        """`infPedReg`."""
        return group_of(next(self.element.iterchildren(f"{{{NAMESPACE}}}infPedReg")))

    @property
    def id(self) -> str:
        """What tells a request from every other."""
        return self.told.attributes.get("Id", "")

    @property
    def access_key(self) -> str:
        """Of the note."""
        return self.text("chNFSe")

    @property
    def author(self) -> str:
        """CNPJ or CPF of who tells it."""
        return self.text("CNPJAutor") or self.text("CPFAutor")

    @cached_property
    def type(self) -> str:
        """The six digits of the group that tells what happened."""
        tags = (*self.told.groups, *self.told.texts)
        return next((found.group(1) for tag in tags if (found := _DETAIL.match(tag))), "")

    @property
    def kind(self) -> EventType | None:
        """What is known of the type; None if it is not for taxpayers to tell."""
        return EVENT_TYPES.get(self.type)

    @cached_property
    def document(self) -> StoredDocument | None:
        """The note."""
        return self.ledger.document(self.place.environment, self.access_key)

    @cached_property
    def note(self) -> Group:
        """The `infDPS` of the note; an empty group if there is none."""
        return note_of(self.document) if self.document else NOTHING

    @cached_property
    def earlier(self) -> list[StoredEvent]:
        """The events that the note has."""
        return self.ledger.events(self.place.environment, self.access_key)

    def text(self, path: str) -> str:
        """A text of the request, `e101101/xMotivo`; empty if it is not there."""
        return self.told.text(path)
