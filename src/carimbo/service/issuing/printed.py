"""Documents that are on paper before the service hears of them: what is printed is kept, or nothing is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.lifecycle import Status
from carimbo.service.errors import Code, Refusal
from carimbo.service.workshop import DocumentSource
from carimbo.storage.database import Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Place, PrintedEmission
from carimbo.storage.new_document import NewDocument


class AlreadyThere(Exception):
    """Another document has what is printed: nothing of this transaction may stay."""


@dataclass(frozen=True)
class Paper:
    """What is printed, and the numbering that it took its number from."""

    place: Place
    printed: PrintedEmission


def paper_of(source: DocumentSource) -> Paper | None:
    """Returns the paper of a request that was reviewed; None when it is to be issued now."""
    emission, kind = source.printed_emission(), source.kind
    if not isinstance(emission, Emission):
        return None
    last_number = kind.numbering.last_number
    place = Place(source.dossier.row.id, kind.name, source.environment, emission.series, last_number)
    return Paper(place, _printed(emission, printed_key(kind, source.request)))


def printed_key(kind: DocumentType, request: Body) -> str | None:
    """Returns the access key on the paper of a request, if it has one."""
    return kind.point_of_sale.printed_key(request) if kind.point_of_sale else None


def is_printed(document: Document) -> bool:
    """Tell whether a document is in somebody's hands whatever becomes of it."""
    return document.emission is not None and document.emission.emission_type == EmissionType.OFFLINE


async def add_printed(
    tenant: Tenant, document: NewDocument, events: Sequence[NewEvent], paper: Paper
) -> Document:
    """Store a document under the number that it has; whoever is numbered next goes past that.

    The numbering comes first, as it makes others who take or give up its numbers wait.
    """
    await tenant.number_sequences.move_past(paper.place, paper.printed.number)
    queued = document.status == Status.PROCESSING
    stored = await tenant.documents.add(replace(document, emission=1), events, queued=queued)
    emission = await tenant.emissions.add_printed(document.id, paper.place, paper.printed)
    if emission is None:
        raise AlreadyThere
    voided_by = await tenant.emissions.voided_by(paper.place, paper.printed.number)
    if voided_by is not None:
        sentence = "O número já foi inutilizado."
        raise Refusal(Code.NUMBER_ALREADY_USED, sentence, inutilizationId=str(voided_by))
    return replace(stored, emission=emission)


async def number_taken(tenant: Tenant, paper: Paper) -> Refusal:
    """Why a document that is not there already could not be stored: another has its number."""
    holder = await tenant.emissions.holder_of(paper.place, paper.printed.number)
    if holder is None:
        raise LookupError("a document that kept another from being stored is gone")
    return Refusal(Code.NUMBER_ALREADY_USED, documentId=str(holder))


def _printed(emission: Emission, access_key: str | None) -> PrintedEmission:
    contingency = emission.contingency
    if contingency is None or access_key is None:
        raise LookupError("a paper that was reviewed tells its key and its contingency")
    return PrintedEmission(
        number=emission.number,
        numeric_code=emission.numeric_code,
        emission_type=emission.type,
        contingency_started_at=contingency.started_at,
        contingency_reason=contingency.reason,
        issued_at=emission.issued_at,
        access_key=access_key,
    )
