"""Correction letters: each replaces the ones before it."""

from datetime import timedelta

from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.lifecycle import FilingState, Happening, Status
from carimbo.service.companies import hold_company
from carimbo.service.documents import (
    EventRecord,
    Reference,
    refusing_damaged_key,
    require_document,
    wrong_state,
)
from carimbo.service.errors import Code, Refusal
from carimbo.service.exact_json import read
from carimbo.service.filing.desk import Desk, new_event
from carimbo.service.filing.event import PLACE_TAKEN, event_kind
from carimbo.service.filing.outcome import CorrectionUnderWay, authority_refusal, under_way
from carimbo.service.kinds import kind_named
from carimbo.storage.companies import Company
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.event_filings import EventFiling


async def correct(
    desk: Desk, company: Company, which: Reference, request: Body
) -> EventRecord | CorrectionUnderWay:
    """Correct a document and wait for the outcome; the same letter again is the one that there is."""
    async with desk.counter.database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
    kind = kind_named(document.type)
    event = event_kind(kind, Happening.CORRECTION)
    emission = _correctable(desk, document, event)
    dossier = await desk.dossier_of(which.subscription_id, company, kind)
    with refusing_damaged_key(document):
        desk.try_event(dossier, emission, document.environment, event, request)
    async with desk.counter.database.tenant(which.subscription_id) as tenant:
        await hold_company(tenant, company.id)
        filing = await _filed(tenant, document, emission, event, request)
    return _told(document, await desk.fate_of(which.subscription_id, filing))


def _correctable(desk: Desk, document: Document, event: EventKind) -> Emission:
    emission = document.emission
    if document.status != Status.AUTHORIZED or emission is None or emission.authorized_at is None:
        raise wrong_state(document, Status.AUTHORIZED)
    within = event.within or timedelta.max
    if desk.counter.workshop.clock() - emission.authorized_at > within:
        hours = round(within / timedelta(hours=1))
        raise _broken(
            "CORRECTION_TOO_LATE", f"A carta de correção só é aceita até {hours} horas após a autorização."
        )
    return emission


async def _filed(
    tenant: Tenant, document: Document, emission: Emission, event: EventKind, request: Body
) -> EventFiling:
    """Store the letter after those that there are; whoever writes another one at the same time waits."""
    locked = await tenant.documents.lock(document.id)
    if locked is None or locked.status != Status.AUTHORIZED:
        raise wrong_state(locked or document, Status.AUTHORIZED)
    told = await tenant.event_filings.of_document(document.id, emission.ordinal, event.happening)
    standing = [one for one in told if one.state != FilingState.REFUSED]
    last = standing[-1] if standing else None
    new = new_event(document, emission, event, request, _next_sequence(told, event))
    if last and read(last.request) == read(new.request):
        return last
    if last and last.state != FilingState.REGISTERED:
        sentence = "A carta de correção anterior ainda está em processamento: aguarde o seu resultado."
        raise Refusal(Code.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    stored = await tenant.event_filings.add(new)
    if stored is None:
        raise LookupError("a letter was stored while the document was locked")
    return stored


def _next_sequence(told: list[EventFiling], event: EventKind) -> int:
    taken = [
        one.sequence for one in told if one.state != FilingState.REFUSED or one.authority_code == PLACE_TAKEN
    ]
    sequence = max(taken, default=0) + 1
    if sequence > event.most:
        raise _broken("594", f"O documento já tem {event.most} cartas de correção, que é o máximo.")
    return sequence


def _broken(code: str, message: str) -> Refusal:
    rule = {"code": code, "field": "correction", "message": message, "hint": None}
    return Refusal(Code.FISCAL_RULE_VIOLATION, rules=[rule])


def _told(document: Document, filing: EventFiling) -> EventRecord | CorrectionUnderWay:
    match FilingState(filing.state):
        case FilingState.REGISTERED:
            return EventRecord(
                id=filing.id,
                type=Happening(filing.type),
                status=Status.AUTHORIZED,
                sequence=filing.sequence,
                protocol=filing.protocol,
                authority_code=filing.authority_code,
                authority_message=filing.authority_message,
                created_at=filing.created_at,
            )
        case FilingState.REFUSED:
            raise authority_refusal(kind_named(document.type), filing)
        case _:
            return CorrectionUnderWay(
                id=document.id,
                status=Status(document.status),
                type=document.type,
                correction=under_way(filing),
            )
