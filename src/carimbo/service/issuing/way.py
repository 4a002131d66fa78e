"""Which way a document goes: to the authority of its state, or to the one that stands in for it."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Happening
from carimbo.fiscal.outcome import Available, Outcome, one_line
from carimbo.fiscal.tables.authorizers import AUTHORIZERS
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Dossier, Seal
from carimbo.service.issuing.case import Case
from carimbo.storage.issuing import EmissionWay
from carimbo.storage.outages import AuthorityPlace, Outage

NORMAL = EmissionWay(EmissionType.NORMAL)


class ContingencyMode(StrEnum):
    """What an operator wants: that what is seen of the authorities decides, or nothing but this word."""

    AUTOMATIC = "automatic"
    FORCED = "forced"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class Ways:
    """The two ways of a company's documents of a type."""

    normal: AuthorityPlace
    contingency: AuthorityPlace
    type: EmissionType
    """How documents are issued that go to the contingency (tpEmis)."""


def ways_of(dossier: Dossier, kind: DocumentType, environment: Environment) -> Ways | None:
    """The ways of a company's documents; None where there is only one."""
    state = (dossier.row.address or {}).get("state", "")
    serving = AUTHORIZERS.get((kind.model, state))
    stand_in = serving.contingency if serving else None
    if serving is None or stand_in is None or stand_in not in kind.contingencies:
        return None
    return Ways(
        AuthorityPlace(kind.model, serving.authorizer, environment),
        AuthorityPlace(kind.model, stand_in, environment),
        kind.contingencies[stand_in],
    )


async def way_of(means: WorkerContext, case: Case) -> EmissionWay:
    """The way that a document goes now."""
    ways = ways_of(case.dossier, case.kind, case.environment)
    wanted = await _wanted(means, case, ways) if ways else None
    if ways is None or wanted is None or not await _serves(means, case, ways.contingency):
        return NORMAL
    return wanted


async def is_stuck(means: WorkerContext, case: Case, way: EmissionWay) -> bool:
    """Tell whether nobody can say what became of an attempt, while the other way is open to the document."""
    ways = ways_of(case.dossier, case.kind, case.environment)
    if ways is None:
        return False
    if way.emission_type == ways.type:
        return await means.outages.outage_of(ways.normal) is not None
    # At an SVC: while it serves it is asked; after that the state's own gets its documents, sooner or later.
    created_at = means.workshop.service_time(case.document.created_at)
    age = means.workshop.clock() - (case.emission.issued_at or created_at)
    is_out = await means.outages.outage_of(ways.normal) is not None
    return age > means.outages.after and not is_out and not await _serves(means, case, ways.contingency)


async def learn(means: WorkerContext, case: Case, happening: Happening, outcome: Outcome) -> None:
    """Let the breaker know what came of a question that was put to the authority of an attempt."""
    ways = ways_of(case.dossier, case.kind, case.environment)
    if ways is None:
        return
    is_at_svc = case.emission.emission_type == ways.type
    if happening is Happening.TRANSMITTED:
        await means.outages.saw_judged(ways.contingency if is_at_svc else ways.normal, outcome)
    elif not is_at_svc:
        # Whoever answered for an SVC may have been the state's own.
        await means.outages.saw_found(ways.normal, outcome)


async def shortened(means: WorkerContext, case: Case, pause: timedelta) -> timedelta:
    """A pause that is over when contingency takes over from an authority that is out."""
    ways = ways_of(case.dossier, case.kind, case.environment)
    if ways is None or case.dossier.row.contingency_mode != ContingencyMode.AUTOMATIC:
        return pause
    opens_at, now = await means.outages.contingency_at(ways.normal), means.workshop.clock()
    return min(pause, opens_at - now) if opens_at and opens_at > now else pause


def reason_of(outage: Outage) -> str:
    """Why a document does not go the normal way (xJust): in the authority's own words, if it had any."""
    told = f"{outage.code} {outage.message}" if outage.code else "não responde"
    # No XSD takes letters beyond Latin-1.
    return one_line(
        f"Autorizador {outage.authorizer} fora de serviço: {told}".encode("latin-1", "ignore").decode(
            "latin-1"
        )
    )


async def answers(
    means: WorkerContext, kind: DocumentType, dossier: Dossier, seal: Seal, place: AuthorityPlace
) -> bool:
    """Ask an authority whether it is at work; what it said some seconds ago is good enough."""
    state = (dossier.row.address or {}).get("state", "")
    sender = seal.sender(dossier.row.tax_id, Environment(place.environment))
    authority = means.authorities[kind.name]
    condition = await authority.status(sender, kind.model, state, authorizer=place.authorizer)
    await means.outages.saw(place, condition)
    return isinstance(condition, Available)


async def _wanted(means: WorkerContext, case: Case, ways: Ways) -> EmissionWay | None:
    """The way to the contingency, if there is a reason to go it."""
    company = case.dossier.row
    match ContingencyMode(company.contingency_mode):
        case ContingencyMode.FORBIDDEN:
            return None
        case ContingencyMode.FORCED:
            since = company.contingency_since and means.workshop.service_time(company.contingency_since)
            return EmissionWay(ways.type, since, company.contingency_reason)
        case ContingencyMode.AUTOMATIC:
            outage = await _lasting_outage(means, case, ways.normal)
            return EmissionWay(ways.type, outage.since, reason_of(outage)) if outage else None


async def _lasting_outage(means: WorkerContext, case: Case, normal: AuthorityPlace) -> Outage | None:
    """The outage of the normal authority, if it lasts; when it says that it is back it is tried."""
    opens_at = await means.outages.contingency_at(normal)
    if opens_at is None or means.workshop.clock() < opens_at:
        return None
    if not await means.outages.is_failing(normal) and await _serves(means, case, normal):
        return None
    return await means.outages.outage_of(normal)


async def _serves(means: WorkerContext, case: Case, place: AuthorityPlace) -> bool:
    seal = await means.dossiers.seal_of(case.dossier)
    return seal is not None and await answers(means, case.kind, case.dossier, seal, place)
