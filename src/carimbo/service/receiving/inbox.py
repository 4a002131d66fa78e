"""Puts distributed files into the inbox of a company: documents, their events, and what changed by them."""

import asyncio
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

import structlog

from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.layouts.packed import pack
from carimbo.fiscal.receiving import (
    COMPLETED,
    CREATED,
    PENDING,
    ReceivedDocument,
    ReceivedEvent,
    ReceivedFile,
    Receiving,
    Role,
    Situation,
    TaxedAmount,
    UnreadFile,
)
from carimbo.service.documents.files import RECEIVED_FILE
from carimbo.service.receiving.record import received_record
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.received import NewReceived, NewReceivedEvent, ReceivedRow
from carimbo.storage.streams import UnreadFileRow

_log = structlog.get_logger("carimbo.receiving")
SUMMARY_FILE = "summary"
"""The names of files in the archive, besides the whole XML."""
EVENT_FILE = "event"
WHOLE_ANSWER = "answer"
"""In place of a schema: an answer that can't be read, whatever is in it."""
_DAMAGED = "O arquivo está danificado, ou é maior do que qualquer documento."
_UNREADABLE_ANSWER = "A resposta da autoridade não pôde ser lida."
_WEIGHT = {Situation.AUTHORIZED: 0, Situation.CORRECTED: 1, Situation.DENIED: 2, Situation.CANCELED: 3}


@dataclass(frozen=True)
class ReadFile:
    """A distributed file that was read."""

    nsu: int | None
    xml: bytes
    content: ReceivedFile
    amounts: tuple[TaxedAmount, ...] = ()


@dataclass(frozen=True)
class ReadPage:
    """The files of an answer, and those that can't be read."""

    files: tuple[ReadFile, ...]
    unread: tuple[UnreadFileRow, ...]

    @property
    def whole_keys(self) -> list[str]:
        """The access keys of the documents that came whole."""
        documents = [file.content for file in self.files if isinstance(file.content, ReceivedDocument)]
        return [document.access_key for document in documents if document.is_full]


async def read_page(receiving: Receiving, body: bytes, tax_id: str) -> ReadPage:
    """Reads an answer of the journal, in a thread: fifty documents take a while."""
    return await asyncio.to_thread(_read_page, receiving, body, tax_id)


def _read_page(receiving: Receiving, body: bytes, tax_id: str) -> ReadPage:
    page = receiving.read_page(body)
    if not isinstance(page, DistributionPage):
        return ReadPage((), (UnreadFileRow(0, None, WHOLE_ANSWER, _UNREADABLE_ANSWER, pack(body)),))
    files: list[ReadFile] = []
    unread: list[UnreadFileRow] = []
    for position, (document, xml) in enumerate(zip(page.documents, page.contents(), strict=True)):
        try:
            if xml is None:
                raise UnreadFile(_DAMAGED)
            files.append(read_file(receiving, document.schema, xml, tax_id, document.nsu))
        except UnreadFile as error:
            reason = str(error)
            unread.append(UnreadFileRow(position, document.nsu, document.schema, reason, document.packed))
    return ReadPage(tuple(files), tuple(unread))


def read_file(receiving: Receiving, schema: str, xml: bytes, tax_id: str, nsu: int | None) -> ReadFile:
    """Reads a file with everything that is stored of it. Raises UnreadFile."""
    content = receiving.read(schema, xml, tax_id)
    is_whole = isinstance(content, ReceivedDocument) and content.is_full
    return ReadFile(nsu, xml, content, receiving.amounts(xml) if is_whole else ())


Source = Literal["distribution", "import"]


@dataclass(frozen=True)
class Inbox:
    """The received documents of a company in one environment, in a transaction that has locked them."""

    tenant: Tenant
    company_id: UUID
    environment: str
    receiving: Receiving

    async def put(self, file: ReadFile, source: Source = "distribution") -> ReceivedRow | None:
        """Stores a file; returns its document, or None if there is none in the inbox."""
        if isinstance(file.content, ReceivedDocument):
            return await self._put_document(file, file.content, source)
        return await self._put_event(file, file.content)

    async def _put_document(
        self, file: ReadFile, document: ReceivedDocument, source: Source
    ) -> ReceivedRow | None:
        where = self.company_id, self.environment, document.access_key
        existing = await self.tenant.received.by_key(*where)
        if existing is None:
            is_issuer = document.role is Role.ISSUER and source == "distribution"
            # The national environment of NFS-e distributes a taxpayer's own notes too.
            is_issued_here = is_issuer and await self.tenant.received.is_issued_here(*where)
            return None if is_issued_here else await self._add(file, document, source)
        if source == "import" and (existing.has_full_xml or not document.situation.is_valid):
            # Nobody has signed the protocol of a file: only the authority says what became of a document.
            return existing
        is_first_word = source == "distribution" and not existing.is_distributed
        earlier = existing.situation
        if is_first_word:
            earlier = await self._after_events(document.access_key, Situation.AUTHORIZED)
        situation = _prevailing(earlier, document.situation)
        # The XML of the authority replaces an imported one, whose protocol nobody has signed.
        is_better = existing.source == "import" and source == "distribution"
        if document.is_full and (is_better or not existing.has_full_xml):
            whole = self._row(existing.id, file, document, source)
            return await self._complete(existing, file, whole, situation)
        if is_first_word:
            acknowledge_by = self._row(existing.id, file, document, source).acknowledge_by
            marked = replace(existing, nsu=file.nsu, is_distributed=True, acknowledge_by=acknowledge_by)
            existing = await self.tenant.received.change(marked)
        return await self._change_situation(existing, situation)

    async def _complete(
        self, existing: ReceivedRow, file: ReadFile, whole: NewReceived, situation: str
    ) -> ReceivedRow:
        """Replaces a document by its whole XML; what the company said about it stays."""
        row = await self.tenant.received.change(
            replace(
                whole,
                situation=situation,
                status=existing.status,
                nsu=existing.nsu or file.nsu,
                is_distributed=existing.is_distributed or whole.is_distributed,
            )
        )
        await self._keep_files(row, file)
        if not existing.has_full_xml:
            await self._publish(COMPLETED, row)
        if situation != existing.situation:
            await self._publish(situation, row)
        return row

    async def _add(self, file: ReadFile, document: ReceivedDocument, source: Source) -> ReceivedRow:
        new = self._row(new_id(), file, document, source)
        situation = await self._after_events(document.access_key, new.situation)
        acknowledge_by = new.acknowledge_by if Situation(situation).is_valid else None
        row = await self.tenant.received.add(replace(new, situation=situation, acknowledge_by=acknowledge_by))
        await self._keep_files(row, file)
        await self._publish(CREATED, row)
        return row

    async def _after_events(self, access_key: str, situation: str) -> str:
        """Returns the situation of a document after the events that came before it."""
        for event in await self.tenant.received.events(self.company_id, self.environment, access_key):
            situation = _prevailing(situation, event.situation)
        return situation

    def _row(self, row_id: UUID, file: ReadFile, document: ReceivedDocument, source: str) -> NewReceived:
        receiving = self.receiving
        issued_at = document.issued_at or document.authorized_at
        if issued_at is None:
            raise LookupError("a received document has no date")
        by = (document.role, document.authorized_at)
        is_summary = not document.is_full and document.situation is Situation.AUTHORIZED
        return NewReceived(
            id=row_id,
            company_id=self.company_id,
            service=receiving.service,
            type=document.type,
            environment=self.environment,
            access_key=document.access_key,
            series=document.series,
            number=document.number,
            role=document.role,
            issuer_tax_id=document.issuer_tax_id,
            issuer_name=document.issuer_name,
            amount=document.amount,
            issued_at=issued_at,
            authorized_at=document.authorized_at,
            protocol=document.protocol,
            situation=document.situation,
            status=PENDING,
            has_full_xml=document.is_full,
            nsu=file.nsu,
            source=source,
            is_distributed=source == "distribution",
            acknowledge_by=receiving.acknowledge_by(*by) if is_summary else None,
            respond_by=receiving.respond_by(*by),
        )

    async def _keep_files(self, row: ReceivedRow, file: ReadFile) -> None:
        name = RECEIVED_FILE if row.has_full_xml else SUMMARY_FILE
        await self.tenant.archive.put(row.id, name, file.xml)
        await self.tenant.received.put_amounts(row.id, file.amounts)

    async def _put_event(self, file: ReadFile, event: ReceivedEvent) -> ReceivedRow | None:
        stored = await self.tenant.received.add_event(self._event_row(file, event))
        if stored is None:
            return None
        row, is_new = stored
        await self.tenant.archive.put(row.id, EVENT_FILE, file.xml)
        document = await self.tenant.received.by_key(self.company_id, self.environment, event.access_key)
        if document is None or not is_new or event.situation is None:
            return document
        changed = await self._change_situation(document, _prevailing(document.situation, event.situation))
        if changed is document and event.situation == document.situation == Situation.CORRECTED:
            # Another letter, which replaces the earlier ones.
            changed = await self.tenant.received.change(document)
            await self._publish(Situation.CORRECTED, changed)
        return changed

    def _event_row(self, file: ReadFile, event: ReceivedEvent) -> NewReceivedEvent:
        return NewReceivedEvent(
            id=new_id(),
            company_id=self.company_id,
            environment=self.environment,
            access_key=event.access_key,
            code=event.code,
            description=event.description,
            sequence=event.sequence,
            author_tax_id=event.author_tax_id or "",
            protocol=event.protocol,
            occurred_at=event.occurred_at,
            registered_at=event.registered_at or event.occurred_at,
            situation=event.situation,
            text=event.text,
            has_full_xml=event.is_full,
            nsu=file.nsu,
        )

    async def _change_situation(self, row: ReceivedRow, situation: str) -> ReceivedRow:
        if situation == row.situation:
            return row
        acknowledge_by = row.acknowledge_by if Situation(situation).is_valid else None
        changed = await self.tenant.received.change(
            replace(row, situation=situation, acknowledge_by=acknowledge_by)
        )
        await self._publish(situation, changed)
        return changed

    async def _publish(self, verb: str, row: ReceivedRow) -> None:
        if verb not in self.receiving.event_verbs:
            return
        topic = f"{self.receiving.event_prefix}.{verb}"
        details = received_record(row).model_dump(mode="json", by_alias=True)
        await self.tenant.events.add(topic, self.company_id, details, row.id)


def _prevailing(situation: str, other: str | None) -> str:
    """Returns the situation that counts of two: a canceled document stays canceled."""
    if other is None:
        return situation
    return max(Situation(situation), Situation(other), key=_WEIGHT.__getitem__)
