"""No repository of received documents shows or changes a row of another subscription."""

from dataclasses import replace
from datetime import timedelta

import pytest

from carimbo.storage.filings import FilingVerdict
from carimbo.storage.identifiers import new_id
from carimbo.storage.receptions import advance_reading, pause_reception
from carimbo.storage.work import LeaseLost, WorkKey, WorkKind
from integration.storage.neighbours import Neighbours
from integration.storage.received_rows import (
    ALL_RECEIVED,
    ENVIRONMENT,
    ISSUED_AT,
    RECEIVED_KEY,
    SERVICE,
    new_manifestation,
    new_received,
    new_received_event,
)
from integration.storage.test_document_isolation import owner_lease

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


class TestReceptions:
    async def test_another_subscription_s_reception_is_not_seen(self, neighbours: Neighbours) -> None:
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                reception = await tenant.receptions.get(neighbours.reception_id)
                assert (reception is not None) is bool(seen)
                assert len(await tenant.receptions.of_company(neighbours.company_id)) == seen

    async def test_another_subscription_s_reception_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        stream_id = before["receptions"][0]["stream_id"]
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            mine = await tenant.receptions.start(neighbours.company_id, SERVICE, ENVIRONMENT, stream_id)
            assert mine.id != neighbours.reception_id
            await tenant.receptions.wake(neighbours.company_id)
            await tenant.receptions.stop(neighbours.company_id, SERVICE, ENVIRONMENT)
            await tenant.receptions.stop_all(neighbours.company_id)
        assert await neighbours.owner_rows() == before

    async def test_another_subscription_s_reception_is_not_advanced(self, neighbours: Neighbours) -> None:
        key = WorkKey(WorkKind.RECEPTION, neighbours.owner, neighbours.reception_id)
        lease = replace(
            await owner_lease(neighbours, key), key=replace(key, subscription_id=neighbours.stranger)
        )
        before = await neighbours.owner_rows()
        async with neighbours.database.connection() as connection:
            with pytest.raises(LeaseLost):
                await advance_reading(connection, lease, 9)
            with pytest.raises(LeaseLost):
                await pause_reception(connection, lease, DAY, "a1")
        assert await neighbours.owner_rows() == before


class TestReceivedDocuments:
    async def test_another_subscription_s_received_document_is_not_seen(self, neighbours: Neighbours) -> None:
        company_id, document_id = neighbours.company_id, neighbours.received_id
        since, before = ISSUED_AT - DAY, ISSUED_AT + DAY
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                received = tenant.received
                assert (await received.get(document_id) is not None) is bool(seen)
                by_key = await received.by_key(company_id, ENVIRONMENT, RECEIVED_KEY)
                assert (by_key is not None) is bool(seen)
                for search in (None, "fornecedora", RECEIVED_KEY, "12ABC34501DE35", "42"):
                    wanted = replace(ALL_RECEIVED, search=search)
                    documents, total = await received.page(company_id, wanted, 0, 10)
                    assert len(documents) == total == seen
                assert len(await received.after_version(company_id, SERVICE, ENVIRONMENT, 0, 10)) == seen
                assert len(await received.events(company_id, ENVIRONMENT, RECEIVED_KEY)) == seen
                sums = await received.monthly_sums(
                    company_id, SERVICE, ENVIRONMENT, since, before, "recipient", []
                )
                assert len(sums.totals) == sums.documents + sums.summaries == seen

    async def test_another_subscription_s_summary_is_not_acknowledged(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            await tenant.connection.execute(
                "delete from manifestations where subscription_id = $1", neighbours.owner
            )
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                summaries = await tenant.received.to_acknowledge(neighbours.company_id, ENVIRONMENT, (), 10)
                assert len(summaries) == seen

    async def test_another_subscription_s_received_document_is_not_changed(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        mine = new_received(neighbours.company_id, status="confirmed")
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            with pytest.raises(LookupError):
                await tenant.received.change(replace(mine, id=neighbours.received_id))
            assert await tenant.received.warn(neighbours.received_id) is None
            event = await tenant.received.add_event(
                replace(new_received_event(neighbours.company_id), has_full_xml=True)
            )
            assert event is not None
            assert event[1]
            assert (await tenant.received.add(mine)).id == mine.id
        assert await neighbours.owner_rows() == before


class TestManifestations:
    async def test_another_subscription_s_manifestation_is_not_seen(self, neighbours: Neighbours) -> None:
        for subscription_id, seen in ((neighbours.stranger, 0), (neighbours.owner, 1)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                manifestations = tenant.manifestations
                stored = await manifestations.get(neighbours.manifestation_id)
                assert (stored is not None) is bool(seen)
                assert len(await manifestations.of_document(neighbours.received_id)) == seen
                lot = await manifestations.claim_lot(neighbours.company_id, ENVIRONMENT, 10, MINUTE)
                assert len(lot) == seen

    async def test_another_subscription_s_manifestation_does_not_block_one_s_own(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        mine = new_manifestation(neighbours.company_id, neighbours.received_id)
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.manifestations.add_for_lot(mine) is not None
            again = replace(mine, id=new_id(), sequence=2)
            assert await tenant.manifestations.add(again) is not None
        assert await neighbours.owner_rows() == before

    async def test_another_subscription_s_manifestation_is_not_advanced(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            ((_, lease),) = await tenant.manifestations.claim_lot(
                neighbours.company_id, ENVIRONMENT, 10, MINUTE
            )
        before = await neighbours.owner_rows()
        stolen = replace(lease, key=replace(lease.key, subscription_id=neighbours.stranger))
        async with neighbours.database.filing_steps(stolen) as steps:
            with pytest.raises(LeaseLost):
                await steps.write_state("signed", 9)
            with pytest.raises(LeaseLost):
                await steps.conclude(FilingVerdict(state="registered", code="135", message=""))
        assert await neighbours.owner_rows() == before
