"""What an answer means for a document, once it is known whether the authority holds what we signed.

A number may be taken by a version of our own that was signed before, or by somebody else's document: the
archive of signed files tells the two apart.
"""

from dataclasses import replace

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.outcome import Authorized, Canceled, Duplicate, Outcome
from carimbo.service.backoff import dice
from carimbo.service.issuing.case import Case, Means
from carimbo.service.issuing.decision import Attempt, Decision, Foreign, Judge
from carimbo.service.issuing.files import signed_file
from carimbo.service.issuing.workshop import issuing_of


async def decide(means: Means, case: Case, state: EmissionState, outcome: Outcome) -> Decision:
    """Tell what follows from an answer to an attempt that stands in a state."""
    emission = case.emission
    attempt = Attempt(emission.access_key or "", state, emission.tries)
    judge = Judge(means.backoff, means.workshop.clock(), dice())
    decision = judge.decide(attempt, outcome)
    match decision:
        case (Authorized() as held) | Canceled(authorization=Authorized() as held) if not await _is_ours(
            means, case, held.digest
        ):
            return Foreign(held)
        case Foreign(answer=Duplicate(other_key=str() as key)) if await _has_signed(means, case, key):
            return replace(judge.ask(attempt), access_key=key)
        case _:
            return decision


async def _is_ours(means: Means, case: Case, digest: str | None) -> bool:
    """Tell whether the authority holds what we signed: this version, or an earlier one of the same key."""
    if digest is None or digest == case.emission.digest:
        return True
    async with means.database.autocommit(case.lease.key.subscription_id) as tenant:
        return await tenant.archive.get(case.document.id, signed_file(digest)) is not None


async def _has_signed(means: Means, case: Case, key: str) -> bool:
    """Tell whether a key is that of an earlier version: one that is signed in another month has its own."""
    async with means.database.autocommit(case.lease.key.subscription_id) as tenant:
        versions = await tenant.archive.all(case.document.id, signed_file(""))
    return any(issuing_of(case.kind).identity(xml).access_key == key for xml in versions)
