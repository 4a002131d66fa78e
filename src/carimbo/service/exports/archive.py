"""The archive of a month: a ZIP file with the XML and PDF files of a company, made while it is sent.

`NF-e/2026-11/autorizados/` has the documents that the company issued, `cancelados/` those that were canceled,
each with its events beside it, and `Recebidos/` has those that others issued. At the end come the index with
the totals, and LEIA-ME.txt, which names every file that is missing.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

import structlog

from carimbo.fiscal.identity.access_key import shown_access_key
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.lifecycle import FilingState, Status
from carimbo.fiscal.local_time import in_local_time
from carimbo.fiscal.receiving import Situation
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.document_types import (
    RECEIVED_TYPES,
    document_type_named,
    is_numbered_by_authority,
    receiving_of_type,
    title_of,
)
from carimbo.service.documents.files import RECEIVED_FILE, xml_of
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.documents.record import number_of
from carimbo.service.errors import Refusal
from carimbo.service.exports.csv_lines import BYTE_ORDER_MARK, Cell, csv_lines
from carimbo.service.exports.month import (
    ArchiveSize,
    ExportContent,
    archive_size,
    issue_period,
)
from carimbo.service.exports.zip_stream import ZipStream
from carimbo.service.filing.xml import event_xml, require_event
from carimbo.service.printouts import Printouts
from carimbo.service.receiving.inbox import EVENT_FILE
from carimbo.service.receiving.queries import ReceivedReference
from carimbo.service.words import DOCUMENT_STATUSES, ENVIRONMENTS, SITUATIONS, word_for
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.documents import Document, DocumentForExport
from carimbo.storage.keyset import Position
from carimbo.storage.monthly_documents import IssuePeriod
from carimbo.storage.received import ReceivedRow

_log = structlog.get_logger("carimbo.exports")
PROGRESS_STEP = 50
"""How many documents are read at once; the progress is stored after as many."""
_EVENT_NAMES = tuple({event.name for document_type in DOCUMENT_TYPES for event in document_type.events})
_UNREADABLE = "O arquivo guardado não pôde ser lido: avise quem opera o serviço."
_LOST = "O arquivo guardado não foi encontrado: avise quem opera o serviço."
_SUMMARY_ONLY = "Só há o resumo: a SEFAZ não deu o XML, ou ainda não."
_INDEX = "indice.csv"
_READ_ME = "LEIA-ME.txt"
_HEADINGS = (
    "Origem", "Tipo", "Situação", "Número", "Série", "Emissão", "CPF/CNPJ da outra parte", "Outra parte",
    "Valor", "Chave de acesso", "Arquivo",
)  # fmt: skip
_TOTAL_HEADINGS = ("Origem", "Tipo", "Válidos", "Cancelados", "Valor dos válidos")
_ISSUED, _RECEIVED = "Emitido", "Recebido"
_ISSUED_FOLDERS = {Status.AUTHORIZED: "autorizados", Status.CANCELED: "cancelados"}


@dataclass(frozen=True)
class ArchiveOrder:
    """The company, the month and the kinds of files of an archive."""

    subscription_id: UUID
    company: CompanyRow
    environment: str
    month: date
    """Its first day."""
    content: ExportContent

    @property
    def file_name(self) -> str:
        """The name of the ZIP file."""
        return f"documentos-{self.company.tax_id}-{self.month:%Y-%m}.zip"

    @property
    def period(self) -> IssuePeriod:
        return issue_period(self.company, self.environment, self.month)


@dataclass
class _Archive:
    """An archive that is being written."""

    database: Database
    printouts: Printouts
    order: ArchiveOrder
    now: datetime
    zip: ZipStream = field(default_factory=ZipStream)
    index: list[bytes] = field(default_factory=list)
    """The lines of the index, which is written at the end; small beside the directory of the ZIP file."""
    missing: list[str] = field(default_factory=list)

    async def file(
        self,
        name: str,
        at: datetime,
        read: Callable[[], Awaitable[bytes | None]],
        *,
        is_compressed: bool = True,
    ) -> bytes:
        """Adds a file and returns the next piece; a file that can't be read is named as missing."""
        try:
            content = await read()
        except DatabaseUnavailable:
            raise
        except Refusal as refusal:
            return self.miss(name, refusal.message)
        except Exception as error:
            _log.error("export_file_unreadable", company=str(self.order.company.id), exc_info=error)
            return self.miss(name, _UNREADABLE)
        if content is None:
            return self.miss(name, _LOST)
        return self.zip.add(name, content, self.local(at), is_compressed=is_compressed)

    def miss(self, name: str, reason: str) -> bytes:
        self.missing.append(f"{name}: {reason}")
        return b""

    def list_document(self, *cells: Cell) -> None:
        """Adds a line to the index."""
        self.index.append(csv_lines([cells], self.order.company.local_state))

    def local(self, at: datetime) -> datetime:
        return in_local_time(at, self.order.company.local_state)


@dataclass(frozen=True)
class ArchivePiece:
    """A piece of a ZIP file, and how many documents the file has so far."""

    content: bytes
    documents: int


async def size_of(database: Database, order: ArchiveOrder) -> ArchiveSize:
    """Returns how much an archive has."""
    async with database.snapshot(order.subscription_id) as tenant:
        return await archive_size(tenant, order.period, order.content)


async def archive_pieces(
    database: Database, printouts: Printouts, order: ArchiveOrder, size: ArchiveSize, now: datetime
) -> AsyncIterator[ArchivePiece]:
    """Yields the pieces of an archive. No connection is held while a piece is sent."""
    archive = _Archive(database, printouts, order, now)
    documents = 0
    async for document in _issued_documents(archive):
        async for content in _issued_files(archive, *document):
            yield ArchivePiece(content, documents)
        documents += 1
        yield ArchivePiece(b"", documents)
    async for row in _received_documents(archive):
        async for content in _received_files(archive, *row):
            yield ArchivePiece(content, documents)
        documents += 1
        yield ArchivePiece(b"", documents)
    yield ArchivePiece(_last_files(archive, size) + archive.zip.close(), documents)


async def _issued_documents(archive: _Archive) -> AsyncIterator[tuple[DocumentForExport, list[UUID]]]:
    """Yields the documents that the company issued, each with the ids of its events."""
    place: Position | None = None
    while True:
        async with archive.database.autocommit(archive.order.subscription_id) as tenant:
            page = await tenant.monthly_documents.issued(archive.order.period, place, PROGRESS_STEP)
            documents = await tenant.documents.for_export(page.rows)
            entries = await tenant.monthly_documents.history_of(page.rows, _EVENT_NAMES)
        for document in documents:
            events = [entry.id for entry in entries if entry.document_id == document.document.id]
            yield document, events
        if page.next is None:
            return
        place = page.next


async def _issued_files(
    archive: _Archive, row: DocumentForExport, event_ids: Sequence[UUID]
) -> AsyncIterator[bytes]:
    """Yields the files of a document and of its events."""
    document, order = row.document, archive.order
    status = Status(document.status)
    if document.emission is None or status not in _ISSUED_FOLDERS:
        # It changed since it was listed.
        return
    title, key = title_of(document.type), document.emission.document_key or str(document.id)
    folder = f"{title}/{order.month:%Y-%m}/{_ISSUED_FOLDERS[status]}"
    at = document.emission.issued_at or document.created_at
    number = number_of(document.type, document.emission.number, document.emission.assigned_number)
    series = None if is_numbered_by_authority(document.type) else document.emission.series
    archive.list_document(
        _ISSUED, title, word_for(DOCUMENT_STATUSES, document.status), number, series, at,
        row.recipient_tax_id and shown_tax_id(row.recipient_tax_id), row.recipient_name,
        document.amount, shown_access_key(key), f"{folder}/{key}.xml",
    )  # fmt: skip

    async def read_xml() -> bytes:
        async with archive.database.autocommit(order.subscription_id) as tenant:
            return (await xml_of(tenant, document)).xml

    async def read_pdf() -> bytes | None:
        return (await archive.printouts.document(DocumentReference(order.subscription_id, document.id))).pdf

    yield await archive.file(f"{folder}/{key}.xml", at, read_xml)
    if order.content.has_pdf:
        yield await archive.file(f"{folder}/{key}.pdf", at, read_pdf, is_compressed=False)
    for event_id in event_ids:
        yield await _event_file(archive, document, folder, at, event_id)


async def _event_file(
    archive: _Archive, document: Document, folder: str, at: datetime, event_id: UUID
) -> bytes:
    """Adds the file of an event; an event that the authority refused has none."""
    key = (document.emission and document.emission.document_key) or str(document.id)
    try:
        async with archive.database.autocommit(archive.order.subscription_id) as tenant:
            event = await require_event(tenant, document, event_id)
    except Refusal as refusal:
        return archive.miss(f"{folder}/{key}-evento-{event_id}.xml", refusal.message)
    if event.filing and event.filing.state != FilingState.REGISTERED:
        return b""
    print_name = event.kind.print_name.format(key=key, sequence=event.sequence)

    async def read() -> bytes:
        async with archive.database.autocommit(archive.order.subscription_id) as tenant:
            return await event_xml(tenant, event)

    registered_at = (event.filing and event.filing.registered_at) or at
    return await archive.file(f"{folder}/{print_name.removesuffix('.pdf')}.xml", registered_at, read)


async def _received_documents(
    archive: _Archive,
) -> AsyncIterator[tuple[ReceivedRow, dict[str, UUID]]]:
    """Yields the received documents, each with its events: their names and ids."""
    order = archive.order
    for document_type in RECEIVED_TYPES:
        service, place = receiving_of_type(document_type).service, None
        while True:
            async with archive.database.autocommit(order.subscription_id) as tenant:
                page = await tenant.monthly_documents.received(order.period, service, place, PROGRESS_STEP)
                rows = await tenant.received.with_ids(page.rows)
                events = await tenant.monthly_documents.received_event_files(
                    order.company.id, order.environment, [row.access_key for row in rows]
                )
            for row in rows:
                names = {
                    f"{event.access_key}-{event.code}-{event.sequence:02}-{position:02}": event.id
                    for position, event in enumerate(events)
                    if event.access_key == row.access_key
                }
                yield row, names
            if page.next is None:
                break
            place = page.next


async def _received_files(
    archive: _Archive, row: ReceivedRow, events: dict[str, UUID]
) -> AsyncIterator[bytes]:
    """Yields the files of a received document and of its events."""
    order, title = archive.order, title_of(row.type)
    situation = "cancelados" if row.situation == Situation.CANCELED else "autorizados"
    folder = f"Recebidos/{title}/{order.month:%Y-%m}/{situation}"
    name = f"{folder}/{row.access_key}.xml"
    archive.list_document(
        _RECEIVED, title, word_for(SITUATIONS, row.situation), row.number, row.series, row.issued_at,
        shown_tax_id(row.issuer_tax_id), row.issuer_name, row.amount, shown_access_key(row.access_key),
        name if row.has_full_xml else None,
    )  # fmt: skip

    def reader_of(owner_id: UUID, file: str) -> Callable[[], Awaitable[bytes | None]]:
        async def read() -> bytes | None:
            async with archive.database.autocommit(order.subscription_id) as tenant:
                return await tenant.archive.get(owner_id, file)

        return read

    async def read_pdf() -> bytes | None:
        which = ReceivedReference(
            order.subscription_id, row.company_id, document_type_named(row.type), row.id
        )
        return (await archive.printouts.received(which)).pdf

    if row.has_full_xml:
        yield await archive.file(name, row.issued_at, reader_of(row.id, RECEIVED_FILE))
        if order.content.has_pdf:
            yield await archive.file(
                f"{folder}/{row.access_key}.pdf", row.issued_at, read_pdf, is_compressed=False
            )
    else:
        yield archive.miss(name, _SUMMARY_ONLY)
    for event_name, event_id in events.items():
        yield await archive.file(f"{folder}/{event_name}.xml", row.issued_at, reader_of(event_id, EVENT_FILE))


def _last_files(archive: _Archive, size: ArchiveSize) -> bytes:
    """Adds the index and LEIA-ME.txt, and returns their piece."""
    now = archive.local(archive.now)
    totals = [
        (_RECEIVED if total.is_received else _ISSUED, total.title, total.valid, total.canceled, total.amount)
        for total in size.totals
    ]
    state = archive.order.company.local_state
    index = BYTE_ORDER_MARK + csv_lines([_HEADINGS], state) + b"".join(archive.index)
    index += csv_lines([(), ("Totais",), _TOTAL_HEADINGS, *totals], state)
    text = "\r\n".join((*_read_me(archive, now), *archive.missing, ""))
    return archive.zip.add(_INDEX, index, now) + archive.zip.add(
        _READ_ME, BYTE_ORDER_MARK + text.encode(), now
    )


def _read_me(archive: _Archive, now: datetime) -> list[str]:
    order = archive.order
    company = order.company
    return [
        f"Documentos fiscais de {company.legal_name}, CNPJ {shown_tax_id(company.tax_id)}",
        f"Mês de emissão: {order.month:%m/%Y}. Ambiente: {word_for(ENVIRONMENTS, order.environment)}.",
        f"Arquivo gerado em {now:%d/%m/%Y %H:%M}.",
        "",
        "O XML é o documento com validade jurídica e deve ser guardado. Ao lado de cada documento estão os",
        "eventos dele, como o cancelamento e a carta de correção. A pasta Recebidos tem o que outros",
        f"emitiram para a empresa. A lista de todos, com os totais, está em {_INDEX}.",
        "",
        f"Arquivos que faltam: {len(archive.missing) or 'nenhum'}.",
    ]
