"""An event in front of the judge, with the document that it is about."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.custody import answers_for
from carimbo.simulator.presented import Presented

CANCELLATION, SUBSTITUTION, CORRECTION = "110111", "110112", "110110"
CONFIRMED, ACKNOWLEDGED, UNKNOWN, NOT_PERFORMED = "210200", "210210", "210220", "210240"
CANCELLATIONS = frozenset({CANCELLATION, SUBSTITUTION})
MANIFESTATIONS = frozenset({CONFIRMED, ACKNOWLEDGED, UNKNOWN, NOT_PERFORMED})
CONCLUSIVE = MANIFESTATIONS - {ACKNOWLEDGED}
"""Manifestations that say how the operation ended."""
SCHEMAS = {
    CANCELLATION: Schema.NFE_CANCELLATION,
    CORRECTION: Schema.NFE_CORRECTION,
    **dict.fromkeys(MANIFESTATIONS, Schema.NFE_MANIFESTATION),
}
_NOTHING = Group("infEvento")
_SEQUENCE = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True)
class EventCase(Presented):
    """One `evento`; it is the root of a tree of its own."""

    @cached_property
    def told(self) -> Group:
        """`infEvento`."""
        found = next(self.element.iterchildren("{*}infEvento"), None)
        return _NOTHING if found is None else group_of(found)

    @cached_property
    def document(self) -> StoredDocument | None:
        """The document of the key, if this authority answers for it."""
        found = self.ledger.document(self.place.environment, self.access_key)
        return found if found and answers_for(self.place, found, self.world) else None

    @cached_property
    def earlier(self) -> list[StoredEvent]:
        """The events that the document has."""
        return self.ledger.events(self.place.environment, self.access_key)

    @cached_property
    def replacement(self) -> StoredDocument | None:
        """The document that takes the place of a canceled one."""
        return self.ledger.document(self.place.environment, self.text("detEvento/chNFeRef"))

    @property
    def id(self) -> str:
        """The Id, which tells type, key and sequence."""
        return self.told.attributes.get("Id", "")

    @property
    def type(self) -> str:
        """`tpEvento`."""
        return self.text("tpEvento")

    @property
    def sequence(self) -> int:
        """`nSeqEvento`; zero if it is none."""
        text = self.text("nSeqEvento")
        return int(text) if _SEQUENCE.fullmatch(text) else 0

    @property
    def access_key(self) -> str:
        """Of the document."""
        return self.text("chNFe")

    @property
    def author(self) -> str:
        """CNPJ or CPF of who tells it."""
        return self.text("CNPJ") or self.text("CPF")

    @property
    def occurred_at(self) -> datetime:
        """`dhEvento`."""
        return datetime.fromisoformat(self.text("dhEvento"))

    def text(self, path: str) -> str:
        """A text of the event, `detEvento/nProt`; empty if it is not there."""
        return self.told.text(path)


def invoice_of(document: StoredDocument, case: EventCase) -> Case:
    """A document that is kept, opened again."""
    return Case(etree.fromstring(document.xml), case.place, case.world)
