"""The API application: its routes, middleware and error handlers, and the health checks."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from itertools import chain

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from carimbo.api import (
    account,
    companies,
    company_files,
    company_settings,
    customers,
    docs_routes,
    documents,
    filings,
    invoices,
    lookups,
    open_documents,
    parked_work,
    printouts,
    products,
    received,
    sales,
    webhooks,
)
from carimbo.api.context import services_of
from carimbo.api.middleware import Dashboard, RequestPipeline
from carimbo.api.route import OpenEndpoint
from carimbo.api.route_table import RouteTable
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.migrate import is_current

_NOT_READY = 503
_OK, _UNAVAILABLE, _STOPPING = "ok", "database unavailable", "stopping"
# Monitors ask every few seconds and give up if an answer takes longer than this.
_TIMEOUT_SECONDS = 2


health_router = APIRouter(include_in_schema=False, route_class=OpenEndpoint)


@health_router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Answers that the process is alive."""
    return {"status": _OK}


@health_router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Answers whether we are not stopping, and the database answers soon and has this version's schema."""
    if request.app.state.is_stopping:
        return JSONResponse({"status": _STOPPING}, _NOT_READY)
    check = asyncio.create_task(_state_of(services_of(request).database))
    # Not asyncio.timeout: canceling a connection attempt to a database that hangs takes long itself.
    done, _ = await asyncio.wait({check}, timeout=_TIMEOUT_SECONDS)
    if not done:
        check.cancel()
    state = check.result() if done else _UNAVAILABLE
    return JSONResponse({"status": state}, 200 if state == _OK else _NOT_READY)


async def _state_of(database: Database) -> str:
    try:
        async with database.connection() as connection:
            return _OK if await is_current(connection) else "migrations pending"
    except DatabaseUnavailable:
        return _UNAVAILABLE


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_ROUTERS = (
    documents.creating,
    # Before the documents, whose paths have an id in place of `inutilizations` and `municipality`.
    filings.ranges,
    lookups.municipality_reading,
    open_documents.router,
    received.router,
    documents.reading,
    printouts.of_company,
    printouts.of_subscription,
    documents.transmitting,
    filings.registering,
    filings.reading,
    documents.email_sending,
    documents.email_reading,
    invoices.router,
    invoices.reading,
    sales.creating,
    sales.router,
    sales.reading,
    companies.router,
    companies.of_company,
    customers.router,
    products.router,
    companies.status_router,
    company_settings.contingency_router,
    filings.numbering_router,
    company_settings.state_registration_router,
    company_files.certificate_router,
    company_files.only_company_certificate_router,
    company_settings.router,
    company_files.logo_router,
    webhooks.event_router,
    webhooks.router,
    parked_work.router,
    account.router,
    lookups.code_router,
    printouts.link_router,
    docs_routes.router,
    health_router,
)


class ApiApplication(FastAPI):
    """A FastAPI application whose requests take our own pipeline to their routes.

    FastAPI declares the routes and generates the contract. Its middleware and its router are not used.
    """

    pipeline: RequestPipeline

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["app"] = self
            await self.pipeline(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(
    lifespan: Lifespan, body_limit: int, body_seconds: float, dashboard: Dashboard | None = None
) -> ApiApplication:
    """Builds the application; the lifespan must put `Services` into `app.state.services`."""
    app = ApiApplication(title="carimbo", openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.is_stopping = False
    app.state.published = docs_routes.PublishedFiles()
    routes = list(_all_routes())
    # Not `include_router`, which would make each route a second time.
    app.router.routes.extend(routes)
    app.pipeline = RequestPipeline(RouteTable(routes), body_limit, body_seconds, dashboard)
    return app


def _all_routes() -> Iterator[OpenEndpoint]:
    for route in chain.from_iterable(router.routes for router in _ROUTERS):
        if not isinstance(route, OpenEndpoint):
            raise TypeError(f"{route} can't answer in our own pipeline")
        yield route
