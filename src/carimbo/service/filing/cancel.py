"""Canceling a document: an event that the caller waits for."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.lifecycle import FilingState, Happening, Status
from carimbo.service.cancellation_terms import cancelable_at_all, cancelable_until
from carimbo.service.companies import hold_company
from carimbo.service.documents import Reference, refusing_damaged_key, require_document
from carimbo.service.errors import Code, Refusal
from carimbo.service.filing.desk import Desk, new_event
from carimbo.service.filing.event import event_kind
from carimbo.service.filing.outcome import (
    CanceledRecord,
    CancellationUnderWay,
    authority_refusal,
    deadline_refusal,
    under_way,
)
from carimbo.service.kinds import kind_named
from carimbo.storage.companies import Company
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.event_filings import EventFiling, NewEventFiling

# A document is canceled once: those who ask for it at the same time ask for the same event.
_ONLY = 1
_NOT_ISSUED = (
    "O documento ainda não foi emitido, e não há o que cancelar: para descartá-lo, use"
    " DELETE /v1/companies/{companyId}/invoices/{id}."
)


async def cancel(
    desk: Desk, company: Company, which: Reference, request: Body
) -> CanceledRecord | CancellationUnderWay:
    """Cancel a document and wait for the outcome; one that is being canceled already is waited for too."""
    async with desk.counter.database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
    emission, kind = _authorized(document), kind_named(document.type)
    event = event_kind(kind, Happening.CANCELLATION)
    with refusing_damaged_key(document):
        _require_in_time(desk, document, emission, event, request)
        dossier = await desk.dossier_of(which.subscription_id, company, kind)
        desk.try_event(dossier, emission, document.environment, event, request)
    async with desk.counter.database.tenant(which.subscription_id) as tenant:
        await hold_company(tenant, company.id)
        filing = await _filed(tenant, new_event(document, emission, event, request, _ONLY))
    return _told(document, emission, event, await desk.fate_of(which.subscription_id, filing))


def _authorized(document: Document) -> Emission:
    if document.status != Status.AUTHORIZED or document.emission is None:
        sentence = _NOT_ISSUED if document.status == Status.PENDING else None
        raise Refusal(
            Code.INVALID_STATE, sentence, currentStatus=document.status, allowed=[Status.AUTHORIZED]
        )
    return document.emission


def _require_in_time(
    desk: Desk, document: Document, emission: Emission, event: EventKind, request: Body
) -> None:
    kind, by_substitution = kind_named(document.type), event.replaced_by(request) is not None
    deadline = cancelable_at_all(kind, emission, by_substitution=by_substitution)
    if deadline is not None and desk.counter.workshop.clock() > deadline:
        raise deadline_refusal(deadline, event.alternative)


async def _filed(tenant: Tenant, new: NewEventFiling) -> EventFiling:
    """Store the event, or find the one that is told already; one that is refused meanwhile makes room."""
    while True:
        filing = await tenant.event_filings.add(new)
        if filing is not None:
            return filing
        told = await tenant.event_filings.of_document(new.document_id, new.emission, new.type)
        for one in told:
            if one.state != FilingState.REFUSED:
                return one


def _told(
    document: Document, emission: Emission, event: EventKind, filing: EventFiling
) -> CanceledRecord | CancellationUnderWay:
    match FilingState(filing.state):
        case FilingState.REGISTERED:
            return CanceledRecord(id=document.id, status=Status.CANCELED, type=document.type)
        case FilingState.REFUSED:
            raise _refusal(kind_named(document.type), emission, event, filing)
        case _:
            return CancellationUnderWay(
                id=document.id,
                status=Status.AUTHORIZED,
                type=document.type,
                cancellation=under_way(filing),
            )


def _refusal(kind: DocumentType, emission: Emission, event: EventKind, filing: EventFiling) -> Refusal:
    if filing.authority_code in event.late_codes:
        return deadline_refusal(cancelable_until(kind, emission), event.alternative, filing)
    return authority_refusal(kind, filing)
