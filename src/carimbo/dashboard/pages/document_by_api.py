"""The calls of the API that correct and emit a document whose type has no form here."""

from dataclasses import dataclass

from starlette.responses import Response

from carimbo.dashboard.json_lines import exact_json
from carimbo.dashboard.pages.document_state import ONE_DOCUMENT, name_of, reference_of
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.lifecycle import EMITTABLE
from carimbo.service.documents.queries import read_document_and_request
from carimbo.service.errors import ErrorCode, Refusal
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
    path = f"/v1/companies/{visit.company.id}/invoices/{record.id}"
    calls = ApiCalls(
        _command(visit, "PATCH", path, exact_json({"version": record.version, **request})),
        _command(visit, "POST", f"{path}/emit"),
    )
    return page(visit, "documents/by_api.html", record=record, name=name_of(record), calls=calls)


def _command(visit: CompanyVisit, method: str, path: str, body: str = "") -> str:
    """Returns a call for a shell. The body is between quotes in which a shell replaces nothing."""
    host = visit.request.headers.get("host", "")
    address = f"{visit.options.origin_at(host)}{visit.options.api_root}{path}"
    lines = [
        f"curl -X {method} '{address}'",
        f"-H 'X-Api-Key: {visit.subscription_id}'",
        '-H "X-Api-Secret: $CARIMBO_API_SECRET"',
    ]
    if not body:
        return " \\\n  ".join(lines)
    lines += ["-H 'Content-Type: application/json'", "--data-binary @- <<'JSON'"]
    return " \\\n  ".join(lines) + f"\n{body}\nJSON"


ROUTES = (company_page(f"{ONE_DOCUMENT}/pela-api", Capability.ISSUE_DOCUMENTS, api_calls),)
