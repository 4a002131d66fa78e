"""What a handler gets to work with: the services, who is asking, and the company of the path."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Path, Query, Request
from starlette.requests import HTTPConnection

from carimbo.service.access import Gatekeeper
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.company_status import Watch
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.emails import Outbox
from carimbo.service.filing.desk import Desk
from carimbo.service.links import Links
from carimbo.service.municipality import TownHall
from carimbo.service.pages import PageRequest
from carimbo.service.ports import AddressGuard
from carimbo.service.printouts import Printouts
from carimbo.storage.companies import Company
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import Subscription

MAXIMUM_PAGE_SIZE = 100
# Deeper than any list goes, and small enough for the database's integers.
_LAST_PAGE = 10_000_000


@dataclass(frozen=True)
class Services:
    """What the composition root hands to the API."""

    database: Database
    gatekeeper: Gatekeeper
    opener: CertificateOpener
    clock: Callable[[], datetime]
    counter: IssuingContext
    watch: Watch
    desk: Desk
    printouts: Printouts
    outbox: Outbox
    town_hall: TownHall
    guard: AddressGuard
    links: Links


def services_of(connection: HTTPConnection) -> Services:
    """What the composition root put into the application."""
    services: Services = connection.app.state.services
    return services


def subscription_of(connection: HTTPConnection) -> Subscription:
    """The subscription that the middleware authenticated."""
    subscription: Subscription = connection.state.subscription
    return subscription


# Dependencies are coroutines: the framework sends plain functions to another thread, which costs more.
async def _services(request: Request) -> Services:
    return services_of(request)


async def _database(request: Request) -> Database:
    return services_of(request).database


async def _subscription(request: Request) -> Subscription:
    return subscription_of(request)


async def _company(request: Request) -> Company:
    company: Company = request.state.company
    return company


async def _company_id(
    companyId: Annotated[UUID, Path(description="Id da empresa.")],  # noqa: N803
) -> None:
    """Documents the path's company; the route has found it already."""


async def _page_request(
    page: Annotated[int, Query(ge=1, le=_LAST_PAGE, description="Página, a partir de 1.")] = 1,
    page_size: Annotated[
        int, Query(ge=1, le=MAXIMUM_PAGE_SIZE, alias="pageSize", description="Itens por página.")
    ] = 20,
) -> PageRequest:
    return PageRequest(page, page_size)


def search_parameter(description: str, example: str) -> Any:
    """A search among rows of the database, in the query."""
    return Query(
        max_length=100,
        # Control characters are in nothing that could be found, and the database does not take all of them.
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description=f"{description}, sem distinção de maiúsculas, acentos e pontuação.",
        examples=[example],
    )


async def _counter(request: Request) -> IssuingContext:
    return services_of(request).counter


async def _desk(request: Request) -> Desk:
    return services_of(request).desk


async def _printouts(request: Request) -> Printouts:
    return services_of(request).printouts


async def _outbox(request: Request) -> Outbox:
    return services_of(request).outbox


async def _links(request: Request) -> Links:
    return services_of(request).links


CurrentCounter = Annotated[IssuingContext, Depends(_counter)]
CurrentDesk = Annotated[Desk, Depends(_desk)]
CurrentLinks = Annotated[Links, Depends(_links)]
CurrentOutbox = Annotated[Outbox, Depends(_outbox)]
CurrentPrintouts = Annotated[Printouts, Depends(_printouts)]
CurrentServices = Annotated[Services, Depends(_services)]
CurrentDatabase = Annotated[Database, Depends(_database)]
CurrentSubscription = Annotated[Subscription, Depends(_subscription)]
CurrentCompany = Annotated[Company, Depends(_company)]
OF_COMPANY = [Depends(_company_id)]
RequestedPage = Annotated[PageRequest, Depends(_page_request)]
