"""Steps of filings are atomic, and written only by the current holder of the lease."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.lifecycle import CANCELS, NO_EFFECT, EmissionState, FilingState, HistoryEntry, Status
from carimbo.storage import work
from carimbo.storage.document_events import DocumentEvent
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.filings import Filing, FilingSteps, FilingVerdict
from carimbo.storage.work import Lease, LeaseLost, WorkKind
from claimed_rows import claim_row
from integration.storage.attempts import (
    NOON,
    add_filing,
    attempt_of,
    authorized,
    authorized_at_second_attempt,
    claimed,
    concluded,
    expire_lease,
)
from integration.storage.document_rows import Shop
from integration.storage.neighbours import all_rows, new_range

HOUR = timedelta(hours=1)
REGISTERED = FilingVerdict(
    state=FilingState.REGISTERED,
    code="135",
    message="Evento registrado e vinculado a NF-e",
    protocol="135260000000009",
    registered_at=NOON,
    files={"registration": b"<retEvento/>"},
    effect=CANCELS,
)
LETTER_REGISTERED = replace(REGISTERED, effect=NO_EFFECT)
REFUSED = FilingVerdict(state=FilingState.REFUSED, code="501", message="Prazo", files={"refusal": b"<x/>"})
Step = Callable[[FilingSteps], Awaitable[None]]


async def keep(steps: FilingSteps) -> None:
    await steps.keep_signed(FilingState.SENT, "digest=", "signed", b"<evento>\xc3\xa7</evento>")


async def note(steps: FilingSteps) -> None:
    await steps.write_state(FilingState.SIGNED, 2)


async def pause(steps: FilingSteps) -> None:
    await steps.write_state(FilingState.SENT, 2, HOUR)


async def register(steps: FilingSteps) -> None:
    await steps.conclude(REGISTERED)


async def refuse(steps: FilingSteps) -> None:
    await steps.conclude(REFUSED)


async def take(shop: Shop, lease: Lease, *steps: Step) -> None:
    async with shop.database.filing_steps(lease) as filing:
        for step in steps:
            await step(filing)


async def claimed_filing(shop: Shop, work_kind: WorkKind) -> Lease:
    """Returns the lease of a new filing of this kind."""
    if work_kind is WorkKind.EVENT:
        return await claimed(shop, work_kind, (await add_filing(shop, await authorized(shop))).id)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await claimed(
            shop, work_kind, (await tenant.inutilizations.add(new_range(shop.company_id))).id
        )


async def stored(shop: Shop, lease: Lease) -> Filing:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        is_event = lease.key.kind is WorkKind.EVENT
        filing = await (tenant.event_filings if is_event else tenant.inutilizations).get(lease.key.id)
    assert filing is not None
    return filing


async def row_of(shop: Shop, lease: Lease) -> dict[str, Any]:
    async with shop.database.connection() as connection:
        return dict(
            await connection.fetchrow(f"select * from {lease.key.table} where id = $1", lease.key.id) or {}
        )


async def archived(shop: Shop, owner_id: UUID, name: str) -> bytes | None:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.archive.get(owner_id, name)


async def last_event(shop: Shop, document: Document) -> DocumentEvent:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return (await tenant.document_events.all(document.id))[-1]


async def count(shop: Shop, status: Status) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.documents.count(shop.company_id, DocumentFilter(status=status))


each_work_kind = pytest.mark.parametrize("work_kind", [WorkKind.EVENT, WorkKind.INUTILIZATION])
each_step = pytest.mark.parametrize("step", [keep, note, pause, register, refuse])


class TestLeaseLost:
    @each_work_kind
    @each_step
    async def test_a_worker_that_was_overtaken_writes_nothing(
        self, shop: Shop, work_kind: WorkKind, step: Step
    ) -> None:
        lease = await claimed_filing(shop, work_kind)
        await expire_lease(shop, lease)
        await claimed(shop, work_kind, lease.key.id)
        before = await all_rows(shop.database, shop.subscription_id)
        with pytest.raises(LeaseLost, match=str(lease.key)):
            await take(shop, lease, step)
        assert await all_rows(shop.database, shop.subscription_id) == before

    @each_work_kind
    @each_step
    async def test_a_worker_that_released_its_lease_writes_nothing(
        self, shop: Shop, work_kind: WorkKind, step: Step
    ) -> None:
        lease = await claimed_filing(shop, work_kind)
        async with shop.database.transaction() as connection:
            await work.conclude(connection, lease)
        before = await all_rows(shop.database, shop.subscription_id)
        with pytest.raises(LeaseLost):
            await take(shop, lease, step)
        assert await all_rows(shop.database, shop.subscription_id) == before

    @each_work_kind
    @each_step
    async def test_a_late_worker_that_was_not_overtaken_may_write(
        self, shop: Shop, work_kind: WorkKind, step: Step
    ) -> None:
        lease = await claimed_filing(shop, work_kind)
        await expire_lease(shop, lease)
        await take(shop, lease, step)
        assert (await stored(shop, lease)).state != FilingState.QUEUED

    @each_work_kind
    async def test_only_one_of_two_simultaneous_conclusions_succeeds(
        self, shop: Shop, work_kind: WorkKind
    ) -> None:
        lease = await claimed_filing(shop, work_kind)
        outcomes = await asyncio.gather(
            take(shop, lease, register), take(shop, lease, register), return_exceptions=True
        )
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["LeaseLost", "NoneType"]


@each_work_kind
class TestKeepSigned:
    async def test_the_signed_bytes_are_archived_with_the_filing(
        self, shop: Shop, work_kind: WorkKind
    ) -> None:
        lease = await claimed_filing(shop, work_kind)
        await take(shop, lease, keep)
        filing = await stored(shop, lease)
        assert (filing.state, filing.digest) == (FilingState.SENT, "digest=")
        assert await archived(shop, filing.id, "signed") == b"<evento>\xc3\xa7</evento>"

    async def test_the_lease_is_kept_after_signing(self, shop: Shop, work_kind: WorkKind) -> None:
        lease = await claimed_filing(shop, work_kind)
        await take(shop, lease, keep, note)
        async with shop.database.transaction() as connection:
            await work.renew(connection, lease, HOUR)


@each_work_kind
class TestWriteState:
    async def test_the_lease_is_kept_without_a_pause(self, shop: Shop, work_kind: WorkKind) -> None:
        lease = await claimed_filing(shop, work_kind)
        await take(shop, lease, keep, note)
        filing = await stored(shop, lease)
        assert (filing.state, filing.tries, filing.digest) == (FilingState.SIGNED, 2, "digest=")
        async with shop.database.transaction() as connection:
            await work.renew(connection, lease, HOUR)

    async def test_nobody_can_claim_a_filing_during_a_pause(self, shop: Shop, work_kind: WorkKind) -> None:
        lease = await claimed_filing(shop, work_kind)
        await take(shop, lease, keep, pause)
        row = await row_of(shop, lease)
        assert (row["state"], row["tries"], row["attempts"]) == (FilingState.SENT, 2, 0)
        assert row["lease_until"] is None
        async with shop.database.connection() as connection:
            now = await connection.fetchval("select now()")
            assert timedelta(0) < row["next_action_at"] - now <= HOUR
            assert await claim_row(connection, lease.key) is None


class TestConclude:
    @each_work_kind
    async def test_the_whole_verdict_is_written(self, shop: Shop, work_kind: WorkKind) -> None:
        lease = await claimed_filing(shop, work_kind)
        await take(shop, lease, keep, note, register)
        filing = await stored(shop, lease)
        assert (filing.state, filing.tries, filing.digest) == (FilingState.REGISTERED, 0, "digest=")
        assert (filing.protocol, filing.registered_at) == (REGISTERED.protocol, NOON)
        assert (filing.authority_code, filing.authority_message) == (REGISTERED.code, REGISTERED.message)
        assert await archived(shop, filing.id, "registration") == b"<retEvento/>"

    @each_work_kind
    @pytest.mark.parametrize("step", [register, refuse])
    async def test_a_concluded_filing_is_not_due_any_more(
        self, shop: Shop, work_kind: WorkKind, step: Step
    ) -> None:
        lease = await claimed_filing(shop, work_kind)
        await take(shop, lease, step)
        row = await row_of(shop, lease)
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 0)

    async def test_the_history_entry_has_the_id_of_the_filing(self, shop: Shop) -> None:
        document = await authorized(shop)
        filing = await add_filing(shop, document, type="correction", sequence=3)
        await concluded(shop, filing, LETTER_REGISTERED)
        event = await last_event(shop, document)
        assert (event.id, event.type, event.sequence) == (filing.id, "correction", 3)
        assert (event.status, event.protocol) == (Status.AUTHORIZED, REGISTERED.protocol)
        assert (event.authority_code, event.authority_message) == (REGISTERED.code, REGISTERED.message)

    async def test_a_cancellation_of_the_attempt_in_force_cancels_the_document(self, shop: Shop) -> None:
        document = await authorized(shop)
        await concluded(shop, await add_filing(shop, document), REGISTERED)
        assert (await shop.read(document.id)).status == Status.CANCELED
        assert (await attempt_of(shop, document)).state == EmissionState.CANCELED
        assert (await last_event(shop, document)).status == Status.CANCELED
        assert (await count(shop, Status.AUTHORIZED), await count(shop, Status.CANCELED)) == (0, 1)

    async def test_a_cancellation_of_another_attempt_leaves_the_document(self, shop: Shop) -> None:
        document = await authorized_at_second_attempt(shop)
        before = await shop.read(document.id)
        await concluded(shop, await add_filing(shop, document, emission=1), REGISTERED)
        assert await shop.read(document.id) == before
        states = [(await attempt_of(shop, document, ordinal)).state for ordinal in (1, 2)]
        assert states == [EmissionState.CANCELED, EmissionState.AUTHORIZED]
        assert (await last_event(shop, document)).status == Status.AUTHORIZED
        assert (await count(shop, Status.AUTHORIZED), await count(shop, Status.CANCELED)) == (1, 0)

    async def test_a_document_that_is_canceled_already_is_not_counted_twice(self, shop: Shop) -> None:
        document = await authorized(shop)
        filing = await add_filing(shop, document)
        async with shop.database.connection() as connection:
            await connection.execute("update documents set status = 'canceled' where id = $1", document.id)
        await concluded(shop, filing, REGISTERED)
        assert (await last_event(shop, document)).status == Status.CANCELED
        assert (await count(shop, Status.AUTHORIZED), await count(shop, Status.CANCELED)) == (0, 1)

    @pytest.mark.parametrize(
        ("verdict", "status"), [(REFUSED, Status.REJECTED), (LETTER_REGISTERED, Status.AUTHORIZED)]
    )
    async def test_an_event_without_effect_leaves_document_and_attempt(
        self, shop: Shop, verdict: FilingVerdict, status: Status
    ) -> None:
        document = await authorized(shop)
        before = await shop.read(document.id)
        await concluded(shop, await add_filing(shop, document), verdict)
        assert await shop.read(document.id) == before
        event = await last_event(shop, document)
        assert (event.status, event.authority_code) == (status, verdict.code)

    async def test_a_substitution_names_the_replacing_document(self, shop: Shop) -> None:
        document, newer = await authorized(shop), await authorized(shop)
        key = (await attempt_of(shop, newer)).access_key
        await concluded(shop, await add_filing(shop, document), replace(REGISTERED, replaced_by=key))
        assert (await shop.read(document.id)).replaced_by == newer.id
        assert (await last_event(shop, document)).type == HistoryEntry.SUBSTITUTION

    async def test_a_substitution_names_no_document_of_another_company(
        self, shop: Shop, other_shop: Shop
    ) -> None:
        document, newer = await authorized(shop), await authorized(other_shop)
        key = (await attempt_of(other_shop, newer)).access_key
        await concluded(shop, await add_filing(shop, document), replace(REGISTERED, replaced_by=key))
        stored = await shop.read(document.id)
        assert (stored.status, stored.replaced_by) == (Status.CANCELED, None)
        assert (await last_event(shop, document)).type == HistoryEntry.SUBSTITUTION

    async def test_a_document_of_another_company_is_not_canceled(self, shop: Shop, other_shop: Shop) -> None:
        document, other = await authorized(shop), await authorized(other_shop)
        await concluded(shop, await add_filing(shop, document), REGISTERED)
        assert (await shop.read(other.id)).status == Status.AUTHORIZED
