"""Documents and events of a SEFAZ family, with everything that their rules need."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import ClassVar

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.group import NOTHING, Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.rules import SignedSubmission
from carimbo.simulator.sefaz.call import ReceivedMessage, holds_document
from carimbo.simulator.sefaz.dialect import FamilyDialect, JudgedEventType
from carimbo.simulator.sefaz.rules.message import schema_fault
from carimbo.simulator.xml_messages import local_name

_SEQUENCE = re.compile(r"[0-9]{1,3}")
_EVENT_FAULT = "630"


def tax_id_of(party: Group) -> str:
    """Returns CNPJ or CPF of a party; empty if it has none."""
    return party.text("CNPJ") or party.text("CPF")


def detail_of(event: StoredEvent) -> Group:
    """Returns the element of the type inside a stored event of a family whose types have elements."""
    detail = group_of(etree.fromstring(event.xml)).group("infEvento/detEvento")
    return (detail.only() if detail else None) or NOTHING


def fault_inside(received: ReceivedMessage, around: etree._Element, schema: Schema | None, code: str) -> str:
    """Returns the first violation of the XSD of an element's content; empty if there is none.

    The general XSD accepts any content there (`infModal`, `detEvento`).
    """
    child = next(around.iterchildren("{*}*"), None)
    if child is None:
        return f"[{local_name(around)}: elemento ausente]"
    alone = etree.fromstring(etree.tostring(child, with_tail=False))
    return schema_fault(received, alone, schema, code) or ""


@dataclass(frozen=True)
class JudgedDocument(SignedSubmission):
    """A document that is valid against its XSD; each family has a subclass with its dialect."""

    dialect: ClassVar[FamilyDialect]

    @cached_property
    def content(self) -> Group:
        """The signed part: `infNFe`."""
        return group_of(next(self.element.iterchildren(self.dialect.tag(self.dialect.content_tag))))

    @cached_property
    def holder(self) -> StoredDocument | None:
        """The stored document with the same number, whatever its key."""
        number_id = self.dialect.number_id(self.access_key)
        return self.ledger.holder_of_number(self.service_path.environment, number_id)

    @property
    def stored(self) -> StoredDocument | None:
        """The stored document with the same key."""
        return self.holder if self.holder and self.holder.access_key == self.access_key else None

    @cached_property
    def supplement(self) -> Group | None:
        """`infNFeSupl`, with the QR code; None if the document has none."""
        element = next(self.element.iterchildren(self.dialect.tag(f"inf{self.dialect.stem}Supl")), None)
        return None if element is None else group_of(element)

    @property
    def access_key(self) -> str:
        """The key in the Id."""
        return self.content.attributes.get("Id", "")[len(self.dialect.stem) :]

    @property
    def author(self) -> str:
        """CNPJ or CPF of the issuer."""
        return self.text("emit/CNPJ") or self.text("emit/CPF")

    @property
    def recipient(self) -> str:
        """CNPJ or CPF of the recipient; empty if the document has none."""
        return self.text("dest/CNPJ") or self.text("dest/CPF")

    @property
    def model(self) -> str:
        """`55`."""
        return self.text("ide/mod")

    @property
    def series(self) -> int:
        """`serie`."""
        return int(self.text("ide/serie"))

    @property
    def number(self) -> int:
        """`nNF`."""
        return int(self.text(f"ide/{self.dialect.number_tag}"))

    @property
    def emission(self) -> str:
        """`tpEmis`."""
        return self.text("ide/tpEmis")

    @cached_property
    def issued_at(self) -> datetime:
        """`dhEmi`."""
        return datetime.fromisoformat(self.text("ide/dhEmi"))

    @property
    def issued_on(self) -> date:
        """The day of `dhEmi` in the document's own offset, which decides which rules apply."""
        return self.issued_at.date()

    def follows(self, milestone: Milestone) -> bool:
        """Returns whether a dated rule was in force on the day of issue."""
        return self.calendar.is_in_force(milestone, self.issued_on)

    @property
    def digest(self) -> str:
        """`DigestValue` of the signature; empty without a signature."""
        return self.signature.digest if self.signature else ""

    def text(self, path: str) -> str:
        """Returns a text of the document (`ide/cUF`); empty if there is none."""
        return self.content.texts.get(path, "")


@dataclass(frozen=True)
class JudgedEvent(SignedSubmission):
    """An event; each family has a subclass with its dialect."""

    dialect: ClassVar[FamilyDialect]

    @cached_property
    def content(self) -> Group:
        """`infEvento`."""
        element = next(self.element.iterchildren("{*}infEvento"), None)
        return NOTHING if element is None else group_of(element)

    @cached_property
    def detail(self) -> Group:
        """`detEvento`, or the element of the type inside it if the family has one."""
        around = self.content.group("detEvento") or NOTHING
        return (around.only() or NOTHING) if self.dialect.wrapped_details else around

    @cached_property
    def document(self) -> StoredDocument | None:
        """The document of the event, if this authority has it."""
        stored = self.ledger.document(self.service_path.environment, self.access_key)
        return stored if stored and holds_document(self, stored) else None

    @cached_property
    def earlier(self) -> list[StoredEvent]:
        """The events of the document."""
        return self.ledger.events(self.service_path.environment, self.access_key)

    @cached_property
    def schema_fault(self) -> str:
        """The first violation of its XSD; empty if there is none, or no XSD."""
        return schema_fault(self, self.element, self.type.schema) or ""

    @property
    def id(self) -> str:
        """The Id, which consists of type, key and sequence."""
        return self.content.attributes.get("Id", "")

    @cached_property
    def type(self) -> JudgedEventType:
        """The type of `tpEvento`."""
        return self.dialect.event_type(self.text("tpEvento"))

    @property
    def sequence(self) -> int:
        """`nSeqEvento`; zero if it is invalid."""
        text = self.text("nSeqEvento")
        return int(text) if _SEQUENCE.fullmatch(text) else 0

    @property
    def access_key(self) -> str:
        """Key of the document."""
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
        """Returns a text of the event (`detEvento/nProt`); empty if there is none."""
        return self.content.text(path)


@dataclass(frozen=True)
class JudgedSingleEvent(JudgedEvent):
    """An event that is valid against its general XSD, and whose content has an XSD of its own."""

    @cached_property
    def schema_fault(self) -> str:
        """The first violation of the XSD of the event type; empty if there is none."""
        around = self.element.find("/".join(map(self.dialect.tag, ("infEvento", "detEvento"))))
        if around is None:
            return "[detEvento: elemento ausente]"
        return fault_inside(self, around, self.type.schema, _EVENT_FAULT)
