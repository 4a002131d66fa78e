"""Advances a filing as far as possible; the work can be interrupted and resumed after every step."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from carimbo.fiscal.lifecycle import CLOSED_AT, NO_EFFECT, Effect, FilingState
from carimbo.fiscal.outcome import Authorized, Canceled, Closed, Duplicate, Outcome, Rejected
from carimbo.fiscal.problems import Problem
from carimbo.service.authority_answers import NO_CERTIFICATE_ANSWER, log_fields, refused_certificate
from carimbo.service.companies.company_checks import NO_CERTIFICATE
from carimbo.service.companies.snapshot import SigningIdentity
from carimbo.service.contexts import WorkerContext
from carimbo.service.documents import files
from carimbo.service.errors import ErrorCode, broken_rules
from carimbo.service.filing.decision import ContinueFiling, FilingDecider, FilingRefused, FilingRegistered
from carimbo.service.filing.in_progress import FilingInProgress, filing_issuer
from carimbo.service.waiting import jitter
from carimbo.storage import work
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.filings import FilingVerdict
from carimbo.storage.work import Lease, WorkKey

_log = structlog.get_logger("carimbo.filing")

ReadFiling = Callable[[WorkerContext, WorkKey], Awaitable[FilingInProgress]]
_NOT_READY = Problem(ErrorCode.COMPANY_NOT_READY.name, "company", ErrorCode.COMPANY_NOT_READY.message)
# Names of decisions in the log.
_LOGGED_DECISIONS = {FilingRegistered: "registered", FilingRefused: "refused", ContinueFiling: "onward"}


async def advance(context: WorkerContext, lease: Lease, read: ReadFiling) -> None:
    """Takes all steps that are possible now; the filing's row says when the next one is due."""
    filing = await read(context, lease.key)
    if FilingState(filing.row.state).is_settled:
        async with context.database.transaction() as connection:
            await work.conclude(connection, lease)
        return
    step: FilingInProgress | None = filing
    while step is not None:
        step = await _next(context, lease, step)


async def _next(context: WorkerContext, lease: Lease, filing: FilingInProgress) -> FilingInProgress | None:
    identity = await context.snapshots.signing_identity_of(filing.snapshot)
    state = FilingState(filing.row.state)
    if identity is None:
        return await _handle_missing(context, lease, filing, NO_CERTIFICATE)
    if state is FilingState.QUEUED:
        return await _sign_and_send(context, lease, filing, identity)
    signed = await _load_signed(context, lease, filing)
    if state is FilingState.SIGNED:
        if not identity.has_signed(signed):
            # The authority does not have it, and may refuse the previous certificate in the signature too.
            return await _sign_and_send(context, lease, filing, identity)
        # From now on the authority may have it.
        async with context.database.filing_steps(lease) as steps:
            await steps.write_state(FilingState.SENT, filing.row.tries)
    return await _ask_authority(context, lease, filing, identity, signed)


async def _handle_missing(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, problem: Problem
) -> FilingInProgress | None:
    """Handles missing data of the company: a filing that may have been sent waits, another is refused."""
    state, tries = FilingState(filing.row.state), filing.row.tries + 1
    if state is FilingState.SENT or filing.waits_for_company:
        pause = context.backoff.pause(tries, jitter())
        answer = NO_CERTIFICATE_ANSWER if problem is NO_CERTIFICATE else None
        return await _store_continuation(context, lease, filing, ContinueFiling(state, pause, tries), answer)
    return await _refuse_unsent(context, lease, filing, (problem,))


async def _sign_and_send(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, identity: SigningIdentity
) -> FilingInProgress | None:
    """Signs, stores and sends the filing; it is marked as sent when it is stored."""
    if filing.missing_data:
        return await _handle_missing(context, lease, filing, _NOT_READY)
    signed = await sign_filing(context, lease, filing, identity)
    if signed is None:
        return None
    return await _ask_authority(context, lease, filing.with_changes(**signed.changes), identity, signed.xml)


@dataclass(frozen=True)
class SignedAttempt:
    """The signed bytes of a filing, and what has changed in its row."""

    xml: bytes
    changes: Mapping[str, object]


async def sign_filing(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, identity: SigningIdentity
) -> SignedAttempt | None:
    """Signs a filing and stores it as sent, because it is sent next; None if it was refused unsent."""
    issuer = filing_issuer(context.builder, filing.snapshot, filing.environment, identity.signer)
    signed = filing.make(issuer, context.builder.clock())
    if isinstance(signed, tuple):
        await _refuse_unsent(context, lease, filing, signed)
        return None
    async with context.database.filing_steps(lease) as steps:
        await steps.keep_signed(FilingState.SENT, signed.digest_value, files.SIGNED, signed.xml)
    context.reached(f"{filing.name} signed", filing.subject)
    return SignedAttempt(signed.xml, {"state": FilingState.SIGNED, "digest": signed.digest_value})


async def _ask_authority(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, identity: SigningIdentity, signed: bytes
) -> FilingInProgress | None:
    """Asks for the registration of a signed filing, or whether a sent one was registered."""
    authority = context.authorities[filing.document_type.name]
    sender = identity.sender(filing.snapshot.row.tax_id, filing.environment)
    is_new = filing.row.state == FilingState.SIGNED
    lease.require_held()
    outcome = await (filing.send if is_new else filing.ask)(authority, sender, signed)
    context.reached(f"{filing.name} answered", filing.subject)
    return await apply_answer(context, lease, filing, outcome)


async def apply_answer(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, outcome: Outcome
) -> FilingInProgress | None:
    """Stores what follows from an answer; returns the filing if it goes on at once."""
    decider = FilingDecider(context.backoff, context.builder.clock(), jitter())
    decision = filing.decide(decider, outcome)
    logged = _LOGGED_DECISIONS[type(decision)]
    _log.info("filing_answered", filing=str(lease.key), decision=logged, **log_fields(outcome))
    if isinstance(decision, ContinueFiling):
        return await _store_continuation(context, lease, filing, decision, refused_certificate(outcome))
    verdict = _registered(filing, decision) if isinstance(decision, FilingRegistered) else _refused(decision)
    return await _conclude(context, lease, filing, verdict)


async def _store_continuation(
    context: WorkerContext,
    lease: Lease,
    filing: FilingInProgress,
    continuation: ContinueFiling,
    answer: LastAnswer | None = None,
) -> FilingInProgress | None:
    async with context.database.filing_steps(lease) as steps:
        await steps.write_state(continuation.state, continuation.tries, continuation.after or None, answer)
    if continuation.after:
        return None
    return filing.with_changes(state=continuation.state, tries=continuation.tries)


async def _conclude(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, verdict: FilingVerdict
) -> FilingInProgress | None:
    async with context.database.filing_steps(lease) as steps:
        await steps.conclude(verdict)
    context.reached(f"{filing.name} concluded", filing.subject)
    return None


async def _refuse_unsent(
    context: WorkerContext, lease: Lease, filing: FilingInProgress, problems: tuple[Problem, ...]
) -> FilingInProgress | None:
    """Refuses a filing that can't be sent with the present data of the company."""
    verdict = FilingVerdict(state=FilingState.REFUSED, own_refusal=broken_rules(problems))
    return await _conclude(context, lease, filing, verdict)


async def _load_signed(context: WorkerContext, lease: Lease, filing: FilingInProgress) -> bytes:
    async with context.database.autocommit(lease.key.subscription_id) as tenant:
        xml = await tenant.archive.get(filing.row.id, files.SIGNED)
    if xml is None:
        raise LookupError(f"the signed bytes of {lease.key} are gone")
    return xml


def _registered(filing: FilingInProgress, decision: FilingRegistered) -> FilingVerdict:
    answer, receipt = decision.answer, _receipt(filing, decision.answer)
    return FilingVerdict(
        state=FilingState.REGISTERED,
        code=answer.code,
        message=answer.message,
        protocol=answer.protocol,
        registered_at=answer.authorized_at if isinstance(answer, Authorized) else None,
        files=receipt,
        effect=filing.effect,
        allowed=filing.allowed,
        replaced_by=filing.replaced_by if receipt else None,
    )


def _receipt(
    filing: FilingInProgress, answer: Authorized | Canceled | Closed | Duplicate
) -> dict[str, bytes]:
    """Returns the authority's receipt if it is for what we signed, and not for another program."""
    if not isinstance(answer, Authorized) or answer.digest not in (None, filing.row.digest):
        return {}
    return {files.REGISTRATION: answer.protocol_xml}


def _refused(decision: FilingRefused) -> FilingVerdict:
    answer = decision.answer
    answer_xml = (isinstance(answer, Rejected) and answer.answer_xml) or b""
    finds_closed = isinstance(answer, Rejected) and answer.finds_closed
    return FilingVerdict(
        state=FilingState.REFUSED,
        code=answer.code,
        message=answer.message,
        files={files.REFUSAL: answer_xml},
        # Another program closed the document: it is not open any more.
        effect=Effect(fact=CLOSED_AT, keeps_first=True) if finds_closed else NO_EFFECT,
    )
