from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from integration.issuing.actions import cancel
from integration.issuing.shop import Shop
from integration.webhooks.conftest import NewListener
from integration.webhooks.listener import INSERT_EVENT, Listener
from receiver import Receiver, Reply
from support import TIMEOUT_SECONDS, data_of

PAUSES = [0.3, 0.4, 0.5, 0.6, 0.7]
"""The pauses in the settings of these tests."""


def moments(delivery: dict[str, Any]) -> list[datetime]:
    return [datetime.fromisoformat(attempt["startedAt"]) for attempt in delivery["attempts"]]


async def fail_since(listener: Listener, age: timedelta) -> None:
    """Makes the webhook look as if all calls had failed for this long."""
    await listener.shop.system.fetch(
        "update webhooks set failing_since = now() - $2::interval where id = $1", UUID(listener.id), age
    )


class TestRetries:
    async def test_there_are_five_retries_with_increasing_pauses(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(500, body=b"quebrado")
        await shop.issue("nfe")
        delivery = await listener.until_status("failed")
        assert [attempt["number"] for attempt in delivery["attempts"]] == [1, 2, 3, 4, 5, 6]
        assert {attempt["responseStatus"] for attempt in delivery["attempts"]} == {500}
        started_at = moments(delivery)
        pauses = [(after - before).total_seconds() for before, after in pairwise(started_at)]
        assert all(pause >= planned for pause, planned in zip(pauses, PAUSES, strict=True))
        assert delivery["nextAttemptAt"] is delivery["attempts"][-1]["nextAttemptAt"] is None
        assert len(receiver.calls) == 6

    async def test_each_attempt_has_the_time_of_the_next_one(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503))
        await shop.issue("nfe")
        delivery = await listener.until_status("delivered")
        first, second = delivery["attempts"]
        planned = datetime.fromisoformat(first["nextAttemptAt"])
        assert (
            timedelta()
            <= datetime.fromisoformat(second["startedAt"]) - planned
            < timedelta(seconds=TIMEOUT_SECONDS)
        )

    async def test_a_retry_is_the_same_message_at_another_time(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.extend([Reply(500), Reply(drops=True)])
        await shop.issue("nfe")
        calls = await listener.until(3)
        assert len({call.headers["webhook-id"] for call in calls}) == 1
        payloads = [listener.verified(call) for call in calls]
        assert payloads[0]["id"] == payloads[1]["id"] == payloads[2]["id"]
        await listener.until_status("delivered")

    async def test_any_status_but_2xx_is_a_failure(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        """Each event gets another status before it is accepted; redirects are not followed."""
        statuses = [301, 302, 304, 307, 400, 404, 410, 429, 500]
        elsewhere = {"Location": f"{receiver.url}/outro"}
        receiver.replies.extend(Reply(status, headers=elsewhere) for status in statuses)
        async with shop.system.worker_stopped():
            for _ in statuses:
                await shop.system.fetch(INSERT_EVENT, shop.caller.subscription_id, shop.id)
        await shop.system.until(
            f"(select count(*) = {len(statuses)} from deliveries"
            f" where webhook_id = '{listener.id}' and status = 'delivered')"
        )
        deliveries = [await listener.delivery(delivery) for delivery in await listener.deliveries()]
        answered = [[attempt["responseStatus"] for attempt in each["attempts"]] for each in deliveries]
        assert sorted(answered) == [[status, 200] for status in statuses]
        assert {call.path for call in receiver.calls} == {"/hook"}

    async def test_the_retry_after_header_is_respected(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503, headers={"Retry-After": "1"}))
        await shop.issue("nfe")
        before, after = moments(await listener.until_status("delivered"))
        assert after - before >= timedelta(seconds=1)

    async def test_a_receiver_that_cannot_be_reached_is_logged(
        self, shop: Shop, new_listener: NewListener
    ) -> None:
        gone = Receiver()
        gone.url = "http://127.0.0.1:1"
        listener = await new_listener(gone)
        await shop.issue("nfe")
        await shop.system.until(
            f"exists (select from delivery_attempts a join deliveries d on d.id = a.delivery_id"
            f" where d.webhook_id = '{listener.id}')"
        )
        attempt = (await listener.delivery((await listener.deliveries())[0]))["attempts"][0]
        assert attempt["responseStatus"] is None
        assert attempt["error"]
        assert attempt["nextAttemptAt"] is not None


class TestOrder:
    async def test_later_events_of_a_document_wait_for_the_earlier_ones(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.extend([Reply(500), Reply(500), Reply(500)])
        data_of(await cancel(shop, await shop.issue("nfe")))
        payloads = await listener.payloads(5)
        assert [payload["event"] for payload in payloads] == ["nfe.authorized"] * 4 + ["nfe.cancelled"]

    async def test_events_of_other_documents_do_not_wait(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503, headers={"Retry-After": "20"}))
        first = await shop.issue("nfe")
        second = await shop.issue("nfe")
        payloads = await listener.payloads(2)
        assert [payload["data"]["id"] for payload in payloads] == [first["id"], second["id"]]
        await listener.until_status("delivered")
        pending, delivered = sorted(
            await listener.deliveries(), key=lambda delivery: str(delivery["createdAt"])
        )
        assert (pending["status"], delivered["status"]) == ("pending", "delivered")


class TestDisabling:
    async def test_after_five_days_of_nothing_but_failures_the_webhook_is_disabled(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(500)
        await fail_since(listener, timedelta(days=5, minutes=1))
        await shop.issue("nfe")
        await shop.system.until(f"(select not is_active from webhooks where id = '{listener.id}')")
        record = await listener.record()
        assert record["active"] is False
        assert "HTTP 500" in record["disabledReason"]
        calls = len(receiver.calls)
        await shop.issue("nfe")
        due = f"(select from deliveries where webhook_id = '{listener.id}' and next_action_at is not null)"
        await shop.system.until(f"not exists {due}")
        assert len(receiver.calls) == calls

    async def test_before_five_days_the_webhook_stays_active(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(500))
        await fail_since(listener, timedelta(days=4, hours=23))
        await shop.issue("nfe")
        await listener.until_status("delivered")
        assert (await listener.record())["active"] is True

    async def test_a_success_resets_the_failure_time(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        await fail_since(listener, timedelta(days=4))
        await shop.issue("nfe")
        await listener.until_status("delivered")
        (row,) = await shop.system.fetch(
            "select failing_since from webhooks where id = $1", UUID(listener.id)
        )
        assert row["failing_since"] is None

    async def test_a_webhook_activated_again_gets_its_pending_deliveries(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503, headers={"Retry-After": "3600"}))
        receiver.default = Reply(500)
        left = await shop.issue("nfe")
        await listener.until(1)
        await fail_since(listener, timedelta(days=6))
        await shop.issue("nfe")
        await shop.system.until(f"(select not is_active from webhooks where id = '{listener.id}')")
        await shop.system.fetch(
            "update deliveries set next_action_at = now() where webhook_id = $1 and status = 'pending'",
            UUID(listener.id),
        )
        calls, receiver.default = len(receiver.calls), Reply()
        await listener.set_active(True)
        payloads = await listener.payloads(calls + 1)
        assert payloads[-1]["data"]["id"] == left["id"]
        record = await listener.record()
        assert (record["active"], record["disabledReason"]) == (True, None)


class TestRedelivery:
    async def test_a_redelivery_has_the_same_id(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        await shop.issue("nfe")
        delivered = await listener.until_status("delivered")
        answer = await listener.post(f"/deliveries/{delivered['id']}/redeliver")
        assert answer.status_code == 202, answer.text
        first, second = await listener.until(2)
        assert first.headers["webhook-id"] == second.headers["webhook-id"] == delivered["eventId"]
        assert listener.verified(first)["id"] == listener.verified(second)["id"]
        again = await listener.until_status("delivered")
        assert again["id"] == delivered["id"]
        await shop.system.until(f"(select attempts_made = 2 from deliveries where id = '{delivered['id']}')")

    async def test_redelivering_a_failed_delivery_starts_all_retries_again(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(500)
        await shop.issue("nfe")
        failed = await listener.until_status("failed")
        receiver.replies.append(Reply(500))
        receiver.default = Reply()
        await listener.post(f"/deliveries/{failed['id']}/redeliver")
        delivered = await listener.until_status("delivered")
        assert [attempt["number"] for attempt in delivered["attempts"]] == [*range(1, 9)]


class TestSecrets:
    async def test_during_the_overlap_both_secrets_sign(self, shop: Shop, listener: Listener) -> None:
        rotated = data_of(await listener.post("/rotate-secret", {"overlapHours": 1}))
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        assert listener.verified(call) == listener.verified(call, rotated["secret"])

    async def test_a_second_rotation_keeps_the_overlap_of_the_first(
        self, shop: Shop, listener: Listener
    ) -> None:
        second = data_of(await listener.post("/rotate-secret", {"overlapHours": 72}))
        third = data_of(await listener.post("/rotate-secret", {"overlapHours": 1}))
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        for secret in (listener.secret, second["secret"], third["secret"]):
            listener.verified(call, secret)

    async def test_without_overlap_only_the_new_secret_signs(self, shop: Shop, listener: Listener) -> None:
        data_of(await listener.post("/rotate-secret", {"overlapHours": 72}))
        rotated = data_of(await listener.post("/rotate-secret", {"overlapHours": 0}))
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        assert call.headers["webhook-signature"].count("v1,") == 1
        listener.verified(call, rotated["secret"])


class TestTestEvent:
    async def test_the_answer_to_a_test_event_is_the_receiver_s(
        self, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(418, body=b"sou um bule")
        tried = data_of(await listener.post("/test"))
        (call,) = receiver.calls
        assert listener.verified(call)["event"] == "webhook.test"
        assert (tried["status"], tried["test"]) == ("failed", True)
        assert tried["attempts"][0]["responseBody"] == "sou um bule"

    async def test_a_test_event_is_sent_only_once(self, listener: Listener, receiver: Receiver) -> None:
        receiver.default = Reply(500)
        tried = data_of(await listener.post("/test"))
        assert (tried["status"], tried["nextAttemptAt"]) == ("failed", None)
        assert len(receiver.calls) == 1

    async def test_a_test_event_is_sent_to_an_inactive_webhook_too(self, listener: Listener) -> None:
        await listener.set_active(False)
        assert data_of(await listener.post("/test"))["status"] == "delivered"
