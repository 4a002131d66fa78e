"""The program that answers requests."""

import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from carimbo.api.app import create_app
from carimbo.api.context import Services
from carimbo.api.metrics import REGISTRY
from carimbo.main.authorities import authorities_of, municipalities_of, surveyed
from carimbo.main.clock import clock_of
from carimbo.main.database import database_of
from carimbo.main.http_protocol import LimitedProtocol, RequestLimits, protocol_within
from carimbo.main.outbound import guard_of, links_of
from carimbo.main.parts import desk_of, settle_in, start_metrics, workshop_of
from carimbo.main.server import Server
from carimbo.main.tables import TableReloader
from carimbo.printing.press import Press
from carimbo.service.access import Gatekeeper
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.company_status import Watch
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.emails import Outbox
from carimbo.service.dossier import Dossiers
from carimbo.service.municipality import TownHall
from carimbo.service.outage_board import OutageBoard
from carimbo.service.printouts import Printouts
from carimbo.settings import Settings


def api_of(settings: Settings) -> FastAPI:
    """Build the API; it connects when it starts, but a file that can't be used is told now."""
    workshop, press, clock = workshop_of(settings), Press(settings.fonts_folder), clock_of(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with database_of(settings) as database, authorities_of(settings) as authorities:
            dossiers = Dossiers(database)
            municipalities = municipalities_of(dossiers, authorities, clock)
            counter = IssuingContext(database, dossiers, surveyed(workshop, database, municipalities))
            outages = OutageBoard(database, settings.contingency_after, clock, settings.clock_offset)
            app.state.services = Services(
                database,
                gatekeeper=await Gatekeeper.open(database),
                opener=CertificateOpener(settings.certificate_seconds),
                clock=clock,
                counter=counter,
                watch=Watch(
                    database,
                    dossiers,
                    authorities,
                    outages,
                    settings.overdue_after,
                    settings.software,
                    clock,
                ),
                desk=desk_of(settings, counter),
                printouts=Printouts(database, press, settings.printouts_cache_bytes),
                outbox=Outbox(database, settings.sends_email),
                town_hall=TownHall(municipalities),
                links=await links_of(settings, database),
                guard=guard_of(settings),
            )
            settle_in()
            yield

    return create_app(lifespan, settings.body_limit_bytes, settings.body_seconds)


def protocol_of(settings: Settings) -> type[LimitedProtocol]:
    """Returns the HTTP protocol with the limits of the settings."""
    limits = RequestLimits(settings.head_limit_bytes, settings.head_seconds, settings.body_seconds)
    return protocol_within(limits)


def serve(settings: Settings, listener: socket.socket) -> None:
    """Run the API until a signal ends it."""
    start_metrics(settings.metrics_host, settings.api_metrics_port, REGISTRY)
    reloader = TableReloader()
    # A SIGHUP ends a process that does not listen to it; the server listens once its loop runs.
    signal.signal(signal.SIGHUP, reloader.ask)
    app = api_of(settings)
    config = uvicorn.Config(
        app,
        http=protocol_of(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=round(settings.shutdown_seconds),
    )
    server = Server(app, config, settings.drain_seconds, reloader)
    # It hears signals by itself a moment from now, and raises them anew once it has stopped: by then there is
    # nothing left to interrupt.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    server.run(sockets=[listener])
