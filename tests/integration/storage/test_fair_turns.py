"""Companies take turns: one that sends many documents does not delay the others, and none starves."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.issuing import IssuingSteps
from carimbo.storage.queue import claim_due, due_in
from carimbo.storage.work import Lease, WorkKind
from integration.storage.document_rows import (
    AUTHORIZED,
    CREATED,
    MINUTE,
    NOTHING_SPENT,
    Shop,
    new_document,
    open_shop,
)

TAX_IDS = ("11222333000181", "12ABC34501DE35", "00000000000191", "33000167000101")

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

    async def claim(self) -> Lease | None:
        """Claims the document that comes next."""
        async with self.database.connection() as connection:
            leases = await claim_due(connection, WorkKind.DOCUMENT, 1, MINUTE, with_suspect=True)
        return leases[0] if leases else None

    async def serve(self, count: int = 1) -> list[Document]:
        """Concludes the next documents and returns them."""
        served = []
        for _ in range(count):
            lease = await self.claim()
            if lease is None:
                break
            served.append(await self.owners[lease.key.id].read(lease.key.id))
            async with self.database.connection() as connection:
                await IssuingSteps(connection, lease).conclude(1, AUTHORIZED, NOTHING_SPENT, [])
        return served


@pytest.fixture
async def simulation(rows_database: Database) -> QueueSimulation:
    async with rows_database.connection() as connection:
        await connection.execute("truncate documents, emissions, document_events, companies cascade")
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
        await simulation.queue(simulation.shops[3])
        stuck = await simulation.claim()
        assert stuck is not None
        async with simulation.database.connection() as connection:
            await IssuingSteps(connection, stuck).write_state(1, "sent", tries=1, pause=timedelta(hours=1))
        await simulation.queue(simulation.shops[0], 30)
        await simulation.serve(20)
        await simulation.queue(simulation.shops[0], 5)
        await simulation.queue(simulation.shops[1], 40)
        served = await simulation.serve(20)
        assert Counter(document.company_id for document in served)[simulation.shops[0].company_id] >= 8

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
                waiting[served.company_id] = [
                    other for other in waiting[served.company_id] if other.id != served.id
                ]
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

    @pytest.mark.usefixtures("waiting_documents")
    async def test_a_claim_reads_only_its_own_row(self, simulation: QueueSimulation) -> None:
        async with simulation.database.transaction() as connection:
            # Reading all of such a small table would really be the fastest.
            await connection.execute("set local enable_seqscan = off")
            before = await self._rows_read(connection)
            assert await claim_due(connection, WorkKind.DOCUMENT, 1, MINUTE, with_suspect=True)
            assert await self._rows_read(connection) - before <= FEW

    @pytest.mark.usefixtures("waiting_documents")
    async def test_the_time_of_the_next_row_is_found_without_reading_all(
        self, simulation: QueueSimulation
    ) -> None:
        async with simulation.database.transaction() as connection:
            before = await self._rows_read(connection)
            assert (await due_in(connection))[WorkKind.DOCUMENT] <= 0
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


class TestPaused:
    async def test_paused_documents_and_documents_in_turn_share_the_places(
        self, simulation: QueueSimulation
    ) -> None:
        await self._pause(simulation, await simulation.queue(simulation.shops[0], 10))
        await simulation.queue(simulation.shops[1], 10)
        async with simulation.database.connection() as connection:
            leases = await claim_due(connection, WorkKind.DOCUMENT, 6, MINUTE, with_suspect=True)
        owners = Counter(simulation.owners[lease.key.id].company_id for lease in leases)
        assert set(owners.values()) == {3}

    async def test_urgent_paused_documents_precede_all_others(self, simulation: QueueSimulation) -> None:
        await self._pause(simulation, await simulation.queue(simulation.shops[0], 3))
        await simulation.queue(simulation.shops[1], 3)
        urgent = await simulation.queue(simulation.shops[2], 1, is_urgent=True)
        await self._pause(simulation, urgent)
        assert ids_of(await simulation.serve()) == ids_of(urgent)

    async def test_a_document_that_is_claimed_again_waits_for_no_turn(
        self, simulation: QueueSimulation
    ) -> None:
        """Its worker died: it has waited for its turn already."""
        await simulation.queue(simulation.shops[0], 2)
        turns = []
        for _ in range(2):
            async with simulation.database.connection() as connection:
                await connection.execute("update documents set lease_until = now()")
                (lease,) = await claim_due(connection, WorkKind.DOCUMENT, 1, MINUTE, with_suspect=True)
                turns.append(
                    await connection.fetchval("select turn from documents where id = $1", lease.key.id)
                )
        assert turns == [1, 0]

    async def _pause(self, simulation: QueueSimulation, documents: list[Document]) -> None:
        """Pauses documents until now."""
        async with simulation.database.connection() as connection:
            await connection.execute("update documents set turn = 0 where id = any($1)", ids_of(documents))
