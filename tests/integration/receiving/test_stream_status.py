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
    assert [warning["code"] for warning in stream["warnings"]] == ["GAP_OPEN"]
    await buyer.shop.system.fetch(
        "update stream_gaps set filled_at = now(), missing = 2"
        " where stream_id = (select stream_id from receptions where company_id = $1)",
        company_id,
    )
    stream = await buyer.stream()
    assert not stream["isBehind"]
    (warning,) = stream["warnings"]
    assert warning["code"] == "DOCUMENTS_UNAVAILABLE"
    assert "Para 2 NSU" in warning["message"]


async def test_stream_that_failed_does_not_show_what_the_worker_noted(buyer: Buyer) -> None:
    """The stream is shared: the note may be about a company of another subscription."""
    await buyer.sync()
    await change(buyer, "parked_reason = 'LookupError(''company 1'')', next_action_at = null")
    (warning,) = (await buyer.stream())["warnings"]
    assert warning["code"] == "QUERIES_PARKED"
    assert "LookupError" not in warning["message"]
    assert "O serviço falhou repetidas vezes" in warning["message"]


async def test_reception_that_failed_says_so(buyer: Buyer) -> None:
    await buyer.sync()
    await buyer.shop.system.fetch(
        "update receptions set parked_reason = 'x', next_action_at = null where company_id = $1",
        UUID(buyer.shop.id),
    )
    stream = await buyer.stream()
    assert (stream["status"], stream["scheduledFor"]) == ("parked", None)
    assert [warning["code"] for warning in stream["warnings"]] == ["READING_PARKED"]


@pytest.mark.parametrize("is_first", [True, False])
async def test_question_that_the_authority_does_not_answer_is_shown(buyer: Buyer, is_first: bool) -> None:
    """Also to a company whose certificate was never answered: it sees nothing else of the stream."""
    system = buyer.shop.system
    if not is_first:
        await buyer.sync()
    await system.switch(outages={"AN": "109"})
    try:
        await (buyer.sync() if is_first else buyer.an_hour_passes())
    finally:
        await system.switch(outages=None)
    (warning,) = (await buyer.stream())["warnings"]
    assert warning["code"] == "QUERY_UNANSWERED"
    assert "109" in warning["message"]


async def test_parked_stream_says_why_and_goes_on_when_a_person_asks(buyer: Buyer) -> None:
    await buyer.sync()
    reason = "parked_reason = 'A autoridade voltou ao NSU 1.', next_action_at = null"
    await change(buyer, f"{reason}, failure = 'A autoridade voltou ao NSU 1.'")
    stream = await buyer.stream()
    assert (stream["status"], stream["scheduledFor"]) == ("parked", None)
    (warning,) = stream["warnings"]
    assert warning["code"] == "QUERIES_PARKED"
    assert "A autoridade voltou ao NSU 1." in warning["message"]
    await buyer.sync()
    stream = await buyer.stream()
    assert (stream["status"], stream["warnings"]) == ("active", [])
    await buyer.an_hour_passes()
    assert await buyer.questions() == ["137", "137"]
