"""The API application: routes, middleware and error handlers put together."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

from fastapi import FastAPI

from carimbo.api import (
    account,
    certificates,
    code_search,
    companies,
    company_settings,
    company_status,
    contingency,
    customers,
    documents,
    emails,
    events,
    filings,
    health,
    invoices,
    links,
    logos,
    municipalities,
    numbering,
    openapi,
    printouts,
    products,
    sales,
    state_registrations,
    webhooks,
)
from carimbo.api.allowed_methods import methods_of
from carimbo.api.body_limit import BodyLimit
from carimbo.api.context import Services
from carimbo.api.envelope import EnvelopeVariant
from carimbo.api.errors import install_error_handlers
from carimbo.api.middleware import Gate, HeadRequests, PathVariants, RequestIdentity

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_ROUTERS = (
    # What is called most comes first: finding a route costs time for each one before it.
    documents.creating,
    # Before the documents, whose ids stand in the place of `inutilizations` and `municipality`.
    filings.ranges,
    municipalities.reading,
    documents.reading,
    printouts.of_company,
    printouts.of_subscription,
    documents.transmitting,
    filings.telling,
    filings.reading,
    emails.sending,
    emails.reading,
    invoices.router,
    invoices.reading,
    sales.creating,
    sales.router,
    sales.reading,
    companies.router,
    customers.router,
    products.router,
    company_status.router,
    contingency.router,
    numbering.router,
    state_registrations.router,
    certificates.company_path,
    certificates.only_company_path,
    company_settings.router,
    logos.router,
    events.router,
    webhooks.router,
    account.router,
    code_search.router,
    links.router,
    openapi.router,
    health.router,
)


def create_app(lifespan: Lifespan, body_limit: int, body_seconds: float) -> FastAPI:
    """Build the application; the lifespan must put `Services` into `app.state.services`."""
    app = FastAPI(
        title="carimbo",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.is_stopping = False
    app.state.publishing = asyncio.Lock()
    for router in _ROUTERS:
        app.include_router(router)
    install_error_handlers(app, partial(methods_of, app))
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, limit=body_limit, seconds=body_seconds)
    app.add_middleware(Gate)
    app.add_middleware(PathVariants)
    app.add_middleware(RequestIdentity)
    app.add_middleware(EnvelopeVariant)
    app.add_middleware(HeadRequests)
    return app


__all__ = ["Services", "create_app"]
