"""The last step: status, history, files and the place in the plan are written together."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import structlog

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import AuthorizedAmounts
from carimbo.fiscal.lifecycle import CANCELLATION, CLOSED_AT, CLOSING, EmissionState, Happening, Status
from carimbo.fiscal.missing_rates import RATE_UNKNOWN
from carimbo.fiscal.outcome import Answered, Authorized, Canceled, Closed, Denied, NotJudged, Rejected
from carimbo.fiscal.problems import Problem
from carimbo.service import archived_files as files
from carimbo.service.allowance import settlement_of
from carimbo.service.backoff import AT_ONCE
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_record import Rejection
from carimbo.service.issuing.case import Case
from carimbo.service.issuing.decision import Onward
from carimbo.storage.document_events import NewEvent
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.issuing import Verdict

_log = structlog.get_logger("carimbo.issuing")
# What a request does not hold: put right there, the same request passes.
_OUTSIDE_THE_REQUEST = ("company", "technicalResponsible")
_DENIED = "O número foi consumido pela denegação: regularize a situação e crie outro documento."


async def adopt(means: WorkerContext, case: Case, answer: Authorized, asked: Sequence[NewEvent]) -> None:
    """The authority holds the document as valid, in the version that the answer's digest names."""
    happened = told(Happening.AUTHORIZED, Status.AUTHORIZED, answer, answer.protocol)
    await _write(means, case, await _authorized(means, case, answer), [*asked, happened])


async def adopt_canceled(
    means: WorkerContext, case: Case, answer: Canceled, asked: Sequence[NewEvent]
) -> None:
    """Stores a document that another sender canceled before we knew that it was authorised."""
    first = answer.authorization
    if first is None:
        raise LookupError("a cancellation without its authorization decides nothing")
    event = case.kind.cancellation
    name = event.name if event else CANCELLATION
    verdict = await _authorized(means, case, first)
    cancellation = {files.consulted_event_file(name, verdict.digest or ""): answer.cancellation_xml or b""}
    verdict = replace(
        verdict,
        status=Status.CANCELED,
        emission_state=EmissionState.CANCELED,
        files={**verdict.files, **cancellation},
    )
    events = [
        told(Happening.AUTHORIZED, Status.AUTHORIZED, first, first.protocol),
        told(name, Status.CANCELED, answer, answer.protocol),
    ]
    await _write(means, case, verdict, [*asked, *events])


async def adopt_closed(means: WorkerContext, case: Case, answer: Closed, asked: Sequence[NewEvent]) -> None:
    """Stores a document that another sender closed before we knew that it was authorised."""
    first = answer.authorization
    if first is None:
        raise LookupError("a closing without its authorization decides nothing")
    event = case.kind.closing
    name = event.name if event else CLOSING
    verdict = await _authorized(means, case, first)
    closed_at = answer.closed_at or means.workshop.clock()
    verdict = replace(
        verdict,
        facts={CLOSED_AT: closed_at.isoformat()},
        files={
            **verdict.files,
            files.consulted_event_file(name, verdict.digest or ""): answer.closing_xml or b"",
        },
    )
    events = [
        told(Happening.AUTHORIZED, Status.AUTHORIZED, first, first.protocol),
        told(name, Status.AUTHORIZED, answer, answer.protocol),
    ]
    await _write(means, case, verdict, [*asked, *events])


async def refuse(
    means: WorkerContext,
    case: Case,
    answer: Rejected,
    asked: Sequence[NewEvent],
    state: EmissionState = EmissionState.REJECTED,
    own_hint: str | None = None,
) -> None:
    """The authority refused and kept nothing: the number, if it is ours, stays for the corrected document."""
    hint = case.kind.issuing.hint(answer.code, answer.message)
    rejection = Rejection(
        code=answer.code,
        message=answer.message,
        field=(hint.field or None) if hint else None,
        hint=own_hint or (hint.sentence if hint else None),
        retryable=answer.retryable,
    )
    verdict = _refused(case, rejection, state, answer.answer_xml)
    await _write(means, case, verdict, [*asked, told(Happening.REJECTED, Status.REJECTED, answer)])


async def deny(means: WorkerContext, case: Case, answer: Denied, asked: Sequence[NewEvent]) -> None:
    """The authority keeps the document as denied: its number is spent, and it can't be corrected."""
    rejection = Rejection(code=answer.code, message=answer.message, field=None, hint=_DENIED, retryable=False)
    verdict = _refused(case, rejection, EmissionState.DENIED, answer.protocol_xml)
    happened = told(Happening.REJECTED, Status.REJECTED, answer, answer.protocol)
    await _write(means, case, replace(verdict, protocol=answer.protocol), [*asked, happened])


async def refuse_unsent(means: WorkerContext, case: Case, problems: Sequence[Problem]) -> None:
    """What can't be issued as the company is now never leaves the house."""
    first = problems[0]
    rejection = Rejection(
        code=first.code,
        message=" ".join(problem.message for problem in problems),
        field=first.path,
        hint=first.hint,
        # A rate is loaded by the operator, and the request stays as it is.
        retryable=first.path.split(".")[0] in _OUTSIDE_THE_REQUEST or first.code == RATE_UNKNOWN,
    )
    # No authority had a word in it: the record tells why.
    happened = NewEvent(type=Happening.REJECTED, status=Status.REJECTED)
    await _write(means, case, Verdict(status=Status.REJECTED, rejection=_plain(rejection)), [happened])


async def go_on(
    means: WorkerContext, case: Case, onward: Onward, asked: Sequence[NewEvent], answer: LastAnswer | None
) -> None:
    """Write how far it came; for the length of a pause the document is nobody's."""
    async with means.database.steps_of(case.lease) as steps:
        await steps.write_state(
            case.emission.ordinal,
            onward.state,
            tries=onward.tries,
            receipt=onward.receipt,
            access_key=onward.access_key,
            unknown_at=onward.unknown_at,
            answer=answer,
            pause=onward.after if onward.after > AT_ONCE else None,
            events=asked,
        )


def told(
    happening: str, status: Status, answer: Answered | NotJudged | None, protocol: str | None = None
) -> NewEvent:
    """What the history tells of an answer, with the authority's own code and words."""
    return NewEvent(
        type=happening,
        status=status,
        protocol=protocol,
        authority_code=answer.code if answer else None,
        authority_message=answer.message if answer else None,
    )


async def _authorized(means: WorkerContext, case: Case, answer: Authorized) -> Verdict:
    digest = answer.digest or case.emission.digest or ""
    replacement = case.kind.replacement
    is_newest = digest == case.emission.digest
    amounts = _computed_amounts(case, answer)
    return Verdict(
        status=Status.AUTHORIZED,
        emission_state=EmissionState.AUTHORIZED,
        digest=digest,
        issued_at=None if is_newest else await _issued_at(means, case, digest),
        protocol=answer.protocol,
        authorized_at=answer.authorized_at,
        assigned_number=answer.number,
        assigned_key=answer.access_key if case.kind.numbering.is_by_authority else None,
        total_due=amounts.total_due,
        replaces=replacement.replaced_id(case.request) if replacement else None,
        files={files.authorization_file(digest): answer.protocol_xml},
    )


def _computed_amounts(case: Case, answer: Authorized) -> AuthorizedAmounts:
    """Reads what the authority computed, and logs a rate of the CBS that differs from the table's."""
    read = case.kind.issuing.authorized_amounts
    amounts = read(answer.protocol_xml) if read else AuthorizedAmounts()
    if amounts.cbs_rate is not None and amounts.cbs_rate != amounts.expected_cbs_rate:
        _log.warning(
            "cbs_rate_differs_from_table",
            document=str(case.document.id),
            environment=case.environment.value,
            authority=str(amounts.cbs_rate),
            table=str(amounts.expected_cbs_rate or "unknown"),
        )
    return amounts


async def _issued_at(means: WorkerContext, case: Case, digest: str) -> datetime | None:
    """When an earlier version was issued, which is the one that the authority has."""
    async with means.database.autocommit(case.lease.key.subscription_id) as tenant:
        signed = await tenant.archive.get(case.document.id, files.signed_file(digest))
    return case.kind.issuing.identity(signed).issued_at if signed else None


def _refused(case: Case, rejection: Rejection, state: EmissionState, answer: bytes | None) -> Verdict:
    return Verdict(
        status=Status.REJECTED,
        rejection=_plain(rejection),
        emission_state=state,
        files={files.refusal_file(case.emission.digest or ""): answer or b""},
    )


def _plain(rejection: Rejection) -> dict[str, object]:
    return rejection.model_dump(by_alias=True)


async def _write(means: WorkerContext, case: Case, verdict: Verdict, events: Sequence[NewEvent]) -> None:
    document = case.document
    counts = verdict.status != Status.REJECTED and case.environment is Environment.PRODUCTION
    settlement = settlement_of(document.allowance_period, counts=counts, now=means.workshop.clock())
    ordinal = document.emission.ordinal if document.emission else 0
    async with means.database.steps_of(case.lease) as steps:
        await steps.conclude(ordinal, verdict, settlement, events)
    means.concluded(document, verdict.status)
