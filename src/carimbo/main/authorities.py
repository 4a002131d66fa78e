"""Builds the clients of the tax authorities."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.endpoints import Endpoints, OfficialEndpoints, SimulatorEndpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.tls import TrustStore
from carimbo.authorities.transport import HttpsTransport
from carimbo.fiscal.authority import Authority
from carimbo.main.process import clock_of
from carimbo.service.companies.snapshot import CompanySnapshots
from carimbo.service.documents.builder import DocumentBuilder
from carimbo.service.issuing.pre_issue_queries import Municipalities, PreIssueQueries
from carimbo.service.ports import MunicipalAuthority
from carimbo.settings import Settings
from carimbo.storage.database import Database


@asynccontextmanager
async def authorities_of(settings: Settings) -> AsyncIterator[Mapping[str, Authority]]:
    """Opens the authority client of every document type, by type name."""
    async with transport_of(settings) as transport:
        endpoints, pacing = endpoints_of(settings), Pacing(now=clock_of(settings))
        yield {name: make(transport, endpoints, pacing) for name, make in AUTHORITIES.items()}


@asynccontextmanager
async def transport_of(settings: Settings) -> AsyncIterator[HttpsTransport]:
    """Opens the HTTPS transport to the authorities."""
    timeouts, max_certificates = settings.authority_timeouts, settings.authority_certificates
    with TrustStore(settings.authority_ca_file) as trust:
        async with ConnectionPools(trust, timeouts, max_certificates) as connections:
            yield HttpsTransport(connections)


def endpoints_of(settings: Settings) -> Endpoints:
    """Returns the endpoints of the simulator in the settings, or the official ones."""
    simulator = settings.simulator_url
    return SimulatorEndpoints(simulator) if simulator else OfficialEndpoints()


def municipalities_of(
    snapshots: CompanySnapshots, authorities: Mapping[str, Authority], clock: Callable[[], datetime]
) -> Municipalities:
    """Builds the municipal queries, for the types whose authority acts for municipalities."""
    municipal = {
        name: authority
        for name, authority in authorities.items()
        if isinstance(authority, MunicipalAuthority)
    }
    return Municipalities(snapshots, municipal, clock)


def with_queries(
    builder: DocumentBuilder, database: Database, municipalities: Municipalities
) -> DocumentBuilder:
    """Returns a document builder that makes the queries a type needs before issuing."""
    return replace(builder, query_surroundings=PreIssueQueries(database, municipalities).query_surroundings)
