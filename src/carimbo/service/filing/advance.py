"""Brings a statement from where it stands as far as it will go: one resumable piece of work each."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.outcome import Authorized, Canceled, Closed, Duplicate, Outcome, Rejected
from carimbo.fiscal.problems import Problem
from carimbo.service import archived_files as files
from carimbo.service.answer_log import in_log
from carimbo.service.backoff import dice
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Seal
from carimbo.service.errors import Code
from carimbo.service.filing.decision import FilingJudge, Onward, Refused, Registered
from carimbo.service.filing.statement import Statement, teller_of
from carimbo.service.last_answer import UNASKED, refused_certificate
from carimbo.service.problems import broken_rules
from carimbo.service.readiness import NO_CERTIFICATE
from carimbo.storage import work
from carimbo.storage.emissions import LastAnswer
from carimbo.storage.filings import FilingVerdict
from carimbo.storage.work import Lease, WorkKey

_log = structlog.get_logger("carimbo.filing")

Read = Callable[[WorkerContext, WorkKey], Awaitable[Statement]]
Step = Statement | timedelta | None
"""The statement to go on with, or when to come again, or that all is done."""


async def advance(means: WorkerContext, lease: Lease, read: Read) -> timedelta | None:
    """Take every step that can be taken now; tells when to come again, or None when all is done."""
    statement = await read(means, lease.key)
    if FilingState(statement.filing.state).is_settled:
        async with means.database.transaction() as connection:
            await work.conclude(connection, lease)
        return None
    step: Step = statement
    while step is not None and not isinstance(step, timedelta):
        step = await _next(means, lease, step)
    return step


async def _next(means: WorkerContext, lease: Lease, statement: Statement) -> Step:
    seal = await means.dossiers.seal_of(statement.dossier)
    state = FilingState(statement.filing.state)
    if seal is None:
        return await _lack(means, lease, statement, NO_CERTIFICATE)
    if state is FilingState.QUEUED:
        return await _make(means, lease, statement, seal)
    signed = await _signed_before(means, lease, statement)
    if state is FilingState.SIGNED:
        if not seal.has_signed(signed):
            # The authority has nothing of it, and may refuse the earlier certificate in the signature too.
            return await _make(means, lease, statement, seal)
        await _record_attempt(means, lease, statement)
    return await _put(means, lease, statement, seal, signed)


async def _lack(means: WorkerContext, lease: Lease, statement: Statement, problem: Problem) -> Step:
    """The company lacks something: what may be at the authority waits for it, what never left is refused."""
    state, tries = FilingState(statement.filing.state), statement.filing.tries + 1
    if state is FilingState.SENT or statement.persists:
        pause = means.backoff.pause(tries, dice())
        answer = UNASKED if problem is NO_CERTIFICATE else None
        return await _go_on(means, lease, statement, Onward(state, pause, tries), answer)
    return await _refuse_unsent(means, lease, statement, (problem,))


async def _make(means: WorkerContext, lease: Lease, statement: Statement, seal: Seal) -> Step:
    """Sign and store; what is stored is sent at once, and marked so in the same transaction."""
    if statement.dossier.missing_registration(statement.kind):
        return await _lack(means, lease, statement, _NOT_READY)
    teller = teller_of(means.workshop, statement.dossier, statement.environment, seal.signer)
    made = statement.make(teller, means.workshop.clock())
    if isinstance(made, tuple):
        return await _refuse_unsent(means, lease, statement, made)
    async with means.database.filing_of(lease) as steps:
        await steps.keep_signed(FilingState.SENT, made.digest_value, files.SIGNED, made.xml)
    means.reached(f"{statement.name} signed", statement.subject)
    statement = statement.having(state=FilingState.SIGNED, digest=made.digest_value)
    return await _put(means, lease, statement, seal, made.xml)


async def _record_attempt(means: WorkerContext, lease: Lease, statement: Statement) -> None:
    """Write down that the authority may have it from now on."""
    async with means.database.filing_of(lease) as steps:
        await steps.write_state(FilingState.SENT, statement.filing.tries)


async def _put(means: WorkerContext, lease: Lease, statement: Statement, seal: Seal, signed: bytes) -> Step:
    """Ask for the registration, or whether there was one, by where the statement stands."""
    authority = means.authorities[statement.kind.name]
    sender = seal.sender(statement.dossier.row.tax_id, statement.environment)
    is_new = statement.filing.state == FilingState.SIGNED
    lease.require_held()
    outcome = await (statement.send if is_new else statement.ask)(authority, sender, signed)
    means.reached(f"{statement.name} answered", statement.subject)
    return await _apply(means, lease, statement, outcome)


async def _apply(means: WorkerContext, lease: Lease, statement: Statement, outcome: Outcome) -> Step:
    judge = FilingJudge(means.backoff, means.workshop.clock(), dice())
    decision = statement.decide(judge, outcome)
    filing, decided = str(lease.key), type(decision).__name__.lower()
    _log.info("filing_answered", filing=filing, decision=decided, **in_log(outcome))
    if isinstance(decision, Onward):
        return await _go_on(means, lease, statement, decision, refused_certificate(outcome))
    verdict = _registered(statement, decision) if isinstance(decision, Registered) else _refused(decision)
    return await _conclude(means, lease, statement, verdict)


async def _go_on(
    means: WorkerContext, lease: Lease, statement: Statement, onward: Onward, answer: LastAnswer | None = None
) -> Step:
    async with means.database.filing_of(lease) as steps:
        await steps.write_state(onward.state, onward.tries, onward.after or None, answer)
    return onward.after or statement.having(state=onward.state, tries=onward.tries)


async def _conclude(means: WorkerContext, lease: Lease, statement: Statement, verdict: FilingVerdict) -> Step:
    async with means.database.filing_of(lease) as steps:
        await steps.conclude(verdict)
    means.reached(f"{statement.name} concluded", statement.subject)
    return None


async def _refuse_unsent(
    means: WorkerContext, lease: Lease, statement: Statement, problems: tuple[Problem, ...]
) -> Step:
    """What can't be told as the company is now never leaves the house."""
    verdict = FilingVerdict(state=FilingState.REFUSED, own_refusal=broken_rules(problems))
    return await _conclude(means, lease, statement, verdict)


async def _signed_before(means: WorkerContext, lease: Lease, statement: Statement) -> bytes:
    async with means.database.autocommit(lease.key.subscription_id) as tenant:
        xml = await tenant.archive.get(statement.filing.id, files.SIGNED)
    if xml is None:
        raise LookupError(f"the signed bytes of {lease.key} are gone")
    return xml


def _registered(statement: Statement, decision: Registered) -> FilingVerdict:
    answer, receipt = decision.answer, _receipt(statement, decision.answer)
    return FilingVerdict(
        state=FilingState.REGISTERED,
        code=answer.code,
        message=answer.message,
        protocol=answer.protocol,
        registered_at=answer.authorized_at if isinstance(answer, Authorized) else None,
        files=receipt,
        effect=statement.effect,
        allowed=statement.allowed,
        replaced_by=statement.replaced_by if receipt else None,
    )


def _receipt(statement: Statement, answer: Authorized | Canceled | Closed | Duplicate) -> dict[str, bytes]:
    """The authority's receipt, if it is of what we signed and not of what somebody else did."""
    if not isinstance(answer, Authorized) or answer.digest not in (None, statement.filing.digest):
        return {}
    return {files.REGISTRATION: answer.protocol_xml}


def _refused(decision: Refused) -> FilingVerdict:
    answer = decision.answer
    told = (isinstance(answer, Rejected) and answer.answer_xml) or b""
    return FilingVerdict(
        state=FilingState.REFUSED, code=answer.code, message=answer.message, files={files.REFUSAL: told}
    )


_NOT_READY = Problem(Code.COMPANY_NOT_READY.name, "company", Code.COMPANY_NOT_READY.message)
