"""The route of a document: to the normal authority of its state, or to the contingency authority."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import HistoryEntry
from carimbo.fiscal.outcome import Available, Outcome, one_line
from carimbo.fiscal.tables.authorities import AUTHORIZERS
from carimbo.service.companies.snapshot import CompanySnapshot, SigningIdentity
from carimbo.service.contexts import WorkerContext
from carimbo.service.issuing.in_progress import DocumentInProgress
from carimbo.storage.issuing import EmissionRoute
from carimbo.storage.outages import AuthorityService, OutageRow

NORMAL = EmissionRoute(EmissionType.NORMAL)
_NATIONAL_NFSE = "SEFIN"


class ContingencyMode(StrEnum):
    """How contingency is chosen: automatically from observed outages, or fixed by the operator."""

    AUTOMATIC = "automatic"
    FORCED = "forced"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class AuthorityServices:
    """The authority services that a company's documents are sent to: normally, and in contingency."""

    normal: AuthorityService
    contingency: AuthorityService | None
    """None if documents are issued offline in contingency, and sent to the normal authority later."""
    contingency_type: EmissionType
    """Emission type of documents in contingency (tpEmis)."""

    def is_at_contingency(self, emission_type: str) -> bool:
        """Returns whether documents of an emission type are sent to the contingency authority."""
        return self.contingency is not None and emission_type == self.contingency_type


def normal_service_for(
    snapshot: CompanySnapshot, document_type: DocumentType, environment: Environment
) -> AuthorityService:
    """Returns the service that a company's documents are normally sent to."""
    authorizers = AUTHORIZERS.get((document_type.model, snapshot.row.state or ""))
    authorizer = authorizers.authorizer if authorizers else _NATIONAL_NFSE
    return AuthorityService(document_type.model or document_type.name, authorizer, environment)


def authority_services_for(
    snapshot: CompanySnapshot, document_type: DocumentType, environment: Environment
) -> AuthorityServices | None:
    """Returns the services for a company's documents; None if there is no contingency for them."""
    state = snapshot.row.state or ""
    authorizers = AUTHORIZERS.get((document_type.model, state))
    if authorizers is None:
        return None
    normal = normal_service_for(snapshot, document_type, environment)
    if document_type.offline_emission:
        return AuthorityServices(normal, None, document_type.offline_emission)
    contingency = authorizers.contingency
    if contingency is None or contingency not in document_type.contingencies:
        return None
    return AuthorityServices(
        normal,
        AuthorityService(document_type.model, contingency, environment, state),
        document_type.contingencies[contingency],
    )


async def current_route(context: WorkerContext, document: DocumentInProgress) -> EmissionRoute:
    """Returns the route that a document takes now."""
    if not document.document_type.issuing.fits_contingency(document.request):
        return NORMAL
    services = authority_services_for(document.snapshot, document.document_type, document.environment)
    if services is None:
        return NORMAL
    route = await _contingency_route(context, document, services)
    if services.contingency and route and not await _serves(context, document, services.contingency):
        return NORMAL
    return route or NORMAL


async def is_stuck(context: WorkerContext, document: DocumentInProgress, route: EmissionRoute) -> bool:
    """Returns whether the outcome of an attempt can't be learned, while the other route is available."""
    services = authority_services_for(document.snapshot, document.document_type, document.environment)
    if services is None:
        return False
    if services.contingency is None or route.emission_type == services.contingency_type:
        return await context.outages.outage_of(services.normal) is not None
    # The document was sent to an SVC. An SVC that is available can be asked for the outcome. After it has
    # closed, the state gets its documents, but not at once.
    created_at = context.builder.service_time(document.row.created_at)
    age = context.builder.clock() - (document.emission.issued_at or created_at)
    is_out = await context.outages.outage_of(services.normal) is not None
    return (
        age > context.outages.after
        and not is_out
        and not await _serves(context, document, services.contingency)
    )


async def report_outcome(
    context: WorkerContext, document: DocumentInProgress, history_entry: HistoryEntry, outcome: Outcome
) -> None:
    """Reports the outcome of a request to the circuit breaker of the authority."""
    route = (document.snapshot, document.document_type, document.environment)
    services, normal = authority_services_for(*route), normal_service_for(*route)
    is_at_svc = services is not None and services.is_at_contingency(document.emission.emission_type)
    if history_entry is HistoryEntry.TRANSMITTED:
        service = services.contingency if services and is_at_svc else None
        await context.outages.record_sent_outcome(service or normal, outcome)
    elif not is_at_svc:
        # The answer about a document of an SVC may have come from the state.
        await context.outages.record_consulted_outcome(normal, outcome)


async def shorten_pause(context: WorkerContext, document: DocumentInProgress, pause: timedelta) -> timedelta:
    """Returns the pause, or a shorter one that ends when contingency begins."""
    services = authority_services_for(document.snapshot, document.document_type, document.environment)
    if services is None or document.snapshot.row.contingency_mode != ContingencyMode.AUTOMATIC:
        return pause
    opens_at, now = await context.outages.contingency_at(services.normal), context.builder.clock()
    return min(pause, opens_at - now) if opens_at and opens_at > now else pause


def contingency_reason(outage: OutageRow) -> str:
    """Returns the reason of contingency for the document (xJust), with the authority's message, if any."""
    status = f"{outage.code} {outage.message}" if outage.code else "não responde"
    # The XSDs allow only Latin-1.
    return one_line(
        f"Autorizador {outage.authorizer} fora de serviço: {status}".encode("latin-1", "ignore").decode(
            "latin-1"
        )
    )


async def is_available(
    context: WorkerContext,
    document_type: DocumentType,
    snapshot: CompanySnapshot,
    identity: SigningIdentity,
    service: AuthorityService,
) -> bool:
    """Asks whether an authority is available, and reports it; the answer may be some seconds old."""
    state = snapshot.row.state or ""
    sender = identity.sender(snapshot.row.tax_id, Environment(service.environment))
    authority = context.authorities[document_type.name]
    status = await authority.status(sender, document_type.model, state, authorizer=service.authorizer)
    await context.outages.record_answer(service, status)
    return isinstance(status, Available)


async def _contingency_route(
    context: WorkerContext, document: DocumentInProgress, services: AuthorityServices
) -> EmissionRoute | None:
    """Returns the contingency route, if there is a reason to take it."""
    company = document.snapshot.row
    match ContingencyMode(company.contingency_mode):
        case ContingencyMode.FORBIDDEN:
            return None
        case ContingencyMode.FORCED:
            if services.contingency is None and not await _is_down(context, document, services.normal):
                # A document is issued offline only if the authority can't take it now.
                return None
            since = company.contingency_since and context.builder.service_time(company.contingency_since)
            return EmissionRoute(services.contingency_type, since, company.contingency_reason)
        case ContingencyMode.AUTOMATIC:
            outage = await _lasting_outage(context, document, services.normal)
            return (
                EmissionRoute(services.contingency_type, outage.since, contingency_reason(outage))
                if outage
                else None
            )


async def _lasting_outage(
    context: WorkerContext, document: DocumentInProgress, normal: AuthorityService
) -> OutageRow | None:
    """Returns the lasting outage of the normal authority; None once the authority says that it is back."""
    opens_at = await context.outages.contingency_at(normal)
    if opens_at is None or context.builder.clock() < opens_at:
        return None
    if not await _is_down(context, document, normal):
        return None
    return await context.outages.outage_of(normal)


async def _is_down(context: WorkerContext, document: DocumentInProgress, normal: AuthorityService) -> bool:
    """Returns whether the normal authority failed just now, or does not say that it is in operation."""
    return await context.outages.is_failing(normal) or not await _serves(context, document, normal)


async def _serves(context: WorkerContext, document: DocumentInProgress, service: AuthorityService) -> bool:
    identity = await context.snapshots.signing_identity_of(document.snapshot)
    return identity is not None and await is_available(
        context, document.document_type, document.snapshot, identity, service
    )
