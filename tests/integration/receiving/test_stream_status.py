"""What the status of a company says about its streams."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from integration.receiving.inbox import Buyer

_STREAM = "id = (select stream_id from receptions where company_id = $1)"
_GAP = (
    "insert into stream_gaps (stream_id, first_nsu, last_nsu, next_nsu, reason)"
    " select stream_id, 1, 2, 2, 'otherReader' from receptions where company_id = $1"
)


async def change(buyer: Buyer, changes: str) -> None:
    """Changes the row of the stream of a company."""
    await buyer.shop.system.fetch(f"update streams set {changes} where {_STREAM}", UUID(buyer.shop.id))


async def test_blocked_stream_is_shown_with_the_end_of_the_block(buyer: Buyer) -> None:
    await buyer.sync()
    assert (await buyer.stream())["status"] == "active"
    await change(buyer, "blocked_until = now() + interval '3 hours'")
    stream = await buyer.stream()
    assert stream["status"] == "blocked"
    ends_in = datetime.fromisoformat(stream["scheduledFor"]) - datetime.now(UTC)
    assert timedelta(hours=2.9) < ends_in <= timedelta(hours=3.1)


@pytest.mark.parametrize("changes", ["max_nsu = last_nsu + 1", "pages = pages + 1"])
async def test_stream_is_behind_while_documents_are_announced_or_not_read(buyer: Buyer, changes: str) -> None:
    await buyer.sync()
    assert not (await buyer.stream())["isBehind"]
    await change(buyer, changes)
    assert (await buyer.stream())["isBehind"]


async def test_stream_is_behind_until_its_gaps_are_filled(buyer: Buyer) -> None:
    await buyer.sync()
    company_id = UUID(buyer.shop.id)
    await buyer.shop.system.fetch(_GAP, company_id)
    stream = await buyer.stream()
    assert stream["isBehind"]
    assert any("NSU que ainda não vieram" in warning for warning in stream["warnings"])
    await buyer.shop.system.fetch(
        "update stream_gaps set filled_at = now(), missing = 2"
        " where stream_id = (select stream_id from receptions where company_id = $1)",
        company_id,
    )
    stream = await buyer.stream()
    assert not stream["isBehind"]
    assert any("Para 2 NSU" in warning for warning in stream["warnings"])


async def test_parked_stream_says_why_and_goes_on_when_a_person_asks(buyer: Buyer) -> None:
    await buyer.sync()
    await change(buyer, "parked_reason = 'A autoridade voltou ao NSU 1.', next_action_at = null")
    stream = await buyer.stream()
    assert stream["status"] == "parked"
    assert any("A autoridade voltou ao NSU 1." in warning for warning in stream["warnings"])
    await buyer.sync()
    stream = await buyer.stream()
    assert (stream["status"], stream["warnings"]) == ("active", [])
    await buyer.an_hour_passes()
    assert await buyer.questions() == ["137", "137"]
