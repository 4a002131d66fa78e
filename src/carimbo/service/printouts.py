"""Documents and their events on paper: what there is to draw is found, drawn and kept for a while."""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from carimbo import __version__
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.printout import DocumentPrint, EventPrint, Paper
from carimbo.service.companies import require_company
from carimbo.service.company_settings import module_of, stored_settings
from carimbo.service.document_files import authorized_xml, signed_xml, without_authorization
from carimbo.service.documents import Reference, refusing_unreadable_xml, require_document
from carimbo.service.drawn import Drawings
from carimbo.service.errors import invalid_field
from carimbo.service.filing.xml import HistoryEvent, event_xml, require_event
from carimbo.service.issuing.printed import is_printed
from carimbo.service.kinds import kind_named
from carimbo.service.logos import logo_of
from carimbo.service.ports import Printer
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission


@dataclass(frozen=True, slots=True)
class PdfFile:
    """A file to be looked at."""

    name: str
    version: str
    """Another one for whatever would be drawn otherwise."""
    pdf: bytes | None
    """None if the caller knows this version."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file, and how it is drawn unless it is at hand."""

    file: PdfFile
    draw: Callable[[], bytes] | None = None


class Printouts:
    """Gives out PDF files; what was drawn is found by all that it shows, so nothing stale is given out."""

    def __init__(self, database: Database, printer: Printer, cache_bytes: int) -> None:
        self._database = database
        self._printer = printer
        self._drawings = Drawings(cache_bytes)

    async def document(
        self, which: Reference, paper: Paper | None = None, known: Collection[str] = ()
    ) -> PdfFile:
        """A document on the paper that is asked for, or else on the company's usual one."""
        # One instant for rows and files: a logo may be replaced at any time.
        async with self._database.snapshot(which.subscription_id) as tenant:
            document, company = await _rows(tenant, which)
            sheet = await self.sheet(tenant, document, company, paper, known)
        with refusing_unreadable_xml(document):
            return await self.drawn(sheet)

    async def sheet(
        self,
        tenant: Tenant,
        document: Document,
        company: Company,
        paper: Paper | None = None,
        known: Collection[str] = (),
        xml: bytes | None = None,
    ) -> Sheet:
        """Read what a document is drawn of; its XML, if that is at hand, is not read again."""
        chosen = _chosen(document, company, paper)
        file = self._found(_document_name(document), *_shown(document), company.logo_digest, chosen)
        if file.pdf or file.version in known:
            return Sheet(file)
        order = await _document_order(tenant, document, company, chosen, xml)
        return Sheet(file, partial(self._printer.document, order))

    async def drawn(self, sheet: Sheet) -> PdfFile:
        """Draw what there is to draw."""
        if sheet.draw is None:
            return sheet.file
        return replace(sheet.file, pdf=await self._drawings.drawn(sheet.file.version, sheet.draw))

    async def event(self, which: Reference, event_id: UUID, known: Collection[str] = ()) -> PdfFile:
        """An event of a document's history."""
        async with self._database.snapshot(which.subscription_id) as tenant:
            document, company = await _rows(tenant, which)
            told = await require_event(tenant, document, event_id)
            emission = await _told_of(tenant, told)
            file = self._found(_event_name(told, emission), event_id, emission.digest, company.logo_digest)
            if file.pdf or file.version in known:
                return file
            order = await _event_order(tenant, told, emission, company)
        with refusing_unreadable_xml(document):
            return await self.drawn(Sheet(file, partial(self._printer.event, order)))

    def _found(self, name: str, *shown: object) -> PdfFile:
        """What is at hand of a file, by all that its drawing depends on."""
        told_apart = "\n".join(map(str, (__version__, *shown)))
        version = hashlib.sha256(told_apart.encode()).hexdigest()
        return PdfFile(name, version, self._drawings.get(version))


async def _rows(tenant: Tenant, which: Reference) -> tuple[Document, Company]:
    document = await require_document(tenant, which)
    return document, await require_company(tenant, document.company_id, deleted_too=True)


def _shown(document: Document) -> tuple[object, ...]:
    """What tells one state of a document from another, on paper."""
    emission = document.emission
    fate = (emission.digest, emission.protocol, emission.authorized_at) if emission else ()
    return document.id, document.status, document.replaced_by, *fate, *sorted(document.facts.items())


def _chosen(document: Document, company: Company, asked: Paper | None) -> Paper:
    kind = kind_named(document.type)
    papers = kind.issuing.papers
    if asked is None:
        return module_of(stored_settings(company).model, kind).usual_paper or papers[0]
    if asked not in papers:
        raise invalid_field("paper", f"{kind.title} não se imprime neste papel: use {' ou '.join(papers)}.")
    return asked


def _document_name(document: Document) -> str:
    return f"{kind_named(document.type).issuing.print_name}-{_key(document.emission)}.pdf"


def _event_name(told: HistoryEvent, emission: Emission) -> str:
    return told.kind.print_name.format(key=_key(emission), sequence=told.sequence)


def _key(emission: Emission | None) -> str:
    return (emission and emission.document_key) or ""


async def _document_order(
    tenant: Tenant, document: Document, company: Company, paper: Paper, xml: bytes | None
) -> DocumentPrint:
    xml = xml or await authorized_xml(tenant, document, document.emission) or await _pending(tenant, document)
    if xml is None:
        raise without_authorization(document, "PDF")
    return DocumentPrint(
        document.type,
        xml,
        paper,
        is_canceled=document.status == Status.CANCELED,
        is_replaced=document.replaced_by is not None,
        logo=await logo_of(tenant, company),
    )


async def _pending(tenant: Tenant, document: Document) -> bytes | None:
    """What was signed of a document that was issued offline, and is in force before its authorization."""
    if document.status == Status.REJECTED or not is_printed(document):
        return None
    return await signed_xml(tenant, document, document.emission)


async def _told_of(tenant: Tenant, told: HistoryEvent) -> Emission:
    """The attempt that an event is about, which may be one that another took the place of."""
    emission = told.document.emission
    if told.filing:
        emission = await tenant.emissions.get(told.document.id, told.filing.emission)
    if emission is None:
        raise without_authorization(told.document, "PDF")
    return emission


async def _event_order(
    tenant: Tenant, told: HistoryEvent, emission: Emission, company: Company
) -> EventPrint:
    event = await event_xml(tenant, told)
    xml = await authorized_xml(tenant, told.document, emission)
    if xml is None:
        raise without_authorization(told.document, "PDF")
    return EventPrint(told.document.type, xml, event, await logo_of(tenant, company))
