"""The subscription's own routes: credentials, plan and usage."""

from datetime import UTC, datetime, timedelta

import pytest

from carimbo.service.subscriptions import period_of, reserve_document
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import Subscriptions
from support import Caller, NewCaller, data_of, fields_of

PATH = "/v1/user/api-credentials"


class TestCredential:
    async def test_credential_is_shown_without_its_secret(self, caller: Caller) -> None:
        shown = data_of(await caller.http.get(PATH))
        assert shown["apiKey"] == str(caller.subscription_id)
        assert shown["secretPreview"] == f"...{caller.secret[-4:]}"
        assert (shown["rotatedAt"], shown["previousSecretValidUntil"]) == (None, None)
        assert caller.secret not in str(shown)

    async def test_credential_shows_when_it_was_last_used(self, caller: Caller) -> None:
        await caller.http.get("/v1/companies")
        last_used = datetime.fromisoformat(data_of(await caller.http.get(PATH))["lastUsedAt"])
        assert abs((datetime.now(UTC) - last_used).total_seconds()) < 60


class TestRotation:
    @pytest.mark.parametrize("content", [b"", b"{}"])
    async def test_rotation_ends_the_old_secret_at_once(self, caller: Caller, content: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        rotated = data_of(await caller.http.post(PATH, content=content, headers=headers))
        assert rotated["apiKey"] == str(caller.subscription_id)
        assert (await caller.http.get(PATH)).status_code == 401
        fresh = {"X-Api-Secret": rotated["apiSecret"]}
        assert data_of(await caller.http.get(PATH, headers=fresh))["rotatedAt"] == rotated["rotatedAt"]

    @pytest.mark.parametrize("content", [b"-0.5", b"7", b'"a"', b"[]"])
    async def test_rotation_refuses_a_body_that_is_no_object(self, caller: Caller, content: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        answer = await caller.http.post(PATH, content=content, headers=headers)
        assert fields_of(answer) == {"body": "Deve ser um objeto JSON."}

    async def test_rotation_with_an_overlap_keeps_both_secrets_for_a_while(
        self, caller: Caller, database: Database
    ) -> None:
        rotated = data_of(await caller.http.post(PATH, json={"overlapHours": 1}))
        assert (await caller.http.get(PATH)).status_code == 200
        assert (
            await caller.http.get(PATH, headers={"X-Api-Secret": rotated["apiSecret"]})
        ).status_code == 200
        async with database.transaction() as connection:
            await connection.execute(
                "update credentials set previous_valid_until = now() where subscription_id = $1",
                caller.subscription_id,
            )
        assert (await caller.http.get(PATH)).status_code == 401

    async def test_rotation_shows_until_when_the_old_secret_is_valid(self, caller: Caller) -> None:
        rotated = data_of(await caller.http.post(PATH, json={"overlapHours": 2}))
        hours = datetime.fromisoformat(rotated["previousSecretValidUntil"]) - datetime.fromisoformat(
            rotated["rotatedAt"]
        )
        assert hours == timedelta(hours=2)
        shown = data_of(await caller.http.get(PATH))
        assert shown["previousSecretValidUntil"] == rotated["previousSecretValidUntil"]
        at_once = data_of(await caller.http.post(PATH))
        assert at_once["previousSecretValidUntil"] is None
        fresh = {"X-Api-Secret": at_once["apiSecret"]}
        assert data_of(await caller.http.get(PATH, headers=fresh))["previousSecretValidUntil"] is None

    @pytest.mark.parametrize("hours", [0, 73, -1, "1", 1.5, True])
    async def test_overlap_out_of_range_is_refused(self, caller: Caller, hours: object) -> None:
        answer = await caller.http.post(PATH, json={"overlapHours": hours})
        assert list(fields_of(answer)) == ["overlapHours"]
        assert (await caller.http.get(PATH)).status_code == 200


class TestPlanAndUse:
    async def test_subscription_shows_plan_and_usage_of_a_trial(
        self, new_caller: NewCaller, database: Database
    ) -> None:
        caller = await new_caller("trial")
        async with database.tenant(caller.subscription_id) as tenant:
            subscription = await Subscriptions(tenant.connection).get(caller.subscription_id)
            assert subscription is not None
            await reserve_document(tenant, period_of(subscription.plan, datetime.now(UTC)))
            await tenant.connection.execute(
                "update allowances set used = used + 1 where subscription_id = $1", caller.subscription_id
            )
        shown = data_of(await caller.http.get("/v1/subscription"))
        assert shown["plan"] == {
            "name": "trial",
            "monthlyDocuments": None,
            "totalDocuments": 10,
            "requestsPerMinute": 120,
        }
        assert shown["features"] == ["cteEmission", "mdfeEmission", "nfceEmission"]
        assert shown["usage"] == {"limit": 10, "used": 1, "reserved": 1, "resetsAt": None}

    async def test_subscription_shows_the_usage_of_a_plan_without_limits(self, caller: Caller) -> None:
        usage = data_of(await caller.http.get("/v1/subscription"))["usage"]
        assert (usage["limit"], usage["used"]) == (None, 0)
        assert usage["resetsAt"].endswith("T03:00:00Z")
