"""Attempts of unknown fate that another took the place of, and what is written of them in the end."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.storage import work
from carimbo.storage.documents import Document
from carimbo.storage.issuing import EmissionWay, IssuingSteps
from carimbo.storage.strays import Stray, StrayFate, Strays
from carimbo.storage.work import Lease, LeaseLost, WorkKind
from integration.storage.attempts import (
    CODES,
    NOON,
    attempt_of,
    authorized,
    authorized_elsewhere,
    claimed,
    let_lapse,
    new_signed,
)
from integration.storage.document_rows import Shop
from integration.storage.neighbours import everything_of

HOUR = timedelta(hours=1)
AUTHORIZED = StrayFate(
    state=EmissionState.AUTHORIZED,
    protocol="135260000000007",
    authorized_at=NOON,
    digest="other=",
    file_name="authorization/other=",
    file=b"<protNFe/>",
)
Step = Callable[[Strays, Lease], Awaitable[None]]


async def settle(strays: Strays, lease: Lease) -> None:
    await strays.settle(lease, AUTHORIZED)


async def pause(strays: Strays, lease: Lease) -> None:
    await strays.pause(lease, 3, HOUR)


each_step = pytest.mark.parametrize("step", [settle, pause])


async def take(shop: Shop, lease: Lease, step: Step) -> None:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        await step(tenant.strays, lease)


async def rows_of(shop: Shop, document: Document) -> list[dict[str, Any]]:
    async with shop.database.connection() as connection:
        rows = await connection.fetch("select * from strays where document_id = $1", document.id)
    return [dict(row) for row in rows]


async def stray_of(shop: Shop, document: Document) -> Stray:
    (row,) = await rows_of(shop, document)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        stray = await tenant.strays.get(row["id"])
    assert stray is not None
    return stray


async def held(shop: Shop) -> tuple[Document, Lease]:
    """A document with a stray that we hold."""
    document = await authorized_elsewhere(shop)
    return document, await claimed(shop, WorkKind.STRAY, (await stray_of(shop, document)).id)


class TestLeftBehind:
    async def test_is_the_attempt_before_the_one_in_force(self, shop: Shop) -> None:
        document = await authorized_elsewhere(shop)
        stray = await stray_of(shop, document)
        assert (stray.company_id, stray.document_id) == (shop.company_id, document.id)
        assert (stray.emission, stray.tries) == (1, 0)
        assert [(await attempt_of(shop, document, ordinal)).number for ordinal in (1, 2)] == [1, 2]

    async def test_wakes_a_worker(self, shop: Shop) -> None:
        stray = await stray_of(shop, await authorized_elsewhere(shop))
        async with shop.database.connection() as connection:
            jobs = await connection.fetch(
                "select status, entrypoint from pgqueuer where payload = convert_to($1, 'UTF8')",
                f"stray:{shop.subscription_id}:{stray.id}",
            )
        assert [tuple(job) for job in jobs] == [("queued", "stray")]

    async def test_is_nothing_where_the_fate_of_the_first_is_known(self, shop: Shop) -> None:
        document = await authorized(shop)
        assert await rows_of(shop, document) == []

    async def test_is_nothing_where_the_next_number_is_not_taken(self, shop: Shop) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        async with shop.database.connection() as connection:
            steps = IssuingSteps(connection, lease)
            await steps.take_number(shop.place, 1, CODES, EmissionWay("1"), [])
            await steps.keep_signed(1, new_signed(), EmissionState.SENT, [])
        await let_lapse(shop, lease)
        await shop.claimed(document)
        before = await everything_of(shop.database, shop.subscription_id)
        async with shop.database.connection() as connection:
            with pytest.raises(LeaseLost):
                await IssuingSteps(connection, lease).take_number(
                    shop.place, 2, CODES, EmissionWay("6"), [], leaves_stray=True
                )
        assert await everything_of(shop.database, shop.subscription_id) == before


class TestLeaseLost:
    @each_step
    async def test_who_was_overtaken_writes_nothing(self, shop: Shop, step: Step) -> None:
        _, lease = await held(shop)
        await let_lapse(shop, lease)
        await claimed(shop, WorkKind.STRAY, lease.key.id)
        before = await everything_of(shop.database, shop.subscription_id)
        with pytest.raises(LeaseLost, match=str(lease.key)):
            await take(shop, lease, step)
        assert await everything_of(shop.database, shop.subscription_id) == before

    @each_step
    async def test_who_let_go_writes_nothing(self, shop: Shop, step: Step) -> None:
        _, lease = await held(shop)
        await take(shop, lease, settle)
        before = await everything_of(shop.database, shop.subscription_id)
        with pytest.raises(LeaseLost):
            await take(shop, lease, step)
        assert await everything_of(shop.database, shop.subscription_id) == before


class TestSettle:
    async def test_writes_what_became_of_the_attempt(self, shop: Shop) -> None:
        document, lease = await held(shop)
        await take(shop, lease, settle)
        attempt = await attempt_of(shop, document)
        assert (attempt.state, attempt.protocol) == (EmissionState.AUTHORIZED, AUTHORIZED.protocol)
        assert (attempt.authorized_at, attempt.digest, attempt.tries) == (NOON, "other=", 0)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(document.id, "authorization/other=") == b"<protNFe/>"

    async def test_leaves_the_document_and_the_attempt_in_force(self, shop: Shop) -> None:
        document, lease = await held(shop)
        before = await shop.read(document.id)
        await take(shop, lease, settle)
        assert await shop.read(document.id) == before

    async def test_keeps_the_digest_and_adds_no_file_where_none_is_told(self, shop: Shop) -> None:
        document, lease = await held(shop)
        before = await attempt_of(shop, document)
        files = (await everything_of(shop.database, shop.subscription_id))["archive"]
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            await tenant.strays.settle(lease, StrayFate(state=EmissionState.SIGNED))
        assert await attempt_of(shop, document) == replace(before, state=EmissionState.SIGNED)
        assert (await everything_of(shop.database, shop.subscription_id))["archive"] == files

    async def test_there_is_no_more_to_ask(self, shop: Shop) -> None:
        document, lease = await held(shop)
        await take(shop, lease, settle)
        (row,) = await rows_of(shop, document)
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 0)


class TestPause:
    async def test_for_its_length_the_stray_is_nobody_s(self, shop: Shop) -> None:
        document, lease = await held(shop)
        await take(shop, lease, pause)
        (row,) = await rows_of(shop, document)
        assert (row["tries"], row["lease_until"], row["attempts"]) == (3, None, 0)
        async with shop.database.connection() as connection:
            now = await connection.fetchval("select now()")
            assert timedelta(0) < row["next_action_at"] - now <= HOUR
            assert await work.claim(connection, lease.key, HOUR) is None

    async def test_says_nothing_of_the_attempt(self, shop: Shop) -> None:
        document, lease = await held(shop)
        before = await attempt_of(shop, document)
        await take(shop, lease, pause)
        assert await attempt_of(shop, document) == before
