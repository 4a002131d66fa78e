"""PDF files of documents and their events: read from the archive, rendered and cached."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from carimbo import __version__
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.lifecycle import CLOSED_AT, Status
from carimbo.fiscal.printout import DocumentPrint, EventPrint, PaperSize
from carimbo.fiscal.receiving import Situation
from carimbo.service.companies.company_settings import module_of, stored_settings
from carimbo.service.companies.logos import logo_of
from carimbo.service.companies.registration import require_company
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.files import authorized_xml, not_authorized_refusal, signed_xml
from carimbo.service.documents.queries import DocumentReference, refusing_unreadable_xml, require_document
from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.filing.xml import HistoryEvent, event_xml, printed_events, require_event
from carimbo.service.issuing.printed import is_printed
from carimbo.service.ports import Printer
from carimbo.service.receiving.queries import ReceivedReference, require_received
from carimbo.service.receiving.whole_xml import require_whole_xml
from carimbo.service.stored_records import READING_ERRORS, log_unreadable
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow

_DENIED = "A SEFAZ denegou o documento: ele não vale, e não tem PDF."
_NOT_PRINTED = "O XML deste documento tem partes que não sabemos imprimir: use o PDF que o emitente enviou."


class PdfCache:
    """Renders files in threads and caches them by key; the least recently used are dropped beyond a size."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._files: OrderedDict[str, bytes] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[bytes]] = {}

    def get(self, key: str) -> bytes | None:
        """Returns the cached file of a key, if any."""
        if key in self._files:
            self._files.move_to_end(key)
        return self._files.get(key)

    async def drawn(self, key: str, draw: Callable[[], bytes]) -> bytes:
        """Returns the cached file of a key, or renders it once, even for several callers at the same time."""
        cached = self.get(key)
        if cached is not None:
            return cached
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._draw(key, draw))
        # Shielded, because others may wait for the same file when this caller is canceled.
        return await asyncio.shield(self._tasks[key])

    async def _draw(self, key: str, draw: Callable[[], bytes]) -> bytes:
        try:
            file = await asyncio.to_thread(draw)
        finally:
            del self._tasks[key]

        if len(file) <= self._max_bytes:
            self._files[key] = file
            self._bytes += len(file)
            while self._bytes > self._max_bytes:
                _, dropped = self._files.popitem(last=False)
                self._bytes -= len(dropped)
        return file


@dataclass(frozen=True, slots=True)
class PdfDownload:
    """A PDF file to download."""

    name: str
    version: str
    """Changes whenever the file would look different; used as its ETag."""
    pdf: bytes | None
    """None if the caller already has this version."""


@dataclass(frozen=True, slots=True)
class PreparedPdf:
    """A file and the function that renders it, unless it is cached."""

    file: PdfDownload
    draw: Callable[[], bytes] | None = None


class Printouts:
    """Provides PDF files. The cache key has everything that a file shows, so no file is stale."""

    def __init__(self, database: Database, printer: Printer, cache_bytes: int) -> None:
        self._database = database
        self._printer = printer
        self._cache = PdfCache(cache_bytes)

    async def document(
        self,
        reference: DocumentReference,
        paper: PaperSize | None = None,
        known_versions: Collection[str] = (),
    ) -> PdfDownload:
        """Returns a document as a PDF file, on the given paper size or on the company's usual one."""
        # A snapshot of rows and files: a logo may be replaced at any time.
        async with self._database.snapshot(reference.subscription_id) as tenant:
            document, company = await _rows(tenant, reference)
            prepared = await self.sheet(tenant, document, company, paper, known_versions)
        with refusing_unreadable_xml(document):
            return await self.drawn(prepared)

    async def sheet(
        self,
        tenant: Tenant,
        document: Document,
        company: CompanyRow,
        paper: PaperSize | None = None,
        known_versions: Collection[str] = (),
        xml: bytes | None = None,
    ) -> PreparedPdf:
        """Reads everything that rendering a document needs; `xml` saves reading its XML again."""
        document_type = document_type_named(document.type)
        chosen = _chosen_paper(document_type, company, paper)
        name = f"{document_type.issuing.print_name}-{_key(document.emission)}.pdf"
        file = self._cached(name, *_visible_values(document), company.logo_digest, chosen)
        if file.pdf or file.version in known_versions:
            return PreparedPdf(file)
        order = await _document_print(tenant, document, company, chosen, xml)
        return PreparedPdf(file, partial(self._printer.document, order))

    async def drawn(self, prepared: PreparedPdf) -> PdfDownload:
        """Renders a prepared file, unless it was cached."""
        if prepared.draw is None:
            return prepared.file
        return replace(prepared.file, pdf=await self._cache.drawn(prepared.file.version, prepared.draw))

    async def event(
        self, reference: DocumentReference, event_id: UUID, known_versions: Collection[str] = ()
    ) -> PdfDownload:
        """Returns an event of a document's history as a PDF file."""
        async with self._database.snapshot(reference.subscription_id) as tenant:
            document, company = await _rows(tenant, reference)
            event = await require_event(tenant, document, event_id)
            emission = await _emission_of(tenant, event)
            name = event.kind.print_name.format(key=_key(emission), sequence=event.sequence)
            file = self._cached(name, event_id, emission.digest, company.logo_digest)
            if file.pdf or file.version in known_versions:
                return file

            signed_event = await event_xml(tenant, event)
            xml = await authorized_xml(tenant, event.document, emission)
            if xml is None:
                raise not_authorized_refusal(event.document, "PDF")
            order = EventPrint(event.document.type, xml, signed_event, await logo_of(tenant, company))
        with refusing_unreadable_xml(document):
            return await self.drawn(PreparedPdf(file, partial(self._printer.event, order)))

    async def received(self, which: ReceivedReference, known_versions: Collection[str] = ()) -> PdfDownload:
        """Returns a received document as a PDF file. Raises Refusal."""
        async with self._database.snapshot(which.subscription_id) as tenant:
            row = await require_received(tenant, which)
            document_type = document_type_named(row.type)
            name = f"{document_type.issuing.print_name}-{row.access_key}.pdf"
            if row.situation == Situation.DENIED:
                raise Refusal(ErrorCode.INVALID_STATE, _DENIED, currentStatus=row.status, allowed=[])
            # The file of the authority replaces an imported one.
            file = self._cached(name, row.id, row.situation, row.has_full_xml, row.source)
            if file.pdf or file.version in known_versions:
                return file
            xml = await require_whole_xml(tenant, row)
        paper = document_type.issuing.papers[0]
        is_canceled = row.situation == Situation.CANCELED
        order = DocumentPrint(row.type, xml, paper, is_canceled=is_canceled)
        try:
            return await self.drawn(PreparedPdf(file, partial(self._printer.document, order)))
        except READING_ERRORS as error:
            log_unreadable("received_documents", row.id, error)
            raise Refusal(
                ErrorCode.INVALID_STATE, _NOT_PRINTED, currentStatus=row.status, allowed=[]
            ) from error

    def _cached(self, name: str, *visible: object) -> PdfDownload:
        """Returns a file from the cache, if it is there; `visible` is everything that the file depends on."""
        key = "\n".join(map(str, (__version__, *visible)))
        version = hashlib.sha256(key.encode()).hexdigest()
        return PdfDownload(name, version, self._cache.get(version))


async def _rows(tenant: Tenant, reference: DocumentReference) -> tuple[Document, CompanyRow]:
    document = await require_document(tenant, reference)
    return document, await require_company(tenant, document.company_id, deleted_too=True)


def _visible_values(document: Document) -> tuple[object, ...]:
    """Returns the values of a document that change its PDF."""
    emission = document.emission
    authorization = (emission.digest, emission.protocol, emission.authorized_at) if emission else ()
    facts = sorted(document.facts.items())
    return document.id, document.status, document.replaced_by, *authorization, *facts


def _chosen_paper(document_type: DocumentType, company: CompanyRow, requested: PaperSize | None) -> PaperSize:
    papers = document_type.issuing.papers
    if requested is None:
        return module_of(stored_settings(company).model, document_type).default_paper or papers[0]
    if requested not in papers:
        raise invalid_field(
            "paper", f"{document_type.title} não se imprime neste papel: use {' ou '.join(papers)}."
        )
    return requested


def _key(emission: EmissionRow | None) -> str:
    return (emission and emission.document_key) or ""


async def _document_print(
    tenant: Tenant, document: Document, company: CompanyRow, paper: PaperSize, xml: bytes | None
) -> DocumentPrint:
    xml = xml or await authorized_xml(tenant, document, document.emission)
    if not xml and document.status != Status.REJECTED and is_printed(document):
        # A document issued offline is valid before its authorization.
        xml = await signed_xml(tenant, document, document.emission)
    if xml is None:
        raise not_authorized_refusal(document, "PDF")
    return DocumentPrint(
        document.type,
        xml,
        paper,
        is_canceled=document.status == Status.CANCELED,
        is_replaced=document.replaced_by is not None,
        is_closed=CLOSED_AT in document.facts,
        logo=await logo_of(tenant, company),
        events=await printed_events(tenant, document),
    )


async def _emission_of(tenant: Tenant, event: HistoryEvent) -> EmissionRow:
    """Returns the attempt that an event is about, which may be a superseded one."""
    emission = event.document.emission
    if event.filing:
        emission = await tenant.emissions.get(event.document.id, event.filing.emission)
    if emission is None:
        raise not_authorized_refusal(event.document, "PDF")
    return emission
