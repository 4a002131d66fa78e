"""Brings a document from where it stands as far as it will go: one resumable piece of work per document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.lifecycle import EmissionState, Happening, Status
from carimbo.fiscal.outcome import Authorized, Canceled, Closed, Denied, Duplicate, Outcome, Rejected
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.answer_log import in_log
from carimbo.service.backoff import AT_ONCE, dice
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Seal
from carimbo.service.issuing import conclude
from carimbo.service.issuing.build import build
from carimbo.service.issuing.case import Case
from carimbo.service.issuing.decision import Foreign, Onward
from carimbo.service.issuing.history import question_events
from carimbo.service.issuing.number import redirect, take_number
from carimbo.service.issuing.recognition import decide, is_forgotten
from carimbo.service.issuing.sign import keep_signed, signed_before
from carimbo.service.issuing.transmit import ask, record_attempt, send
from carimbo.service.issuing.unissuable import NO_NUMBER_LEFT, unissuable, unready_now
from carimbo.service.issuing.way import is_stuck, learn, shortened, way_of
from carimbo.service.last_answer import UNASKED, last_answer_of
from carimbo.service.readiness import NO_CERTIFICATE
from carimbo.storage import work
from carimbo.storage.document_events import NewEvent
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.issuing import EmissionWay, SeriesExhausted
from carimbo.storage.work import Lease

_log = structlog.get_logger("carimbo.issuing")
# A series whose next numbers are all somebody else's is a wrong setting, which a person has to mend.
_MOST_NUMBERS = 10
_OTHER_CONTENT = "Duplicidade: a autoridade tem este número, autorizado com outro conteúdo"
_FORGOTTEN = (
    "Esta numeração só pode ter saído daqui: se um backup foi restaurado, o documento já foi emitido depois"
    " dele. Confira na autoridade antes de emitir de novo."
)


@dataclass(frozen=True)
class Done:
    """Nothing more can be done now."""

    again_in: timedelta | None = None


async def advance(means: WorkerContext, lease: Lease) -> timedelta | None:
    """Take every step that can be taken now; tells when to come again, or None when all is done."""
    step: Case | Done = await _read(means, lease)
    while isinstance(step, Case):
        step = await _next(means, step)
    return step.again_in


async def _read(means: WorkerContext, lease: Lease) -> Case | Done:
    key = lease.key
    async with means.database.autocommit(key.subscription_id) as tenant:
        document = await tenant.documents.get(key.id)
    if document is None:
        raise LookupError(f"{key} has no document")
    if document.status != Status.PROCESSING:
        async with means.database.transaction() as connection:
            await work.conclude(connection, lease)
        return Done()
    dossier = await means.dossiers.of(key.subscription_id, document.company_id, document.company_revision)
    return Case(lease, document, dossier)


async def _next(means: WorkerContext, case: Case) -> Case | Done:
    emission = case.document.emission
    if emission is not None and emission.emission_type == EmissionType.OFFLINE:
        return await _go(means, case)
    way = await way_of(means, case)
    if emission is None or emission.state == EmissionState.FOREIGN:
        return await _number(means, case, way)
    if emission.emission_type == way.emission_type:
        return await _go(means, case)
    if emission.state != EmissionState.SENT:
        # Under the same number, so not while an authority may still get what it does not have yet.
        return await (_go(means, case) if _may_arrive(means, case) else redirect(means, case, way))
    return await _leave(means, case, way) if await is_stuck(means, case, way) else await _go(means, case)


async def _go(means: WorkerContext, case: Case) -> Case | Done:
    """Go on from where the attempt in force stands."""
    match EmissionState(case.emission.state):
        case EmissionState.NUMBERED:
            return await _make(means, case)
        case EmissionState.SIGNED if _is_stale(means, case):
            # The authority has nothing of it, and would refuse it for its age.
            return await _make(means, case)
        case EmissionState.SIGNED:
            return await _repeat(means, case)
        case _:
            return await _inquire(means, case)


async def _leave(means: WorkerContext, case: Case, way: EmissionWay) -> Case | Done:
    """Take another number for a document of unknown fate, whose first attempt is asked about by itself."""
    numbered = await _numbered(means, case, way)
    return numbered if isinstance(numbered, Case) else await _go(means, case)


async def _number(means: WorkerContext, case: Case, way: EmissionWay) -> Case | Done:
    numbered = await _numbered(means, case, way)
    if isinstance(numbered, Case):
        return numbered
    await _refuse_unsent(means, case, numbered)
    return Done()


async def _numbered(means: WorkerContext, case: Case, way: EmissionWay) -> Case | tuple[Problem, ...]:
    problems = await unissuable(means, case)
    if problems:
        return problems
    try:
        numbered = await take_number(means, case, way)
    except SeriesExhausted:
        return (NO_NUMBER_LEFT,)
    means.reached("numbered", case.subject)
    return numbered


async def _make(means: WorkerContext, case: Case) -> Case | Done:
    """Build, sign and store; what is stored is sent at once, and marked so in the same transaction."""
    seal = await means.dossiers.seal_of(case.dossier)
    problems = unready_now(means, case)
    if problems or seal is None:
        await _refuse_unsent(means, case, problems or (NO_CERTIFICATE,))
        return Done()
    made = await build(means, case, seal)
    if isinstance(made, tuple):
        await _refuse_unsent(means, case, made)
        return Done()
    case = await keep_signed(means, case, made.signed, made.issued_at)
    means.reached("signed", case.subject)
    return await _transmit(means, case, seal, made.signed)


async def _repeat(means: WorkerContext, case: Case) -> Case | Done:
    """Send the same bytes again, unless the company has another certificate by now.

    The authority may refuse the earlier one in the signature too. What is on paper can't be made anew.
    """
    seal = await means.dossiers.seal_of(case.dossier)
    if seal is None:
        await _refuse_unsent(means, case, (NO_CERTIFICATE,))
        return Done()
    signed = await signed_before(means, case)
    is_printed = case.emission.emission_type == EmissionType.OFFLINE
    if not is_printed and not seal.has_signed(signed.xml):
        return await _make(means, case)
    case = await record_attempt(means, case, signed)
    return await _transmit(means, case, seal, signed)


async def _transmit(means: WorkerContext, case: Case, seal: Seal, signed: SignedDocument) -> Case | Done:
    outcome = await send(means, case, _sender(case, seal), signed)
    means.reached("answered", case.subject)
    return await _apply(means, case, EmissionState.SIGNED, Happening.TRANSMITTED, outcome)


async def _inquire(means: WorkerContext, case: Case) -> Case | Done:
    """Ask what became of a document that the authority may have."""
    seal = await means.dossiers.seal_of(case.dossier)
    if seal is None:
        # Its fate is open, and without a certificate nobody answers: it waits for one.
        tries = case.emission.tries + 1
        pause = means.backoff.pause(tries, dice())
        onward = Onward(EmissionState.SENT, pause, tries)
        return await _go_on(means, case, onward, [], UNASKED)
    outcome = await ask(means, case, _sender(case, seal))
    means.reached("answered", case.subject)
    return await _apply(means, case, EmissionState.SENT, Happening.CONSULTED, outcome)


async def _apply(
    means: WorkerContext, case: Case, state: EmissionState, happening: Happening, outcome: Outcome
) -> Case | Done:
    await learn(means, case, happening, outcome)
    decision = await decide(means, case, state, outcome)
    asked = question_events(case, happening, outcome, decision)
    if isinstance(decision, Onward):
        document_id = str(case.document.id)
        _log.info("document_goes_on", document_id=document_id, state=decision.state, **in_log(outcome))
        return await _go_on(means, case, decision, asked, last_answer_of(outcome))
    if isinstance(decision, Foreign):
        return await _renumber(means, case, decision, asked)
    await _conclude(means, case, decision, asked)
    means.reached("concluded", case.subject)
    return Done()


def _may_arrive(means: WorkerContext, case: Case) -> bool:
    """Tell whether the authority may still get what it said that it does not have."""
    return case.emission.may_arrive(means.workshop.clock(), means.latest_arrival)


def _is_stale(means: WorkerContext, case: Case) -> bool:
    """Tell whether what was signed is too old to be sent; what is on paper can't be made anew."""
    if case.emission.emission_type == EmissionType.OFFLINE:
        return False
    limit, issued_at = case.kind.issuing.stale_after, case.emission.issued_at
    return bool(limit and issued_at and means.workshop.clock() - issued_at > limit)


async def _conclude(
    means: WorkerContext,
    case: Case,
    verdict: Authorized | Rejected | Denied | Canceled | Closed,
    asked: Sequence[NewEvent],
) -> None:
    match verdict:
        case Authorized():
            await conclude.adopt(means, case, verdict, asked)
        case Canceled():
            await conclude.adopt_canceled(means, case, verdict, asked)
        case Closed():
            await conclude.adopt_closed(means, case, verdict, asked)
        case Denied():
            await conclude.deny(means, case, verdict, asked)
        case Rejected():
            await conclude.refuse(means, case, verdict, asked)
    _tell_conclusion(case, type(verdict).__name__.lower(), verdict.code)


async def _refuse_unsent(means: WorkerContext, case: Case, problems: Sequence[Problem]) -> None:
    await conclude.refuse_unsent(means, case, problems)
    _tell_conclusion(case, Status.REJECTED, problems[0].code)


def _tell_conclusion(case: Case, outcome: str, code: str) -> None:
    _log.info("document_concluded", document_id=str(case.document.id), outcome=outcome, code=code)


async def _go_on(
    means: WorkerContext, case: Case, onward: Onward, asked: Sequence[NewEvent], answer: LastAnswer
) -> Case | Done:
    onward = replace(onward, after=await shortened(means, case, onward.after))
    await conclude.go_on(means, case, onward, asked, answer)
    if onward.after > AT_ONCE:
        return Done(onward.after)
    changed = replace(
        case.emission,
        state=onward.state,
        tries=onward.tries,
        receipt=onward.receipt,
        access_key=onward.access_key or case.emission.access_key,
        unknown_at=onward.unknown_at or case.emission.unknown_at,
        answer_code=answer.code,
    )
    return case.with_emission(changed)


async def _renumber(
    means: WorkerContext, case: Case, foreign: Foreign, asked: Sequence[NewEvent]
) -> Case | Done:
    """The number is somebody else's: take the next one, but not without end."""
    answer = foreign.answer
    _log.warning("number_taken", document_id=str(case.document.id), code=answer.code, told=answer.message)
    is_printed = case.emission.emission_type == EmissionType.OFFLINE
    # The code of a paper's key was drawn by the till.
    forgotten = not is_printed and is_forgotten(case, answer)
    if is_printed or forgotten or case.emission.ordinal % _MOST_NUMBERS == 0:
        refusal = _refusal(case, answer, retryable=not (is_printed or forgotten))
        hint = _FORGOTTEN if forgotten else None
        await conclude.refuse(means, case, refusal, asked, EmissionState.FOREIGN, hint)
        _tell_conclusion(case, Status.REJECTED, refusal.code)
        return Done()
    onward = Onward(EmissionState.FOREIGN, AT_ONCE, tries=0)
    return await _go_on(means, case, onward, asked, LastAnswer(answer.code, answer.message))


def _refusal(case: Case, answer: Duplicate | Authorized | Rejected, retryable: bool) -> Rejected:
    """Another number cures it, which is a setting: the same request passes then, if it may have another.

    What is on paper has its number for good; so has what was issued already, and forgotten.
    """
    told = answer.answer_xml if isinstance(answer, Rejected) else None
    if isinstance(answer, Authorized):
        # Its own code is that of a success, which other bytes had.
        code = case.kind.numbering.taken_code
        return Rejected(code=code, message=_OTHER_CONTENT, retryable=retryable)
    return Rejected(code=answer.code, message=answer.message, answer_xml=told, retryable=retryable)


def _sender(case: Case, seal: Seal) -> Sender:
    return seal.sender(case.dossier.row.tax_id, case.environment)
