"""Helpers for the routes of document types: the requested document, collections, adding routes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.datastructures import Default
from starlette.responses import JSONResponse

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentSubscription
from carimbo.api.errors import WrongMethod
from carimbo.api.response_docs import UNREADY, Responses, error_responses
from carimbo.api.route import Endpoint, OpenEndpoint
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.documents.files import XmlFile
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.errors import ErrorCode

# Makes FastAPI take the response model from the handler's annotation.
_OF_HANDLER = Default(None)
DocumentId = Annotated[UUID, Path(alias="id", description="Id do documento.")]
ISSUING_REFUSALS = (
    ErrorCode.NOT_FOUND,
    ErrorCode.FEATURE_NOT_ENABLED,
    ErrorCode.DOCUMENT_LIMIT_REACHED,
    *UNREADY,
    ErrorCode.FISCAL_RULE_VIOLATION,
)


async def _requested_document(
    request: Request, subscription: CurrentSubscription, company: CurrentCompany, document_id: DocumentId
) -> DocumentReference:
    document_type: DocumentType | None = request.state.document_type
    return DocumentReference(
        subscription.id, document_id, company.id, document_type.read_collection if document_type else None
    )


async def _document_type(request: Request) -> DocumentType:
    document_type: DocumentType | None = request.state.document_type
    if document_type is None:
        raise LookupError("the route is of no document type")
    return document_type


RequestedDocument = Annotated[DocumentReference, Depends(_requested_document)]
"""The document of the path, in the collection of the route's type."""
CurrentType = Annotated[DocumentType, Depends(_document_type)]
"""The document type of the route."""


class XmlResponse(Response):
    """An XML file; its class tells the published contract that the response is not JSON."""

    media_type = "application/xml"


def xml_response(file: XmlFile) -> XmlResponse:
    """Returns an XML file for download."""
    return XmlResponse(file.xml, headers={"Content-Disposition": f'attachment; filename="{file.name}"'})


def company_router(route_class: type[Endpoint]) -> APIRouter:
    """Returns a router for routes under the path of a company."""
    return APIRouter(prefix="/v1/companies/{companyId}", route_class=route_class, dependencies=OF_COMPANY)


def add_route(
    router: APIRouter, document_type: DocumentType, method: str, path: str, handler: Any, **options: Any
) -> None:
    """Adds a route of a document type, below the collection where its documents are read."""
    router.add_api_route(
        f"/{document_type.read_collection}{path}",
        handler,
        methods=[method],
        tags=[document_type.title],
        route_class_override=endpoint_of(router, document_type),
        **options,
    )


def endpoint_of(router: APIRouter, document_type: DocumentType) -> type[Endpoint]:
    """Returns the class of a router's routes for a document type."""
    if not issubclass(router.route_class, Endpoint):
        raise TypeError(f"{router.route_class} knows no document type")
    return router.route_class.of_type(document_type)


@dataclass(frozen=True, slots=True)
class Collection:
    """Document types whose documents are read under one path."""

    owner: DocumentType
    """The type that gives the collection its name."""
    types: tuple[DocumentType, ...]
    """Every type in the collection, the owner first."""

    @property
    def events(self) -> tuple[EventKind, ...]:
        """The events of all its types. Raises TypeError if types share a route but not its body."""
        by_route: dict[tuple[str, str], EventKind] = {}
        for document_type in self.types:
            for event in document_type.events:
                first = by_route.setdefault((event.route.method, event.route.path), event)
                if first.request is not event.request:
                    raise TypeError(f"{document_type.name} has another body for {event.name}")
        return tuple(by_route.values())


def collections() -> Iterator[Collection]:
    """Yields the collections of all document types, in their order."""
    for owner in DOCUMENT_TYPES:
        if owner.shared_collection is None:
            sharing = (
                document_type
                for document_type in DOCUMENT_TYPES
                if document_type.shared_collection == owner.collection
            )
            yield Collection(owner, (owner, *sharing))


def name_of(document_type: DocumentType) -> str:
    """Returns the part of operation ids that names the type, such as `Nfe`."""
    return document_type.name[0].upper() + document_type.name[1:]


def add_reading(
    router: APIRouter,
    document_type: DocumentType,
    path: str,
    operation: str,
    summary: str,
    handler: Any,
    *codes: ErrorCode,
    response_class: type[Response] = JSONResponse,
    answers: Responses | None = None,
    response_model: Any = _OF_HANDLER,
) -> None:
    """Adds a GET route of a document type."""
    add_route(
        router,
        document_type,
        "GET",
        path,
        handler,
        operation_id=operation,
        summary=summary,
        response_class=response_class,
        responses=(answers or {}) | error_responses(ErrorCode.NOT_FOUND, *codes),
        response_model=response_model,
    )


def add_no_document(router: APIRouter, document_type: DocumentType, path: str) -> None:
    """Refuses DELETE on a fixed path, where the route that cancels documents would take it for an id."""
    add_no_record(router, f"/{document_type.read_collection}{path}", "DELETE")


def add_no_record(router: APIRouter, path: str, method: str) -> None:
    """Refuses a method on a fixed path, where another route would take its last segment for an id."""

    async def refuse() -> Response:
        raise WrongMethod

    router.add_api_route(
        path,
        refuse,
        methods=[method],
        include_in_schema=False,
        # Nothing else of such a request is checked.
        route_class_override=OpenEndpoint,
    )
