"""Reads the XML of received documents and of their events, or says why it is not here and asks for it."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.receiving import PENDING, Receiving, Situation
from carimbo.service.companies.company_settings import stored_settings
from carimbo.service.contexts import IssuingContext
from carimbo.service.documents.files import RECEIVED_FILE, Links, XmlFile
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.filing.xml import registered_files
from carimbo.service.receiving.in_progress import is_xml_released
from carimbo.service.receiving.inbox import EVENT_FILE
from carimbo.service.receiving.queries import UNKNOWN_RECEIVED, ReceivedReference, require_received
from carimbo.service.receiving.sync import can_ask
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.manifestations import Manifestation
from carimbo.storage.received import ReceivedEventRow, ReceivedRow
from carimbo.storage.receptions import Reception
from carimbo.storage.streams import answer_to_request, request_by_key

_ENDED = {
    Situation.CANCELED: "O emitente cancelou a nota antes de o XML chegar: a SEFAZ só dá o resumo.",
    Situation.DENIED: "A nota foi denegada, e não vale: a SEFAZ só dá o resumo.",
}
_ACKNOWLEDGE = (
    "Só há o resumo. A SEFAZ libera o XML depois da ciência ou da confirmação: manifeste-se, ou ligue"
    " settings.received.autoAcknowledge."
)
_TOO_LATE = (
    "Só há o resumo, e o prazo da ciência, de 10 dias, já passou: a SEFAZ libera o XML depois da confirmação"
    " da operação; ou importe o XML que o emitente enviou."
)
_ACKNOWLEDGING_STOPPED = (
    "Só há o resumo, e a ciência automática está parada, porque a empresa não acompanha a distribuição ou não"
    " pode consultar agora: veja streams em /status. Peça /sync, ou manifeste-se."
)
_ACKNOWLEDGED_SOON = "Só há o resumo. A ciência será registrada sozinha, e depois dela o XML vem."
_REQUESTED = "O XML foi pedido à SEFAZ e chega em minutos, ou com a próxima consulta, em cerca de uma hora."
_RELEASED = "A SEFAZ já libera o XML: ele vem com uma das próximas consultas, ou peça-o com GET …/{id}/xml."
_NOT_FOLLOWED = "A empresa não acompanha a distribuição: peça /sync, ou importe o XML que o emitente enviou."
_NOT_GIVEN = "A SEFAZ não deu o XML ({answer}): importe o que o emitente enviou."
_UNKNOWN_OPERATION = "A empresa declarou que desconhece a operação, e a SEFAZ não libera o XML."
_REFUSED = "Só há o resumo: a SEFAZ recusou a ciência ({answer})."
_ACKNOWLEDGED_AGAIN = "O serviço tenta de novo em algumas horas."
_CONFIRM_OR_IMPORT = "Confirme a operação, ou importe o XML que o emitente enviou."


class XmlAvailability(StrEnum):
    """Whether the whole XML of a received document is here."""

    SUMMARY_ONLY = "summaryOnly"
    REQUESTED = "requested"
    AVAILABLE = "available"


class ReceivedXml(Record):
    """The XML of a received document, or why there is none yet."""

    access_key: str
    xml: str | None
    xml_url: str | None = Field(description="Link temporário que abre o XML sem credenciais.")
    availability: XmlAvailability
    reason: str | None = Field(description="Por que o XML ainda não está aqui, e o que fazer.")


async def read_received_xml(
    context: IssuingContext, links: Links, company: CompanyRow, which: ReceivedReference
) -> ReceivedXml:
    """Returns the XML of a document; asks for it if the authority would give it now."""
    async with context.database.autocommit(which.subscription_id) as tenant:
        row = await require_received(tenant, which)
        if row.has_full_xml:
            xml = await require_whole_xml(tenant, row)
            return ReceivedXml(
                access_key=row.access_key,
                xml=xml.decode(),
                xml_url=links.received_xml(which.subscription_id, row.id),
                availability=XmlAvailability.AVAILABLE,
                reason=None,
            )
        availability, reason = await _await_xml(context, tenant, company, which, row)
    return ReceivedXml(
        access_key=row.access_key, xml=None, xml_url=None, availability=availability, reason=reason
    )


async def explain_missing_xml(context: IssuingContext, company: CompanyRow, which: ReceivedReference) -> str:
    """Returns why only the summary of a document is here, in Portuguese; asks the authority for nothing."""
    async with context.database.autocommit(which.subscription_id) as tenant:
        row = await require_received(tenant, which)
        receptions, reason = await _receptions_and_reason(context, tenant, company, which, row)
        for reception in receptions if reason is None else ():
            answer = await answer_to_request(tenant.connection, reception.stream_id, row.access_key)
            return _NOT_GIVEN.format(answer=answer) if answer else _RELEASED
    return reason or _NOT_FOLLOWED


async def read_received_file(database: Database, which: DocumentReference) -> XmlFile:
    """Returns the XML of a received document of a link. Raises Refusal."""
    async with database.autocommit(which.subscription_id) as tenant:
        row = await tenant.received.get(which.document_id)
        if row is None:
            raise not_found(UNKNOWN_RECEIVED)
        return XmlFile(f"{row.access_key}.xml", await require_whole_xml(tenant, row))


async def read_received_xml_file(database: Database, which: ReceivedReference) -> XmlFile:
    """Returns the whole XML of a received document of a company. Raises Refusal."""
    async with database.autocommit(which.subscription_id) as tenant:
        row = await require_received(tenant, which)
        return XmlFile(f"{row.access_key}.xml", await require_whole_xml(tenant, row))


async def read_received_event_xml(database: Database, which: ReceivedReference, event_id: UUID) -> XmlFile:
    """Returns the XML of an event of a received document: what the authority registered. Raises Refusal."""
    async with database.autocommit(which.subscription_id) as tenant:
        row = await require_received(tenant, which)
        events = await tenant.received.events(row.company_id, row.environment, row.access_key)
        event = next((event for event in events if event.id == event_id), None)
        xml = await _distributed_xml(tenant, event) if event else await _stated_xml(tenant, which, event_id)
    return XmlFile(f"{event_id}.xml", xml)


async def _distributed_xml(tenant: Tenant, event: ReceivedEventRow) -> bytes:
    xml = await tenant.archive.get(event.id, EVENT_FILE) if event.has_full_xml else None
    if xml is None:
        sentence = "A SEFAZ só deu o resumo deste evento: peça o XML dele ao emitente."
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=FilingStatus.AUTHORIZED, allowed=[])
    return xml


async def _stated_xml(tenant: Tenant, which: ReceivedReference, event_id: UUID) -> bytes:
    filing = await tenant.manifestations.get(event_id)
    if filing is None or filing.document_id != which.document_id:
        raise not_found("O documento não tem um evento com este id.")
    signed, registration = await registered_files(tenant, filing)
    return which.receiving.response_named(filing.type).registered(signed, registration)


async def require_whole_xml(tenant: Tenant, row: ReceivedRow) -> bytes:
    """Returns the whole XML of a document. Raises Refusal if only its summary is here."""
    xml = await tenant.archive.get(row.id, RECEIVED_FILE) if row.has_full_xml else None
    if xml is None:
        sentence = "Só há o resumo deste documento: GET …/{id}/xml diz por quê."
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=row.status, allowed=[])
    return xml


async def _await_xml(
    context: IssuingContext, tenant: Tenant, company: CompanyRow, which: ReceivedReference, row: ReceivedRow
) -> tuple[XmlAvailability, str]:
    receptions, reason = await _receptions_and_reason(context, tenant, company, which, row)
    if reason:
        return XmlAvailability.SUMMARY_ONLY, reason
    for reception in receptions:
        await request_by_key(tenant.connection, reception.stream_id, row.access_key)
        answer = await answer_to_request(tenant.connection, reception.stream_id, row.access_key)
        if answer:
            return XmlAvailability.SUMMARY_ONLY, _NOT_GIVEN.format(answer=answer)
        return XmlAvailability.REQUESTED, _REQUESTED
    return XmlAvailability.SUMMARY_ONLY, _NOT_FOLLOWED


async def _receptions_and_reason(
    context: IssuingContext, tenant: Tenant, company: CompanyRow, which: ReceivedReference, row: ReceivedRow
) -> tuple[list[Reception], str | None]:
    """Returns the distributions that may bring an XML, and why the authority would not give it now."""
    receptions = [
        reception
        for reception in await tenant.receptions.of_company(row.company_id)
        if reception.is_active
        and (reception.service, reception.environment) == (row.service, row.environment)
    ]
    filings = await tenant.manifestations.of_document(row.id)
    now = context.builder.clock()
    snapshot = await context.snapshots.of(which.subscription_id, company.id, company.revision)
    is_acknowledging = bool(receptions) and can_ask(snapshot, which.document_type, row.environment, now)
    reason = _reason_without_request(
        company, which.receiving, row, filings, now, is_acknowledging=is_acknowledging
    )
    return receptions, reason


def _reason_without_request(
    company: CompanyRow,
    receiving: Receiving,
    row: ReceivedRow,
    filings: list[Manifestation],
    now: datetime,
    *,
    is_acknowledging: bool,
) -> str | None:
    """Returns why the authority would not give the XML now; None if it would.

    `is_acknowledging` says whether automatic acknowledgements are made now, if the company wants them.
    """
    if reason := _ENDED.get(Situation(row.situation)):
        return reason
    if any(is_xml_released(filing, receiving.response_named(filing.type)) for filing in filings):
        return None
    if row.status != PENDING:
        return _UNKNOWN_OPERATION
    if row.acknowledge_by is None or row.acknowledge_by < now:
        return _TOO_LATE
    if not stored_settings(company).model.received.auto_acknowledge:
        return _refusal_of_acknowledgement(receiving, filings, is_repeated=False) or _ACKNOWLEDGE
    expected = _ACKNOWLEDGED_SOON if is_acknowledging else _ACKNOWLEDGING_STOPPED
    return _refusal_of_acknowledgement(receiving, filings, is_repeated=is_acknowledging) or expected


def _refusal_of_acknowledgement(
    receiving: Receiving, filings: list[Manifestation], *, is_repeated: bool
) -> str | None:
    """Returns what the authority answered to the last acknowledgement; None if it refused none."""
    kind = receiving.acknowledgement
    refusals = [filing for filing in filings if kind and filing.type == kind.name and filing.authority_code]
    if kind is None or not refusals:
        return None
    last = refusals[-1]
    refused = _REFUSED.format(answer=f"{last.authority_code} {last.authority_message}")
    is_final = last.authority_code in kind.final_codes
    return f"{refused} {_ACKNOWLEDGED_AGAIN if is_repeated and not is_final else _CONFIRM_OR_IMPORT}"
