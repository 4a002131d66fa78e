"""Superseded attempts whose outcome was unknown, and how their outcome is stored."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.storage.documents import Document
from carimbo.storage.issuing import EmissionRoute, IssuingSteps
from carimbo.storage.superseded_attempts import SupersededAttempt, SupersededAttempts, SupersededOutcome
from carimbo.storage.work import Lease, LeaseLost, WorkKind
from claimed_rows import claim_row
from integration.storage.attempts import (
    CODES,
    NOON,
    attempt_of,
    authorized,
    authorized_at_second_attempt,
    claimed,
    expire_lease,
    new_signed,
)
from integration.storage.document_rows import Shop
from integration.storage.neighbours import all_rows

HOUR = timedelta(hours=1)
AUTHORIZED = SupersededOutcome(
    state=EmissionState.AUTHORIZED,
    protocol="135260000000007",
    authorized_at=NOON,
    digest="other=",
    file_name="authorization/other=",
    file=b"<protNFe/>",
)
Step = Callable[[SupersededAttempts, Lease], Awaitable[None]]


async def settle(superseded_attempts: SupersededAttempts, lease: Lease) -> None:
    await superseded_attempts.settle(lease, AUTHORIZED)


async def pause(superseded_attempts: SupersededAttempts, lease: Lease) -> None:
    await superseded_attempts.pause(lease, 3, HOUR)


each_step = pytest.mark.parametrize("step", [settle, pause])


async def take(shop: Shop, lease: Lease, step: Step) -> None:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        await step(tenant.superseded_attempts, lease)


async def rows_of(shop: Shop, document: Document) -> list[dict[str, Any]]:
    async with shop.database.connection() as connection:
        rows = await connection.fetch("select * from strays where document_id = $1", document.id)
    return [dict(row) for row in rows]


async def superseded_of(shop: Shop, document: Document) -> SupersededAttempt:
    (row,) = await rows_of(shop, document)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        attempt = await tenant.superseded_attempts.get(row["id"])
    assert attempt is not None
    return attempt


async def claimed_attempt(shop: Shop) -> tuple[Document, Lease]:
    """Returns a document with a superseded attempt, and our lease on the attempt."""
    document = await authorized_at_second_attempt(shop)
    return document, await claimed(shop, WorkKind.SUPERSEDED, (await superseded_of(shop, document)).id)


class TestSuperseded:
    async def test_the_attempt_before_the_one_in_force_is_superseded(self, shop: Shop) -> None:
        document = await authorized_at_second_attempt(shop)
        attempt = await superseded_of(shop, document)
        assert (attempt.company_id, attempt.document_id) == (shop.company_id, document.id)
        assert (attempt.emission, attempt.tries) == (1, 0)
        assert [(await attempt_of(shop, document, ordinal)).number for ordinal in (1, 2)] == [1, 2]

    async def test_a_superseded_attempt_is_due(self, shop: Shop) -> None:
        attempt = await superseded_of(shop, await authorized_at_second_attempt(shop))
        assert await claimed(shop, WorkKind.SUPERSEDED, attempt.id)

    async def test_an_attempt_with_a_known_outcome_is_not_superseded(self, shop: Shop) -> None:
        document = await authorized(shop)
        assert await rows_of(shop, document) == []

    async def test_an_attempt_is_not_superseded_if_the_next_number_is_not_taken(self, shop: Shop) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        async with shop.database.connection() as connection:
            steps = IssuingSteps(connection, lease)
            await steps.take_number(shop.number_series, 1, CODES, EmissionRoute("1"), [])
            await steps.keep_signed(1, new_signed(), EmissionState.SENT, [])
        await expire_lease(shop, lease)
        await shop.claimed(document)
        before = await all_rows(shop.database, shop.subscription_id)
        async with shop.database.connection() as connection:
            with pytest.raises(LeaseLost):
                await IssuingSteps(connection, lease).take_number(
                    shop.number_series, 2, CODES, EmissionRoute("6"), [], supersedes_previous=True
                )
        assert await all_rows(shop.database, shop.subscription_id) == before


class TestLeaseLost:
    @each_step
    async def test_a_worker_that_was_overtaken_writes_nothing(self, shop: Shop, step: Step) -> None:
        _, lease = await claimed_attempt(shop)
        await expire_lease(shop, lease)
        await claimed(shop, WorkKind.SUPERSEDED, lease.key.id)
        before = await all_rows(shop.database, shop.subscription_id)
        with pytest.raises(LeaseLost, match=str(lease.key)):
            await take(shop, lease, step)
        assert await all_rows(shop.database, shop.subscription_id) == before

    @each_step
    async def test_a_worker_that_released_its_lease_writes_nothing(self, shop: Shop, step: Step) -> None:
        _, lease = await claimed_attempt(shop)
        await take(shop, lease, settle)
        before = await all_rows(shop.database, shop.subscription_id)
        with pytest.raises(LeaseLost):
            await take(shop, lease, step)
        assert await all_rows(shop.database, shop.subscription_id) == before


class TestSettle:
    async def test_settling_writes_the_outcome_of_the_attempt(self, shop: Shop) -> None:
        document, lease = await claimed_attempt(shop)
        await take(shop, lease, settle)
        attempt = await attempt_of(shop, document)
        assert (attempt.state, attempt.protocol) == (EmissionState.AUTHORIZED, AUTHORIZED.protocol)
        assert (attempt.authorized_at, attempt.digest, attempt.tries) == (NOON, "other=", 0)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(document.id, "authorization/other=") == b"<protNFe/>"

    async def test_settling_leaves_the_document_and_the_attempt_in_force(self, shop: Shop) -> None:
        document, lease = await claimed_attempt(shop)
        before = await shop.read(document.id)
        await take(shop, lease, settle)
        assert await shop.read(document.id) == before

    async def test_settling_without_digest_and_file_keeps_the_stored_ones(self, shop: Shop) -> None:
        document, lease = await claimed_attempt(shop)
        before = await attempt_of(shop, document)
        files = (await all_rows(shop.database, shop.subscription_id))["archive"]
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            await tenant.superseded_attempts.settle(lease, SupersededOutcome(state=EmissionState.SIGNED))
        assert await attempt_of(shop, document) == replace(before, state=EmissionState.SIGNED)
        assert (await all_rows(shop.database, shop.subscription_id))["archive"] == files

    async def test_a_settled_attempt_is_not_due_any_more(self, shop: Shop) -> None:
        document, lease = await claimed_attempt(shop)
        await take(shop, lease, settle)
        (row,) = await rows_of(shop, document)
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 0)


class TestPause:
    async def test_nobody_can_claim_the_attempt_during_a_pause(self, shop: Shop) -> None:
        document, lease = await claimed_attempt(shop)
        await take(shop, lease, pause)
        (row,) = await rows_of(shop, document)
        assert (row["tries"], row["lease_until"], row["attempts"]) == (3, None, 0)
        async with shop.database.connection() as connection:
            now = await connection.fetchval("select now()")
            assert timedelta(0) < row["next_action_at"] - now <= HOUR
            assert await claim_row(connection, lease.key) is None

    async def test_a_pause_leaves_the_attempt_unchanged(self, shop: Shop) -> None:
        document, lease = await claimed_attempt(shop)
        before = await attempt_of(shop, document)
        await take(shop, lease, pause)
        assert await attempt_of(shop, document) == before
