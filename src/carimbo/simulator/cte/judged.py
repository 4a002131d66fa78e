"""CT-e, CT-e OS and their events, with everything that the rules need."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.dialect import CTE_OS, DIALECT, MDFE, OS_DIALECT, UNDONE_BY
from carimbo.simulator.group import NOTHING, Group
from carimbo.simulator.identifiers import KEY_MODEL
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.sefaz.dialect import JudgedEventType
from carimbo.simulator.sefaz.judged import (
    JudgedDocument,
    JudgedSingleEvent,
    detail_of,
    fault_inside,
    tax_id_of,
)

NORMAL, COMPLEMENT, SUBSTITUTION = "0", "1", "3"
"""`tpCTe`."""
ROAD, WATER, RAIL, PIPELINE = "01", "03", "04", "05"
"""`modal`."""
TAKER_ROLES: Mapping[str, str] = {"0": "rem", "1": "exped", "2": "receb", "3": "dest"}
"""The party of a CT-e that takes the service, by `toma`."""
OTHER_TAKER = "ide/toma4"
OS_TAKER = "toma"
_MODE_FAULT = "580"


@dataclass(frozen=True)
class JudgedTransport(JudgedDocument):
    """One `CTe` or `CTeOS`, which is valid against its general XSD."""

    parties: ClassVar[tuple[str, ...]]
    """The paths of its parties, except the issuer."""
    taker_group: ClassVar[str]
    """The path of a taker with a group of its own."""
    mode_schemas: ClassVar[Mapping[str, Schema]]
    """The XSD of the content of `infModal`, by `modal`; the other modes have no content."""

    @property
    def kind(self) -> str:
        """`tpCTe`."""
        return self.text("ide/tpCTe")

    @property
    def service_type(self) -> str:
        """`tpServ`."""
        return self.text("ide/tpServ")

    @property
    def mode(self) -> str:
        """`modal`."""
        return self.text("ide/modal")

    @cached_property
    def normal_part(self) -> Group:
        """`infCTeNorm`; complements have none."""
        return self.content.group("infCTeNorm") or NOTHING

    @cached_property
    def transported(self) -> Group:
        """`infDoc`; empty in a CT-e OS."""
        return self.normal_part.group("infDoc") or NOTHING

    @cached_property
    def invoice_keys(self) -> Sequence[str]:
        """The keys of the transported NF-e."""
        return [invoice.text("chave") for invoice in self.transported.all("infNFe")]

    @cached_property
    def mode_fault(self) -> str:
        """The first violation of the XSD of the mode; empty if there is none."""
        path = (self.dialect.tag(tag) for tag in ("infCte", "infCTeNorm", "infModal"))
        around = self.element.find("/".join(path))
        schema = self.mode_schemas.get(self.mode)
        return "" if around is None else fault_inside(self, around, schema, _MODE_FAULT)

    @property
    def taker_role(self) -> str:
        """The path of the party that takes the service: `rem`, `dest`…, or its own group."""
        return TAKER_ROLES.get(self.text("ide/toma3/toma"), self.taker_group)

    @cached_property
    def taker(self) -> Group:
        """The party that takes the service; empty if it is missing."""
        return self.party(self.taker_role)

    def party(self, path: str) -> Group:
        """Returns a party by its path; empty if there is none."""
        return self.content.group(path) or NOTHING

    def tax_id(self, path: str) -> str:
        """Returns CNPJ or CPF of a party; empty if there is none."""
        return tax_id_of(self.party(path))

    @property
    def complemented_keys(self) -> Sequence[str]:
        """The keys of the documents that this one complements."""
        return [reference.text("chCTe") for reference in self.content.all("infCteComp")]

    @cached_property
    def complemented(self) -> Sequence[Self]:
        """The documents that this one complements, as far as they are stored."""
        return [original for key in self.complemented_keys if (original := self.referred(key)) is not None]

    @property
    def replaced_key(self) -> str:
        """The key of the document that this one replaces; empty if there is none."""
        return self.normal_part.text("infCteSub/chCte")

    @cached_property
    def replaced(self) -> Self | None:
        """The document that this one replaces; None if it is not stored."""
        return self.referred(self.replaced_key)

    def referred(self, access_key: str) -> Self | None:
        """Returns a stored document by its key."""
        stored = self.ledger.document(self.service_path.environment, access_key)
        return self.reopened(stored) if stored else None

    def referring(self, kind: str) -> list[Self]:
        """Returns the stored documents of a kind that refer to this one and are not canceled."""
        opened = [
            self.reopened(document)
            for document in self._referring_documents
            if document.access_key[KEY_MODEL] != MDFE
        ]
        return [document for document in opened if document.kind == kind]

    @property
    def is_in_manifest(self) -> bool:
        """Whether an MDF-e that is not canceled lists this document."""
        return any(document.access_key[KEY_MODEL] == MDFE for document in self._referring_documents)

    @property
    def _referring_documents(self) -> list[StoredDocument]:
        stored = self.ledger.referring_to(self.service_path.environment, self.access_key)
        return [document for document in stored if not document.is_canceled]

    def reopened(self, document: StoredDocument) -> Self:
        """Returns a stored document, ready for rules."""
        return type(self)(etree.fromstring(document.xml), self.service_path, self.context)


@dataclass(frozen=True)
class JudgedCte(JudgedTransport):
    """One `CTe`: the transport of cargo."""

    dialect = DIALECT
    parties = (*TAKER_ROLES.values(), OTHER_TAKER)
    taker_group = OTHER_TAKER
    mode_schemas: ClassVar[Mapping[str, Schema]] = {
        ROAD: Schema.CTE_ROAD,
        "02": Schema.CTE_AIR,
        WATER: Schema.CTE_WATER,
        RAIL: Schema.CTE_RAIL,
        PIPELINE: Schema.CTE_PIPELINE,
        "06": Schema.CTE_MULTIMODAL,
    }


@dataclass(frozen=True)
class JudgedCteOs(JudgedTransport):
    """One `CTeOS`: the transport of people, of valuables or of excess baggage."""

    dialect = OS_DIALECT
    parties = (OS_TAKER,)
    taker_group = OS_TAKER
    mode_schemas: ClassVar[Mapping[str, Schema]] = {ROAD: Schema.CTE_OS_ROAD}

    @property
    def recipient(self) -> str:
        """CNPJ or CPF of the taker; empty if the document has none."""
        return self.tax_id(OS_TAKER)


def live_events(events: Iterable[StoredEvent], event_type: JudgedEventType) -> list[StoredEvent]:
    """Returns the events of a type that no later event undid."""
    stored = list(events)
    undoing, tag = UNDONE_BY.get(event_type.code, ("", ""))
    undone = {detail_of(event).text(tag) for event in stored if event.type == undoing}
    return [event for event in stored if event.type == event_type.code and event.protocol not in undone]


@dataclass(frozen=True)
class JudgedCteEvent(JudgedSingleEvent):
    """One `eventoCTe` of a CT-e or CT-e OS, which is valid against its general XSD."""

    dialect = DIALECT

    @cached_property
    def cte(self) -> JudgedTransport | None:
        """The document of the event, ready for rules; None if this authority does not have it."""
        if self.document is None:
            return None
        judged = JudgedCteOs if self.access_key[KEY_MODEL] == CTE_OS else JudgedCte
        return judged(etree.fromstring(self.document.xml), self.service_path, self.context)

    def earlier_details(self, event_type: JudgedEventType) -> list[Group]:
        """Returns the details of the earlier events of a type that were not undone."""
        return [detail_of(event) for event in live_events(self.earlier, event_type)]
