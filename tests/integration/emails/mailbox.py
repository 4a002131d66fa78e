"""Helpers for tests of e-mails: recipients, requests and results."""

from itertools import count
from typing import Any
from uuid import UUID

from integration.issuing.shop import BORROWER, FACTORY, RECIPIENT, Shop, accepted
from support import data_of

_NUMBERS = count(1)


def new_address() -> str:
    """Returns an unused address: one mail server serves all tests."""
    return f"maria.{next(_NUMBERS)}@example.com"


def party_fields(document_type: str, email: str | None, **party: Any) -> dict[str, Any]:
    """Returns the fields of a body that name the recipient of a document."""
    parties: dict[str, tuple[str, dict[str, Any]]] = {
        "nfe": ("recipient", RECIPIENT),
        "nfce": ("recipient", BORROWER),
        "nfse": ("borrower", BORROWER),
        "cte": ("shipper", FACTORY | {"name": "Maria da Silva"}),
    }
    field, usual = parties[document_type]
    return {field: usual | party | ({"email": email} if email else {})}


def emails_of(document: dict[str, Any]) -> str:
    return f"/{document['type']}/{document['id']}/emails"


async def request_email(shop: Shop, document: dict[str, Any], body: Any = None) -> dict[str, Any]:
    """Requests that a document is sent by e-mail."""
    return accepted(await shop.post(f"/{document['type']}/{document['id']}/email", body))


async def listed(shop: Shop, document: dict[str, Any]) -> list[dict[str, Any]]:
    return list(data_of(await shop.get(emails_of(document))))


async def settled_email(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """Returns the only e-mail of a document, once it is settled."""
    await until_settled(shop, document)
    (email,) = await listed(shop, document)
    return email


async def until_settled(shop: Shop, document: dict[str, Any]) -> None:
    """Waits until a document has e-mails and none is pending."""
    own = f"from emails where document_id = '{UUID(document['id'])}'"
    await shop.system.until(f"(select count(*) > 0 and bool_and(status <> 'pending') {own})")


def outcomes(email: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(attempt["outcome"], attempt["code"]) for attempt in email["attempts"]]
