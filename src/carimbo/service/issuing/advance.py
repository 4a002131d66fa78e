"""Advances a document as far as possible; the work can be interrupted and resumed after every step."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.lifecycle import EmissionState, HistoryEntry, Status
from carimbo.fiscal.outcome import Authorized, Canceled, Closed, Denied, Duplicate, Outcome, Rejected
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.service.authority_answers import NO_CERTIFICATE_ANSWER, last_answer_of, log_fields
from carimbo.service.companies.company_checks import NO_CERTIFICATE
from carimbo.service.companies.snapshot import SigningIdentity
from carimbo.service.contexts import WorkerContext
from carimbo.service.issuing import conclude
from carimbo.service.issuing.conclude import request_entries
from carimbo.service.issuing.decision import ContinueAttempt, NumberTaken
from carimbo.service.issuing.in_progress import DocumentInProgress
from carimbo.service.issuing.recognition import decide, was_issued_before_restore
from carimbo.service.issuing.routes import current_route, is_stuck, report_outcome, shorten_pause
from carimbo.service.issuing.steps import (
    NO_NUMBER_LEFT,
    build_document,
    company_problems,
    consult_attempt,
    load_signed,
    problems_before_issuing,
    record_attempt,
    redirect,
    store_signed,
    take_number,
    transmit,
)
from carimbo.service.waiting import AT_ONCE, jitter
from carimbo.storage import work
from carimbo.storage.document_events import NewEvent
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.issuing import EmissionRoute, SeriesExhausted
from carimbo.storage.work import Lease

_log = structlog.get_logger("carimbo.issuing")
# If this many numbers in a row are taken, the series is configured wrongly, and a person must correct it.
_MAX_NUMBERS_IN_A_ROW = 10
_OTHER_CONTENT = "Duplicidade: a autoridade tem este número, autorizado com outro conteúdo"
_ISSUED_BEFORE_RESTORE = (
    "Esta numeração só pode ter saído daqui: se um backup foi restaurado, o documento já foi emitido depois"
    " dele. Confira na autoridade antes de emitir de novo."
)


async def advance(context: WorkerContext, lease: Lease) -> None:
    """Takes all steps that are possible now; the document's row says when the next one is due."""
    document = await _read(context, lease)
    while document is not None:
        document = await _next(context, document)


async def _read(context: WorkerContext, lease: Lease) -> DocumentInProgress | None:
    key, row = lease.key, lease.document
    if row is None:
        async with context.database.autocommit(key.subscription_id) as tenant:
            row = await tenant.documents.get(key.id)
    if row is None:
        raise LookupError(f"{key} has no document")
    if row.status != Status.PROCESSING:
        async with context.database.transaction() as connection:
            await work.conclude(connection, lease)
        return None
    snapshot = await context.snapshots.of(key.subscription_id, row.company_id, row.company_revision)
    return DocumentInProgress(lease, row, snapshot)


async def _next(context: WorkerContext, document: DocumentInProgress) -> DocumentInProgress | None:
    emission = document.row.emission
    if emission is not None and emission.is_printed:
        return await _continue(context, document)
    route = await current_route(context, document)
    if emission is None or emission.state == EmissionState.FOREIGN:
        return await _number_or_reject(context, document, route)
    if emission.emission_type != route.emission_type:
        if emission.state == EmissionState.SENT:
            if await is_stuck(context, document, route):
                return await _supersede(context, document, route)
        # The new route keeps the number. So the first authority must not receive the document any more.
        elif not emission.may_still_arrive(context.builder.clock(), context.in_flight_limit):
            return await redirect(context, document, route)
    return await _continue(context, document)


async def _continue(context: WorkerContext, document: DocumentInProgress) -> DocumentInProgress | None:
    """Takes the next step of the current attempt."""
    match EmissionState(document.emission.state):
        case EmissionState.NUMBERED:
            return await _build_and_send(context, document)
        case EmissionState.SIGNED if _is_stale(context, document):
            # The authority does not have it, and would reject it because of its age.
            return await _build_and_send(context, document)
        case EmissionState.SIGNED:
            return await _resend(context, document)
        case _:
            return await _consult(context, document)


async def _supersede(
    context: WorkerContext, document: DocumentInProgress, route: EmissionRoute
) -> DocumentInProgress | None:
    """Takes another number, because the outcome is unknown; the superseded attempt is settled separately."""
    numbered = await _try_number(context, document, route)
    return numbered if isinstance(numbered, DocumentInProgress) else await _continue(context, document)


async def _number_or_reject(
    context: WorkerContext, document: DocumentInProgress, route: EmissionRoute
) -> DocumentInProgress | None:
    numbered = await _try_number(context, document, route)
    if isinstance(numbered, DocumentInProgress):
        return numbered
    await _reject_unsent(context, document, numbered)
    return None


async def _try_number(
    context: WorkerContext, document: DocumentInProgress, route: EmissionRoute
) -> DocumentInProgress | tuple[Problem, ...]:
    problems = await problems_before_issuing(context, document)
    if problems:
        return problems
    try:
        numbered = await take_number(context, document, route)
    except SeriesExhausted:
        return (NO_NUMBER_LEFT,)
    context.reached("numbered", document.subject)
    return numbered


async def _build_and_send(context: WorkerContext, document: DocumentInProgress) -> DocumentInProgress | None:
    """Builds, signs, stores and sends the document; it is marked as sent when it is stored."""
    identity = await context.snapshots.signing_identity_of(document.snapshot)
    problems = company_problems(context, document)
    if problems or identity is None:
        await _reject_unsent(context, document, problems or (NO_CERTIFICATE,))
        return None
    built = await build_document(context, document, identity)
    if isinstance(built, tuple):
        await _reject_unsent(context, document, built)
        return None
    document = await store_signed(context, document, built.signed, built.issued_at)
    context.reached("signed", document.subject)
    return await _transmit(context, document, identity, built.signed)


async def _resend(context: WorkerContext, document: DocumentInProgress) -> DocumentInProgress | None:
    """Sends the same bytes again, unless the company has another certificate by now.

    The authority may refuse the previous certificate in the signature too. A printed document can't be
    signed again.
    """
    identity = await context.snapshots.signing_identity_of(document.snapshot)
    if identity is None:
        await _reject_unsent(context, document, (NO_CERTIFICATE,))
        return None
    signed = await load_signed(context, document)
    if not document.emission.is_printed and not identity.has_signed(signed.xml):
        return await _build_and_send(context, document)
    document = await record_attempt(context, document, signed)
    return await _transmit(context, document, identity, signed)


async def _transmit(
    context: WorkerContext, document: DocumentInProgress, identity: SigningIdentity, signed: SignedDocument
) -> DocumentInProgress | None:
    outcome = await transmit(context, document, _sender(document, identity), signed)
    context.reached("answered", document.subject)
    return await _apply_answer(context, document, EmissionState.SIGNED, HistoryEntry.TRANSMITTED, outcome)


async def _consult(context: WorkerContext, document: DocumentInProgress) -> DocumentInProgress | None:
    """Asks for the outcome of a document that the authority may have."""
    identity = await context.snapshots.signing_identity_of(document.snapshot)
    if identity is None:
        # The outcome is unknown, and the authority can't be asked without a certificate.
        tries = document.emission.tries + 1
        pause = context.backoff.pause(tries, jitter())
        continuation = ContinueAttempt(EmissionState.SENT, pause, tries)
        return await _store_continuation(context, document, continuation, [], NO_CERTIFICATE_ANSWER)
    outcome = await consult_attempt(context, document, _sender(document, identity))
    context.reached("answered", document.subject)
    return await _apply_answer(context, document, EmissionState.SENT, HistoryEntry.CONSULTED, outcome)


async def _apply_answer(
    context: WorkerContext,
    document: DocumentInProgress,
    state: EmissionState,
    history_entry: HistoryEntry,
    outcome: Outcome,
) -> DocumentInProgress | None:
    await report_outcome(context, document, history_entry, outcome)
    decision = await decide(context, document, state, outcome)
    entries = request_entries(document, history_entry, outcome, decision)
    if isinstance(decision, ContinueAttempt):
        document_id = str(document.row.id)
        _log.info("document_goes_on", document_id=document_id, state=decision.state, **log_fields(outcome))
        return await _store_continuation(context, document, decision, entries, last_answer_of(outcome))
    if isinstance(decision, NumberTaken):
        return await _renumber(context, document, decision, entries)
    await _conclude(context, document, decision, entries)
    context.reached("concluded", document.subject)
    return None


def _is_stale(context: WorkerContext, document: DocumentInProgress) -> bool:
    """Returns whether the signed document is too old to be sent; a printed one can't be signed again."""
    if document.emission.is_printed:
        return False
    limit, issued_at = document.document_type.issuing.stale_after, document.emission.issued_at
    return bool(limit and issued_at and context.builder.clock() - issued_at > limit)


async def _conclude(
    context: WorkerContext,
    document: DocumentInProgress,
    verdict: Authorized | Rejected | Denied | Canceled | Closed,
    entries: Sequence[NewEvent],
) -> None:
    match verdict:
        case Authorized():
            await conclude.store_authorized(context, document, verdict, entries)
        case Canceled():
            await conclude.store_canceled(context, document, verdict, entries)
        case Closed():
            await conclude.store_closed(context, document, verdict, entries)
        case Denied():
            await conclude.store_denied(context, document, verdict, entries)
        case Rejected():
            await conclude.store_rejected(context, document, verdict, entries)
    _log_conclusion(document, type(verdict).__name__.lower(), verdict.code)


async def _reject_unsent(
    context: WorkerContext, document: DocumentInProgress, problems: Sequence[Problem]
) -> None:
    await conclude.reject_unsent(context, document, problems)
    _log_conclusion(document, Status.REJECTED, problems[0].code)


def _log_conclusion(document: DocumentInProgress, outcome: str, code: str) -> None:
    _log.info("document_concluded", document_id=str(document.row.id), outcome=outcome, code=code)


async def _store_continuation(
    context: WorkerContext,
    document: DocumentInProgress,
    continuation: ContinueAttempt,
    entries: Sequence[NewEvent],
    answer: LastAnswer,
) -> DocumentInProgress | None:
    continuation = replace(continuation, after=await shorten_pause(context, document, continuation.after))
    await conclude.store_progress(context, document, continuation, entries, answer)
    if continuation.after > AT_ONCE:
        return None
    changed = replace(
        document.emission,
        state=continuation.state,
        tries=continuation.tries,
        receipt=continuation.receipt,
        access_key=continuation.access_key or document.emission.access_key,
        unknown_at=continuation.unknown_at or document.emission.unknown_at,
        answer_code=answer.code,
    )
    return document.with_emission(changed)


async def _renumber(
    context: WorkerContext, document: DocumentInProgress, taken: NumberTaken, entries: Sequence[NewEvent]
) -> DocumentInProgress | None:
    """Takes the next number, because another document has this one; after too many, rejects."""
    answer = taken.answer
    _log.warning("number_taken", document_id=str(document.row.id), code=answer.code, told=answer.message)
    is_printed = document.emission.is_printed
    # A point of sale chose the random code of the documents that it printed.
    is_ours = not is_printed or document.document_type.point_of_sale is None
    issued_before = is_ours and was_issued_before_restore(document, answer)
    if is_printed or issued_before or document.emission.ordinal % _MAX_NUMBERS_IN_A_ROW == 0:
        refusal = _refusal(document, answer, retryable=not (is_printed or issued_before))
        hint = _ISSUED_BEFORE_RESTORE if issued_before else None
        await conclude.store_rejected(context, document, refusal, entries, EmissionState.FOREIGN, hint)
        _log_conclusion(document, Status.REJECTED, refusal.code)
        return None
    continuation = ContinueAttempt(EmissionState.FOREIGN, AT_ONCE, tries=0)
    return await _store_continuation(
        context, document, continuation, entries, LastAnswer(answer.code, answer.message)
    )


def _refusal(
    document: DocumentInProgress, answer: Duplicate | Authorized | Rejected, retryable: bool
) -> Rejected:
    """Returns the rejection of a document whose number is taken.

    It is retryable if the document may take another number, after the series was configured.
    """
    if isinstance(answer, Authorized):
        # The answer has the code of a success, because the authority authorized a document with other
        # content.
        code = document.document_type.numbering.taken_code
        return Rejected(code=code, message=_OTHER_CONTENT, retryable=retryable)
    answer_xml = answer.answer_xml if isinstance(answer, Rejected) else None
    return Rejected(code=answer.code, message=answer.message, answer_xml=answer_xml, retryable=retryable)


def _sender(document: DocumentInProgress, identity: SigningIdentity) -> AuthorityCredentials:
    return identity.sender(document.snapshot.row.tax_id, document.environment)
