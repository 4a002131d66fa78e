"""The last step: writes status, history, files and the use of the plan in one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import structlog

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import AuthorizedAmounts
from carimbo.fiscal.lifecycle import (
    CANCELLATION,
    CLOSED_AT,
    CLOSING,
    OPEN_SINCE,
    REPLACES,
    EmissionState,
    HistoryEntry,
    Status,
)
from carimbo.fiscal.outcome import (
    AuthorityAnswer,
    Authorized,
    Canceled,
    Closed,
    Denied,
    NotJudged,
    Outcome,
    Rejected,
    may_have_reached_authority,
)
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.taxes.missing_rates import RATE_UNKNOWN
from carimbo.service.authority_answers import refused_certificate
from carimbo.service.contexts import WorkerContext
from carimbo.service.documents import files
from carimbo.service.documents.record import Rejection
from carimbo.service.issuing.decision import ContinueAttempt, IssuingDecision
from carimbo.service.issuing.in_progress import DocumentInProgress
from carimbo.service.subscriptions import allowance_change_of
from carimbo.service.waiting import AT_ONCE
from carimbo.storage.document_events import NewEvent
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.issuing import Verdict

_log = structlog.get_logger("carimbo.issuing")
# Parts outside of the request: once they are corrected, the same request passes.
_OUTSIDE_THE_REQUEST = ("company", "technicalResponsible")
_DENIED = "O número foi consumido pela denegação: regularize a situação e crie outro documento."


async def store_authorized(
    context: WorkerContext, document: DocumentInProgress, answer: Authorized, entries: Sequence[NewEvent]
) -> None:
    """Stores an authorization. The digest in the answer says which signed version was authorized."""
    entry = answer_entry(HistoryEntry.AUTHORIZED, Status.AUTHORIZED, answer, answer.protocol)
    await _write(context, document, await _authorized(context, document, answer), [*entries, entry])


async def store_canceled(
    context: WorkerContext, document: DocumentInProgress, answer: Canceled, entries: Sequence[NewEvent]
) -> None:
    """Stores a document that another program canceled before we knew of its authorization."""
    first = answer.authorization
    if first is None:
        raise LookupError("a cancellation without its authorization decides nothing")
    event = document.document_type.cancellation
    name = event.name if event else CANCELLATION
    verdict = await _authorized(context, document, first)
    cancellation = {files.consulted_event_file(name, verdict.digest or ""): answer.cancellation_xml or b""}
    verdict = replace(
        verdict,
        status=Status.CANCELED,
        emission_state=EmissionState.CANCELED,
        files={**verdict.files, **cancellation},
    )
    events = [
        answer_entry(HistoryEntry.AUTHORIZED, Status.AUTHORIZED, first, first.protocol),
        answer_entry(name, Status.CANCELED, answer, answer.protocol),
    ]
    await _write(context, document, verdict, [*entries, *events])


async def store_closed(
    context: WorkerContext, document: DocumentInProgress, answer: Closed, entries: Sequence[NewEvent]
) -> None:
    """Stores a document that another program closed before we knew of its authorization."""
    first = answer.authorization
    if first is None:
        raise LookupError("a closing without its authorization decides nothing")
    event = document.document_type.closing
    name = event.name if event else CLOSING
    verdict = await _authorized(context, document, first)
    closed_at = answer.closed_at or context.builder.clock()
    verdict = replace(
        verdict,
        facts={**verdict.facts, CLOSED_AT: closed_at.isoformat()},
        files={
            **verdict.files,
            files.consulted_event_file(name, verdict.digest or ""): answer.closing_xml or b"",
        },
    )
    events = [
        answer_entry(HistoryEntry.AUTHORIZED, Status.AUTHORIZED, first, first.protocol),
        answer_entry(name, Status.AUTHORIZED, answer, answer.protocol),
    ]
    await _write(context, document, verdict, [*entries, *events])


async def store_rejected(
    context: WorkerContext,
    document: DocumentInProgress,
    answer: Rejected,
    entries: Sequence[NewEvent],
    state: EmissionState = EmissionState.REJECTED,
    own_hint: str | None = None,
) -> None:
    """Stores a rejection; the authority keeps nothing, and the number stays for the corrected document."""
    hint = document.document_type.issuing.hint(answer.code, answer.message)
    rejection = Rejection(
        code=answer.code,
        message=answer.message,
        field=(hint.field or None) if hint else None,
        hint=own_hint or (hint.sentence if hint else None),
        retryable=answer.retryable,
    )
    verdict = _refused(document, rejection, state, answer.answer_xml)
    entry = answer_entry(HistoryEntry.REJECTED, Status.REJECTED, answer)
    await _write(context, document, verdict, [*entries, entry])


async def store_denied(
    context: WorkerContext, document: DocumentInProgress, answer: Denied, entries: Sequence[NewEvent]
) -> None:
    """Stores a denial; the authority keeps the document, so its number is used up."""
    rejection = Rejection(code=answer.code, message=answer.message, field=None, hint=_DENIED, retryable=False)
    verdict = _refused(document, rejection, EmissionState.DENIED, answer.protocol_xml)
    entry = answer_entry(HistoryEntry.REJECTED, Status.REJECTED, answer, answer.protocol)
    await _write(context, document, replace(verdict, protocol=answer.protocol), [*entries, entry])


async def reject_unsent(
    context: WorkerContext, document: DocumentInProgress, problems: Sequence[Problem]
) -> None:
    """Rejects a document before it is sent, because it can't be issued with the present data."""
    first = problems[0]
    rejection = Rejection(
        code=first.code,
        message=" ".join(problem.message for problem in problems),
        field=first.path,
        hint=first.hint,
        # The operator loads a missing rate; the request stays the same.
        retryable=first.path.split(".")[0] in _OUTSIDE_THE_REQUEST or first.code == RATE_UNKNOWN,
    )
    # No authority was asked, so the entry has no code; the record has the reason.
    entry = NewEvent(type=HistoryEntry.REJECTED, status=Status.REJECTED)
    await _write(context, document, Verdict(status=Status.REJECTED, rejection=_dump(rejection)), [entry])


async def store_progress(
    context: WorkerContext,
    document: DocumentInProgress,
    continuation: ContinueAttempt,
    entries: Sequence[NewEvent],
    answer: LastAnswer | None,
) -> None:
    """Stores the state of the attempt; with a pause, the lease is released too."""
    async with context.database.steps_of(document.lease) as steps:
        await steps.write_state(
            document.emission.ordinal,
            continuation.state,
            tries=continuation.tries,
            receipt=continuation.receipt,
            access_key=continuation.access_key,
            unknown_at=continuation.unknown_at,
            answer=answer,
            pause=continuation.after if continuation.after > AT_ONCE else None,
            events=entries,
        )


def answer_entry(
    history_entry: str,
    status: Status,
    answer: AuthorityAnswer | NotJudged | None,
    protocol: str | None = None,
) -> NewEvent:
    """Returns the history entry of an answer, with the authority's code and message."""
    return NewEvent(
        type=history_entry,
        status=status,
        protocol=protocol,
        authority_code=answer.code if answer else None,
        authority_message=answer.message if answer else None,
    )


async def _authorized(context: WorkerContext, document: DocumentInProgress, answer: Authorized) -> Verdict:
    digest = answer.digest or document.emission.digest or ""
    replacement, key_of = document.document_type.replacement, document.document_type.replaced_key
    replaced_key = key_of(document.request) if key_of else None
    is_newest = digest == document.emission.digest
    amounts = _computed_amounts(document, answer)
    return Verdict(
        status=Status.AUTHORIZED,
        emission_state=EmissionState.AUTHORIZED,
        digest=digest,
        issued_at=None if is_newest else await _issued_at(context, document, digest),
        protocol=answer.protocol,
        authorized_at=answer.authorized_at,
        assigned_number=answer.number,
        assigned_key=answer.access_key if document.document_type.numbering.is_by_authority else None,
        total_due=amounts.total_due,
        replaces=replacement.replaced_id(document.request) if replacement else None,
        replaces_key=replaced_key,
        facts=_facts_of(document, answer, replaced_key),
        files={files.authorization_file(digest): answer.protocol_xml},
    )


def _facts_of(
    document: DocumentInProgress, answer: Authorized, replaced_key: str | None
) -> Mapping[str, str]:
    facts = {REPLACES: replaced_key} if replaced_key else {}
    if document.document_type.open_term:
        facts[OPEN_SINCE] = answer.authorized_at.isoformat()
    return facts


def _computed_amounts(document: DocumentInProgress, answer: Authorized) -> AuthorizedAmounts:
    """Returns the amounts that the authority computed; logs a CBS rate that differs from the table."""
    read = document.document_type.issuing.authorized_amounts
    amounts = read(answer.protocol_xml) if read else AuthorizedAmounts()
    if amounts.cbs_rate is not None and amounts.cbs_rate != amounts.expected_cbs_rate:
        _log.warning(
            "cbs_rate_differs_from_table",
            document=str(document.row.id),
            environment=document.environment.value,
            authority=str(amounts.cbs_rate),
            table=str(amounts.expected_cbs_rate or "unknown"),
        )
    return amounts


async def _issued_at(context: WorkerContext, document: DocumentInProgress, digest: str) -> datetime | None:
    """Returns when an earlier version was issued, if the authority has that version."""
    async with context.database.autocommit(document.lease.key.subscription_id) as tenant:
        signed = await tenant.archive.get(document.row.id, files.signed_file(digest))
    return document.document_type.issuing.identity(signed).issued_at if signed else None


def _refused(
    document: DocumentInProgress, rejection: Rejection, state: EmissionState, answer: bytes | None
) -> Verdict:
    return Verdict(
        status=Status.REJECTED,
        rejection=_dump(rejection),
        emission_state=state,
        files={files.refusal_file(document.emission.digest or ""): answer or b""},
    )


def _dump(rejection: Rejection) -> dict[str, object]:
    return rejection.model_dump(by_alias=True)


async def _write(
    context: WorkerContext, document: DocumentInProgress, verdict: Verdict, events: Sequence[NewEvent]
) -> None:
    row = document.row
    counts = verdict.status != Status.REJECTED and document.environment is Environment.PRODUCTION
    allowance_change = allowance_change_of(row.allowance_period, counts=counts, now=context.builder.clock())
    ordinal = row.emission.ordinal if row.emission else 0
    async with context.database.steps_of(document.lease) as steps:
        await steps.conclude(ordinal, verdict, allowance_change, events)
    context.concluded(row, verdict.status)


def request_entries(
    document: DocumentInProgress, history_entry: HistoryEntry, outcome: Outcome, decision: IssuingDecision
) -> list[NewEvent]:
    """Returns the history entries of a request to the authority; a verdict has its own entry."""
    if answer := refused_certificate(outcome):
        return _refused_certificate(document, history_entry, answer)
    if not may_have_reached_authority(outcome):
        return []
    has_own_entry = history_entry is HistoryEntry.TRANSMITTED and decision is outcome
    return [answer_entry(history_entry, Status.PROCESSING, None if has_own_entry else outcome)]


def _refused_certificate(
    document: DocumentInProgress, history_entry: HistoryEntry, answer: LastAnswer
) -> list[NewEvent]:
    """Returns the entry of a certificate that the authority refuses, once and not at every retry."""
    if document.emission.answer_code == answer.code:
        return []
    return [
        NewEvent(
            type=history_entry,
            status=Status.PROCESSING,
            authority_code=answer.code,
            authority_message=answer.message,
        )
    ]
