"""The routes of open documents: those that the authority has, and closing one by its access key."""

from collections.abc import Callable
from typing import Any

from fastapi import Response

from carimbo.api.context import CurrentCompany, CurrentOpenDocuments, CurrentSubscription
from carimbo.api.envelope import Success, success
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import UNREADY, error_responses
from carimbo.api.route import Endpoint
from carimbo.api.type_routes import (
    CurrentType,
    add_no_document,
    add_reading,
    add_route,
    company_router,
    name_of,
)
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.open_documents import ClosingByKey
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.errors import ErrorCode
from carimbo.service.filing.open_documents import ClosedByKeyRecord, OpenAtAuthorityRecord

router = company_router(Endpoint)

_OPEN_PATH, _CLOSE_PATH = "/open-at-authority", "/close-by-key"
_UNANSWERED = (*UNREADY, ErrorCode.AUTHORITY_THROTTLED, ErrorCode.AUTHORITY_UNAVAILABLE)


async def _list(
    open_documents: CurrentOpenDocuments,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
) -> Success[list[OpenAtAuthorityRecord]]:
    return Success(data=await open_documents.all(subscription.id, company, document_type))


def _close(closing: ClosingByKey) -> Callable[..., Any]:
    async def close(
        open_documents: CurrentOpenDocuments,
        subscription: CurrentSubscription,
        company: CurrentCompany,
        document_type: CurrentType,
        body: Body,
    ) -> Response:
        return success(await open_documents.close(subscription.id, company, document_type, closing, body))

    close.__annotations__["body"] = JsonBody[closing.request]  # type: ignore[misc, name-defined]
    return close


def _add(document_type: DocumentType, closing: ClosingByKey) -> None:
    title, name = document_type.title, name_of(document_type)
    add_reading(
        router,
        document_type,
        _OPEN_PATH,
        f"listOpen{name}",
        f"Pergunta à autoridade quais {title} da empresa estão abertos",
        _list,
        *_UNANSWERED,
    )
    add_route(
        router,
        document_type,
        "POST",
        _CLOSE_PATH,
        _close(closing),
        operation_id=f"close{name}ByKey",
        summary=f"Encerra um {title} pela chave de acesso",
        description=(
            f"Para o {title} que outro programa emitiu e deixou aberto. Sem a resposta da autoridade, repita"
            " o pedido, que não encerra duas vezes."
        ),
        response_model=Success[ClosedByKeyRecord],
        responses=error_responses(
            ErrorCode.INVALID_STATE,
            ErrorCode.FISCAL_RULE_VIOLATION,
            ErrorCode.AUTHORITY_REJECTED,
            *_UNANSWERED,
        ),
    )
    add_no_document(router, document_type, _OPEN_PATH)
    add_no_document(router, document_type, _CLOSE_PATH)


for _document_type in DOCUMENT_TYPES:
    if _document_type.closing_by_key:
        _add(_document_type, _document_type.closing_by_key)
