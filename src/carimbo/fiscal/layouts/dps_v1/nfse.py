"""The files that are kept: an NFS-e as the authority gave it, an event as it was registered."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from lxml import etree

from carimbo.fiscal.layouts.dps_v1.issued_note import IssuedNote
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, ServiceNote
from carimbo.fiscal.layouts.group import attribute, group, integer, moment, text
from carimbo.fiscal.layouts.reading import Unreadable, read
from carimbo.fiscal.xml_reading import read_xml

_IN = f"{{{NAMESPACE}}}"
# At most as large as the layout's amounts (TSDec15V2).
_DECIMAL = re.compile(r"[0-9]{1,13}(\.[0-9]{1,2})?")
_DETAIL = re.compile(rf"{re.escape(_IN)}e([0-9]{{6}})")


@dataclass(frozen=True, slots=True)
class ArchivedServiceNote:
    """An NFS-e, with the declaration inside it."""

    issued: IssuedNote

    @property
    def access_key(self) -> str:
        """The 50 characters that the authority gave."""
        return self.issued.id.removeprefix("NFS")

    @property
    def note(self) -> ServiceNote:
        """What the issuer declared."""
        return self.issued.declaration.note


@group("infEvento")
class Registration:
    """`infEvento`: what the authority says of an event."""

    id: str = attribute("Id", 62)
    application_version: str = text("verAplic", 20)
    generator: str = text("ambGer", 1)
    sequence: int = integer("nSeqEvento")
    processed_at: datetime = moment("dhProc")
    document_number: int = integer("nDFSe")


@group("infPedReg")
class EventHeading:
    """`infPedReg` without what happened: events of every type have it."""

    id: str = attribute("Id", 59)
    environment: str = text("tpAmb", 1)
    application_version: str = text("verAplic", 20)
    occurred_at: datetime = moment("dhEvento")
    cnpj: str | None = text("CNPJAutor", 14, default=None)
    cpf: str | None = text("CPFAutor", 11, default=None)
    access_key: str = text("chNFSe", 50)


@group("e101101")
class EventDetail:
    """What happened, as far as the events have it in common."""

    description: str = text("xDesc", 255)
    reason_code: str | None = text("cMotivo", 2, default=None)
    reason: str | None = text("xMotivo", 255, default=None)
    replaced_by: str | None = text("chSubstituta", 50, default=None)


@dataclass(frozen=True, slots=True)
class ArchivedServiceEvent:
    """Something that happened to a note, and its registration."""

    event_type: str
    heading: EventHeading
    detail: EventDetail
    registration: Registration

    @property
    def access_key(self) -> str:
        """Of the note that it happened to."""
        return self.heading.access_key


def read_archived_note(file: bytes) -> ArchivedServiceNote:
    """Read the file of an NFS-e, or raise `Unreadable`."""
    return ArchivedServiceNote(read(IssuedNote, _the_only(read_xml(file), "infNFSe", "uma NFS-e")))


@dataclass(frozen=True, slots=True)
class ComputedTotal:
    """The total of an NFS-e with IBS and CBS, as the authority computed it."""

    competence: date
    total: Decimal
    """`vTotNF`."""
    cbs_rate: Decimal | None
    """`pCBS`, in percent."""


def read_computed_total(file: bytes) -> ComputedTotal | None:
    """Reads the total of an NFS-e; None for one without IBS and CBS, or without a total that can be read.

    It reads these few elements alone: a newer layout of the rest must not hide the total.
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
    """Read the file of an event of any type, or raise `Unreadable`."""
    registered = _the_only(read_xml(file), "infEvento", "um evento com seu registro")
    told = _the_only(registered, "infPedReg", "um evento com seu registro")
    event_type, detail = _detail(told)
    return ArchivedServiceEvent(
        event_type=event_type,
        heading=read(EventHeading, told),
        detail=read(EventDetail, detail),
        registration=read(Registration, registered),
    )


def _decimal(text: str | None) -> Decimal | None:
    return Decimal(text) if text and _DECIMAL.fullmatch(text) else None


def _the_only(root: etree._Element, tag: str, what: str) -> etree._Element:
    found = list(root.iter(f"{_IN}{tag}"))
    if len(found) != 1:
        raise Unreadable(f"O XML não tem {what}.")
    return found[0]


def _detail(told: etree._Element) -> tuple[str, etree._Element]:
    for element in told.iterchildren("*"):
        if named := _DETAIL.fullmatch(str(element.tag)):
            return named[1], element
    raise Unreadable("O XML do evento não diz o que aconteceu.")
