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
    """What is told of a document after these came, a transaction each."""
    document = await shop.added()
    for events in batches:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.document_events.add(document.id, events)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.document_events.all(document.id)


class TestAdd:
    async def test_everything_of_an_event_is_kept(self, shop: Shop) -> None:
        *_, told = await history(shop, [FULL])
        assert asdict(FULL).items() <= asdict(told).items()

    async def test_events_are_of_their_document_s_company(self, shop: Shop) -> None:
        *_, told = await history(shop, [FULL])
        async with shop.database.connection() as connection:
            owner = await connection.fetchval("select company_id from document_events where id = $1", told.id)
        assert owner == shop.company_id

    async def test_no_events_are_no_history(self, shop: Shop) -> None:
        assert [one.type for one in await history(shop, [])] == [CREATED.type]


class TestAll:
    async def test_the_oldest_comes_first_within_one_step_and_from_step_to_step(self, shop: Shop) -> None:
        batches = [
            [NewEvent(type=f"{batch}.{number}", status="processing") for number in range(20)]
            for batch in range(5)
        ]
        told = await history(shop, *batches)
        assert [one.type for one in told[1:]] == [event.type for events in batches for event in events]
        assert all(earlier.created_at <= later.created_at for earlier, later in pairwise(told))

    async def test_a_document_that_is_not_there_has_none(self, shop: Shop) -> None:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.document_events.all(new_id()) == []
