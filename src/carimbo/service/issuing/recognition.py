"""Decides what an answer means, after checking whether the authority has a version that we signed.

A number may be used by an earlier version of our own, or by a document of another program. The archive of
signed files shows which.
"""

from dataclasses import replace

from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.outcome import Authorized, Canceled, Closed, Duplicate, Outcome, Rejected
from carimbo.service.contexts import WorkerContext
from carimbo.service.documents.files import signed_file
from carimbo.service.issuing.decision import (
    ContinueAttempt,
    IssuingDecider,
    IssuingDecision,
    NumberTaken,
    PendingAttempt,
)
from carimbo.service.issuing.in_progress import DocumentInProgress
from carimbo.service.waiting import jitter


async def decide(
    context: WorkerContext, document: DocumentInProgress, state: EmissionState, outcome: Outcome
) -> IssuingDecision:
    """Returns the decision about an answer to an attempt in a state."""
    emission = document.emission
    attempt = PendingAttempt(emission.access_key or "", state, emission.tries)
    decider = IssuingDecider(context.backoff, context.builder.clock(), jitter())
    decision = decider.decide(attempt, outcome)
    match decision:
        case (
            (Authorized() as held)
            | Canceled(authorization=Authorized() as held)
            | Closed(authorization=Authorized() as held)
        ) if not await _is_ours(context, document, held.digest):
            return NumberTaken(held)
        case NumberTaken(answer=Duplicate(other_key=str() as key)) if await _has_signed(
            context, document, key
        ):
            return replace(decider.ask(attempt), access_key=key)
        case Rejected(is_blocked=True) if await _waits_for_earlier_attempt(context, document):
            tries = attempt.tries + 1
            return ContinueAttempt(EmissionState.SIGNED, context.backoff.pause(tries, jitter()), tries)
        case _:
            return decision


async def _waits_for_earlier_attempt(context: WorkerContext, document: DocumentInProgress) -> bool:
    """Returns whether a document on paper may be blocked by its own earlier attempt.

    That attempt may turn out to be authorized, and then block this one (611) until it is canceled.
    """
    emission = document.emission
    if not emission.is_printed or emission.ordinal == 1:
        return False
    async with context.database.autocommit(document.lease.key.subscription_id) as tenant:
        return await tenant.superseded_attempts.may_be_in_force(document.row.id, emission.ordinal)


def was_issued_before_restore(
    document: DocumentInProgress, answer: Duplicate | Authorized | Rejected
) -> bool:
    """Returns whether we used a taken number ourselves, for a version that is not in the archive.

    The random code in the access key proves it, because only we know it. This happens after a restore, if the
    version was signed after the backup. With another number the same sale would be issued twice. The Id of a
    DPS has no random code.
    """
    if document.document_type.numbering.is_by_authority:
        return False
    match answer:
        case Authorized():
            return True
        case Duplicate(other_key=str() as key):
            return _numeric_code(key) == document.emission.numeric_code
        case _:
            return False


def _numeric_code(key: str) -> str | None:
    try:
        return AccessKey.parse(key).numeric_code
    except InvalidAccessKey:
        return None


async def _is_ours(context: WorkerContext, document: DocumentInProgress, digest: str | None) -> bool:
    """Returns whether the authority has what we signed: this version, or an earlier one of the same key."""
    if digest is None or digest == document.emission.digest:
        return True
    async with context.database.autocommit(document.lease.key.subscription_id) as tenant:
        return await tenant.archive.get(document.row.id, signed_file(digest)) is not None


async def _has_signed(context: WorkerContext, document: DocumentInProgress, key: str) -> bool:
    """Returns whether a key belongs to an earlier version; one of another month has another key."""
    async with context.database.autocommit(document.lease.key.subscription_id) as tenant:
        versions = await tenant.archive.all(document.row.id, signed_file(""))
    return any(document.document_type.issuing.identity(xml).access_key == key for xml in versions)
