"""A reader of the event feed sees each event once, in whatever order their transactions commit."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, repeat
from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.delivery import event_list as service
from carimbo.service.delivery.event_list import EventPage, read_events
from carimbo.service.delivery.event_names import TEST
from carimbo.service.delivery.payload import DocumentData, EventPayload
from carimbo.service.documents.files import Links
from carimbo.service.errors import Refusal
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from integration.storage.document_rows import open_shop
from integration.storage.neighbours import Neighbours
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true

LINKS = Links(b"k" * 32, "http://carimbo.test", timedelta(days=7), lambda: datetime.now(UTC))
LIFE = ("rejected", "processing", "authorized", "canceled")
EXPECTED_EVENTS = ["nfe.rejected", "nfe.authorized", "nfe.cancelled"]
"""The events of a document that goes through all of these statuses."""


@dataclass(frozen=True)
class Feed:
    """The events of a subscription."""

    database: Database
    subscription_id: UUID

    async def publish(self, topic: str = "thing.happened") -> UUID:
        async with self.database.tenant(self.subscription_id) as tenant:
            return await tenant.events.add(topic, None, {})

    async def read(self, after: UUID | None = None, limit: int = 100) -> EventPage:
        return await read_events(self.database, LINKS, self.subscription_id, after, limit)

    async def ids(self, after: UUID | None = None, limit: int = 100) -> list[UUID]:
        return [event.id for event in (await self.read(after, limit)).events]

    async def follow(self, until: int, limit: Callable[[], int]) -> list[EventPayload]:
        """Reads page by page until that many events were seen."""
        seen: list[EventPayload] = []
        after = None
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while len(seen) < until:
                page = await self.read(after, limit())
                seen += page.events
                after = page.next_cursor
        return seen

    async def count_unplaced(self) -> int:
        async with self.database.connection() as connection:
            count: int = await connection.fetchval(
                "select count(*) from events where subscription_id = $1 and position is null",
                self.subscription_id,
            )
        return count


@pytest.fixture
def feed(database: Database, subscription_id: UUID) -> Feed:
    return Feed(database, subscription_id)


async def publish_slowly(feed: Feed, written: asyncio.Event, go_on: asyncio.Event) -> UUID:
    """Writes an event and commits its transaction when `go_on` is set."""
    async with feed.database.tenant(feed.subscription_id) as tenant:
        event_id = await tenant.events.add("thing.happened", None, {})
        written.set()
        await go_on.wait()
    return event_id


class TestReader:
    async def test_an_event_that_commits_late_is_read_after_the_cursor(self, feed: Feed) -> None:
        written, go_on = asyncio.Event(), asyncio.Event()
        slow = asyncio.create_task(publish_slowly(feed, written, go_on))
        await written.wait()
        quick = await feed.publish()
        page = await feed.read()
        assert [event.id for event in page.events] == [quick]
        go_on.set()
        late = await slow
        assert await feed.ids(page.next_cursor) == [late]
        assert await feed.ids() == [quick, late]

    async def test_reading_does_not_wait_for_uncommitted_events(self, feed: Feed) -> None:
        written, go_on = asyncio.Event(), asyncio.Event()
        slow = asyncio.create_task(publish_slowly(feed, written, go_on))
        await written.wait()
        async with asyncio.timeout(TIMEOUT_SECONDS):
            assert await feed.ids() == []
        go_on.set()
        late = await slow
        assert await feed.ids() == [late]

    async def test_events_are_read_in_the_order_of_writing(self, feed: Feed) -> None:
        published = [await feed.publish() for _ in range(7)]
        assert await feed.ids() == published

    async def test_a_page_says_whether_there_is_more(self, feed: Feed) -> None:
        first, second, third = [await feed.publish() for _ in range(3)]
        page = await feed.read(limit=2)
        assert ([event.id for event in page.events], page.has_more) == ([first, second], True)
        assert page.next_cursor == second
        rest = await feed.read(page.next_cursor, 2)
        assert ([event.id for event in rest.events], rest.has_more) == ([third], False)

    async def test_an_empty_page_keeps_the_cursor(self, feed: Feed) -> None:
        nothing = await feed.read()
        assert (nothing.events, nothing.has_more, nothing.next_cursor) == ([], False, None)
        only = await feed.publish()
        nothing_new = await feed.read(only)
        assert (nothing_new.events, nothing_new.has_more, nothing_new.next_cursor) == ([], False, only)

    async def test_reading_assigns_no_more_positions_than_it_needs(self, feed: Feed) -> None:
        for _ in range(9):
            await feed.publish()
        await feed.read(limit=3)
        assert await feed.count_unplaced() == 5

    async def test_reading_may_start_after_an_event_without_a_position(
        self, feed: Feed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "_BATCH", 3)
        published = [await feed.publish() for _ in range(12)]
        assert await feed.ids(published[9]) == published[10:]
        assert await feed.ids() == published

    async def test_test_events_are_not_read(self, feed: Feed) -> None:
        tests = [await feed.publish(TEST) for _ in range(5)]
        happened = await feed.publish()
        assert await feed.ids(limit=1) == [happened]
        assert await feed.ids(tests[0]) == [happened]
        await feed.publish(TEST)
        assert (await feed.read(happened)).has_more is False

    async def test_events_of_another_subscription_are_not_read(
        self, feed: Feed, authenticator: Authenticator
    ) -> None:
        owner = (await create_subscription(authenticator, "Outra")).subscription_id
        other = Feed(feed.database, owner)
        published = await other.publish()
        assert await feed.ids() == []
        for unknown in (published, new_id()):
            with pytest.raises(Refusal) as refused:
                await feed.read(unknown)
            assert [field["field"] for field in (refused.value.details or {})["fields"]] == ["after"]
        assert await other.ids() == [published]


class TestAnotherSubscription:
    async def test_another_subscription_neither_sees_nor_positions_events(
        self, neighbours: Neighbours
    ) -> None:
        owner = Feed(neighbours.database, neighbours.owner)
        published = await owner.publish()
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.events.find(published) is None
            assert not await tenant.events.assign_positions(100)
            assert await tenant.events.page(0, 100, without="") == []
        assert await neighbours.owner_rows() == before


class TestReadersAtOnce:
    async def test_concurrent_readers_read_the_same(self, feed: Feed) -> None:
        for _ in range(60):
            await feed.publish()
        readers = (feed.follow(60, repeat(limit).__next__) for limit in (1, 7, 10, 100))
        first, *others = [[event.id for event in seen] for seen in await asyncio.gather(*readers)]
        assert len(set(first)) == 60
        assert others == [first] * 3

    async def test_a_reader_that_waited_sees_the_positions_assigned_meanwhile(self, feed: Feed) -> None:
        """The second reader must neither move nor omit events that got a position meanwhile."""
        published = [await feed.publish() for _ in range(3)]
        async with feed.database.tenant(feed.subscription_id) as tenant:
            await tenant.events.assign_positions(100)
            positions = [await tenant.events.find(event_id) for event_id in published]
            second = asyncio.create_task(feed.ids())
            async with feed.database.connection() as connection:
                await wait_until_true(connection.fetch, f"{BLOCKED_SESSIONS} >= 1", TIMEOUT_SECONDS)
        assert await second == published
        async with feed.database.autocommit(feed.subscription_id) as tenant:
            assert [await tenant.events.find(event_id) for event_id in published] == positions


async def change_statuses(connection: Connection, document_id: UUID, rng: random.Random) -> None:
    """Takes a document through all statuses, each in a slow transaction."""
    for status in LIFE:
        await asyncio.sleep(rng.uniform(0, 0.005))
        async with connection.transaction():
            await connection.execute("update documents set status = $2 where id = $1", document_id, status)
            await asyncio.sleep(rng.uniform(0, 0.02))


class TestManyWriters:
    async def test_no_event_of_many_writers_is_missed_or_repeated(self, rows_database: Database) -> None:
        created = await create_subscription(await Authenticator.open(rows_database), "Teste")
        shop = await open_shop(rows_database, created.subscription_id)
        feed, rng = Feed(rows_database, shop.subscription_id), random.Random(11)
        documents = [(await shop.added()).id for _ in range(60)]

        async def write(own: list[UUID]) -> None:
            async with rows_database.connection() as connection:
                for document_id in own:
                    await change_statuses(connection, document_id, rng)

        writers = [asyncio.create_task(write(documents[place::10])) for place in range(10)]
        total = len(documents) * len(EXPECTED_EVENTS)
        readers = [feed.follow(total, lambda: rng.randint(1, 9)) for _ in range(2)]
        seen, seen_too = await asyncio.gather(*readers)
        await asyncio.gather(*writers)
        assert [event.id for event in seen] == [event.id for event in seen_too]
        assert len({event.id for event in seen}) == total
        assert (await feed.read(seen[-1].id)).events == []
        assert topics_by_document(seen) == dict.fromkeys(documents, EXPECTED_EVENTS)


def topics_by_document(events: list[EventPayload]) -> dict[UUID, list[str]]:
    """Returns the event names of each document, in order."""
    names = [(event.data.id, event.event) for event in events if isinstance(event.data, DocumentData)]
    ordered = sorted(names, key=lambda pair: pair[0])
    return {
        document_id: [name for _, name in pairs]
        for document_id, pairs in groupby(ordered, key=lambda pair: pair[0])
    }
