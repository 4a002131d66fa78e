"""The log of a webhook's deliveries, redelivery, and test deliveries."""

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
from carimbo.storage.delivery_attempts import DeliveryOutcome
from carimbo.storage.delivery_queue import OUTBOUND
from integration.api.webhook_api import ATTEMPT, DELIVERED, URL, WebhookApi
from support import ABSENT, code_of, data_of, fields_of, wait_until_true

NO_ANSWER = replace(ATTEMPT, response_status=None, response_body="", error="A conexão foi recusada.")
FAILED = DeliveryOutcome(status="failed", failures=6)
LATER = DeliveryOutcome(status="pending", failures=1, pause=timedelta(hours=1))


@pytest.fixture
async def webhook_id(webhooks: WebhookApi) -> str:
    created = await webhooks.create(events={"invoice": ["nfe.authorized", "nfe.rejected", "nfe.cancelled"]})
    return str(created["id"])


async def redeliver(webhooks: WebhookApi, webhook_id: str, delivery_id: str) -> httpx2.Response:
    return await webhooks.http.post(f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver")


async def redeliver_failed(webhooks: WebhookApi, webhook_id: str, **body: Any) -> httpx2.Response:
    return await webhooks.http.post(f"/v1/webhooks/{webhook_id}/redeliver-failed", json=body)


def accepted(answer: httpx2.Response) -> Any:
    assert answer.status_code == 202, answer.text
    return answer.json()["data"]


class TestList:
    async def test_list_shows_deliveries_newest_first(self, webhooks: WebhookApi, webhook_id: str) -> None:
        await webhooks.add_events("nfe.authorized", "nfe.rejected", "nfe.canceled")
        deliveries = await webhooks.deliveries(webhook_id)
        assert [delivery["event"] for delivery in deliveries] == [
            "nfe.cancelled",
            "nfe.rejected",
            "nfe.authorized",
        ]
        (event,) = await webhooks.fetch("select id from events where topic = 'nfe.rejected'"
                                    " and subscription_id = $1", webhooks.caller.subscription_id)  # fmt: skip
        assert deliveries[1] == {
            "id": deliveries[1]["id"],
            "webhookId": webhook_id,
            "eventId": str(event["id"]),
            "event": "nfe.rejected",
            "documentId": None,
            "status": "pending",
            "test": False,
            "attemptCount": 0,
            "responseStatus": None,
            "attemptedAt": None,
            "nextAttemptAt": deliveries[1]["nextAttemptAt"],
            "createdAt": deliveries[1]["createdAt"],
        }
        assert deliveries[1]["nextAttemptAt"] is not None

    async def test_delivery_that_waits_for_another_event_has_no_next_attempt(
        self, webhooks: WebhookApi, webhook_id: str
    ) -> None:
        await webhooks.add_events("nfe.authorized", "nfe.canceled", document_id=UUID(ABSENT))
        cancelled, authorized = await webhooks.deliveries(webhook_id)
        assert (authorized["nextAttemptAt"] is None, cancelled["nextAttemptAt"]) == (False, None)
        read = await webhooks.read(webhook_id, f"/deliveries/{cancelled['id']}")
        assert (read["status"], read["nextAttemptAt"]) == ("pending", None)
        await webhooks.attempt(authorized["id"])
        cancelled, authorized = await webhooks.deliveries(webhook_id)
        assert (authorized["nextAttemptAt"], cancelled["nextAttemptAt"] is None) == (None, False)

    async def test_list_is_filtered_and_paged(self, webhooks: WebhookApi, webhook_id: str) -> None:
        await webhooks.add_events("nfe.authorized", "nfe.rejected", "nfe.authorized", "nfe.authorized")
        newest, *_, oldest = await webhooks.deliveries(webhook_id)
        await webhooks.attempt(newest["id"])
        await webhooks.attempt(oldest["id"], NO_ANSWER, FAILED)

        async def ids(**query: Any) -> list[str]:
            return [str(delivery["id"]) for delivery in await webhooks.deliveries(webhook_id, **query)]

        assert await ids(status="delivered") == [newest["id"]]
        assert await ids(status="failed", event="nfe.authorized") == [oldest["id"]]
        assert await ids(status="failed", event="nfe.rejected") == []
        path = f"/v1/webhooks/{webhook_id}/deliveries"
        answer = await webhooks.http.get(path, params={"event": "nfe.authorized", "page": 2, "pageSize": 2})
        assert [delivery["id"] for delivery in data_of(answer)] == [oldest["id"]]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 3}

    @pytest.mark.parametrize("query", [{"status": "lost"}, {"event": "nfe.canceled"}])
    async def test_unknown_status_or_event_in_the_query_is_refused(
        self, webhooks: WebhookApi, webhook_id: str, query: dict[str, str]
    ) -> None:
        answer = await webhooks.http.get(f"/v1/webhooks/{webhook_id}/deliveries", params=query)
        assert list(fields_of(answer)) == list(query)


class TestRead:
    async def test_delivery_shows_every_attempt(self, webhooks: WebhookApi, webhook_id: str) -> None:
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        await webhooks.attempt(delivery["id"], NO_ANSWER, LATER)
        await webhooks.attempt(delivery["id"])
        read = await webhooks.read(webhook_id, f"/deliveries/{delivery['id']}")
        first, second = read.pop("attempts")
        (listed,) = await webhooks.deliveries(webhook_id)
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

    async def test_delivery_of_another_webhook_is_not_found(
        self, webhooks: WebhookApi, webhook_id: str
    ) -> None:
        other = await webhooks.create()
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(other["id"])
        for delivery_id in (delivery["id"], ABSENT):
            path = f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}"
            for answer in (await webhooks.http.get(path), await webhooks.http.post(f"{path}/redeliver")):
                assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
                assert answer.json()["error"]["message"] == "Entrega não encontrada."


class TestRedeliver:
    DUE = """
        select failures, attempts as claims, next_action_at <= now() as due, lease_until
        from deliveries where id = $1
    """

    @pytest.mark.parametrize("outcome", [FAILED, LATER, DELIVERED], ids=["failed", "later", "delivered"])
    async def test_redelivery_makes_the_same_delivery_due_again(
        self, webhooks: WebhookApi, webhook_id: str, outcome: DeliveryOutcome
    ) -> None:
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        await webhooks.attempt(delivery["id"], outcome=outcome)
        again = accepted(await redeliver(webhooks, webhook_id, delivery["id"]))
        assert (again["id"], again["eventId"], again["status"]) == (
            delivery["id"],
            delivery["eventId"],
            "pending",
        )
        assert again["attemptCount"] == 1
        (row,) = await webhooks.fetch(self.DUE, UUID(delivery["id"]))
        assert (row["failures"], row["due"], row["lease_until"]) == (0, True, None)

    async def test_redelivery_and_activation_notify_the_worker(
        self, webhooks: WebhookApi, webhook_id: str, postgres_url: str
    ) -> None:
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        notifications: asyncio.Queue[str] = asyncio.Queue()
        listener = await asyncpg.connect(postgres_url)
        await listener.add_listener(OUTBOUND, lambda *arguments: notifications.put_nowait(str(arguments[-1])))
        await redeliver(webhooks, webhook_id, delivery["id"])
        assert await asyncio.wait_for(notifications.get(), 10) == "deliveries"
        await webhooks.set_active(webhook_id, True)
        assert await asyncio.wait_for(notifications.get(), 10) == "webhooks"
        await listener.close()

    async def test_redelivery_does_not_change_a_leased_delivery(
        self, webhooks: WebhookApi, webhook_id: str
    ) -> None:
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        await webhooks.fetch("update deliveries set failures = 3 where id = $1", UUID(delivery["id"]))
        await webhooks.hold(delivery["id"])
        accepted(await redeliver(webhooks, webhook_id, delivery["id"]))
        (row,) = await webhooks.fetch(self.DUE, UUID(delivery["id"]))
        assert row["failures"] == 3
        assert row["lease_until"] is not None

    async def test_redelivery_takes_the_delivery_of_a_frozen_worker(
        self, webhooks: WebhookApi, webhook_id: str
    ) -> None:
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        frozen = await webhooks.hold(delivery["id"])
        await webhooks.fetch(
            "update deliveries set failures = 3, attempts = 4, lease_until = now() where id = $1", frozen.id
        )
        accepted(await redeliver(webhooks, webhook_id, delivery["id"]))
        (row,) = await webhooks.fetch(self.DUE, frozen.id)
        assert (row["failures"], row["claims"], row["due"], row["lease_until"]) == (0, 0, True, None)
        assert not await webhooks.conclude(frozen)
        (listed,) = await webhooks.deliveries(webhook_id)
        assert (listed["status"], listed["attemptCount"]) == ("pending", 0)

    async def test_redelivery_needs_an_active_webhook(self, webhooks: WebhookApi, webhook_id: str) -> None:
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        await webhooks.attempt(delivery["id"])
        await webhooks.set_active(webhook_id, False)
        answer = await redeliver(webhooks, webhook_id, delivery["id"])
        assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        error = answer.json()["error"]
        assert error["message"] == "O webhook está inativo: ative-o antes de reenviar."
        assert error["details"] == {"currentStatus": "inactive", "allowed": ["active"]}
        assert (await webhooks.deliveries(webhook_id))[0]["status"] == "delivered"


class TestRedeliverFailed:
    async def test_answer_says_how_many_are_sent_again(self, webhooks: WebhookApi, webhook_id: str) -> None:
        await webhooks.add_events("nfe.authorized", "nfe.rejected")
        newest, oldest = await webhooks.deliveries(webhook_id)
        for delivery in (newest, oldest):
            await webhooks.attempt(delivery["id"], NO_ANSWER, FAILED)
        answer = await redeliver_failed(webhooks, webhook_id, since="2026-11-10")
        assert accepted(answer) == {
            "webhookId": webhook_id,
            "since": "2026-11-10T03:00:00Z",
            "deliveries": 2,
        }
        assert [each["status"] for each in await webhooks.deliveries(webhook_id)] == ["pending"] * 2
        assert accepted(await redeliver_failed(webhooks, webhook_id, since="2026-11-10"))["deliveries"] == 0

    @pytest.mark.parametrize("since", ["0001-01-01", "9999-12-31T23:59:59-12:00"])
    async def test_any_moment_of_the_calendar_is_accepted(
        self, webhooks: WebhookApi, webhook_id: str, since: str
    ) -> None:
        accepted(await redeliver_failed(webhooks, webhook_id, since=since))

    @pytest.mark.parametrize("body", [{}, {"since": "ontem"}, {"since": 1}], ids=str)
    async def test_moment_is_needed(
        self, webhooks: WebhookApi, webhook_id: str, body: dict[str, Any]
    ) -> None:
        assert list(fields_of(await redeliver_failed(webhooks, webhook_id, **body))) == ["since"]

    async def test_inactive_and_unknown_webhooks_are_refused(
        self, webhooks: WebhookApi, webhook_id: str
    ) -> None:
        await webhooks.set_active(webhook_id, False)
        answer = await redeliver_failed(webhooks, webhook_id, since="2026-11-10")
        assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        assert code_of(await redeliver_failed(webhooks, ABSENT, since="2026-11-10")) == "NOT_FOUND"


class TestTest:
    @pytest.mark.parametrize("active", [True, False])
    async def test_test_delivery_waits_for_the_attempt(
        self, webhooks: WebhookApi, webhook_id: str, active: bool
    ) -> None:
        await webhooks.set_active(webhook_id, active)
        request = asyncio.create_task(webhooks.http.post(f"/v1/webhooks/{webhook_id}/test"))
        await wait_until_true(
            webhooks.fetch, f"exists (select from deliveries where webhook_id = '{webhook_id}')", 10
        )
        (delivery,) = await webhooks.deliveries(webhook_id, event="webhook.test")
        await webhooks.attempt(delivery["id"], NO_ANSWER, replace(FAILED, failures=1))
        sent = data_of(await request)
        assert (sent["event"], sent["test"], sent["status"]) == ("webhook.test", True, "failed")
        assert [attempt["error"] for attempt in sent["attempts"]] == ["A conexão foi recusada."]
        assert sent == await webhooks.read(webhook_id, f"/deliveries/{sent['id']}")

    async def test_test_delivery_is_read_as_of_one_instant(
        self, webhooks: WebhookApi, webhook_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An attempt that is written during the read is seen at the next read, with its outcome."""
        read, attempted = Deliveries.attempts, asyncio.Event()

        async def attempt_meanwhile(deliveries: Deliveries, delivery_id: UUID) -> list[DeliveryAttempt]:
            if not attempted.is_set():
                attempted.set()
                await webhooks.attempt(str(delivery_id))
            return await read(deliveries, delivery_id)

        monkeypatch.setattr(Deliveries, "attempts", attempt_meanwhile)
        sent = data_of(await webhooks.http.post(f"/v1/webhooks/{webhook_id}/test"))
        assert (sent["status"], sent["attemptCount"], len(sent["attempts"])) == ("delivered", 1, 1)

    async def test_test_delivery_does_not_wait_forever(
        self, webhooks: WebhookApi, webhook_id: str, app: FastAPI, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = app.state.services
        hasty = replace(services, filing=replace(services.filing, max_wait=timedelta(milliseconds=50)))
        monkeypatch.setattr(app.state, "services", hasty)
        sent = accepted(await webhooks.http.post(f"/v1/webhooks/{webhook_id}/test"))
        assert (sent["status"], sent["attempts"], sent["attemptCount"]) == ("pending", [], 0)
        (event,) = await webhooks.fetch(
            "select topic, details from events where id = $1", UUID(sent["eventId"])
        )
        assert event["topic"] == "webhook.test"
        message = "Este é um evento de teste: nada aconteceu."
        assert event["details"] == {"webhookId": webhook_id, "message": message}

    async def test_test_delivery_goes_to_no_other_webhook(
        self, webhooks: WebhookApi, webhook_id: str
    ) -> None:
        other = await webhooks.create()
        async with webhooks.database.tenant(webhooks.caller.subscription_id) as tenant:
            await tenant.deliveries.add_test(UUID(webhook_id), "webhook.test", {})
        assert await webhooks.deliveries(other["id"]) == []
        assert len(await webhooks.deliveries(webhook_id)) == 1

    async def test_test_of_an_unknown_webhook_is_not_found(self, webhooks: WebhookApi) -> None:
        assert code_of(await webhooks.http.post(f"/v1/webhooks/{ABSENT}/test")) == "NOT_FOUND"
