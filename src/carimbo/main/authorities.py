"""The way to the tax authorities."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from carimbo.authorities.connections import Connections
from carimbo.authorities.endpoints import Endpoints, OfficialEndpoints, SimulatorEndpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.transport import Transport
from carimbo.authorities.trust import Trust
from carimbo.main.clock import clock_of
from carimbo.service.dossier import Dossiers
from carimbo.service.issuing.municipalities import Municipalities
from carimbo.service.issuing.surroundings import Surveyor
from carimbo.service.ports import Authority, MunicipalAuthority
from carimbo.service.workshop import Workshop
from carimbo.settings import Settings
from carimbo.storage.database import Database


@asynccontextmanager
async def authorities_of(settings: Settings) -> AsyncIterator[Mapping[str, Authority]]:
    """Open the way to the authorities of every type that has one."""
    async with transport_of(settings) as transport:
        endpoints, pacing = endpoints_of(settings), Pacing(now=clock_of(settings))
        yield {name: make(transport, endpoints, pacing) for name, make in AUTHORITIES.items()}


@asynccontextmanager
async def transport_of(settings: Settings) -> AsyncIterator[Transport]:
    """Open the way that questions to authorities go."""
    patience, most = settings.authority_patience, settings.authority_certificates
    with Trust(settings.authority_ca_file) as trust:
        async with Connections(trust, patience, most) as connections:
            yield Transport(connections)


def endpoints_of(settings: Settings) -> Endpoints:
    """Where the authorities are: at their own addresses, or at the simulator that the settings name."""
    simulator = settings.simulator_url
    return SimulatorEndpoints(simulator) if simulator else OfficialEndpoints()


def municipalities_of(
    dossiers: Dossiers, authorities: Mapping[str, Authority], clock: Callable[[], datetime]
) -> Municipalities:
    """What is known of municipalities, by the authorities that act for them."""
    acting = {name: one for name, one in authorities.items() if isinstance(one, MunicipalAuthority)}
    return Municipalities(dossiers, acting, clock)


def surveyed(workshop: Workshop, database: Database, municipalities: Municipalities) -> Workshop:
    """Let a workshop ask others what it has to know of a document."""
    return replace(workshop, survey=Surveyor(database, municipalities).survey)
