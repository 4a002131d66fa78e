"""Companies take turns: whoever sends much at once keeps nobody else waiting, and nobody is forgotten."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.access import Gatekeeper
from carimbo.service.subscriptions import create_subscription
from carimbo.storage import work
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.issuing import IssuingSteps
from carimbo.storage.jobs import enqueue
from carimbo.storage.work import WorkKey
from integration.storage.document_rows import CREATED, Shop, new_document, open_shop

TAX_IDS = ("11222333000181", "12ABC34501DE35", "00000000000191", "33000167000101")

# What is urgent goes before a thousand million turns of the rest.
URGENT = 2**30
FEW = 5


@dataclass
class Floor:
    """Four companies that queue documents, and one worker that does what the queue gives it."""

    database: Database
    shops: list[Shop]
    owners: dict[UUID, Shop] = field(default_factory=dict)

    async def queue(self, shop: Shop, count: int = 1, *, is_urgent: bool = False) -> list[Document]:
        """Let a company send so many at once."""
        added = []
        async with self.database.tenant(shop.subscription_id) as tenant:
            for _ in range(count):
                document = new_document(shop.company_id, is_urgent=is_urgent)
                stored = await tenant.documents.add(document, [CREATED], queued=True)
                assert stored is not None
                added.append(stored)
        self.owners.update(dict.fromkeys((one.id for one in added), shop))
        return added

    async def take(self) -> Document | None:
        """Take the job that the queue has for a worker first, and claim its document."""
        async with self.database.connection() as connection:
            payload = await connection.fetchval(
                "delete from pgqueuer where id = (select id from pgqueuer where status = 'queued'"
                " order by priority desc, id limit 1) returning payload"
            )
        if payload is None:
            return None
        document_id = WorkKey.parse(payload.decode()).id
        return await self.owners[document_id].read(document_id)

    async def serve(self, count: int = 1) -> list[Document]:
        """Do the next pieces of work; tells whose they were."""
        served = []
        for _ in range(count):
            document = await self.take()
            if document is None:
                break
            await self.owners[document.id].settle(document)
            served.append(document)
        return served


@pytest.fixture
async def floor(rows_database: Database) -> Floor:
    async with rows_database.connection() as connection:
        await connection.execute(
            "truncate documents, emissions, document_events, companies, pgqueuer cascade"
        )
    gatekeeper = await Gatekeeper.open(rows_database)
    subscription_id = (await create_subscription(gatekeeper, "Teste")).subscription_id
    return Floor(rows_database, [await open_shop(rows_database, subscription_id, one) for one in TAX_IDS])


def ids_of(documents: list[Document]) -> list[UUID]:
    return [document.id for document in documents]


class TestCompanies:
    async def test_three_behind_hundreds_of_another_are_among_the_next(self, floor: Floor) -> None:
        large, small, *_ = floor.shops
        await floor.queue(large, 300)
        three = await floor.queue(small, 3)
        assert set(ids_of(three)) <= set(ids_of(await floor.serve(7)))

    async def test_that_holds_in_the_middle_of_the_hundreds_too(self, floor: Floor) -> None:
        large, small, *_ = floor.shops
        await floor.queue(large, 100)
        await floor.serve(50)
        three = await floor.queue(small, 3)
        assert set(ids_of(three)) <= set(ids_of(await floor.serve(7)))

    async def test_those_who_all_send_much_are_served_in_turn(self, floor: Floor) -> None:
        for shop in floor.shops:
            await floor.queue(shop, 20)
        served = await floor.serve(40)
        shares = Counter(one.company_id for one in served).values()
        assert len(shares) == len(floor.shops)
        assert set(shares) <= {9, 10, 11}

    async def test_documents_of_one_company_keep_their_order(self, floor: Floor) -> None:
        queued = [one for _ in range(5) for one in await floor.queue(floor.shops[0], 4)]
        await floor.queue(floor.shops[1], 10)
        served = await floor.serve(30)
        assert [one.id for one in served if one.company_id == floor.shops[0].company_id] == ids_of(queued)


class TestUrgent:
    async def test_it_goes_before_everything_else_that_waits(self, floor: Floor) -> None:
        large, small, *_ = floor.shops
        await floor.queue(large, 50)
        receipts = await floor.queue(large, 2, is_urgent=True) + await floor.queue(small, 2, is_urgent=True)
        assert set(ids_of(await floor.serve(4))) == set(ids_of(receipts))

    async def test_among_urgent_ones_companies_take_turns_too(self, floor: Floor) -> None:
        large, small, *_ = floor.shops
        await floor.queue(large, 100, is_urgent=True)
        three = await floor.queue(small, 3, is_urgent=True)
        assert set(ids_of(three)) <= set(ids_of(await floor.serve(7)))


class TestPatience:
    """A document is passed by no more than its own company made it wait for."""

    @pytest.mark.parametrize("seed", range(2))
    async def test_each_other_company_passes_it_at_most_as_often_as_its_own_had_documents_before_it(
        self, floor: Floor, seed: int
    ) -> None:
        await self._run(floor, random.Random(seed), steps=60)

    async def test_that_holds_though_one_document_is_stuck(self, floor: Floor) -> None:
        """As when its authority is away: it is tried again and again, and others come and go."""
        (stuck,) = await floor.queue(floor.shops[3])
        assert await floor.take() == stuck
        await self._postpone(floor, stuck)
        await floor.queue(floor.shops[0], 30)
        await floor.serve(20)
        await floor.queue(floor.shops[0], 5)
        await floor.queue(floor.shops[1], 40)
        served = await floor.serve(20)
        assert Counter(one.company_id for one in served)[floor.shops[0].company_id] >= 8

    async def _postpone(self, floor: Floor, document: Document) -> None:
        lease = await floor.owners[document.id].claimed(document)
        async with floor.database.connection() as connection:
            await IssuingSteps(connection, lease).write_state(1, "sent", tries=1, pause=timedelta(hours=1))

    async def _run(self, floor: Floor, dice: random.Random, steps: int) -> None:
        waiting: dict[UUID, list[Document]] = defaultdict(list)
        patience: dict[UUID, int] = {}
        passed: dict[UUID, Counter[UUID]] = {}
        for _ in range(steps):
            shop = dice.choice(floor.shops)
            for document in await floor.queue(shop, dice.randint(0, 5)):
                patience[document.id] = len(waiting[shop.company_id]) + 2
                passed[document.id] = Counter()
                waiting[shop.company_id].append(document)
            for served in await floor.serve(dice.randint(0, 4)):
                waiting[served.company_id].remove(served)
                for other in (one for company in waiting.values() for one in company):
                    if other.id < served.id:
                        passed[other.id][served.company_id] += 1
        for document_id, by_company in passed.items():
            assert max(by_company.values(), default=0) <= patience[document_id]


class TestBacklog:
    """Statistics of an hour without work must not make the hour with it slow."""

    @pytest.fixture
    async def crowd(self, floor: Floor) -> list[Document]:
        await floor.queue(floor.shops[0], 100)
        async with floor.database.connection() as connection:
            await connection.execute("update documents set next_action_at = null, status = 'authorized'")
            await connection.execute("vacuum analyze documents")
        return await floor.queue(floor.shops[0], 100)

    async def test_a_claim_reads_its_own_row(self, floor: Floor, crowd: list[Document]) -> None:
        async with floor.database.transaction() as connection:
            before = await self._rows_read(connection)
            assert await work.claim(connection, floor.shops[0].key_of(crowd[50]), timedelta(minutes=1))
            assert await self._rows_read(connection) - before <= FEW

    async def test_a_turn_is_found_without_looking_at_what_others_wait_for(
        self, floor: Floor, crowd: list[Document]
    ) -> None:
        document = new_document(floor.shops[1].company_id)
        async with floor.database.tenant(floor.shops[1].subscription_id) as tenant:
            before = await self._rows_read(tenant.connection)
            assert await tenant.documents.add(document, [CREATED], queued=True)
            assert await self._rows_read(tenant.connection) - before <= FEW

    async def _rows_read(self, connection: Connection) -> int:
        """Documents that this connection has looked at."""
        query = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = $1"
        read: int = await connection.fetchval(query, "documents")
        return read


class TestTurnNumbers:
    async def test_they_start_again_when_nothing_waits(self, floor: Floor) -> None:
        for _ in range(3):
            await floor.queue(floor.shops[0], 10)
            assert len(await floor.serve(11)) == 10
        (document,) = await floor.queue(floor.shops[1])
        assert (await floor.shops[1].row_of(document))["turn"] == 1

    async def test_they_are_the_priorities_in_the_queue(self, floor: Floor) -> None:
        await floor.queue(floor.shops[0], 3)
        await floor.queue(floor.shops[0], 2, is_urgent=True)
        async with floor.database.connection() as connection:
            priorities = await connection.fetch("select priority from pgqueuer order by id")
        assert [row["priority"] for row in priorities] == [-1, -2, -3, URGENT - 1, URGENT - 2]

    @pytest.mark.parametrize("is_urgent", [False, True])
    async def test_a_row_that_is_queued_again_keeps_its_own(self, floor: Floor, is_urgent: bool) -> None:
        *_, third = await floor.queue(floor.shops[0], 3, is_urgent=is_urgent)
        async with floor.database.connection() as connection:
            await connection.execute("delete from pgqueuer")
            assert await enqueue(connection, floor.shops[0].key_of(third))
            priority = await connection.fetchval("select priority from pgqueuer")
        assert priority == (URGENT if is_urgent else 0) - 3

    @pytest.mark.parametrize("turn", [0, 1, 2**30, 2**62])
    async def test_any_of_them_fits_into_the_queue_and_keeps_what_is_urgent_first(
        self, floor: Floor, turn: int
    ) -> None:
        (ordinary,) = await floor.queue(floor.shops[0])
        (urgent,) = await floor.queue(floor.shops[0], is_urgent=True)
        async with floor.database.connection() as connection:
            await connection.execute("delete from pgqueuer")
            await connection.execute("update documents set turn = $1", turn)
            for document in (ordinary, urgent):
                assert await enqueue(connection, floor.shops[0].key_of(document))
            low, high = await connection.fetch("select priority from pgqueuer order by priority")
        assert -(2**31) <= low["priority"] <= 0 < high["priority"] < 2**31
