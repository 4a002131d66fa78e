"""The allowance of a plan: exact under any load, and used only by authorized documents in production."""

import asyncio
from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from carimbo.service.subscriptions import define_plan
from carimbo.storage.subscriptions import SubscriptionPlan
from integration.issuing.actions import SPENT, TRIAL, spend, usage
from integration.issuing.shop import NewShop, Shop, accepted, error_of
from integration.issuing.system import System
from support import data_of
from toy.codes import REFUSED
from toy.shop import BODY, KINDS, body_of
from toy.xml import MAX_AMOUNT

BRASILIA = ZoneInfo("America/Sao_Paulo")
of_every_type = pytest.mark.parametrize("document_type", KINDS)


def this_month() -> str:
    return f"{datetime.now(BRASILIA):%Y-%m}"


class TestTrial:
    async def test_trial_accepts_exactly_ten_of_a_hundred_concurrent_requests(
        self, new_shop: NewShop
    ) -> None:
        shop = await new_shop(plan="trial")
        document_types = (KINDS * 100)[:100]
        answers = await asyncio.gather(
            *(shop.post(f"/{document_type}", body_of()) for document_type in document_types)
        )
        assert Counter(answer.status_code for answer in answers) == {202: TRIAL, 402: 90}
        refused = [answer for answer in answers if answer.status_code == 402]
        assert all(error_of(answer, 402, "DOCUMENT_LIMIT_REACHED") == SPENT for answer in refused)
        assert await shop.count() == TRIAL
        for answer in answers:
            if answer.status_code == 202:
                assert (await shop.settled(answer.json()["data"]))["status"] == "authorized"
        assert await usage(shop) == {"total": (TRIAL, 0)}

    @of_every_type
    async def test_allowance_is_shared_by_the_companies_of_a_subscription(
        self, new_shop: NewShop, document_type: str
    ) -> None:
        shop = await new_shop(plan="trial")
        other = await new_shop(shop.caller)
        await spend(shop, TRIAL - 1)
        await other.create(document_type)
        error_of(await shop.post(f"/{document_type}", body_of()), 402, "DOCUMENT_LIMIT_REACHED")
        assert await shop.count() == 0

    @of_every_type
    async def test_refused_document_is_not_counted(self, new_shop: NewShop, document_type: str) -> None:
        shop = await new_shop(plan="trial")
        await spend(shop, TRIAL - 1)
        assert (await shop.issue(document_type, notes=REFUSED))["status"] == "rejected"
        assert await usage(shop) == {"total": (TRIAL - 1, 0)}
        assert (await shop.issue(document_type))["status"] == "authorized"
        assert await usage(shop) == {"total": (TRIAL, 0)}

    async def test_document_that_we_reject_ourselves_is_not_counted(
        self, system: System, new_shop: NewShop
    ) -> None:
        shop = await new_shop(plan="trial")
        async with system.worker_stopped():
            document = await shop.create()
            assert await usage(shop) == {"total": (0, 1)}
            await shop.put_settings(toy={"active": False})
        assert (await shop.settled(document))["status"] == "rejected"
        assert await usage(shop) == {"total": (0, 0)}

    @of_every_type
    async def test_emitting_a_refused_document_needs_allowance_again(
        self, new_shop: NewShop, document_type: str
    ) -> None:
        shop = await new_shop(plan="trial")
        refused = await shop.issue(document_type, notes=REFUSED)
        await spend(shop)
        assert error_of(await shop.emit(refused), 402, "DOCUMENT_LIMIT_REACHED") == SPENT
        assert await shop.read(refused) == refused
        await spend(shop, 0)
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        assert (await shop.settled(refused))["status"] == "authorized"
        assert await usage(shop) == {"total": (1, 0)}

    async def test_stored_document_is_counted_when_it_is_sent(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        first, second = [await shop.create(transmit="later") for _ in range(2)]
        assert await usage(shop) == {}
        await spend(shop, TRIAL - 1)
        accepted(await shop.post(f"/toy/{first['id']}/transmit"))
        error_of(await shop.post(f"/toy/{second['id']}/transmit"), 402, "DOCUMENT_LIMIT_REACHED")
        assert await shop.read(second) == second
        await shop.settled(first)
        assert await usage(shop) == {"total": (TRIAL, 0)}

    async def test_invalid_request_is_not_counted(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        assert (await shop.post("/toy", {})).status_code == 422
        assert (await shop.post("/toy", body_of(amount=MAX_AMOUNT + 1))).status_code == 422
        assert await usage(shop) == {}

    async def test_homologation_is_neither_counted_nor_refused(self, new_shop: NewShop) -> None:
        shop = await new_shop(plan="trial")
        await spend(shop)
        path = shop.path("/environment")
        data_of(await shop.caller.http.patch(path, json={"environment": "homologation"}))
        for document_type in KINDS:
            assert (await shop.issue(document_type))["status"] == "authorized"
        assert await usage(shop) == {"total": (TRIAL, 0)}


class TestUnlimitedPlan:
    async def test_unlimited_plan_counts_documents_by_month(self, shop: Shop) -> None:
        for document_type in KINDS:
            assert (await shop.issue(document_type))["status"] == "authorized"
        await shop.issue(notes=REFUSED)
        assert await usage(shop) == {this_month(): (len(KINDS), 0)}


class TestMonthlyPlan:
    async def test_monthly_plan_refuses_documents_until_the_next_month_of_brasilia(
        self, system: System, new_shop: NewShop
    ) -> None:
        await define_plan(system.database, SubscriptionPlan("one-a-month", 1, None, None))
        shop = await new_shop(plan="one-a-month")
        assert (await shop.issue())["status"] == "authorized"
        details = error_of(await shop.post("/toy", BODY), 402, "DOCUMENT_LIMIT_REACHED")
        resets_at = datetime.fromisoformat(details["resetsAt"]).astimezone(BRASILIA)
        assert (details["limit"], details["used"]) == (1, 1)
        assert (resets_at.day, resets_at.hour, resets_at.minute) == (1, 0, 0)
        assert resets_at > datetime.now(BRASILIA)
        assert await usage(shop) == {this_month(): (1, 0)}
