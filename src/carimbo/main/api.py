"""The API program."""

import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
import uvicorn
from fastapi import FastAPI

from carimbo.api.app import create_app
from carimbo.api.middleware import REGISTRY
from carimbo.api.middleware import Dashboard as DashboardDoor
from carimbo.main.authorities import authorities_of, municipalities_of, with_queries
from carimbo.main.database import database_of
from carimbo.main.links import guard_of, links_of
from carimbo.main.mailer import mailer_of
from carimbo.main.parts import document_builder, filing_context, start_metrics, tune_garbage_collector
from carimbo.main.process import clock_of, now
from carimbo.main.server import GracefulServer, LimitedProtocol, RequestLimits, protocol_within
from carimbo.main.tables import TableReloader
from carimbo.printing.registry import PdfRenderer
from carimbo.service.access import Authenticator
from carimbo.service.companies.certificates import CertificateOpener
from carimbo.service.companies.snapshot import CompanySnapshots
from carimbo.service.company_status.municipality import MunicipalityLookup
from carimbo.service.company_status.status import StatusReader
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.emails import Outbox
from carimbo.service.filing.open_documents import OpenDocumentsAtAuthority
from carimbo.service.outage_board import OutageBoard
from carimbo.service.people.context import SignInContext
from carimbo.service.printouts import Printouts
from carimbo.service.services import Services
from carimbo.settings import Settings

_log = structlog.get_logger("carimbo.main")


def api_of(settings: Settings) -> FastAPI:
    """Builds the API. It connects to the database when it starts; unusable files raise their errors here."""
    builder, clock = document_builder(settings), clock_of(settings)
    renderer = PdfRenderer(settings.fonts_folder)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with database_of(settings, "carimbo_api") as database, authorities_of(settings) as authorities:
            snapshots = CompanySnapshots(database)
            municipalities = municipalities_of(snapshots, authorities, clock)
            context = IssuingContext(database, snapshots, with_queries(builder, database, municipalities))
            outages = OutageBoard(database, settings.contingency_after, clock, settings.clock_offset)
            filing = filing_context(settings, context)
            sign_in = SignInContext(database, now, settings.link_base, mailer_of(settings))
            app.state.services = Services(
                database,
                authenticator=await Authenticator.open(database),
                opener=CertificateOpener(settings.certificate_seconds),
                clock=clock,
                issuing=context,
                status_reader=StatusReader(
                    database,
                    snapshots,
                    authorities,
                    outages,
                    settings.overdue_after,
                    settings.software,
                    clock,
                ),
                filing=filing,
                open_documents=OpenDocumentsAtAuthority(filing, authorities),
                printouts=Printouts(database, renderer, settings.printouts_cache_bytes),
                outbox=Outbox(database, settings.sends_email),
                municipality_lookup=MunicipalityLookup(municipalities),
                links=await links_of(settings, database),
                guard=guard_of(settings),
                sign_in=sign_in,
                in_flight_limit=settings.in_flight_limit,
            )
            tune_garbage_collector()
            yield
            await sign_in.background.finish()

    return create_app(lifespan, settings.body_limit_bytes, settings.body_seconds, _dashboard_of(settings))


def _dashboard_of(settings: Settings) -> DashboardDoor | None:
    if not settings.dashboard:
        return None
    # Loaded only where it is used: its templates and passkeys take memory.
    from carimbo.dashboard.app import Dashboard  # noqa: PLC0415
    from carimbo.dashboard.options import DashboardOptions  # noqa: PLC0415

    options = DashboardOptions(settings.public_url, settings.proxies)
    if options.is_https and not options.proxies:
        # Attempts to sign in are limited by address, so one client could lock out all others.
        _log.warning("clients_share_one_address", hint="CARIMBO_PROXY_ADDRESSES")
    return Dashboard(options).respond


def protocol_of(settings: Settings) -> type[LimitedProtocol]:
    """Returns the HTTP protocol with the limits of the settings."""
    limits = RequestLimits(settings.head_limit_bytes, settings.head_seconds, settings.body_seconds)
    return protocol_within(limits)


def serve(settings: Settings, listener: socket.socket) -> None:
    """Runs the API until a signal."""
    start_metrics(settings.metrics_host, settings.api_metrics_port, REGISTRY)
    reloader = TableReloader()
    # Without a handler, SIGHUP would end the process; the server handles it once its loop runs.
    signal.signal(signal.SIGHUP, reloader.ask)
    app = api_of(settings)
    config = uvicorn.Config(
        app,
        http=protocol_of(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        # Nothing uses the address and the scheme that a proxy reports.
        proxy_headers=False,
        timeout_graceful_shutdown=round(settings.shutdown_seconds),
    )
    server = GracefulServer(app, config, settings.drain_seconds, reloader)
    # The server handles signals itself while it runs, and raises them again after it has stopped. These
    # handlers ignore that.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    server.run(sockets=[listener])
