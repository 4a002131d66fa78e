"""The composition root: puts settings, storage, use cases and doors together."""

import asyncio
import gc
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import uvicorn
from fastapi import FastAPI
from prometheus_client import start_http_server

from carimbo.api.app import create_app
from carimbo.api.context import Services
from carimbo.authorities.connections import Connections
from carimbo.authorities.endpoints import Endpoints, OfficialEndpoints, SimulatorEndpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.transport import Transport
from carimbo.authorities.trust import Trust
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.tables.catalog import ALL_TABLES
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.printing.press import Press
from carimbo.service.access import Gatekeeper
from carimbo.service.backoff import Backoff
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.company_status import Watch
from carimbo.service.filing.desk import Desk
from carimbo.service.issuing.accept import Counter
from carimbo.service.issuing.case import Means, Reached, nobody_is_told
from carimbo.service.issuing.dossier import Dossiers
from carimbo.service.issuing.municipalities import Municipalities
from carimbo.service.issuing.surroundings import Surveyor
from carimbo.service.issuing.workshop import Workshop
from carimbo.service.municipality import TownHall
from carimbo.service.outage_board import OutageBoard
from carimbo.service.ports import Authority, MunicipalAuthority
from carimbo.service.printouts import Printouts
from carimbo.settings import Settings
from carimbo.storage.database import Database, open_database
from carimbo.worker.advance import Advancer
from carimbo.worker.numbering import inutilize_forever
from carimbo.worker.retry import RetryPolicy
from carimbo.worker.run import run_worker
from carimbo.worker.tasks import tasks_of

# A task that resists even its cancellation does not keep the process.
_CANCEL_SECONDS = 2
# A request makes thousands of objects and no cycles to speak of.
_OBJECTS_BETWEEN_COLLECTIONS = 10_000


def use_tables(settings: Settings) -> None:
    """Put the operator's tables in force, and read them now: what is wrong is told before work begins."""
    use_tables_of(settings.tables_folder)
    if settings.tables_folder:
        for table in ALL_TABLES:
            table.load()


@asynccontextmanager
async def database_of(settings: Settings) -> AsyncIterator[Database]:
    """Open the database that the settings name."""
    url = settings.database_url.get_secret_value()
    async with open_database(url, settings.key_ring, settings.pool_options) as database:
        yield database


@asynccontextmanager
async def authorities_of(settings: Settings) -> AsyncIterator[Mapping[str, Authority]]:
    """Open the way to the authorities of every type that has one."""
    async with transport_of(settings) as transport:
        endpoints, pacing = endpoints_of(settings), Pacing()
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


def municipalities_of(dossiers: Dossiers, authorities: Mapping[str, Authority]) -> Municipalities:
    """What is known of municipalities, by the authorities that act for them."""
    acting = {name: one for name, one in authorities.items() if isinstance(one, MunicipalAuthority)}
    return Municipalities(dossiers, acting, _now)


def surveyed(workshop: Workshop, database: Database, municipalities: Municipalities) -> Workshop:
    """Let a workshop ask others what it has to know of a document."""
    return replace(workshop, survey=Surveyor(database, municipalities).survey)


def api_of(settings: Settings) -> FastAPI:
    """Build the API; it connects when it starts, but a file that can't be used is told now."""
    workshop, press = workshop_of(settings), Press(settings.fonts_folder)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with database_of(settings) as database, authorities_of(settings) as authorities:
            dossiers = Dossiers(database)
            municipalities = municipalities_of(dossiers, authorities)
            counter = Counter(database, dossiers, surveyed(workshop, database, municipalities))
            outages = OutageBoard(database, settings.contingency_after, _now)
            app.state.services = Services(
                database,
                gatekeeper=await Gatekeeper.open(database),
                opener=CertificateOpener(settings.certificate_seconds),
                clock=_now,
                counter=counter,
                watch=Watch(database, dossiers, authorities, outages, settings.overdue_after, _now),
                desk=desk_of(settings, counter),
                printouts=Printouts(database, press, settings.printouts_cache_bytes),
                town_hall=TownHall(municipalities),
            )
            _settle_in()
            yield

    return create_app(lifespan, settings.body_limit_bytes)


class AddressUnusable(Exception):
    """An address that we should listen on is taken, forbidden or not ours."""


def listen(host: str, port: int) -> socket.socket:
    """Take the address before anything starts, so that one in use is told at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise AddressUnusable(f"{host}:{port} ({error.strerror})") from error


def serve(settings: Settings, listener: socket.socket) -> None:
    """Run the API until a signal ends it."""
    start_metrics(settings.metrics_host, settings.api_metrics_port)
    config = uvicorn.Config(
        api_of(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=round(settings.shutdown_seconds),
    )
    # uvicorn raises the signal anew once it has stopped: by then there is nothing left to interrupt.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listener])


async def work(settings: Settings, reached: Reached = nobody_is_told) -> None:
    """Run a worker until a signal ends it; work under way is finished first."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    start_metrics(settings.metrics_host, settings.worker_metrics_port)
    async with database_of(settings) as database, means_of(settings, database, reached) as means:
        counter = Counter(database, means.dossiers, means.workshop)
        _settle_in()
        working = asyncio.create_task(
            run_worker(
                settings.database_url.get_secret_value(),
                advancer_of(settings, means),
                settings.queue_options,
                sweep_every=timedelta(seconds=settings.sweep_seconds),
                overdue_after=settings.overdue_after,
                keep_history=timedelta(days=settings.queue_history_days),
                reconnect_after=timedelta(seconds=settings.worker_reconnect_seconds),
                stop=stop,
                chores=[inutilize_forever(desk_of(settings, counter))],
            )
        )
        await asyncio.wait({working, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
        await _end(working, settings.shutdown_seconds)


async def _end(working: asyncio.Task[None], patience_seconds: float) -> None:
    """Let work finish; what does not is given up: its row stays due, and another worker takes it."""
    done, _ = await asyncio.wait({working}, timeout=patience_seconds)
    if done:
        working.result()
    else:
        working.cancel()
        await asyncio.wait({working}, timeout=_CANCEL_SECONDS)


def desk_of(settings: Settings, counter: Counter) -> Desk:
    """Build what tells authorities something about documents and numbers."""
    return Desk(counter, timedelta(seconds=settings.event_wait_seconds))


def advancer_of(settings: Settings, means: Means) -> Advancer:
    """Build what advances rows."""
    backoff = Backoff(
        first=timedelta(seconds=settings.retry_first_seconds),
        longest=timedelta(seconds=settings.retry_longest_seconds),
    )
    return Advancer(
        means.database,
        tasks_of(means),
        RetryPolicy(backoff, settings.attempts_before_parking),
        lease=timedelta(seconds=settings.lease_seconds),
        patience=timedelta(seconds=settings.worker_slow_seconds),
    )


@asynccontextmanager
async def means_of(
    settings: Settings, database: Database, reached: Reached = nobody_is_told
) -> AsyncIterator[Means]:
    """Put together what documents are issued with."""
    dossiers = Dossiers(database)
    async with authorities_of(settings) as authorities:
        yield Means(
            database=database,
            dossiers=dossiers,
            workshop=surveyed(workshop_of(settings), database, municipalities_of(dossiers, authorities)),
            authorities=authorities,
            backoff=settings.authority_backoff,
            outages=OutageBoard(database, settings.contingency_after, _now),
            latest_arrival=settings.latest_arrival,
            reached=reached,
        )


def workshop_of(settings: Settings) -> Workshop:
    """Put together what documents are made with; a file that can't be used is told before work begins."""
    use_tables(settings)
    schemas = Schemas(settings.schemas_folder)
    schemas.compiled(Schema.NFE)
    schemas.compiled(Schema.NFSE_DPS)
    return Workshop(schemas, settings.software, _now)


def _settle_in() -> None:
    """Spare the garbage collector what stays for good, which is nearly all: modules, models and tables."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def _now() -> datetime:
    return datetime.now(UTC)


def start_metrics(host: str, port: int) -> None:
    """Serve metrics on a port of their own, so that the public address never shows them."""
    if not port:
        return
    try:
        start_http_server(port, addr=host)
    except OSError as error:
        raise AddressUnusable(f"{host}:{port} das métricas ({error.strerror}); 0 as desliga") from error
