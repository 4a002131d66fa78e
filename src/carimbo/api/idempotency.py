"""Idempotent creation: a repeated order is answered with its document, even if its body is invalid today."""

from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import StringConstraints

from carimbo.api.context import services_of, subscription_of
from carimbo.api.envelope import success
from carimbo.api.route import ApiRequest, Endpoint
from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.issuing.accept import find_replay, looks_first

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
REPLAYED_HEADER = {
    REPLAYED: {
        "description": "Presente quando o documento já existia.",
        "schema": {"type": "string", "enum": ["true"]},
    }
}
ORDER_CONFLICTS = (ErrorCode.DUPLICATE_RESOURCE, ErrorCode.IDEMPOTENCY_CONFLICT)
"""Codes of a create whose key belongs to another order."""
DRY_RUN = "dryRun"
_MAX_KEY_LENGTH = 255
_FALSE = ("false", "0", "no", "off", "f", "n")

IdempotencyKey = Annotated[
    Annotated[str, StringConstraints(max_length=_MAX_KEY_LENGTH + 2)] | None,
    Header(
        alias=HEADER,
        description="Identifica a criação; na falta, vale `externalId`. Repetido, devolve o mesmo documento.",
    ),
]


class CreatingEndpoint(Endpoint):
    """A route that creates documents of its type, and answers repeated orders.

    Most orders are new. So an earlier order is looked up only if the request is refused: storing it finds a
    taken key by itself. `looks_first` has the exceptions.
    """

    async def _answer(self, request: ApiRequest) -> Response:
        document_type = self.document_type
        if document_type is None or request.query_params.get(DRY_RUN, "false").lower() not in _FALSE:
            return await super()._answer(request)
        key = key_of(request)
        if looks_first(document_type, request.parsed) and (
            earlier := await _earlier(request, document_type, key)
        ):
            return earlier
        try:
            return await super()._answer(request)
        except Refusal:
            if earlier := await _earlier(request, document_type, key):
                return earlier
            raise


async def _earlier(request: ApiRequest, document_type: DocumentType, key: str | None) -> Response | None:
    """Returns the answer to a request that repeats an earlier order."""
    existing = await find_replay(
        services_of(request).database,
        subscription_of(request).id,
        request.state.company.id,
        document_type,
        key,
        request.parsed,
    )
    return replay(existing) if existing else None


def replay(record: Record) -> Response:
    """Returns a record that was created before, with a header that says so."""
    return success(record, headers={REPLAYED: "true"})


def key_of(request: Request) -> str | None:
    """Returns the key in the header, bare or quoted; None if it is empty."""
    headers = request.headers.getlist(HEADER)
    if len(headers) > 1:
        raise invalid_field(HEADER, "Envie o cabeçalho uma só vez.")
    given = "".join(headers).strip()
    quoted = len(given) > 1 and given[0] == given[-1] == '"'
    key = given[1:-1] if quoted else given
    if len(key) > _MAX_KEY_LENGTH or not key.isprintable():
        raise invalid_field(HEADER, f"Use até {_MAX_KEY_LENGTH} caracteres visíveis.")
    return key or None
