"""The allowance of a plan: exact under any burst, and spent by what is authorized in production alone."""

import asyncio
from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from carimbo.service.subscriptions import define_plan
from carimbo.storage.subscriptions import Plan
from integration.issuing.actions import SPENT, TRIAL, spend, usage
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, accepted, error_of
from support import data_of
from toy.codes import REFUSED
from toy.shop import BODY, KINDS, body_of
from toy.xml import MOST

BRASILIA = ZoneInfo("America/Sao_Paulo")
of_every_type = pytest.mark.parametrize("kind", KINDS)


def this_month() -> str:
    return f"{datetime.now(BRASILIA):%Y-%m}"


class TestTrial:
    async def test_of_a_hundred_at_once_exactly_ten_are_accepted(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        kinds = (KINDS * 100)[:100]
        answers = await asyncio.gather(*(shop.post(f"/{kind}", body_of()) for kind in kinds))
        assert Counter(answer.status_code for answer in answers) == {202: TRIAL, 402: 90}
        refused = [answer for answer in answers if answer.status_code == 402]
        assert all(error_of(answer, 402, "DOCUMENT_LIMIT_REACHED") == SPENT for answer in refused)
        assert await shop.count() == TRIAL
        for answer in answers:
            if answer.status_code == 202:
                assert (await shop.settled(answer.json()["data"]))["status"] == "authorized"
        assert await usage(shop) == {"total": (TRIAL, 0)}

    @of_every_type
    async def test_is_shared_by_the_companies_of_a_subscription(self, new_shop: NewShop, kind: str) -> None:
        shop = await new_shop(plan="trial")
        other = await new_shop(shop.caller)
        await spend(shop, TRIAL - 1)
        await other.create(kind)
        error_of(await shop.post(f"/{kind}", body_of()), 402, "DOCUMENT_LIMIT_REACHED")
        assert await shop.count() == 0

    @of_every_type
    async def test_a_refused_document_gives_its_place_back(self, new_shop: NewShop, kind: str) -> None:
        shop = await new_shop(plan="trial")
        await spend(shop, TRIAL - 1)
        assert (await shop.issue(kind, notes=REFUSED))["status"] == "rejected"
        assert await usage(shop) == {"total": (TRIAL - 1, 0)}
        assert (await shop.issue(kind))["status"] == "authorized"
        assert await usage(shop) == {"total": (TRIAL, 0)}

    async def test_a_document_that_we_refuse_ourselves_gives_its_place_back(
        self, floor: Floor, new_shop: NewShop
    ) -> None:
        shop = await new_shop(plan="trial")
        async with floor.standstill():
            made = await shop.create()
            assert await usage(shop) == {"total": (0, 1)}
            await shop.put_settings(toy={"active": False})
        assert (await shop.settled(made))["status"] == "rejected"
        assert await usage(shop) == {"total": (0, 0)}

    @of_every_type
    async def test_an_emission_needs_a_place_again(self, new_shop: NewShop, kind: str) -> None:
        shop = await new_shop(plan="trial")
        refused = await shop.issue(kind, notes=REFUSED)
        await spend(shop)
        assert error_of(await shop.emit(refused), 402, "DOCUMENT_LIMIT_REACHED") == SPENT
        assert await shop.read(refused) == refused
        await spend(shop, 0)
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        assert (await shop.settled(refused))["status"] == "authorized"
        assert await usage(shop) == {"total": (1, 0)}

    async def test_a_stored_document_takes_its_place_when_it_is_sent(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        first, second = [await shop.create(transmit="later") for _ in range(2)]
        assert await usage(shop) == {}
        await spend(shop, TRIAL - 1)
        accepted(await shop.post(f"/toy/{first['id']}/transmit"))
        error_of(await shop.post(f"/toy/{second['id']}/transmit"), 402, "DOCUMENT_LIMIT_REACHED")
        assert await shop.read(second) == second
        await shop.settled(first)
        assert await usage(shop) == {"total": (TRIAL, 0)}

    async def test_an_invalid_order_takes_no_place(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        assert (await shop.post("/toy", {})).status_code == 422
        assert (await shop.post("/toy", body_of(amount=MOST + 1))).status_code == 422
        assert await usage(shop) == {}

    async def test_homologation_neither_counts_nor_is_refused(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        await spend(shop)
        path = shop.path("/environment")
        data_of(await shop.caller.http.patch(path, json={"environment": "homologation"}))
        for kind in KINDS:
            assert (await shop.issue(kind))["status"] == "authorized"
        assert await usage(shop) == {"total": (TRIAL, 0)}


class TestUnlimitedPlan:
    async def test_counts_what_is_used(self, shop: Shop) -> None:
        for kind in KINDS:
            assert (await shop.issue(kind))["status"] == "authorized"
        await shop.issue(notes=REFUSED)
        assert await usage(shop) == {this_month(): (len(KINDS), 0)}


class TestMonthlyPlan:
    async def test_refuses_documents_beyond_it_until_the_next_month_of_brasilia(
        self, floor: Floor, new_shop: NewShop
    ) -> None:
        await define_plan(floor.database, Plan("one-a-month", 1, None, None))
        shop = await new_shop(plan="one-a-month")
        assert (await shop.issue())["status"] == "authorized"
        details = error_of(await shop.post("/toy", BODY), 402, "DOCUMENT_LIMIT_REACHED")
        resets_at = datetime.fromisoformat(details["resetsAt"]).astimezone(BRASILIA)
        assert (details["limit"], details["used"]) == (1, 1)
        assert (resets_at.day, resets_at.hour, resets_at.minute) == (1, 0, 0)
        assert resets_at > datetime.now(BRASILIA)
        assert await usage(shop) == {this_month(): (1, 0)}
