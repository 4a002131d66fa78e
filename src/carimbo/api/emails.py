"""Documents of every registered type, sent by e-mail."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastapi import Response

from carimbo.api.context import CurrentOutbox, RequestedPage
from carimbo.api.documented import refuses
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import Which, add_reading, company_router, name_of
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.delivery.emails import EmailRecord, EmailRequest
from carimbo.service.errors import Code

sending = company_router(Endpoint)
reading = company_router(ReadingEndpoint)


def _send(kind: DocumentType) -> Callable[..., Any]:
    async def send(
        outbox: CurrentOutbox, which: Which, body: JsonBody[EmailRequest] | None = None
    ) -> Response:
        return success(await outbox.ask(replace(which, kind=kind), body or EmailRequest()), ACCEPTED)

    return send


def _list(kind: DocumentType) -> Callable[..., Any]:
    async def list_emails(outbox: CurrentOutbox, which: Which, page: RequestedPage) -> Listing[EmailRecord]:
        return listing(await outbox.list(replace(which, kind=kind), page))

    return list_emails


def _add(kind: DocumentType) -> None:
    sending.add_api_route(
        f"/{kind.collection}/{{id}}/email",
        _send(kind),
        methods=["POST"],
        status_code=ACCEPTED,
        operation_id=f"email{name_of(kind)}",
        summary="Envia o documento por e-mail",
        description="O XML e o PDF seguem anexados; o resultado vem pela leitura dos e-mails do documento.",
        tags=[kind.title],
        response_model=Success[EmailRecord],
        responses=refuses(Code.NOT_FOUND, Code.INVALID_STATE, Code.EMAIL_NOT_CONFIGURED),
    )
    path, operation = "/{id}/emails", f"list{name_of(kind)}Emails"
    add_reading(reading, kind, path, operation, "Lista os e-mails do documento", _list(kind))


for _kind in DOCUMENT_TYPES:
    if _kind.issuing:
        _add(_kind)
