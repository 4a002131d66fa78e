"""An attempt of unknown fate that another one took the place of: it is asked about until its fate is known.

What the authority turns out to have of it is canceled by us, for the sale has another document; what it does
not have is a number to be given up, which the ledger of numbers lists.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.outcome import (
    Authorized,
    Canceled,
    Closed,
    Denied,
    Duplicate,
    NotJudged,
    Outcome,
    Rejected,
    Throttled,
    Unknown,
)
from carimbo.fiscal.sender import Sender
from carimbo.service.archived_files import authorization_file, signed_file
from carimbo.service.backoff import dice
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Dossier, Seal
from carimbo.service.issuing.way import Ways, answers, ways_of
from carimbo.service.kinds import kind_named
from carimbo.service.ports import Authority, LotAuthority
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.event_filings import NewEventFiling
from carimbo.storage.strays import Stray, StrayFate
from carimbo.storage.work import Lease

_log = structlog.get_logger("carimbo.contingency")
# Which of the growing pauses is that between looks at an authority that is out.
_USUAL = 3
_SOON = timedelta(seconds=1)
# What an SVC authorised is with the state's own authority by then.
_HANDED_OVER_WITHIN = timedelta(days=3)
_REASON = "Venda documentada por outra nota, emitida em contingência"


@dataclass(frozen=True)
class StrayCase:
    """A stray with the document that it is an attempt of, and whose that is."""

    stray: Stray
    document: Document
    emission: Emission
    dossier: Dossier

    @property
    def kind(self) -> DocumentType:
        return kind_named(self.document.type)


async def settle_stray(means: WorkerContext, lease: Lease) -> timedelta | None:
    """Ask what became of an attempt; tells when to ask again, or None when it is known."""
    case = await _read(means, lease)
    outcome = await _ask(means, case)
    fate = await _fate(means, lease, case, outcome) if outcome else None
    if fate is None:
        return await _pause(means, lease, case, outcome)
    async with means.database.tenant(lease.key.subscription_id) as tenant:
        await tenant.strays.settle(lease, fate)
        if fate.state == EmissionState.AUTHORIZED:
            await _cancel(tenant, case)
    _log.warning("stray_settled", document_id=str(case.document.id), fate=fate.state)
    return None


async def _read(means: WorkerContext, lease: Lease) -> StrayCase:
    owner = lease.key.subscription_id
    async with means.database.autocommit(owner) as tenant:
        stray = await tenant.strays.get(lease.key.id)
        document = stray and await tenant.documents.get(stray.document_id)
        emission = stray and await tenant.emissions.get(stray.document_id, stray.emission)
    if not stray or not document or not emission:
        raise LookupError(f"{lease.key} has no row, no document or no attempt")
    dossier = await means.dossiers.of(owner, document.company_id, document.company_revision)
    return StrayCase(stray, document, emission, dossier)


async def _ask(means: WorkerContext, case: StrayCase) -> Outcome | None:
    """Consult the attempt's key; None when nobody would answer."""
    seal, environment = await means.dossiers.seal_of(case.dossier), Environment(case.document.environment)
    ways = ways_of(case.dossier, case.kind, environment)
    if seal is None or case.emission.access_key is None:
        return None
    if ways and await _is_out(means, case, seal, ways):
        return None
    sender = seal.sender(case.dossier.row.tax_id, environment)
    return await _consult(means.authorities[case.kind.name], sender, case.emission)


async def _consult(authority: Authority, sender: Sender, emission: Emission) -> Outcome:
    """Ask by the receipt of its lot, if it was to be judged later, and by its key if that tells nothing."""
    key = emission.access_key or ""
    if emission.receipt and isinstance(authority, LotAuthority):
        told = await authority.receipt(sender, key, emission.receipt)
        if not isinstance(told, NotJudged):
            return told
    return await authority.consult(sender, key)


async def _is_out(means: WorkerContext, case: StrayCase, seal: Seal, ways: Ways) -> bool:
    """Tell whether the authority is out by its status, of which one may ask more often than of a key."""
    is_at_svc = case.emission.emission_type == ways.type
    if is_at_svc or await means.outages.outage_of(ways.normal) is None:
        return False
    return not await answers(means, case.kind, case.dossier, seal, ways.normal)


async def _fate(means: WorkerContext, lease: Lease, case: StrayCase, outcome: Outcome) -> StrayFate | None:
    """What an answer says of an attempt; None where it leaves that open."""
    match outcome:
        case Authorized() if await _is_ours(means, lease, case, outcome.digest):
            return _authorized(case, outcome)
        case Canceled():
            first = outcome.authorization
            known = _authorized(case, first) if first else StrayFate(state=EmissionState.CANCELED)
            return replace(known, state=EmissionState.CANCELED)
        case Closed():
            first = outcome.authorization
            return await _fate(means, lease, case, first) if first else None
        case Denied():
            return StrayFate(state=EmissionState.DENIED, protocol=outcome.protocol)
        case Authorized() | Duplicate():
            return StrayFate(state=EmissionState.FOREIGN)
        case _:
            return _absent(means, case, outcome)


def _absent(means: WorkerContext, case: StrayCase, outcome: Outcome) -> StrayFate | None:
    """An attempt that the authority does not have, and can't get any more."""
    if isinstance(outcome, Rejected):
        return StrayFate(state=EmissionState.REJECTED)
    if not isinstance(outcome, Unknown):
        return None
    wait = _HANDED_OVER_WITHIN if outcome.may_come else means.latest_arrival
    is_over = means.workshop.clock() - means.workshop.service_time(case.stray.created_at) > wait
    return StrayFate(state=EmissionState.SIGNED) if is_over else None


def _authorized(case: StrayCase, answer: Authorized) -> StrayFate:
    digest = answer.digest or case.emission.digest or ""
    return StrayFate(
        state=EmissionState.AUTHORIZED,
        protocol=answer.protocol,
        authorized_at=answer.authorized_at,
        digest=digest,
        file_name=authorization_file(digest),
        file=answer.protocol_xml,
    )


async def _is_ours(means: WorkerContext, lease: Lease, case: StrayCase, digest: str | None) -> bool:
    async with means.database.autocommit(lease.key.subscription_id) as tenant:
        name = signed_file(digest or case.emission.digest or "")
        return await tenant.archive.get(case.document.id, name) is not None


async def _cancel(tenant: Tenant, case: StrayCase) -> None:
    """Tells the authority that the attempt is taken back, if documents of its type can be."""
    event = case.kind.cancellation
    if event is None:
        return
    request = event.request.model_validate({"justification": _REASON})
    await tenant.event_filings.add(NewEventFiling.about(case.document, case.emission, event.name, request))


async def _pause(means: WorkerContext, lease: Lease, case: StrayCase, outcome: Outcome | None) -> timedelta:
    tries = case.stray.tries if outcome is None else case.stray.tries + 1
    pause = means.backoff.pause(_USUAL if outcome is None else tries, dice())
    if isinstance(outcome, Throttled) and outcome.until:
        pause = max(outcome.until - means.workshop.clock(), pause)
    if isinstance(outcome, Unknown) and not outcome.may_come:
        arrived_by = means.workshop.service_time(case.stray.created_at) + means.latest_arrival
        pause = max(arrived_by - means.workshop.clock(), _SOON)
    async with means.database.autocommit(lease.key.subscription_id) as tenant:
        await tenant.strays.pause(lease, tries, pause)
    return pause
