"""Numbers of a series have no gaps and no duplicates, under concurrency and failures."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.settings import Settings
from carimbo.storage.database import PoolOptions, open_database
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow, NumberSeries
from carimbo.storage.issuing import EmissionRoute, IssuingSteps, NumericCodes, SeriesExhausted, SignedEmission
from carimbo.storage.work import Lease
from integration.storage.document_rows import Shop

CODES = NumericCodes("10203040", "50607080")
NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
AT_ONCE = 50


@pytest.fixture
async def busy_shop(settings: Settings, shop: Shop) -> AsyncIterator[Shop]:
    """The same company, with fifty connections."""
    url, options = settings.database_url.get_secret_value(), PoolOptions(size=AT_ONCE, connect_seconds=30)
    async with open_database(url, settings.key_ring, options) as database:
        yield Shop(database, shop.subscription_id, shop.company_id)


async def take(shop: Shop, lease: Lease, number_series: NumberSeries, *, fails: bool = False) -> int:
    """Takes a number in a transaction that lasts a while and may fail at the end."""
    async with shop.database.transaction() as connection:
        emission = await IssuingSteps(connection, lease).take_number(
            number_series, 1, CODES, EmissionRoute("1"), []
        )
        await asyncio.sleep(0)
        if fails:
            raise LookupError("given up")
    return emission.number


async def next_number(shop: Shop, number_series: NumberSeries) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.number_sequences.next_number(
            number_series.company_id,
            number_series.document_type,
            number_series.environment,
            number_series.series,
        )


async def highest(shop: Shop, number_series: NumberSeries) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.emissions.highest_number(number_series)


class TestTakenAtOnce:
    @pytest.mark.parametrize("seed", range(2))
    async def test_failed_transactions_leave_no_gap_and_no_number_is_taken_twice(
        self, busy_shop: Shop, seed: int
    ) -> None:
        rng = random.Random(seed)
        all_series = [busy_shop.number_series, replace(busy_shop.number_series, series=2)]
        requests = [(rng.choice(all_series), rng.random() < 0.3) for _ in range(2 * AT_ONCE)]
        leases = [await busy_shop.claimed(await busy_shop.added()) for _ in requests]
        answers = await asyncio.gather(
            *(
                take(busy_shop, lease, number_series, fails=fails)
                for lease, (number_series, fails) in zip(leases, requests, strict=True)
            ),
            return_exceptions=True,
        )
        for number_series in all_series:
            mine = [
                answer
                for answer, (requested, _) in zip(answers, requests, strict=True)
                if requested == number_series
            ]
            taken = sorted(answer for answer in mine if isinstance(answer, int))
            wanted = sum(not fails for requested, fails in requests if requested == number_series)
            assert taken == list(range(1, wanted + 1))
            assert await next_number(busy_shop, number_series) == wanted + 1
            assert await highest(busy_shop, number_series) == wanted

    async def test_simultaneous_requests_for_one_document_take_one_number(self, busy_shop: Shop) -> None:
        lease = await busy_shop.claimed(await busy_shop.added())
        answers = await asyncio.gather(
            *(take(busy_shop, lease, busy_shop.number_series) for _ in range(10)), return_exceptions=True
        )
        assert [answer for answer in answers if isinstance(answer, int)] == [1]
        assert await next_number(busy_shop, busy_shop.number_series) == 2


class TestEndOfSeries:
    LAST = 999_999_999

    async def test_the_last_number_is_taken_and_none_after_it(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, self.LAST)
        assert await take(shop, await shop.claimed(await shop.added()), shop.number_series) == self.LAST
        late = await shop.added()
        lease = await shop.claimed(late)
        with pytest.raises(SeriesExhausted):
            await take(shop, lease, shop.number_series)
        assert (await shop.read(late.id)).emission is None
        assert await highest(shop, shop.number_series) == self.LAST

    async def test_a_full_series_does_not_affect_other_series(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(
                shop.company_id, "nfe", "production", 1, self.LAST + 1
            )
        lease = await shop.claimed(await shop.added())
        assert await take(shop, lease, replace(shop.number_series, series=2)) == 1


class TestHighestNumber:
    async def test_the_highest_number_of_an_unused_series_is_zero(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, 500)
        assert await highest(shop, shop.number_series) == 0

    async def test_the_highest_number_counts_attempts_of_any_state(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, 9)
        await take(shop, await shop.claimed(await shop.added()), shop.number_series)
        assert await highest(shop, shop.number_series) == 9
        assert await highest(shop, replace(shop.number_series, environment="homologation")) == 0


class TestBeginAnew:
    async def test_beginning_anew_keeps_only_number_and_code(self, shop: Shop) -> None:
        document, before = await self._refused(shop)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.emissions.begin_anew(document.id, 1)
        again = (await shop.read(document.id)).emission
        assert again == replace(before, state=EmissionState.NUMBERED, digest=None, receipt=None, tries=0)

    async def _refused(self, shop: Shop) -> tuple[Document, EmissionRow]:
        document = await shop.added()
        lease = await shop.claimed(document)
        signed = SignedEmission(
            issued_at=NOON, access_key="35" + 42 * "1", digest="d", file_name="f", xml=b""
        )
        async with shop.database.connection() as connection:
            steps = IssuingSteps(connection, lease)
            await steps.take_number(shop.number_series, 1, CODES, EmissionRoute("1"), [])
            await steps.keep_signed(1, signed, EmissionState.SENT, [])
            await steps.write_state(1, EmissionState.SENT, tries=4, receipt="351")
        emission = (await shop.read(document.id)).emission
        assert emission is not None
        return document, emission
