"""Idempotent creation: a repeated order is answered with its document before its body is validated."""

from typing import Annotated, Any

from fastapi import Header, Request, Response
from pydantic import StringConstraints

from carimbo.api.context import services_of, subscription_of
from carimbo.api.envelope import success
from carimbo.api.route import ApiRequest, Endpoint
from carimbo.fiscal.body.fields import Record
from carimbo.service.errors import ErrorCode, invalid_field
from carimbo.service.issuing.accept import find_replay

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
    """A route that creates documents of its type, and answers repeated orders."""

    async def _answer(self, request: ApiRequest) -> Response:
        if self.document_type is None or not _is_off(request, DRY_RUN):
            return await super()._answer(request)
        existing = await find_replay(
            services_of(request).database,
            subscription_of(request).id,
            request.state.company.id,
            self.document_type,
            key_of(request),
            self._order(request),
        )
        return replay(existing) if existing else await super()._answer(request)

    def _order(self, request: ApiRequest) -> Any:
        """Returns the JSON of the request, with the flag that may be in the query too."""
        filling = self.document_type.reference_filling if self.document_type else None
        flag = filling.query_flag if filling else None
        if not flag or not isinstance(request.parsed, dict) or _is_off(request, flag):
            return request.parsed
        return {**request.parsed, flag: True}


def _is_off(request: Request, flag: str) -> bool:
    return request.query_params.get(flag, "false").lower() in _FALSE


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
