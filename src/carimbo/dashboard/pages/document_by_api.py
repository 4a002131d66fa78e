"""The calls of the API for what has no form here: correcting and emitting documents, and some events."""

from dataclasses import dataclass

from starlette.responses import Response

from carimbo.dashboard.api_command import api_command, smallest_body
from carimbo.dashboard.json_lines import exact_json
from carimbo.dashboard.pages.document_state import ONE_DOCUMENT, name_of, reference_of
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.lifecycle import EMITTABLE
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.document_types import find_document_type
from carimbo.service.documents.queries import read_document, read_document_and_request
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.people.roles import Capability

_NOT_CHANGEABLE = "Só se corrigem rascunhos e documentos rejeitados."
_UNREADABLE = "O pedido guardado não pôde ser lido: avise quem opera o serviço."


@dataclass(frozen=True)
class ApiCalls:
    """Commands for a shell, in their order."""

    change: str
    emit: str


async def api_calls(visit: CompanyVisit) -> Response:
    """Shows how a program corrects and emits a document, with its own values."""
    record, request = await read_document_and_request(visit.services.database, reference_of(visit))
    if record.status not in EMITTABLE:
        raise Refusal(ErrorCode.INVALID_STATE, _NOT_CHANGEABLE)
    if not isinstance(request, dict):
        raise Refusal(ErrorCode.INVALID_STATE, _UNREADABLE)
    path = f"/invoices/{record.id}"
    calls = ApiCalls(
        api_command(visit, "PATCH", path, exact_json({"version": record.version, **request})),
        api_command(visit, "POST", f"{path}/emit"),
    )
    return page(visit, "documents/by_api.html", record=record, name=name_of(record), calls=calls)


async def event_call(visit: CompanyVisit) -> Response:
    """Shows how a program registers an event that has no form here, with the smallest body."""
    record = await read_document(visit.services.database, reference_of(visit))
    document_type = find_document_type(record.type)
    kinds = document_type.events if document_type else ()
    kind = next((each for each in kinds if each.name == visit.request.path_params["event"]), None)
    if document_type is None or kind is None or kind.form is not None:
        raise not_found("Este documento não tem este evento pela API.")
    # Operations are named after the type to which the collection belongs.
    collection = document_type.read_collection
    owner = next(each for each in DOCUMENT_TYPES if each.collection == collection)
    command = api_command(
        visit,
        kind.route.method,
        f"/{collection}/{record.id}{kind.route.path}",
        smallest_body(kind.route.operation, owner),
    )
    return page(
        visit, "documents/event_by_api.html", record=record, name=name_of(record), kind=kind, command=command
    )


ROUTES = (
    company_page(f"{ONE_DOCUMENT}/pela-api", Capability.ISSUE_DOCUMENTS, api_calls),
    company_page(f"{ONE_DOCUMENT}/pela-api/{{event}}", Capability.CANCEL_DOCUMENTS, event_call),
)
