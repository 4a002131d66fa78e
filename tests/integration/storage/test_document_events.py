from dataclasses import asdict
from itertools import pairwise

from carimbo.storage.document_events import DocumentEvent, NewEvent
from carimbo.storage.identifiers import new_id
from integration.storage.document_rows import CREATED, Shop

FULL = NewEvent(
    type="cancellation",
    status="canceled",
    sequence=1,
    protocol="135260000000001",
    authority_code="135",
    authority_message="Evento registrado e vinculado a NF-e",
)


async def history(shop: Shop, *batches: list[NewEvent]) -> list[DocumentEvent]:
    """Returns a document's history after these batches, each added in its own transaction."""
    document = await shop.added()
    for events in batches:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.document_events.add(document.id, events)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.document_events.all(document.id)


class TestAdd:
    async def test_every_value_of_an_event_is_stored(self, shop: Shop) -> None:
        *_, stored = await history(shop, [FULL])
        assert asdict(FULL).items() <= asdict(stored).items()

    async def test_events_belong_to_their_document_s_company(self, shop: Shop) -> None:
        *_, stored = await history(shop, [FULL])
        async with shop.database.connection() as connection:
            owner = await connection.fetchval(
                "select company_id from document_events where id = $1", stored.id
            )
        assert owner == shop.company_id

    async def test_an_empty_batch_adds_nothing(self, shop: Shop) -> None:
        assert [event.type for event in await history(shop, [])] == [CREATED.type]


class TestAll:
    async def test_events_are_ordered_oldest_first_within_and_across_steps(self, shop: Shop) -> None:
        batches = [
            [NewEvent(type=f"{batch}.{number}", status="processing") for number in range(20)]
            for batch in range(5)
        ]
        events = await history(shop, *batches)
        assert [event.type for event in events[1:]] == [
            expected.type for events in batches for expected in events
        ]
        assert all(earlier.created_at <= later.created_at for earlier, later in pairwise(events))

    async def test_a_missing_document_has_no_events(self, shop: Shop) -> None:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.document_events.all(new_id()) == []
