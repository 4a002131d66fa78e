"""The dependencies of handlers: services, the caller's subscription, and the company of the path."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Path, Query, Request
from starlette.requests import HTTPConnection

from carimbo.service.access import Caller
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.emails import Outbox
from carimbo.service.documents.files import Links
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.open_documents import OpenDocumentsAtAuthority
from carimbo.service.listing import PageRequest
from carimbo.service.printouts import Printouts
from carimbo.service.services import Services
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import Subscription

MAX_PAGE_SIZE = 100
# Beyond the end of any list, and within the database's integers.
_LAST_PAGE = 10_000_000


def services_of(connection: HTTPConnection) -> Services:
    """Returns the services of a request; after its credentials are checked, they act for their owner."""
    services: Services = connection.scope.get("services") or connection.app.state.services
    return services


def subscription_of(connection: HTTPConnection) -> Subscription:
    """Returns the subscription that the middleware authenticated."""
    caller: Caller = connection.state.caller
    return caller.subscription


# Dependencies are coroutines because the framework runs plain functions in a thread, which is slower.
async def _services(request: Request) -> Services:
    return services_of(request)


async def _database(request: Request) -> Database:
    return services_of(request).database


async def _subscription(request: Request) -> Subscription:
    return subscription_of(request)


async def _company(request: Request) -> CompanyRow:
    company: CompanyRow = request.state.company
    return company


async def _company_id(
    companyId: Annotated[UUID, Path(description="Id da empresa.")],  # noqa: N803
) -> None:
    """Documents the company id of the path; the route class has already found the company."""


async def _page_request(
    page: Annotated[int, Query(ge=1, le=_LAST_PAGE, description="Página, a partir de 1.")] = 1,
    page_size: Annotated[
        int, Query(ge=1, le=MAX_PAGE_SIZE, alias="pageSize", description="Itens por página.")
    ] = 20,
) -> PageRequest:
    return PageRequest(page, page_size)


def search_parameter(description: str, example: str) -> Any:
    """Returns a query parameter that searches rows of the database."""
    return Query(
        max_length=100,
        # No stored text has control characters, and the database rejects some of them.
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description=f"{description}, sem distinção de maiúsculas, acentos e pontuação.",
        examples=[example],
    )


async def _issuing_context(request: Request) -> IssuingContext:
    return services_of(request).issuing


async def _filing_context(request: Request) -> FilingContext:
    return services_of(request).filing


async def _printouts(request: Request) -> Printouts:
    return services_of(request).printouts


async def _outbox(request: Request) -> Outbox:
    return services_of(request).outbox


async def _links(request: Request) -> Links:
    return services_of(request).links


async def _open_documents(request: Request) -> OpenDocumentsAtAuthority:
    return services_of(request).open_documents


CurrentIssuingContext = Annotated[IssuingContext, Depends(_issuing_context)]
CurrentFilingContext = Annotated[FilingContext, Depends(_filing_context)]
CurrentLinks = Annotated[Links, Depends(_links)]
CurrentOpenDocuments = Annotated[OpenDocumentsAtAuthority, Depends(_open_documents)]
CurrentOutbox = Annotated[Outbox, Depends(_outbox)]
CurrentPrintouts = Annotated[Printouts, Depends(_printouts)]
CurrentServices = Annotated[Services, Depends(_services)]
CurrentDatabase = Annotated[Database, Depends(_database)]
CurrentSubscription = Annotated[Subscription, Depends(_subscription)]
CurrentCompany = Annotated[CompanyRow, Depends(_company)]
OF_COMPANY = [Depends(_company_id)]
RequestedPage = Annotated[PageRequest, Depends(_page_request)]
