"""A subscription reaches no documents, numbers, histories or files of another one."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.lifecycle import CANCELS
from carimbo.storage.companies import CompanyNotInUse
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.emissions import PrintedEmission
from carimbo.storage.filings import FilingSteps, FilingVerdict
from carimbo.storage.identifiers import new_id
from carimbo.storage.issuing import AllowanceChange, EmissionRoute, IssuingSteps, Verdict
from carimbo.storage.monitoring import backlog_of_company
from carimbo.storage.superseded_attempts import SupersededOutcome
from carimbo.storage.work import Lease, LeaseLost, WorkKey, WorkKind
from claimed_rows import claim_row
from integration.storage.document_rows import CREATED, EVERYTHING, TODAY, new_document
from integration.storage.neighbours import (
    CODES,
    SIGNED,
    TAX_ID,
    Neighbours,
    new_cancellation,
    new_range,
    number_series_of,
)

Step = Callable[[IssuingSteps, UUID], Awaitable[Any]]
FilingStep = Callable[[FilingSteps], Awaitable[None]]
PRINTED = PrintedEmission(
    number=90,
    numeric_code="12345678",
    emission_type="9",
    contingency_started_at=SIGNED.issued_at,
    contingency_reason="Sem conexão com a internet",
    issued_at=SIGNED.issued_at,
    access_key="35" + 42 * "9",
)


async def numbered(steps: IssuingSteps, company_id: UUID) -> None:
    await steps.take_number(
        number_series_of(company_id), 3, CODES, EmissionRoute("1"), [CREATED], supersedes_previous=True
    )


async def redirected(steps: IssuingSteps, _: UUID) -> None:
    await steps.redirect(2, EmissionRoute("1"), [CREATED])


async def signed(steps: IssuingSteps, _: UUID) -> None:
    await steps.keep_signed(1, SIGNED, "signed", [CREATED])


async def paused(steps: IssuingSteps, _: UUID) -> None:
    await steps.write_state(1, "signed", tries=9, pause=timedelta(hours=1), events=[CREATED])


async def concluded(steps: IssuingSteps, _: UUID) -> None:
    verdict = Verdict(status="rejected", emission_state="denied", files={SIGNED.file_name: b""})
    await steps.conclude(1, verdict, AllowanceChange("2026-11", used=1), [CREATED])


async def signed_filing(steps: FilingSteps) -> None:
    await steps.keep_signed("sent", "digest", "signed", b"<mine/>")


async def noted_filing(steps: FilingSteps) -> None:
    await steps.write_state("signed", 9)


async def paused_filing(steps: FilingSteps) -> None:
    await steps.write_state("signed", 9, timedelta(hours=1))


async def concluded_filing(steps: FilingSteps) -> None:
    files = {"registration": b"<mine/>"}
    await steps.conclude(
        FilingVerdict(state="registered", code="135", message="", files=files, effect=CANCELS)
    )


class TestDocuments:
    async def test_another_subscription_s_document_is_not_seen(self, neighbours: Neighbours) -> None:
        company_id, document_id = neighbours.company_id, neighbours.document_id
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            documents = tenant.documents
            assert await documents.get(document_id) is None
            assert await documents.lock(document_id) is None
            assert await tenant.order_keys.find(company_id, "invoices", ["key", "direct order"]) == []
            assert await documents.find_printed(company_id, PRINTED.access_key) is None
            assert await documents.page(company_id, EVERYTHING, 0, 100) == ([], 0)
            for wanted in (DocumentFilter(external_id="direct order"), DocumentFilter(search="direct order")):
                assert await documents.page(company_id, wanted, 0, 100) == ([], 0)
            backlog = await backlog_of_company(
                tenant.connection, neighbours.stranger, company_id, timedelta(0)
            )
        assert (backlog.processing, backlog.oldest_queued_at) == (0, None)

    async def test_another_subscription_s_document_is_not_changed(self, neighbours: Neighbours) -> None:
        before, document_id = await neighbours.owner_rows(), neighbours.document_id
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.documents.write_request(document_id, "[]", Decimal(1), [], 2, TODAY, None)
            await tenant.documents.start(document_id, Decimal(1), [], 2, TODAY, "2026-11")
            await tenant.documents.queue(document_id, neighbours.company_id, is_urgent=True)
        assert await neighbours.owner_rows() == before

    async def test_a_document_cannot_be_added_to_another_subscription_s_company(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(CompanyNotInUse):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.documents.add(new_document(neighbours.company_id), [], queued=False)

    async def test_two_subscriptions_may_use_the_same_keys(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            company = await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Outra Loja"})
            assert company is not None
            twin = new_document(company.id, idempotency_key="key", external_id="direct order")
            assert await tenant.documents.add(twin, [], queued=False) is not None


class TestEmissions:
    async def test_another_subscription_s_numbers_are_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.emissions.get(neighbours.document_id, 1) is None
            assert await tenant.emissions.highest_number(neighbours.number_series) == 0
            assert await tenant.emissions.holder_of(neighbours.number_series, 42) is None
            assert await tenant.emissions.inutilized_by(neighbours.number_series, 11) is None

    async def test_another_subscription_s_attempt_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.emissions.begin_anew(neighbours.document_id, 1)
            await tenant.emissions.correct_printed(neighbours.document_id, PRINTED)
        assert await neighbours.owner_rows() == before

    async def test_an_attempt_is_not_added_to_another_subscription_s_document(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.emissions.add_printed(neighbours.document_id, neighbours.number_series, PRINTED)
        assert await neighbours.owner_rows() == before


class TestIssuingSteps:
    """A made-up lease does not give access to another subscription's document."""

    @pytest.mark.parametrize("step", [numbered, redirected, signed, paused, concluded])
    async def test_another_subscription_s_document_is_not_advanced(
        self, neighbours: Neighbours, step: Step
    ) -> None:
        before = await neighbours.owner_rows()
        key = WorkKey(WorkKind.DOCUMENT, neighbours.stranger, neighbours.document_id)
        with pytest.raises(LeaseLost):
            async with neighbours.database.transaction() as connection:
                await step(IssuingSteps(connection, Lease(key, token=1, attempts=1)), neighbours.company_id)
        assert await neighbours.owner_rows() == before


class TestEventFilings:
    async def test_another_subscription_s_event_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.event_filings.get(neighbours.event_id) is None
            assert await tenant.event_filings.of_document(neighbours.document_id, 1, "cancellation") == []

    async def test_another_subscription_s_event_does_not_block_one_s_own(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            mine = new_cancellation(neighbours.company_id, neighbours.document_id)
            assert await tenant.event_filings.add(mine) is not None
        assert await neighbours.owner_rows() == before


class TestInutilizations:
    async def test_another_subscription_s_range_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            ranges, mine = tenant.inutilizations, new_range(neighbours.company_id)
            assert await ranges.get(neighbours.range_id) is None
            assert await ranges.page(neighbours.company_id, ["nfe"], 0, 100) == []
            assert await ranges.count(neighbours.company_id, ["nfe"]) == 0
            assert await ranges.first_use(mine) is None
            assert await ranges.highest_number(neighbours.number_series) == 0
            assert await ranges.first_use(replace(mine, first_number=1, last_number=100)) is None


class TestSupersededAttempts:
    async def test_another_subscription_s_superseded_attempt_is_not_seen(
        self, neighbours: Neighbours
    ) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.superseded_attempts.get(neighbours.superseded_id) is None

    async def test_another_subscription_s_superseded_attempt_is_not_advanced(
        self, neighbours: Neighbours
    ) -> None:
        key = WorkKey(WorkKind.SUPERSEDED, neighbours.owner, neighbours.superseded_id)
        lease = replace(
            await owner_lease(neighbours, key), key=replace(key, subscription_id=neighbours.stranger)
        )
        before = await neighbours.owner_rows()
        async with neighbours.database.autocommit(neighbours.stranger) as tenant:
            with pytest.raises(LeaseLost):
                await tenant.superseded_attempts.settle(
                    lease, SupersededOutcome(state="authorized", file_name="f", file=b"<mine/>")
                )
            with pytest.raises(LeaseLost):
                await tenant.superseded_attempts.pause(lease, 3, timedelta(hours=1))
        assert await neighbours.owner_rows() == before


class TestFilingSteps:
    """The same for filings, whose steps write two tables."""

    @pytest.mark.parametrize("work_kind", [WorkKind.EVENT, WorkKind.INUTILIZATION])
    @pytest.mark.parametrize("step", [signed_filing, noted_filing, paused_filing, concluded_filing])
    async def test_another_subscription_s_filing_is_not_advanced(
        self, neighbours: Neighbours, work_kind: WorkKind, step: FilingStep
    ) -> None:
        ids = {WorkKind.EVENT: neighbours.event_id, WorkKind.INUTILIZATION: neighbours.range_id}
        key = WorkKey(work_kind, neighbours.owner, ids[work_kind])
        lease = replace(
            await owner_lease(neighbours, key), key=replace(key, subscription_id=neighbours.stranger)
        )
        before = await neighbours.owner_rows()
        with pytest.raises(LeaseLost):
            async with neighbours.database.filing_steps(lease) as steps:
                await step(steps)
        assert await neighbours.owner_rows() == before


async def owner_lease(neighbours: Neighbours, key: WorkKey) -> Lease:
    """Returns the owner's lease."""
    async with neighbours.database.connection() as connection:
        lease = await claim_row(connection, key)
    assert lease is not None
    return lease


class TestDocumentEvents:
    async def test_another_subscription_s_history_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.document_events.all(neighbours.document_id) == []

    async def test_nothing_is_added_to_another_subscription_s_history(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.document_events.add(neighbours.document_id, [CREATED])
        assert await neighbours.owner_rows() == before


class TestArchive:
    async def test_another_subscription_s_file_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.archive.get(neighbours.document_id, SIGNED.file_name) is None

    async def test_another_subscription_s_file_is_not_replaced(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.archive.put(neighbours.document_id, SIGNED.file_name, b"<mine/>")
        assert await neighbours.owner_rows() == before

    async def test_another_subscription_s_file_is_not_removed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.archive.delete(neighbours.document_id, SIGNED.file_name)
        assert await neighbours.owner_rows() == before
