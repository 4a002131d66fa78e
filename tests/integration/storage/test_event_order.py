"""Whoever follows the events sees each of them once, whatever order their transactions end in."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, repeat
from uuid import UUID

import pytest

from carimbo.service import events as service
from carimbo.service.access import Gatekeeper
from carimbo.service.delivery.event_names import TEST
from carimbo.service.delivery.payload import DocumentData, EventPayload
from carimbo.service.errors import Refusal
from carimbo.service.events import EventPage, read_events
from carimbo.service.links import Links
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from integration.storage.document_rows import open_shop
from integration.storage.neighbours import Neighbours
from support import HELD_UP, PATIENCE, until_it_holds

LINKS = Links(b"k" * 32, "http://carimbo.test", timedelta(days=7), lambda: datetime.now(UTC))
LIFE = ("rejected", "processing", "authorized", "canceled")
TOLD = ["nfe.rejected", "nfe.authorized", "nfe.cancelled"]
"""What is told of a document that lives through all of that."""


@dataclass(frozen=True)
class Feed:
    """The events of a subscription."""

    database: Database
    subscription_id: UUID

    async def tell(self, topic: str = "thing.happened") -> UUID:
        async with self.database.tenant(self.subscription_id) as tenant:
            return await tenant.events.add(topic, None, {})

    async def read(self, after: UUID | None = None, limit: int = 100) -> EventPage:
        return await read_events(self.database, LINKS, self.subscription_id, after, limit)

    async def ids(self, after: UUID | None = None, limit: int = 100) -> list[UUID]:
        return [event.id for event in (await self.read(after, limit)).events]

    async def follow(self, until: int, most: Callable[[], int]) -> list[EventPayload]:
        """Read on and on, a few at a time, until so many were seen."""
        seen: list[EventPayload] = []
        after = None
        async with asyncio.timeout(PATIENCE):
            while len(seen) < until:
                page = await self.read(after, most())
                seen += page.events
                after = page.next_cursor
        return seen

    async def count_unplaced(self) -> int:
        async with self.database.connection() as connection:
            found: int = await connection.fetchval(
                "select count(*) from events where subscription_id = $1 and position is null",
                self.subscription_id,
            )
        return found


@pytest.fixture
def feed(database: Database, subscription_id: UUID) -> Feed:
    return Feed(database, subscription_id)


async def tell_slowly(feed: Feed, written: asyncio.Event, go_on: asyncio.Event) -> UUID:
    """Write an event, and end its transaction when told to."""
    async with feed.database.tenant(feed.subscription_id) as tenant:
        event_id = await tenant.events.add("thing.happened", None, {})
        written.set()
        await go_on.wait()
    return event_id


class TestAReader:
    async def test_gets_what_was_written_earlier_and_is_seen_later(self, feed: Feed) -> None:
        written, go_on = asyncio.Event(), asyncio.Event()
        slow = asyncio.create_task(tell_slowly(feed, written, go_on))
        await written.wait()
        quick = await feed.tell()
        page = await feed.read()
        assert [event.id for event in page.events] == [quick]
        go_on.set()
        late = await slow
        assert await feed.ids(page.next_cursor) == [late]
        assert await feed.ids() == [quick, late]

    async def test_does_not_wait_for_what_is_not_seen(self, feed: Feed) -> None:
        written, go_on = asyncio.Event(), asyncio.Event()
        slow = asyncio.create_task(tell_slowly(feed, written, go_on))
        await written.wait()
        async with asyncio.timeout(PATIENCE):
            assert await feed.ids() == []
        go_on.set()
        late = await slow
        assert await feed.ids() == [late]

    async def test_from_the_beginning_reads_in_the_order_of_writing(self, feed: Feed) -> None:
        told = [await feed.tell() for _ in range(7)]
        assert await feed.ids() == told

    async def test_learns_whether_there_is_more(self, feed: Feed) -> None:
        first, second, third = [await feed.tell() for _ in range(3)]
        page = await feed.read(limit=2)
        assert ([event.id for event in page.events], page.has_more) == ([first, second], True)
        assert page.next_cursor == second
        rest = await feed.read(page.next_cursor, 2)
        assert ([event.id for event in rest.events], rest.has_more) == ([third], False)

    async def test_of_nothing_is_told_where_it_stands(self, feed: Feed) -> None:
        nothing = await feed.read()
        assert (nothing.events, nothing.has_more, nothing.next_cursor) == ([], False, None)
        only = await feed.tell()
        nothing_new = await feed.read(only)
        assert (nothing_new.events, nothing_new.has_more, nothing_new.next_cursor) == ([], False, only)

    async def test_gives_no_more_places_than_it_needs(self, feed: Feed) -> None:
        for _ in range(9):
            await feed.tell()
        await feed.read(limit=3)
        assert await feed.count_unplaced() == 5

    async def test_may_begin_after_an_event_that_only_a_webhook_told_it_of(
        self, feed: Feed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "_BATCH", 3)
        told = [await feed.tell() for _ in range(12)]
        assert await feed.ids(told[9]) == told[10:]
        assert await feed.ids() == told

    async def test_is_told_of_no_tests(self, feed: Feed) -> None:
        tests = [await feed.tell(TEST) for _ in range(5)]
        happened = await feed.tell()
        assert await feed.ids(limit=1) == [happened]
        assert await feed.ids(tests[0]) == [happened]
        await feed.tell(TEST)
        assert (await feed.read(happened)).has_more is False

    async def test_finds_no_event_of_another_subscription(self, feed: Feed, gatekeeper: Gatekeeper) -> None:
        owner = (await create_subscription(gatekeeper, "Outra")).subscription_id
        other = Feed(feed.database, owner)
        told = await other.tell()
        assert await feed.ids() == []
        for unknown in (told, new_id()):
            with pytest.raises(Refusal) as refused:
                await feed.read(unknown)
            assert [one["field"] for one in (refused.value.details or {})["fields"]] == ["after"]
        assert await other.ids() == [told]


class TestAnotherSubscription:
    async def test_neither_sees_nor_places_what_is_not_its_own(self, neighbours: Neighbours) -> None:
        owner = Feed(neighbours.database, neighbours.owner)
        told = await owner.tell()
        before = await neighbours.everything_of_the_owner()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.events.find(told) is None
            assert not await tenant.events.place(100)
            assert await tenant.events.page(0, 100, without="") == []
        assert await neighbours.everything_of_the_owner() == before


class TestReadersAtOnce:
    async def test_read_the_same(self, feed: Feed) -> None:
        for _ in range(60):
            await feed.tell()
        readers = (feed.follow(60, repeat(most).__next__) for most in (1, 7, 10, 100))
        first, *others = [[event.id for event in seen] for seen in await asyncio.gather(*readers)]
        assert len(set(first)) == 60
        assert others == [first] * 3

    async def test_see_the_places_that_were_given_while_they_waited(self, feed: Feed) -> None:
        """Whoever comes second must neither move what has a place by then nor leave it out."""
        told = [await feed.tell() for _ in range(3)]
        async with feed.database.tenant(feed.subscription_id) as tenant:
            await tenant.events.place(100)
            marks = [await tenant.events.find(event_id) for event_id in told]
            second = asyncio.create_task(feed.ids())
            async with feed.database.connection() as connection:
                await until_it_holds(connection.fetch, f"{HELD_UP} >= 1", PATIENCE)
        assert await second == told
        async with feed.database.autocommit(feed.subscription_id) as tenant:
            assert [await tenant.events.find(event_id) for event_id in told] == marks


async def live(connection: Connection, document_id: UUID, chance: random.Random) -> None:
    """Let a document live, each step a transaction that takes its time."""
    for status in LIFE:
        await asyncio.sleep(chance.uniform(0, 0.005))
        async with connection.transaction():
            await connection.execute("update documents set status = $2 where id = $1", document_id, status)
            await asyncio.sleep(chance.uniform(0, 0.02))


class TestManyWriters:
    async def test_are_followed_without_missing_or_repeating_anything(self, rows_database: Database) -> None:
        created = await create_subscription(await Gatekeeper.open(rows_database), "Teste")
        shop = await open_shop(rows_database, created.subscription_id)
        feed, chance = Feed(rows_database, shop.subscription_id), random.Random(11)
        documents = [(await shop.added()).id for _ in range(60)]

        async def write(own: list[UUID]) -> None:
            async with rows_database.connection() as connection:
                for document_id in own:
                    await live(connection, document_id, chance)

        writers = [asyncio.create_task(write(documents[place::10])) for place in range(10)]
        total = len(documents) * len(TOLD)
        readers = [feed.follow(total, lambda: chance.randint(1, 9)) for _ in range(2)]
        seen, seen_too = await asyncio.gather(*readers)
        await asyncio.gather(*writers)
        assert [event.id for event in seen] == [event.id for event in seen_too]
        assert len({event.id for event in seen}) == total
        assert (await feed.read(seen[-1].id)).events == []
        assert stories_of(seen) == dict.fromkeys(documents, TOLD)


def stories_of(events: list[EventPayload]) -> dict[UUID, list[str]]:
    """What was told of each document, in order."""
    told = [(event.data.id, event.event) for event in events if isinstance(event.data, DocumentData)]
    ordered = sorted(told, key=lambda pair: pair[0])
    return {which: [name for _, name in pairs] for which, pairs in groupby(ordered, key=lambda pair: pair[0])}
