"""The API application: its routes, middleware and error handlers, and the health checks."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.responses import JSONResponse, Response
from starlette.routing import compile_path

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
    printouts,
    products,
    sales,
    webhooks,
)
from carimbo.api.context import services_of
from carimbo.api.envelope import EnvelopeVariant
from carimbo.api.errors import install_error_handlers
from carimbo.api.middleware import AccessControl, BodyLimit, HeadRequests, PathVariants, RequestIdentity
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.migrate import is_current

_NOT_READY = 503
_OK, _UNAVAILABLE, _STOPPING = "ok", "database unavailable", "stopping"
# Monitors ask every few seconds and give up if an answer takes longer than this.
_TIMEOUT_SECONDS = 2


def methods_of(app: FastAPI, path: str) -> set[str]:
    """Returns the methods that the contract has for a path; paths outside of the contract are read-only.

    Of several matching templates, the one with the fewest parameters applies (OpenAPI 3.1, 4.8.8.2).
    """
    published: dict[str, set[str]] = {}
    for route in iter_route_contexts(app.routes):
        if route.include_in_schema and route.path_format and compile_path(route.path_format)[0].match(path):
            published.setdefault(route.path_format, set()).update(route.methods or ())
    if not published:
        return {"GET", "HEAD"}
    methods = published[min(published, key=lambda template: template.count("{"))]
    return methods | {"HEAD"} if "GET" in methods else methods


health_router = APIRouter(include_in_schema=False)


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
    # The most called routes come first: matching a path costs time for each route before it.
    documents.creating,
    # Before the documents, whose paths have an id in place of `inutilizations` and `municipality`.
    filings.ranges,
    lookups.municipality_reading,
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
    account.router,
    lookups.code_router,
    printouts.link_router,
    docs_routes.router,
    health_router,
)


def create_app(lifespan: Lifespan, body_limit: int, body_seconds: float) -> FastAPI:
    """Builds the application; the lifespan must put `ApiServices` into `app.state.services`."""
    app = FastAPI(
        title="carimbo",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.is_stopping = False
    app.state.published = docs_routes.PublishedFiles()
    for router in _ROUTERS:
        app.include_router(router)
    install_error_handlers(app, partial(methods_of, app))
    # The middleware added last is the outermost.
    app.add_middleware(BodyLimit, limit=body_limit, seconds=body_seconds)
    app.add_middleware(AccessControl)
    app.add_middleware(PathVariants)
    app.add_middleware(RequestIdentity)
    app.add_middleware(EnvelopeVariant)
    app.add_middleware(HeadRequests)
    return app
