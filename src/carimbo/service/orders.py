"""What makes a request the same order as an earlier one.

An order is a document that a caller creates directly, or a sale. Its keys are its `Idempotency-Key` and its
`externalId`; each names one order of the company within a namespace.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.service.errors import Code, Refusal
from carimbo.storage.database import Tenant
from carimbo.storage.order_keys import OrderKey

DIFFERENT_BODY = (
    "Este pedido já existia e foi criado com outro corpo: nada foi alterado nem emitido de novo. Para um"
    " pedido novo, envie outra chave."
)


@dataclass(frozen=True, slots=True)
class OrderIdentity:
    """The keys that a request tells."""

    idempotency_key: str | None
    external_id: str | None

    @property
    def keys(self) -> list[str]:
        """All of them that there are."""
        return [key for key in (self.idempotency_key, self.external_id) if key]


def identity_in(idempotency_key: str | None, body: Any) -> OrderIdentity:
    """Returns the keys of a request whose body has not been validated."""
    external_id = body.get("externalId") if isinstance(body, dict) else None
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

    The same header goes first, then the same externalId. A key that was a header once and an externalId the
    other time names the same order too, unless both orders have an externalId: then they are two orders, and
    the request is refused, because taking it for a repetition would lose it.
    """
    owners = {key.key: key for key in taken}
    by_header = owners.get(identity.idempotency_key or "")
    by_external_id = owners.get(identity.external_id or "")
    if by_header and by_header.is_header:
        return by_header
    if by_external_id and by_external_id.external_id == identity.external_id:
        return by_external_id
    other = by_header or by_external_id
    if other and identity.external_id and other.external_id:
        existing_id = other.document_id or other.sale_id
        raise Refusal(Code.IDEMPOTENCY_CONFLICT, existingId=str(existing_id))
    return other
