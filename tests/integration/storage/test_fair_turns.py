"""Companies take turns: one that sends many documents does not delay the others, and none starves."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
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

# Urgent documents precede a thousand million turns of the others.
URGENT = 2**30
FEW = 5


@dataclass
class QueueSimulation:
    """Four companies that queue documents, and one worker that processes them in the order of the queue."""

    database: Database
    shops: list[Shop]
    owners: dict[UUID, Shop] = field(default_factory=dict)

    async def queue(self, shop: Shop, count: int = 1, *, is_urgent: bool = False) -> list[Document]:
        """Queues documents of a company at once."""
        added = []
        async with self.database.tenant(shop.subscription_id) as tenant:
            for _ in range(count):
                document = new_document(shop.company_id, is_urgent=is_urgent)
                stored = await tenant.documents.add(document, [CREATED], queued=True)
                assert stored is not None
                added.append(stored)
        self.owners.update(dict.fromkeys((document.id for document in added), shop))
        return added

    async def take(self) -> Document | None:
        """Takes the first job of the queue and returns its document."""
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
        """Processes the next documents and returns them."""
        served = []
        for _ in range(count):
            document = await self.take()
            if document is None:
                break
            await self.owners[document.id].settle(document)
            served.append(document)
        return served


@pytest.fixture
async def simulation(rows_database: Database) -> QueueSimulation:
    async with rows_database.connection() as connection:
        await connection.execute(
            "truncate documents, emissions, document_events, companies, pgqueuer cascade"
        )
    authenticator = await Authenticator.open(rows_database)
    subscription_id = (await create_subscription(authenticator, "Teste")).subscription_id
    return QueueSimulation(
        rows_database, [await open_shop(rows_database, subscription_id, tax_id) for tax_id in TAX_IDS]
    )


def ids_of(documents: list[Document]) -> list[UUID]:
    return [document.id for document in documents]


class TestCompanies:
    async def test_three_documents_behind_hundreds_of_another_company_are_soon_served(
        self, simulation: QueueSimulation
    ) -> None:
        large, small, *_ = simulation.shops
        await simulation.queue(large, 300)
        three = await simulation.queue(small, 3)
        assert set(ids_of(three)) <= set(ids_of(await simulation.serve(7)))

    async def test_three_documents_are_soon_served_in_the_middle_of_hundreds_too(
        self, simulation: QueueSimulation
    ) -> None:
        large, small, *_ = simulation.shops
        await simulation.queue(large, 100)
        await simulation.serve(50)
        three = await simulation.queue(small, 3)
        assert set(ids_of(three)) <= set(ids_of(await simulation.serve(7)))

    async def test_companies_that_all_send_many_documents_are_served_in_turn(
        self, simulation: QueueSimulation
    ) -> None:
        for shop in simulation.shops:
            await simulation.queue(shop, 20)
        served = await simulation.serve(40)
        shares = Counter(document.company_id for document in served).values()
        assert len(shares) == len(simulation.shops)
        assert set(shares) <= {9, 10, 11}

    async def test_documents_of_one_company_keep_their_order(self, simulation: QueueSimulation) -> None:
        queued = [document for _ in range(5) for document in await simulation.queue(simulation.shops[0], 4)]
        await simulation.queue(simulation.shops[1], 10)
        served = await simulation.serve(30)
        assert [
            document.id for document in served if document.company_id == simulation.shops[0].company_id
        ] == ids_of(queued)


class TestUrgent:
    async def test_urgent_documents_precede_all_others(self, simulation: QueueSimulation) -> None:
        large, small, *_ = simulation.shops
        await simulation.queue(large, 50)
        receipts = await simulation.queue(large, 2, is_urgent=True) + await simulation.queue(
            small, 2, is_urgent=True
        )
        assert set(ids_of(await simulation.serve(4))) == set(ids_of(receipts))

    async def test_companies_take_turns_among_urgent_documents_too(self, simulation: QueueSimulation) -> None:
        large, small, *_ = simulation.shops
        await simulation.queue(large, 100, is_urgent=True)
        three = await simulation.queue(small, 3, is_urgent=True)
        assert set(ids_of(three)) <= set(ids_of(await simulation.serve(7)))


class TestStarvation:
    """The number of later documents that overtake a document is bounded."""

    @pytest.mark.parametrize("seed", range(2))
    async def test_no_company_overtakes_a_document_more_often_than_its_own_company_has_documents_waiting(
        self, simulation: QueueSimulation, seed: int
    ) -> None:
        await self._run(simulation, random.Random(seed), steps=60)

    async def test_companies_take_turns_though_a_document_is_stuck(self, simulation: QueueSimulation) -> None:
        """As when its authority is unavailable: it is retried again and again while others come and go."""
        (stuck,) = await simulation.queue(simulation.shops[3])
        assert await simulation.take() == stuck
        await self._postpone(simulation, stuck)
        await simulation.queue(simulation.shops[0], 30)
        await simulation.serve(20)
        await simulation.queue(simulation.shops[0], 5)
        await simulation.queue(simulation.shops[1], 40)
        served = await simulation.serve(20)
        assert Counter(document.company_id for document in served)[simulation.shops[0].company_id] >= 8

    async def _postpone(self, simulation: QueueSimulation, document: Document) -> None:
        lease = await simulation.owners[document.id].claimed(document)
        async with simulation.database.connection() as connection:
            await IssuingSteps(connection, lease).write_state(1, "sent", tries=1, pause=timedelta(hours=1))

    async def _run(self, simulation: QueueSimulation, rng: random.Random, steps: int) -> None:
        waiting: dict[UUID, list[Document]] = defaultdict(list)
        limits: dict[UUID, int] = {}
        overtaken: dict[UUID, Counter[UUID]] = {}
        for _ in range(steps):
            shop = rng.choice(simulation.shops)
            for document in await simulation.queue(shop, rng.randint(0, 5)):
                limits[document.id] = len(waiting[shop.company_id]) + 2
                overtaken[document.id] = Counter()
                waiting[shop.company_id].append(document)
            for served in await simulation.serve(rng.randint(0, 4)):
                waiting[served.company_id].remove(served)
                for other in (document for company in waiting.values() for document in company):
                    if other.id < served.id:
                        overtaken[other.id][served.company_id] += 1
        for document_id, by_company in overtaken.items():
            assert max(by_company.values(), default=0) <= limits[document_id]


class TestBacklog:
    """Table statistics of an idle hour must not make a busy hour slow."""

    @pytest.fixture
    async def waiting_documents(self, simulation: QueueSimulation) -> list[Document]:
        await simulation.queue(simulation.shops[0], 100)
        async with simulation.database.connection() as connection:
            await connection.execute("update documents set next_action_at = null, status = 'authorized'")
            await connection.execute("vacuum analyze documents")
        return await simulation.queue(simulation.shops[0], 100)

    async def test_a_claim_reads_only_its_own_row(
        self, simulation: QueueSimulation, waiting_documents: list[Document]
    ) -> None:
        async with simulation.database.transaction() as connection:
            before = await self._rows_read(connection)
            assert await work.claim(
                connection, simulation.shops[0].key_of(waiting_documents[50]), timedelta(minutes=1)
            )
            assert await self._rows_read(connection) - before <= FEW

    async def test_a_turn_is_assigned_without_reading_other_companies_documents(
        self, simulation: QueueSimulation, waiting_documents: list[Document]
    ) -> None:
        document = new_document(simulation.shops[1].company_id)
        async with simulation.database.tenant(simulation.shops[1].subscription_id) as tenant:
            before = await self._rows_read(tenant.connection)
            assert await tenant.documents.add(document, [CREATED], queued=True)
            assert await self._rows_read(tenant.connection) - before <= FEW

    async def _rows_read(self, connection: Connection) -> int:
        """Returns how many documents this connection has read."""
        query = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = $1"
        read: int = await connection.fetchval(query, "documents")
        return read


class TestTurnNumbers:
    async def test_turns_restart_when_nothing_waits(self, simulation: QueueSimulation) -> None:
        for _ in range(3):
            await simulation.queue(simulation.shops[0], 10)
            assert len(await simulation.serve(11)) == 10
        (document,) = await simulation.queue(simulation.shops[1])
        assert (await simulation.shops[1].row_of(document))["turn"] == 1

    async def test_turns_are_the_priorities_in_the_queue(self, simulation: QueueSimulation) -> None:
        await simulation.queue(simulation.shops[0], 3)
        await simulation.queue(simulation.shops[0], 2, is_urgent=True)
        async with simulation.database.connection() as connection:
            priorities = await connection.fetch("select priority from pgqueuer order by id")
        assert [row["priority"] for row in priorities] == [-1, -2, -3, URGENT - 1, URGENT - 2]

    @pytest.mark.parametrize("is_urgent", [False, True])
    async def test_a_document_that_is_queued_again_keeps_its_turn(
        self, simulation: QueueSimulation, is_urgent: bool
    ) -> None:
        *_, third = await simulation.queue(simulation.shops[0], 3, is_urgent=is_urgent)
        async with simulation.database.connection() as connection:
            await connection.execute("delete from pgqueuer")
            assert await enqueue(connection, simulation.shops[0].key_of(third))
            priority = await connection.fetchval("select priority from pgqueuer")
        assert priority == (URGENT if is_urgent else 0) - 3

    @pytest.mark.parametrize("turn", [0, 1, 2**30, 2**62])
    async def test_any_turn_fits_into_the_queue_and_keeps_urgent_documents_first(
        self, simulation: QueueSimulation, turn: int
    ) -> None:
        (ordinary,) = await simulation.queue(simulation.shops[0])
        (urgent,) = await simulation.queue(simulation.shops[0], is_urgent=True)
        async with simulation.database.connection() as connection:
            await connection.execute("delete from pgqueuer")
            await connection.execute("update documents set turn = $1", turn)
            for document in (ordinary, urgent):
                assert await enqueue(connection, simulation.shops[0].key_of(document))
            low, high = await connection.fetch("select priority from pgqueuer order by priority")
        assert -(2**31) <= low["priority"] <= 0 < high["priority"] < 2**31
