"""Superseded attempts: their outcome was unknown when another attempt replaced them.

The authority is asked until the outcome is known. If it has the attempt, we cancel it, because the sale has
another document. If it does not, the number is unused, and the ledger of numbers lists it.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from carimbo.fiscal.authority import Authority
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import AuthorityCredentials
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
from carimbo.service.companies.snapshot import CompanySnapshot, SigningIdentity
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.files import authorization_file, signed_file
from carimbo.service.issuing.routes import AuthorityServices, authority_services_for, is_available
from carimbo.service.ports import LotAuthority
from carimbo.service.waiting import jitter
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import NewEventFiling
from carimbo.storage.superseded_attempts import SupersededAttempt, SupersededOutcome
from carimbo.storage.work import Lease

_log = structlog.get_logger("carimbo.contingency")
# While the authority is out, the pause is always as long as after the third try.
_TRIES_DURING_OUTAGE = 3
_SOON = timedelta(seconds=1)
# Within this time a document of an SVC arrives at the authority of the state.
_PASSED_ON_WITHIN = timedelta(days=3)
_REASON = "Substituído por outro documento, emitido em contingência"


@dataclass(frozen=True)
class SupersededInProgress:
    """A superseded attempt with its document and company."""

    attempt: SupersededAttempt
    document: Document
    emission: EmissionRow
    snapshot: CompanySnapshot

    @property
    def document_type(self) -> DocumentType:
        return document_type_named(self.document.type)


async def settle_superseded(context: WorkerContext, lease: Lease) -> None:
    """Asks for the outcome of an attempt, and settles the attempt or asks again later."""
    superseded = await _read(context, lease)
    answer = await _ask(context, superseded)
    outcome = await _outcome_of(context, lease, superseded, answer) if answer else None
    if outcome is None:
        await _pause(context, lease, superseded, answer)
        return
    async with context.database.tenant(lease.key.subscription_id) as tenant:
        await tenant.superseded_attempts.settle(lease, outcome)
        if outcome.state == EmissionState.AUTHORIZED:
            await _cancel(tenant, superseded)
    _log.warning("stray_settled", document_id=str(superseded.document.id), fate=outcome.state)


async def _read(context: WorkerContext, lease: Lease) -> SupersededInProgress:
    owner = lease.key.subscription_id
    async with context.database.autocommit(owner) as tenant:
        attempt = await tenant.superseded_attempts.get(lease.key.id)
        document = attempt and await tenant.documents.get(attempt.document_id)
        emission = attempt and await tenant.emissions.get(attempt.document_id, attempt.emission)
    if not attempt or not document or not emission:
        raise LookupError(f"{lease.key} has no row, no document or no attempt")
    snapshot = await context.snapshots.of(owner, document.company_id, document.company_revision)
    return SupersededInProgress(attempt, document, emission, snapshot)


async def _ask(context: WorkerContext, superseded: SupersededInProgress) -> Outcome | None:
    """Asks for the outcome of the attempt; None if the authority can't be asked now."""
    identity, environment = (
        await context.snapshots.signing_identity_of(superseded.snapshot),
        Environment(superseded.document.environment),
    )
    services = authority_services_for(superseded.snapshot, superseded.document_type, environment)
    if identity is None or superseded.emission.access_key is None:
        return None
    if services and await _is_out(context, superseded, identity, services):
        return None
    sender = identity.sender(superseded.snapshot.row.tax_id, environment)
    return await _consult(context.authorities[superseded.document_type.name], sender, superseded.emission)


async def _consult(authority: Authority, sender: AuthorityCredentials, emission: EmissionRow) -> Outcome:
    """Asks by the receipt of the lot, if there is one, and by the access key if that gives no answer."""
    key = emission.access_key or ""
    if emission.receipt and isinstance(authority, LotAuthority):
        answer = await authority.receipt(sender, key, emission.receipt)
        if not isinstance(answer, NotJudged):
            return answer
    return await authority.consult(sender, key)


async def _is_out(
    context: WorkerContext,
    superseded: SupersededInProgress,
    identity: SigningIdentity,
    services: AuthorityServices,
) -> bool:
    """Returns whether the authority is out; its status may be asked more often than an access key."""
    is_at_svc = services.is_at_contingency(superseded.emission.emission_type)
    if is_at_svc or await context.outages.outage_of(services.normal) is None:
        return False
    return not await is_available(
        context, superseded.document_type, superseded.snapshot, identity, services.normal
    )


async def _outcome_of(
    context: WorkerContext, lease: Lease, superseded: SupersededInProgress, answer: Outcome
) -> SupersededOutcome | None:
    """Returns the outcome of the attempt that follows from an answer; None if it stays unknown."""
    match answer:
        case Authorized() if await _is_ours(context, lease, superseded, answer.digest):
            return _authorized(superseded, answer)
        case Canceled():
            first = answer.authorization
            outcome = (
                _authorized(superseded, first) if first else SupersededOutcome(state=EmissionState.CANCELED)
            )
            return replace(outcome, state=EmissionState.CANCELED)
        case Closed():
            first = answer.authorization
            return await _outcome_of(context, lease, superseded, first) if first else None
        case Denied():
            return SupersededOutcome(state=EmissionState.DENIED, protocol=answer.protocol)
        case Authorized() | Duplicate():
            return SupersededOutcome(state=EmissionState.FOREIGN)
        case _:
            return _absent(context, superseded, answer)


def _absent(
    context: WorkerContext, superseded: SupersededInProgress, answer: Outcome
) -> SupersededOutcome | None:
    """Returns the outcome of an attempt that the authority does not have and can't receive any more."""
    if isinstance(answer, Rejected):
        return SupersededOutcome(state=EmissionState.REJECTED)
    if not isinstance(answer, Unknown):
        return None
    wait = _PASSED_ON_WITHIN if answer.may_come else context.in_flight_limit
    is_over = context.builder.clock() - context.builder.service_time(superseded.attempt.created_at) > wait
    return SupersededOutcome(state=EmissionState.SIGNED) if is_over else None


def _authorized(superseded: SupersededInProgress, answer: Authorized) -> SupersededOutcome:
    digest = answer.digest or superseded.emission.digest or ""
    return SupersededOutcome(
        state=EmissionState.AUTHORIZED,
        protocol=answer.protocol,
        authorized_at=answer.authorized_at,
        digest=digest,
        file_name=authorization_file(digest),
        file=answer.protocol_xml,
    )


async def _is_ours(
    context: WorkerContext, lease: Lease, superseded: SupersededInProgress, digest: str | None
) -> bool:
    async with context.database.autocommit(lease.key.subscription_id) as tenant:
        name = signed_file(digest or superseded.emission.digest or "")
        return await tenant.archive.get(superseded.document.id, name) is not None


async def _cancel(tenant: Tenant, superseded: SupersededInProgress) -> None:
    """Files the cancellation of the attempt, if its type has one."""
    event = superseded.document_type.cancellation
    if event is None:
        return
    request = event.request.model_validate({"justification": _REASON})
    await tenant.event_filings.add(
        NewEventFiling.about(superseded.document, superseded.emission, event.name, request)
    )


async def _pause(
    context: WorkerContext, lease: Lease, superseded: SupersededInProgress, answer: Outcome | None
) -> None:
    tries = superseded.attempt.tries if answer is None else superseded.attempt.tries + 1
    pause = context.backoff.pause(_TRIES_DURING_OUTAGE if answer is None else tries, jitter())
    if isinstance(answer, Throttled) and answer.until:
        pause = max(answer.until - context.builder.clock(), pause)
    if isinstance(answer, Unknown) and not answer.may_come:
        arrived_by = context.builder.service_time(superseded.attempt.created_at) + context.in_flight_limit
        pause = max(arrived_by - context.builder.clock(), _SOON)
    async with context.database.autocommit(lease.key.subscription_id) as tenant:
        await tenant.superseded_attempts.pause(lease, tries, pause)
