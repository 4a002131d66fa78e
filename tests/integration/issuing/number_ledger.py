"""The numbering ledger of a shop, and helpers that create gaps in it."""

from typing import Any
from uuid import UUID

import httpx2

from integration.issuing.shop import Shop
from support import data_of

JUSTIFICATION = "Numeração pulada por falha de sistema"


async def ledger(shop: Shop, **query: str) -> list[dict[str, Any]]:
    return list(data_of(await shop.get("/numbering", **query)))


async def gaps(shop: Shop, document_type: str | None = None) -> list[dict[str, Any]]:
    """Returns the gaps of the only series of a type."""
    (series,) = await ledger(shop, type=document_type or shop.usual)
    return list(series["gaps"])


async def shown(shop: Shop, document_type: str | None = None) -> list[tuple[Any, ...]]:
    names = ("numberStart", "numberEnd", "reason", "documentId", "voidable")
    return [tuple(gap[name] for name in names) for gap in await gaps(shop, document_type)]


async def inutilize_gaps(shop: Shop, **body: Any) -> list[dict[str, Any]]:
    """Voids the gaps; there must be at least one."""
    answer = await shop.post("/numbering/inutilize-gaps", body)
    assert answer.status_code == 202, answer.text
    return list(answer.json()["data"])


async def inutilize_numbers(
    shop: Shop, first: int, last: int, document_type: str | None = None, **changes: Any
) -> httpx2.Response:
    """Requests that a range of numbers is voided."""
    body = {"series": 1, "numberStart": first, "numberEnd": last, "justification": JUSTIFICATION, **changes}
    return await shop.post(f"/{document_type or shop.usual}/inutilizations", body)


async def skip_to(shop: Shop, number: int, document_type: str | None = None) -> dict[str, Any]:
    """Moves the number counter and issues the next document."""
    await shop.put_settings(**{document_type or shop.usual: {"number": number}})
    return await shop.issue(document_type)


async def rewrite(shop: Shop, number: int, changes: str) -> None:
    """Changes the row of the attempt that has a number."""
    statement = f"update emissions set {changes} where company_id = $1 and number = $2"
    await shop.system.fetch(statement, UUID(shop.id), number)


async def supersede(shop: Shop, document: dict[str, Any], number: int, state: str) -> None:
    """Makes an authorized document a second attempt, after a first one under another number."""
    document_id = UUID(document["id"])
    await shop.system.fetch("update emissions set ordinal = 2 where document_id = $1", document_id)
    await shop.system.fetch("update documents set emission = 2 where id = $1", document_id)
    await shop.system.fetch(
        "insert into emissions (subscription_id, document_id, ordinal, company_id, document_type,"
        " environment, series, number, numeric_code, emission_type, state, issued_at)"
        " select subscription_id, document_id, 1, company_id, document_type, environment, series, $2,"
        " numeric_code, '1', $3, issued_at from emissions where document_id = $1",
        document_id, number, state,
    )  # fmt: skip


async def stray(shop: Shop, document: dict[str, Any]) -> None:
    """Adds a settled lookup of the first attempt, whose result had been unknown."""
    await shop.system.fetch(
        "insert into strays (subscription_id, id, company_id, document_id, emission, next_action_at)"
        " select subscription_id, gen_random_uuid(), company_id, id, 1, null from documents where id = $1",
        UUID(document["id"]),
    )
