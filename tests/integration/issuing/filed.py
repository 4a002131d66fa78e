"""What became of an event or a range of numbers, for tests of how they are told."""

from typing import Any
from uuid import UUID

from integration.issuing.scripted import Play
from support import data_of


async def row_of(play: Play, filing_id: UUID) -> dict[str, Any]:
    """How far an event or a range came."""
    columns = "state, tries, protocol, authority_code, authority_message, own_refusal"
    (row,) = await play.shop.floor.fetch(
        f"select {columns} from event_filings where id = $1"
        f" union all select {columns} from inutilizations where id = $1",
        filing_id,
    )
    return dict(row)


async def state_of(play: Play, filing_id: UUID) -> str:
    """The state of an event or a range."""
    return str((await row_of(play, filing_id))["state"])


async def own_refusal_of(play: Play, filing_id: UUID) -> list[str]:
    """Why we ourselves refused an event or a range, of which the authority has said nothing."""
    row = await row_of(play, filing_id)
    assert (row["state"], row["authority_code"], row["authority_message"]) == ("refused", None, None)
    return [rule["code"] for rule in row["own_refusal"]]


async def file_of(play: Play, filing_id: UUID, name: str) -> bytes | None:
    """A file of an event or a range."""
    async with play.shop.floor.database.autocommit(play.shop.caller.subscription_id) as tenant:
        return await tenant.archive.get(filing_id, name)


async def without_certificate(play: Play) -> None:
    """Take the company's certificate away."""
    data_of(await play.shop.caller.http.delete(play.shop.path("/certificate")))
