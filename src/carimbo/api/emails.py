"""Documents of every registered type, sent by e-mail."""

from fastapi import Response

from carimbo.api.context import CurrentOutbox, RequestedPage
from carimbo.api.documented import refuses
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import Which, add_reading, add_route, collections, company_router, name_of
from carimbo.fiscal.document_type import DocumentType
from carimbo.service.delivery.emails import EmailRecord, EmailRequest
from carimbo.service.errors import Code

sending = company_router(Endpoint)
reading = company_router(ReadingEndpoint)


async def _send(outbox: CurrentOutbox, which: Which, body: JsonBody[EmailRequest] | None = None) -> Response:
    return success(await outbox.ask(which, body or EmailRequest()), ACCEPTED)


async def _list(outbox: CurrentOutbox, which: Which, page: RequestedPage) -> Listing[EmailRecord]:
    return listing(await outbox.list(which, page))


def _add(kind: DocumentType) -> None:
    add_route(
        sending,
        kind,
        "POST",
        "/{id}/email",
        _send,
        status_code=ACCEPTED,
        operation_id=f"email{name_of(kind)}",
        summary="Envia o documento por e-mail",
        description="O XML e o PDF seguem anexados; o resultado vem pela leitura dos e-mails do documento.",
        response_model=Success[EmailRecord],
        responses=refuses(Code.NOT_FOUND, Code.INVALID_STATE, Code.EMAIL_NOT_CONFIGURED),
    )
    path, operation = "/{id}/emails", f"list{name_of(kind)}Emails"
    add_reading(reading, kind, path, operation, "Lista os e-mails do documento", _list)


for _collection in collections():
    _add(_collection.owner)
