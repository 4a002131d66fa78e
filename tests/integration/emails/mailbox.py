"""What tests of e-mails share: whom they are for, and how they are asked for and read."""

from itertools import count
from typing import Any
from uuid import UUID

from integration.issuing.shop import BORROWER, RECIPIENT, Shop, accepted
from support import data_of

_NUMBERS = count(1)


def new_address() -> str:
    """An address of nobody else: one mail server serves all tests."""
    return f"maria.{next(_NUMBERS)}@example.com"


def addressed(kind: str, email: str | None, **party: Any) -> dict[str, Any]:
    """The part of a body that says whom a document is for."""
    parties: dict[str, dict[str, Any]] = {"nfe": RECIPIENT, "nfce": BORROWER, "nfse": BORROWER}
    told = parties[kind] | party
    return {"borrower" if kind == "nfse" else "recipient": told | ({"email": email} if email else {})}


def emails_of(document: dict[str, Any]) -> str:
    return f"/{document['type']}/{document['id']}/emails"


async def ask(shop: Shop, document: dict[str, Any], body: Any = None) -> dict[str, Any]:
    """Have a document sent."""
    return accepted(await shop.post(f"/{document['type']}/{document['id']}/email", body))


async def listed(shop: Shop, document: dict[str, Any]) -> list[dict[str, Any]]:
    return list(data_of(await shop.get(emails_of(document))))


async def fate_of(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """The only e-mail of a document, once its fate is known."""
    await until_settled(shop, document)
    (email,) = await listed(shop, document)
    return email


async def until_settled(shop: Shop, document: dict[str, Any]) -> None:
    """Wait until a document has an e-mail, and none whose fate is open."""
    own = f"from emails where document_id = '{UUID(document['id'])}'"
    await shop.floor.until(f"(select count(*) > 0 and bool_and(status <> 'pending') {own})")


def outcomes(email: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(attempt["outcome"], attempt["code"]) for attempt in email["attempts"]]
