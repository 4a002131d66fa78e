"""The log of what webhooks were sent; sending again, and for trial."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx2
import pytest
from fastapi import FastAPI

from carimbo.storage.deliveries import Deliveries, DeliveryAttempt
from carimbo.storage.delivering import DeliveryFate, conclude_delivery
from carimbo.storage.wakeups import OUTBOUND
from carimbo.storage.work import LeaseLost
from integration.api.webhook_site import ATTEMPT, DELIVERED, URL, Site
from support import ABSENT, code_of, data_of, fields_of, until_it_holds

NO_ANSWER = replace(ATTEMPT, response_status=None, response_body="", error="A conexão foi recusada.")
FAILED = DeliveryFate(status="failed", failures=6)
LATER = DeliveryFate(status="pending", failures=1, pause=timedelta(hours=1))


@pytest.fixture
async def webhook_id(site: Site) -> str:
    created = await site.create(events={"invoice": ["nfe.authorized", "nfe.rejected", "nfe.cancelled"]})
    return str(created["id"])


async def redeliver(site: Site, webhook_id: str, delivery_id: str) -> httpx2.Response:
    return await site.http.post(f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver")


def accepted(answer: httpx2.Response) -> Any:
    assert answer.status_code == 202, answer.text
    return answer.json()["data"]


class TestList:
    async def test_shows_what_is_owed_newest_first(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized", "nfe.rejected", "nfe.canceled")
        told = await site.deliveries(webhook_id)
        assert [one["event"] for one in told] == ["nfe.cancelled", "nfe.rejected", "nfe.authorized"]
        (event,) = await site.fetch("select id from events where topic = 'nfe.rejected'"
                                    " and subscription_id = $1", site.caller.subscription_id)  # fmt: skip
        assert told[1] == {
            "id": told[1]["id"],
            "webhookId": webhook_id,
            "eventId": str(event["id"]),
            "event": "nfe.rejected",
            "documentId": None,
            "status": "pending",
            "test": False,
            "attemptCount": 0,
            "responseStatus": None,
            "attemptedAt": None,
            "nextAttemptAt": told[1]["nextAttemptAt"],
            "createdAt": told[1]["createdAt"],
        }
        assert told[1]["nextAttemptAt"] is not None

    async def test_tells_no_moment_of_what_waits_for_another_event(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized", "nfe.canceled", document_id=UUID(ABSENT))
        cancelled, authorized = await site.deliveries(webhook_id)
        assert (authorized["nextAttemptAt"] is None, cancelled["nextAttemptAt"]) == (False, None)
        read = await site.read(webhook_id, f"/deliveries/{cancelled['id']}")
        assert (read["status"], read["nextAttemptAt"]) == ("pending", None)
        await site.attempt(authorized["id"])
        cancelled, authorized = await site.deliveries(webhook_id)
        assert (authorized["nextAttemptAt"], cancelled["nextAttemptAt"] is None) == (None, False)

    async def test_comes_in_pages_of_what_is_asked_for(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized", "nfe.rejected", "nfe.authorized", "nfe.authorized")
        newest, *_, oldest = await site.deliveries(webhook_id)
        await site.attempt(newest["id"])
        await site.attempt(oldest["id"], NO_ANSWER, FAILED)

        async def ids(**query: Any) -> list[str]:
            return [str(one["id"]) for one in await site.deliveries(webhook_id, **query)]

        assert await ids(status="delivered") == [newest["id"]]
        assert await ids(status="failed", event="nfe.authorized") == [oldest["id"]]
        assert await ids(status="failed", event="nfe.rejected") == []
        path = f"/v1/webhooks/{webhook_id}/deliveries"
        answer = await site.http.get(path, params={"event": "nfe.authorized", "page": 2, "pageSize": 2})
        assert [one["id"] for one in data_of(answer)] == [oldest["id"]]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 3}

    @pytest.mark.parametrize("query", [{"status": "lost"}, {"event": "nfe.canceled"}])
    async def test_refuses_what_there_never_is(
        self, site: Site, webhook_id: str, query: dict[str, str]
    ) -> None:
        answer = await site.http.get(f"/v1/webhooks/{webhook_id}/deliveries", params=query)
        assert list(fields_of(answer)) == list(query)


class TestRead:
    async def test_shows_every_attempt(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(webhook_id)
        await site.attempt(owed["id"], NO_ANSWER, LATER)
        await site.attempt(owed["id"])
        read = await site.read(webhook_id, f"/deliveries/{owed['id']}")
        first, second = read.pop("attempts")
        (listed,) = await site.deliveries(webhook_id)
        assert read == listed
        assert (read["status"], read["attemptCount"], read["responseStatus"]) == ("delivered", 2, 200)
        assert read["nextAttemptAt"] is None
        assert (first["error"], first["responseStatus"]) == ("A conexão foi recusada.", None)
        assert first["nextAttemptAt"] is not None
        assert second == {
            "number": 2,
            "url": URL,
            "requestHeaders": {"webhook-id": "1", "X-Loja": "********"},
            "requestBody": '{"event":"nfe.authorized"}',
            "responseStatus": 200,
            "responseBody": "ok",
            "error": None,
            "startedAt": "2026-11-10T12:00:00Z",
            "durationMs": 42,
            "nextAttemptAt": None,
        }

    async def test_of_another_webhook_is_none(self, site: Site, webhook_id: str) -> None:
        other = await site.create()
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(other["id"])
        for delivery_id in (owed["id"], ABSENT):
            path = f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}"
            for answer in (await site.http.get(path), await site.http.post(f"{path}/redeliver")):
                assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
                assert answer.json()["error"]["message"] == "Entrega não encontrada."


class TestRedeliver:
    DUE = """
        select failures, attempts as claims, next_action_at <= now() as due, lease_until
        from deliveries where id = $1
    """

    @pytest.mark.parametrize("fate", [FAILED, LATER, DELIVERED], ids=["failed", "later", "delivered"])
    async def test_owes_the_same_delivery_anew(self, site: Site, webhook_id: str, fate: DeliveryFate) -> None:
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(webhook_id)
        await site.attempt(owed["id"], fate=fate)
        again = accepted(await redeliver(site, webhook_id, owed["id"]))
        assert (again["id"], again["eventId"], again["status"]) == (owed["id"], owed["eventId"], "pending")
        assert again["attemptCount"] == 1
        (row,) = await site.fetch(self.DUE, UUID(owed["id"]))
        assert (row["failures"], row["due"], row["lease_until"]) == (0, True, None)

    async def test_wakes_whoever_carries_it(self, site: Site, webhook_id: str, postgres_url: str) -> None:
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(webhook_id)
        heard: asyncio.Queue[str] = asyncio.Queue()
        listener = await asyncpg.connect(postgres_url)
        await listener.add_listener(OUTBOUND, lambda *told: heard.put_nowait(str(told[-1])))
        await redeliver(site, webhook_id, owed["id"])
        assert await asyncio.wait_for(heard.get(), 10) == "deliveries"
        await site.set_active(webhook_id, True)
        assert await asyncio.wait_for(heard.get(), 10) == "webhooks"
        await listener.close()

    async def test_leaves_one_that_is_on_its_way(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(webhook_id)
        await site.fetch("update deliveries set failures = 3 where id = $1", UUID(owed["id"]))
        await site.hold(owed["id"])
        accepted(await redeliver(site, webhook_id, owed["id"]))
        (row,) = await site.fetch(self.DUE, UUID(owed["id"]))
        assert row["failures"] == 3
        assert row["lease_until"] is not None

    async def test_takes_from_a_worker_that_froze_what_it_held(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(webhook_id)
        frozen = await site.hold(owed["id"])
        await site.fetch(
            "update deliveries set failures = 3, attempts = 4, lease_until = now() where id = $1", frozen.id
        )
        accepted(await redeliver(site, webhook_id, owed["id"]))
        (row,) = await site.fetch(self.DUE, frozen.id)
        assert (row["failures"], row["claims"], row["due"], row["lease_until"]) == (0, 0, True, None)
        async with site.database.connection() as connection:
            with pytest.raises(LeaseLost):
                await conclude_delivery(connection, frozen, ATTEMPT, DELIVERED)
        (listed,) = await site.deliveries(webhook_id)
        assert (listed["status"], listed["attemptCount"]) == ("pending", 0)

    async def test_needs_an_active_webhook(self, site: Site, webhook_id: str) -> None:
        await site.tell("nfe.authorized")
        (owed,) = await site.deliveries(webhook_id)
        await site.attempt(owed["id"])
        await site.set_active(webhook_id, False)
        answer = await redeliver(site, webhook_id, owed["id"])
        assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        error = answer.json()["error"]
        assert error["message"] == "O webhook está inativo: ative-o antes de reenviar."
        assert error["details"] == {"currentStatus": "inactive", "allowed": ["active"]}
        assert (await site.deliveries(webhook_id))[0]["status"] == "delivered"


class TestTest:
    @pytest.mark.parametrize("active", [True, False])
    async def test_waits_for_what_comes_back(self, site: Site, webhook_id: str, active: bool) -> None:
        await site.set_active(webhook_id, active)
        asked = asyncio.create_task(site.http.post(f"/v1/webhooks/{webhook_id}/test"))
        await until_it_holds(
            site.fetch, f"exists (select from deliveries where webhook_id = '{webhook_id}')", 10
        )
        (owed,) = await site.deliveries(webhook_id, event="webhook.test")
        await site.attempt(owed["id"], NO_ANSWER, replace(FAILED, failures=1))
        sent = data_of(await asked)
        assert (sent["event"], sent["test"], sent["status"]) == ("webhook.test", True, "failed")
        assert [one["error"] for one in sent["attempts"]] == ["A conexão foi recusada."]
        assert sent == await site.read(webhook_id, f"/deliveries/{sent['id']}")

    async def test_shows_all_of_it_as_of_one_instant(
        self, site: Site, webhook_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An attempt that is written while it is read is seen the next time, and then with its outcome."""
        read, attempted = Deliveries.attempts, asyncio.Event()

        async def attempt_meanwhile(deliveries: Deliveries, delivery_id: UUID) -> list[DeliveryAttempt]:
            if not attempted.is_set():
                attempted.set()
                await site.attempt(str(delivery_id))
            return await read(deliveries, delivery_id)

        monkeypatch.setattr(Deliveries, "attempts", attempt_meanwhile)
        sent = data_of(await site.http.post(f"/v1/webhooks/{webhook_id}/test"))
        assert (sent["status"], sent["attemptCount"], len(sent["attempts"])) == ("delivered", 1, 1)

    async def test_does_not_wait_for_ever(
        self, site: Site, webhook_id: str, app: FastAPI, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = app.state.services
        hasty = replace(services, desk=replace(services.desk, patience=timedelta(milliseconds=50)))
        monkeypatch.setattr(app.state, "services", hasty)
        sent = accepted(await site.http.post(f"/v1/webhooks/{webhook_id}/test"))
        assert (sent["status"], sent["attempts"], sent["attemptCount"]) == ("pending", [], 0)
        (event,) = await site.fetch("select topic, details from events where id = $1", UUID(sent["eventId"]))
        assert event["topic"] == "webhook.test"
        message = "Este é um evento de teste: nada aconteceu."
        assert event["details"] == {"webhookId": webhook_id, "message": message}

    async def test_goes_to_no_other_webhook(self, site: Site, webhook_id: str) -> None:
        other = await site.create()
        async with site.database.tenant(site.caller.subscription_id) as tenant:
            await tenant.deliveries.add_test(UUID(webhook_id), "webhook.test", {})
        assert await site.deliveries(other["id"]) == []
        assert len(await site.deliveries(webhook_id)) == 1

    async def test_of_an_unknown_webhook_is_none(self, site: Site) -> None:
        assert code_of(await site.http.post(f"/v1/webhooks/{ABSENT}/test")) == "NOT_FOUND"
