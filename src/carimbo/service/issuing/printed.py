"""Documents that are on paper before the authority has them: their printed data must not change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import Contingency, Emission, EmissionType, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.builder import DocumentSource
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.storage.database import Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow, NumberSeries, PrintedEmission
from carimbo.storage.new_documents import NewDocument


class PrintedNumberTaken(Exception):
    """Another document has the printed number; the transaction must be rolled back."""


@dataclass(frozen=True)
class PrintedDocument:
    """The printed data, and the series of its number."""

    series: NumberSeries
    emission: PrintedEmission


def printed_document_of(source: DocumentSource) -> PrintedDocument | None:
    """Returns the printed data of a reviewed request; None if no point of sale printed the document."""
    emission, document_type = source.printed_emission(), source.document_type
    if not isinstance(emission, Emission) or document_type.point_of_sale is None:
        return None
    last_number = document_type.numbering.last_number
    series = NumberSeries(
        source.snapshot.row.id, document_type.name, source.environment, emission.series, last_number
    )
    return PrintedDocument(series, _printed(emission, printed_key(document_type, source.request)))


def printed_key(document_type: DocumentType, request: Body) -> str | None:
    """Returns the printed access key of a request, if it has one."""
    return document_type.point_of_sale.printed_key(request) if document_type.point_of_sale else None


def is_printed(document: Document) -> bool:
    """Returns whether a document was issued offline, so that it may be on paper already."""
    return document.emission is not None and document.emission.is_printed


def final_emission(document: Document, snapshot: CompanySnapshot) -> Emission | None:
    """Returns the emission of a document that we issued offline, as it is on paper.

    None for every other document; if a point of sale printed it, its request has the printed data.
    """
    printed, document_type = document.emission, document_type_named(document.type)
    if printed is None or not printed.is_printed or document_type.point_of_sale:
        return None
    state = snapshot.company.address.state
    if printed.issued_at is None:
        raise LookupError(f"document {document.id} was issued offline at no time")
    issued_at = local_moment(printed.issued_at, state)
    return Emission(
        environment=Environment(document.environment),
        series=printed.series,
        number=printed.number,
        numeric_code=printed.numeric_code,
        issued_at=issued_at,
        type=EmissionType(printed.emission_type),
        contingency=contingency_of(printed, issued_at),
    )


def contingency_of(attempt: EmissionRow, issued_at: datetime) -> Contingency:
    """Returns start and reason of the contingency; it starts no later than a backdated document."""
    started_at = (attempt.contingency_started_at or issued_at).astimezone(issued_at.tzinfo)
    return Contingency(min(started_at, issued_at).replace(microsecond=0), attempt.contingency_reason or "")


async def add_printed(
    tenant: Tenant, document: NewDocument, events: Sequence[NewEvent], printed: PrintedDocument
) -> Document:
    """Stores a document under its printed number; the next number of the series follows it.

    The series is updated first, because that locks it for others who take or void its numbers.
    """
    await tenant.number_sequences.move_past(printed.series, printed.emission.number)
    queued = document.status == Status.PROCESSING
    stored = await tenant.documents.add(replace(document, emission=1), events, queued=queued)
    emission = await tenant.emissions.add_printed(document.id, printed.series, printed.emission)
    if emission is None:
        raise PrintedNumberTaken
    inutilized_by = await tenant.emissions.inutilized_by(printed.series, printed.emission.number)
    if inutilized_by is not None:
        sentence = "O número já foi inutilizado."
        raise Refusal(ErrorCode.NUMBER_ALREADY_USED, sentence, inutilizationId=str(inutilized_by))
    return replace(stored, emission=emission)


async def number_taken(tenant: Tenant, printed: PrintedDocument) -> Refusal:
    """Returns the refusal of a printed document whose number another document has."""
    holder = await tenant.emissions.holder_of(printed.series, printed.emission.number)
    if holder is None:
        raise LookupError("a document that kept another from being stored is gone")
    return Refusal(ErrorCode.NUMBER_ALREADY_USED, documentId=str(holder))


def _printed(emission: Emission, access_key: str | None) -> PrintedEmission:
    contingency = emission.contingency
    if contingency is None or access_key is None:
        raise LookupError("a reviewed offline document has no key or no contingency")
    return PrintedEmission(
        number=emission.number,
        numeric_code=emission.numeric_code,
        emission_type=emission.type,
        contingency_started_at=contingency.started_at,
        contingency_reason=contingency.reason,
        issued_at=emission.issued_at,
        access_key=access_key,
    )
