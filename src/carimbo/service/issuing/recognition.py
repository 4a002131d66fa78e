"""What an answer means for a document, once it is known whether the authority holds what we signed.

A number may be taken by a version of our own that was signed before, or by somebody else's document: the
archive of signed files tells the two apart.
"""

from dataclasses import replace

from carimbo.fiscal.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.outcome import Authorized, Canceled, Closed, Duplicate, Outcome, Rejected
from carimbo.service.archived_files import signed_file
from carimbo.service.backoff import dice
from carimbo.service.contexts import WorkerContext
from carimbo.service.issuing.case import Case
from carimbo.service.issuing.decision import Attempt, Decision, Foreign, Judge


async def decide(means: WorkerContext, case: Case, state: EmissionState, outcome: Outcome) -> Decision:
    """Tell what follows from an answer to an attempt that stands in a state."""
    emission = case.emission
    attempt = Attempt(emission.access_key or "", state, emission.tries)
    judge = Judge(means.backoff, means.workshop.clock(), dice())
    decision = judge.decide(attempt, outcome)
    match decision:
        case (
            (Authorized() as held)
            | Canceled(authorization=Authorized() as held)
            | Closed(authorization=Authorized() as held)
        ) if not await _is_ours(means, case, held.digest):
            return Foreign(held)
        case Foreign(answer=Duplicate(other_key=str() as key)) if await _has_signed(means, case, key):
            return replace(judge.ask(attempt), access_key=key)
        case _:
            return decision


def is_forgotten(case: Case, answer: Duplicate | Authorized | Rejected) -> bool:
    """Tell whether a number that is taken was taken by us, with a version that is not in the archive.

    Nobody else has the code that we drew for its key. Such a version was signed after the backup that was
    restored since: under another number the same sale would be issued twice. The Id of a DPS has no code.
    """
    if case.kind.numbering.is_by_authority:
        return False
    match answer:
        case Authorized():
            return True
        case Duplicate(other_key=str() as key):
            return _numeric_code(key) == case.emission.numeric_code
        case _:
            return False


def _numeric_code(key: str) -> str | None:
    try:
        return AccessKey.parse(key).numeric_code
    except InvalidAccessKey:
        return None


async def _is_ours(means: WorkerContext, case: Case, digest: str | None) -> bool:
    """Tell whether the authority holds what we signed: this version, or an earlier one of the same key."""
    if digest is None or digest == case.emission.digest:
        return True
    async with means.database.autocommit(case.lease.key.subscription_id) as tenant:
        return await tenant.archive.get(case.document.id, signed_file(digest)) is not None


async def _has_signed(means: WorkerContext, case: Case, key: str) -> bool:
    """Tell whether a key is that of an earlier version: one that is signed in another month has its own."""
    async with means.database.autocommit(case.lease.key.subscription_id) as tenant:
        versions = await tenant.archive.all(case.document.id, signed_file(""))
    return any(case.kind.issuing.identity(xml).access_key == key for xml in versions)
