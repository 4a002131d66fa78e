"""The events that are possible for a document now, and why the others are not."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.documents.queries import DocumentReference
from carimbo.service.filing.possible_events import PossibleEvent, read_possible_events
from integration.issuing.actions import cancel
from integration.issuing.shop import Shop
from support import data_of
from toy.authority import Register
from toy.events import MAX_LOANS
from toy.test_closing import close
from toy.test_closing import settled as until_closed
from toy.test_undoing import give_back, lend, settled

REGISTERED = "A autoridade já o registrou."
UNDER_WAY = "O pedido anterior espera a resposta da autoridade."


async def possible(shop: Shop, document: dict[str, Any], after: timedelta = timedelta()) -> dict[str, Any]:
    """Returns every kind of event of a document by name, some time from now."""
    owner, now = shop.caller.subscription_id, datetime.now(UTC) + after
    reference = DocumentReference(owner, UUID(document["id"]), UUID(shop.id))
    events = await read_possible_events(shop.system.database, reference, now)
    return {event.kind.name: event for event in events}


async def reasons(shop: Shop, document: dict[str, Any], after: timedelta = timedelta()) -> dict[str, Any]:
    """Returns why events are not possible, by their names; None for those that are."""
    return {name: event.reason for name, event in (await possible(shop, document, after)).items()}


@pytest.fixture
async def record(shop: Shop) -> dict[str, Any]:
    """An authorized document."""
    return await shop.issue()


async def test_document_that_is_not_issued_or_that_was_canceled_has_none(
    shop: Shop, record: dict[str, Any]
) -> None:
    draft = await shop.create(transmit="later")
    assert await reasons(shop, draft) == {}
    data_of(await cancel(shop, record))
    assert await reasons(shop, record) == {}


async def test_facts_of_events_forbid_others_until_they_are_undone(
    shop: Shop, record: dict[str, Any]
) -> None:
    nothing_to_undo = "O documento não está emprestado."
    assert await reasons(shop, record) == {
        "cancellation": None, "correction": None, "close": None, "loan": None,
        "loanReturn": nothing_to_undo,
    }  # fmt: skip
    lent = data_of(await lend(shop, record))
    events: dict[str, PossibleEvent] = await possible(shop, record)
    assert events["cancellation"].reason == "O documento está emprestado."
    assert [str(event.id) for event in events["loanReturn"].undoable] == [lent["id"]]
    data_of(await give_back(shop, record))
    after = await reasons(shop, record)
    assert (after["cancellation"], after["loanReturn"]) == (None, nothing_to_undo)


async def test_event_that_happens_once_is_not_possible_again(shop: Shop, record: dict[str, Any]) -> None:
    async with shop.system.worker_stopped():
        await close(shop, record)
        assert (await reasons(shop, record))["close"] == UNDER_WAY
    await until_closed(shop, record)
    after = await reasons(shop, record)
    assert (after["close"], after["cancellation"]) == (REGISTERED, "O documento já foi encerrado.")


async def test_repeated_event_waits_for_the_open_one_and_has_a_maximum(
    shop: Shop, record: dict[str, Any], register: Register, short_wait: None
) -> None:
    with register.out_of_service():
        assert (await lend(shop, record)).status_code == 202
        waiting = "O empréstimo ou a devolução anterior ainda está em processamento."
        after = await reasons(shop, record)
        assert (after["loan"], after["loanReturn"]) == (waiting, waiting)
    await settled(shop, record)
    for seat in range(2, MAX_LOANS + 1):
        await lend(shop, record, seat)
        await settled(shop, record)
    assert (await reasons(shop, record))["loan"] == f"O documento já teve {MAX_LOANS} empréstimos."


async def test_deadline_that_is_over_is_the_reason(shop: Shop, record: dict[str, Any]) -> None:
    events = await possible(shop, record, timedelta(days=365))
    assert events["close"].reason == "O encerramento só é aceito até um dia após a autorização."
    assert events["close"].deadline.at < datetime.now(UTC) + timedelta(days=365)
    assert events["correction"].reason is None


async def test_refused_event_is_possible_again(shop: Shop, record: dict[str, Any]) -> None:
    async with shop.system.worker_stopped():
        await close(shop, record)
    await until_closed(shop, record)
    await shop.system.fetch(
        "update event_filings set state = 'refused' where document_id = $1", UUID(record["id"])
    )
    await shop.system.fetch("update documents set facts = '{}' where id = $1", UUID(record["id"]))
    assert (await reasons(shop, record))["close"] is None
