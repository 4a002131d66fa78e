"""Numbers of a series: no gap and no twin, whatever happens at once and whatever fails."""

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
from carimbo.storage.emissions import Emission, Place
from carimbo.storage.issuing import EmissionWay, IssuingSteps, NumericCodes, SeriesExhausted, Signed
from carimbo.storage.work import Lease
from integration.storage.document_rows import Shop

CODES = NumericCodes("10203040", "50607080")
NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
AT_ONCE = 50


@pytest.fixture
async def busy_shop(settings: Settings, shop: Shop) -> AsyncIterator[Shop]:
    """The same company with a connection for each of fifty."""
    url, options = settings.database_url.get_secret_value(), PoolOptions(size=AT_ONCE, connect_seconds=30)
    async with open_database(url, settings.key_ring, options) as database:
        yield Shop(database, shop.subscription_id, shop.company_id)


async def take(shop: Shop, lease: Lease, place: Place, *, fails: bool = False) -> int:
    """Take a number in a transaction that lasts a while, and may fail after all."""
    async with shop.database.transaction() as connection:
        emission = await IssuingSteps(connection, lease).take_number(place, 1, CODES, EmissionWay("1"), [])
        await asyncio.sleep(0)
        if fails:
            raise LookupError("given up")
    return emission.number


async def next_number(shop: Shop, place: Place) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.number_sequences.next_number(
            place.company_id, place.document_type, place.environment, place.series
        )


async def highest(shop: Shop, place: Place) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.emissions.highest_number(place)


class TestTakenAtOnce:
    @pytest.mark.parametrize("seed", range(2))
    async def test_those_that_fail_leave_no_gap_and_nobody_gets_another_s(
        self, busy_shop: Shop, seed: int
    ) -> None:
        dice = random.Random(seed)
        places = [busy_shop.place, replace(busy_shop.place, series=2)]
        asked = [(dice.choice(places), dice.random() < 0.3) for _ in range(2 * AT_ONCE)]
        leases = [await busy_shop.claimed(await busy_shop.added()) for _ in asked]
        answers = await asyncio.gather(
            *(
                take(busy_shop, lease, place, fails=fails)
                for lease, (place, fails) in zip(leases, asked, strict=True)
            ),
            return_exceptions=True,
        )
        for place in places:
            mine = [answer for answer, (where, _) in zip(answers, asked, strict=True) if where == place]
            taken = sorted(answer for answer in mine if isinstance(answer, int))
            wanted = sum(not fails for where, fails in asked if where == place)
            assert taken == list(range(1, wanted + 1))
            assert await next_number(busy_shop, place) == wanted + 1
            assert await highest(busy_shop, place) == wanted

    async def test_one_document_takes_one_number_however_often_it_is_asked_for_at_once(
        self, busy_shop: Shop
    ) -> None:
        lease = await busy_shop.claimed(await busy_shop.added())
        answers = await asyncio.gather(
            *(take(busy_shop, lease, busy_shop.place) for _ in range(10)), return_exceptions=True
        )
        assert [answer for answer in answers if isinstance(answer, int)] == [1]
        assert await next_number(busy_shop, busy_shop.place) == 2


class TestTheEndOfASeries:
    LAST = 999_999_999

    async def test_the_last_number_is_taken_and_none_after_it(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, self.LAST)
        assert await take(shop, await shop.claimed(await shop.added()), shop.place) == self.LAST
        late = await shop.added()
        lease = await shop.claimed(late)
        with pytest.raises(SeriesExhausted):
            await take(shop, lease, shop.place)
        assert (await shop.read(late.id)).emission is None
        assert await highest(shop, shop.place) == self.LAST

    async def test_another_series_goes_on(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(
                shop.company_id, "nfe", "production", 1, self.LAST + 1
            )
        lease = await shop.claimed(await shop.added())
        assert await take(shop, lease, replace(shop.place, series=2)) == 1


class TestHighestNumber:
    async def test_of_a_series_that_nobody_used_it_is_zero(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, 500)
        assert await highest(shop, shop.place) == 0

    async def test_it_is_that_of_any_attempt_whatever_became_of_it(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(shop.company_id, "nfe", "production", 1, 9)
        await take(shop, await shop.claimed(await shop.added()), shop.place)
        assert await highest(shop, shop.place) == 9
        assert await highest(shop, replace(shop.place, environment="homologation")) == 0


class TestBeginAnew:
    async def test_number_and_code_stay_and_the_rest_is_forgotten(self, shop: Shop) -> None:
        document, before = await self._refused(shop)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.emissions.begin_anew(document.id, 1)
        again = (await shop.read(document.id)).emission
        assert again == replace(before, state=EmissionState.NUMBERED, digest=None, receipt=None, tries=0)

    async def _refused(self, shop: Shop) -> tuple[Document, Emission]:
        document = await shop.added()
        lease = await shop.claimed(document)
        signed = Signed(issued_at=NOON, access_key="35" + 42 * "1", digest="d", file_name="f", xml=b"")
        async with shop.database.connection() as connection:
            steps = IssuingSteps(connection, lease)
            await steps.take_number(shop.place, 1, CODES, EmissionWay("1"), [])
            await steps.keep_signed(1, signed, EmissionState.SENT, [])
            await steps.write_state(1, EmissionState.SENT, tries=4, receipt="351")
        emission = (await shop.read(document.id)).emission
        assert emission is not None
        return document, emission
