"""What the routes of document types share: which document is meant, their names, how one is added."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.datastructures import Default
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentSubscription
from carimbo.api.documented import UNREADY, Answers, refuses
from carimbo.api.route import Endpoint
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.document_files import XmlFile
from carimbo.service.documents import Reference
from carimbo.service.errors import Code

# The answer that the handler's own annotation names.
_OF_HANDLER = Default(None)
DocumentId = Annotated[UUID, Path(alias="id", description="Id do documento.")]


async def _which(
    request: Request, subscription: CurrentSubscription, company: CurrentCompany, document_id: DocumentId
) -> Reference:
    kind: DocumentType | None = request.state.document_type
    return Reference(subscription.id, document_id, company.id, kind.read_collection if kind else None)


async def _document_type(request: Request) -> DocumentType:
    kind: DocumentType | None = request.state.document_type
    if kind is None:
        raise LookupError("the route is of no document type")
    return kind


Which = Annotated[Reference, Depends(_which)]
"""The document that the path means, in the collection of the route's type."""
CurrentType = Annotated[DocumentType, Depends(_document_type)]
"""The type that the route is of."""
ISSUING_REFUSALS = (
    Code.NOT_FOUND,
    Code.FEATURE_NOT_ENABLED,
    Code.DOCUMENT_LIMIT_REACHED,
    *UNREADY,
    Code.FISCAL_RULE_VIOLATION,
)


class XmlResponse(Response):
    """An XML file, which the published contract tells from JSON by this class."""

    media_type = "application/xml"


def xml_response(file: XmlFile) -> XmlResponse:
    """A file for download."""
    return XmlResponse(file.xml, headers={"Content-Disposition": f'attachment; filename="{file.name}"'})


def company_router(route_class: type[Endpoint]) -> APIRouter:
    """Returns a router of routes under the path of a company."""
    return APIRouter(prefix="/v1/companies/{companyId}", route_class=route_class, dependencies=OF_COMPANY)


def add_route(
    router: APIRouter, kind: DocumentType, method: str, path: str, handler: Any, **options: Any
) -> None:
    """Adds a route of a document type, below the collection where its documents are read."""
    router.add_api_route(
        f"/{kind.read_collection}{path}",
        handler,
        methods=[method],
        tags=[kind.title],
        route_class_override=endpoint_of(router, kind),
        **options,
    )


def endpoint_of(router: APIRouter, kind: DocumentType) -> type[Endpoint]:
    """Returns the class of a router's routes for a document type."""
    if not issubclass(router.route_class, Endpoint):
        raise TypeError(f"{router.route_class} knows no document type")
    return router.route_class.of_type(kind)


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents that are read in one place."""

    owner: DocumentType
    """The type that the place is named after."""
    types: tuple[DocumentType, ...]
    """Every type that is read there, the owner first."""

    @property
    def events(self) -> tuple[EventKind, ...]:
        """The events of all its types; raises TypeError if types share a route and not its body."""
        by_route: dict[tuple[str, str], EventKind] = {}
        for kind in self.types:
            for event in kind.events:
                first = by_route.setdefault((event.route.method, event.route.path), event)
                if first.request is not event.request:
                    raise TypeError(f"{kind.name} has another body for {event.name}")
        return tuple(by_route.values())


def collections() -> Iterator[Collection]:
    """Yields the collections of all document types, in their order."""
    for owner in DOCUMENT_TYPES:
        if owner.shared_collection is None:
            sharing = (kind for kind in DOCUMENT_TYPES if kind.shared_collection == owner.collection)
            yield Collection(owner, (owner, *sharing))


def name_of(kind: DocumentType) -> str:
    """The type's part of the names of its operations."""
    return kind.name[0].upper() + kind.name[1:]


def add_reading(
    router: APIRouter,
    kind: DocumentType,
    path: str,
    operation: str,
    summary: str,
    handler: Any,
    *codes: Code,
    form: type[Response] = JSONResponse,
    answers: Answers | None = None,
    response_model: Any = _OF_HANDLER,
) -> None:
    """Adds a route that reads something of a type."""
    add_route(
        router,
        kind,
        "GET",
        path,
        handler,
        operation_id=operation,
        summary=summary,
        response_class=form,
        responses=(answers or {}) | refuses(Code.NOT_FOUND, *codes),
        response_model=response_model,
    )


def add_no_document(router: APIRouter, kind: DocumentType, path: str) -> None:
    """Let nobody cancel what stands where the id of a document does, and is none."""

    async def refuse() -> Response:
        raise HTTPException(405)

    router.add_api_route(
        f"/{kind.read_collection}{path}",
        refuse,
        methods=["DELETE"],
        include_in_schema=False,
        # Whatever else is wrong with such a request is not looked at.
        route_class_override=APIRoute,
    )
