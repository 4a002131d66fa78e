"""What the routes of document types share: which document is meant, their names, how one is added."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, HTTPException, Path, Response
from fastapi.datastructures import Default
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentSubscription
from carimbo.api.documented import UNREADY, Answers, refuses
from carimbo.fiscal.document_type import DocumentType
from carimbo.service.document_files import XmlFile
from carimbo.service.documents import Reference
from carimbo.service.errors import Code

# The answer that the handler's own annotation names.
_OF_HANDLER = Default(None)
DocumentId = Annotated[UUID, Path(alias="id", description="Id do documento.")]


async def _which(
    subscription: CurrentSubscription, company: CurrentCompany, document_id: DocumentId
) -> Reference:
    return Reference(subscription.id, document_id, company.id)


Which = Annotated[Reference, Depends(_which)]
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


def company_router(route_class: type[APIRoute]) -> APIRouter:
    """Routes under the path of a company."""
    return APIRouter(prefix="/v1/companies/{companyId}", route_class=route_class, dependencies=OF_COMPANY)


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
    """Register what reads something of a type, under its collection."""
    router.add_api_route(
        f"/{kind.collection}{path}",
        handler,
        methods=["GET"],
        operation_id=operation,
        summary=summary,
        tags=[kind.title],
        response_class=form,
        responses=(answers or {}) | refuses(Code.NOT_FOUND, *codes),
        response_model=response_model,
    )


def add_no_document(router: APIRouter, kind: DocumentType, path: str) -> None:
    """Let nobody cancel what stands where the id of a document does, and is none."""

    async def refuse() -> Response:
        raise HTTPException(405)

    router.add_api_route(
        f"/{kind.collection}{path}",
        refuse,
        methods=["DELETE"],
        include_in_schema=False,
        # Whatever else is wrong with such a request is not looked at.
        route_class_override=APIRoute,
    )
