"""The fifth step: the authority is asked, outside of any transaction, after the attempt is written down."""

from dataclasses import replace

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.outcome import Outcome
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.contexts import WorkerContext
from carimbo.service.issuing.case import Case
from carimbo.service.ports import LotAuthority


async def record_attempt(means: WorkerContext, case: Case, signed: SignedDocument) -> Case:
    """Write down that the authority may have the document from now on, and under which key."""
    emission = replace(case.emission, state=EmissionState.SENT, access_key=signed.access_key)
    async with means.database.steps_of(case.lease) as steps:
        await steps.write_state(
            emission.ordinal, emission.state, tries=emission.tries, access_key=emission.access_key
        )
    return case.with_emission(emission)


async def send(means: WorkerContext, case: Case, sender: Sender, signed: SignedDocument) -> Outcome:
    """Ask for the authorization."""
    case.lease.require_held()
    return await means.authorities[case.kind.name].send(sender, signed)


async def ask(means: WorkerContext, case: Case, sender: Sender) -> Outcome:
    """Ask what became of it: by the receipt of its lot if there is one, else by its key."""
    authority, emission = means.authorities[case.kind.name], case.emission
    key = emission.access_key or ""
    if emission.receipt and isinstance(authority, LotAuthority):
        return await authority.receipt(sender, key, emission.receipt)
    return await authority.consult(sender, key)
