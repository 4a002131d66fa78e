"""Stored files: an NFS-e as the authority issued it, an event as it was registered."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from lxml import etree

from carimbo.fiscal.layouts.dps_v1.issued_note import IssuedNote
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, ServiceNote
from carimbo.fiscal.layouts.group import attribute, group, integer, moment, text
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.xml_reading import read_xml

_IN = f"{{{NAMESPACE}}}"
# The longest amount of the layout (TSDec15V2).
_DECIMAL = re.compile(r"[0-9]{1,13}(\.[0-9]{1,2})?")
_DETAIL = re.compile(rf"{re.escape(_IN)}e([0-9]{{6}})")


@dataclass(frozen=True, slots=True)
class ArchivedServiceNote:
    """An NFS-e with the DPS inside it."""

    issued: IssuedNote

    @property
    def access_key(self) -> str:
        """The 50 characters that the authority assigned."""
        return self.issued.id.removeprefix("NFS")

    @property
    def note(self) -> ServiceNote:
        """The declaration of the issuer."""
        return self.issued.declaration.note


@group("infEvento")
class EventRegistration:
    """`infEvento`: the authority's registration of an event."""

    id: str = attribute("Id", 62)
    application_version: str = text("verAplic", 20)
    generator: str = text("ambGer", 1)
    sequence: int = integer("nSeqEvento")
    processed_at: datetime = moment("dhProc")
    document_number: int = integer("nDFSe")


@group("infPedReg")
class EventHeading:
    """`infPedReg` without the detail: the fields that events of every type have."""

    id: str = attribute("Id", 59)
    environment: str = text("tpAmb", 1)
    application_version: str = text("verAplic", 20)
    occurred_at: datetime = moment("dhEvento")
    cnpj: str | None = text("CNPJAutor", 14, default=None)
    cpf: str | None = text("CPFAutor", 11, default=None)
    access_key: str = text("chNFSe", 50)


@group("e101101")
class EventDetail:
    """The detail of an event: the fields that all types have in common."""

    description: str = text("xDesc", 255)
    reason_code: str | None = text("cMotivo", 2, default=None)
    reason: str | None = text("xMotivo", 255, default=None)
    replaced_by: str | None = text("chSubstituta", 50, default=None)


@dataclass(frozen=True, slots=True)
class ArchivedServiceEvent:
    """An event of a note, with its registration."""

    event_type: str
    heading: EventHeading
    detail: EventDetail
    registration: EventRegistration

    @property
    def access_key(self) -> str:
        """The key of the note."""
        return self.heading.access_key


def read_archived_note(file: bytes) -> ArchivedServiceNote:
    """Reads the file of an NFS-e; raises `UnreadableDocument`."""
    return ArchivedServiceNote(read_group(IssuedNote, _the_only(read_xml(file), "infNFSe", "uma NFS-e")))


@dataclass(frozen=True, slots=True)
class ComputedTotal:
    """The total of an NFS-e with IBS and CBS, as the authority computed it."""

    competence: date
    total: Decimal
    """`vTotNF`."""
    cbs_rate: Decimal | None
    """`pCBS`, in percent."""


def read_computed_total(file: bytes) -> ComputedTotal | None:
    """Reads the total of an NFS-e; None if it has no IBS and CBS, or no readable total.

    Only these few elements are read, so that a newer layout of the rest does not hide the total.
    """
    reform = f"{_IN}infNFSe/{_IN}IBSCBS"
    try:
        root = read_xml(file)
        competence = date.fromisoformat(root.findtext(f".//{_IN}infDPS/{_IN}dCompet", ""))
    except ValueError:
        return None
    total = _decimal(root.findtext(f"{reform}/{_IN}totCIBS/{_IN}vTotNF"))
    rate = _decimal(root.findtext(f"{reform}/{_IN}valores/{_IN}fed/{_IN}pCBS"))
    return None if total is None else ComputedTotal(competence, total, rate)


def read_archived_event(file: bytes) -> ArchivedServiceEvent:
    """Reads the file of an event of any type; raises `UnreadableDocument`."""
    registered = _the_only(read_xml(file), "infEvento", "um evento com seu registro")
    request = _the_only(registered, "infPedReg", "um evento com seu registro")
    for element in request.iterchildren("*"):
        if match := _DETAIL.fullmatch(str(element.tag)):
            return ArchivedServiceEvent(
                event_type=match[1],
                heading=read_group(EventHeading, request),
                detail=read_group(EventDetail, element),
                registration=read_group(EventRegistration, registered),
            )
    raise UnreadableDocument("O XML do evento não diz o que aconteceu.")


def _decimal(text: str | None) -> Decimal | None:
    return Decimal(text) if text and _DECIMAL.fullmatch(text) else None


def _the_only(root: etree._Element, tag: str, what: str) -> etree._Element:
    elements = list(root.iter(f"{_IN}{tag}"))
    if len(elements) != 1:
        raise UnreadableDocument(f"O XML não tem {what}.")
    return elements[0]
