"""Order keys, which identify a request that repeats an earlier order.

An order is a document that a caller creates directly, or a sale. Its keys are its `Idempotency-Key` and its
`externalId`; each names one order of the company within a namespace.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.json_values import read_exact_json
from carimbo.storage.database import Tenant
from carimbo.storage.order_keys import OrderKey

DIFFERENT_BODY = (
    "Este pedido já existia e foi criado com outro corpo: nada foi alterado nem emitido de novo. Para um"
    " pedido novo, envie outra chave."
)


@dataclass(frozen=True, slots=True)
class OrderIdentity:
    """The keys that a request sends."""

    idempotency_key: str | None
    external_id: str | None

    @property
    def keys(self) -> list[str]:
        return [key for key in (self.idempotency_key, self.external_id) if key]

    def field_of(self, order: OrderKey) -> str:
        """Returns the name of the field in which the request sent the key of an order."""
        return "externalId" if order.key == self.external_id else "Idempotency-Key"


def order_identity(idempotency_key: str | None, body: Any) -> OrderIdentity:
    """Returns the keys of a request whose body has not been validated."""
    external_id = body.get("externalId") if isinstance(body, dict) else None
    if type(external_id) is int:
        external_id = str(external_id)
    return OrderIdentity(idempotency_key, external_id.strip() if isinstance(external_id, str) else None)


async def find_order(
    tenant: Tenant, company_id: UUID, namespace: str, identity: OrderIdentity
) -> OrderKey | None:
    """Finds the earlier order that a request repeats; see `matching_order`."""
    if not identity.keys:
        return None
    return matching_order(identity, await tenant.order_keys.find(company_id, namespace, identity.keys))


def matching_order(identity: OrderIdentity, taken: Iterable[OrderKey]) -> OrderKey | None:
    """Returns the order that has a key of the request, or None if the request is a new order.

    First the Idempotency-Key headers are compared, then the externalIds. After that, the header of one
    request is compared with the externalId of the other. If they are equal but both orders have an
    externalId, they are two orders: the request is refused. As a repetition of the other order it would never
    be issued.
    """
    header, external_id = identity.idempotency_key, identity.external_id
    # A direct document before a sale: an earlier release allowed both with the same key.
    orders = sorted(taken, key=lambda order: order.document_id is None)
    same_header = [order for order in orders if order.is_header and order.key == header]
    same_external_id = [order for order in orders if order.key == order.external_id == external_id]
    repeated = next(iter((*same_header, *same_external_id, *orders)), None)
    is_mixed = not same_header and not same_external_id
    if repeated and is_mixed and external_id and repeated.external_id:
        existing_id = repeated.document_id or repeated.sale_id
        raise Refusal(ErrorCode.IDEMPOTENCY_CONFLICT, existingId=str(existing_id))
    return repeated


def is_same_body(created_by: str, body: Any) -> bool:
    """Returns whether a request has the body that created an order; null and empty text count as absent."""
    return bool(_normalized(read_exact_json(created_by)) == _normalized(body))


def _normalized(value: Any) -> Any:
    match value:
        case dict():
            parts = {name: _normalized(part) for name, part in value.items()}
            return {name: part for name, part in parts.items() if part not in (None, "")}
        case list():
            return [_normalized(part) for part in value]
        case str():
            return value.strip()
        case _:
            return value
