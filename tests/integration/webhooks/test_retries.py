from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from integration.issuing.actions import cancel
from integration.issuing.shop import Shop
from integration.webhooks.conftest import NewListener
from integration.webhooks.listener import TELL, Listener
from receiver import Receiver, Reply
from support import PATIENCE, data_of

PAUSES = [0.3, 0.4, 0.5, 0.6, 0.7]
"""Those of the floor; see its settings."""


def moments(delivery: dict[str, Any]) -> list[datetime]:
    return [datetime.fromisoformat(attempt["startedAt"]) for attempt in delivery["attempts"]]


async def fail_since(listener: Listener, age: timedelta) -> None:
    """Let nothing but failures have come back for so long."""
    await listener.shop.floor.fetch(
        "update webhooks set failing_since = now() - $2::interval where id = $1", UUID(listener.id), age
    )


class TestRetries:
    async def test_they_are_five_and_each_pause_is_longer_than_the_one_before(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(500, body=b"quebrado")
        await shop.issue("nfe")
        delivery = await listener.until_status("failed")
        assert [attempt["number"] for attempt in delivery["attempts"]] == [1, 2, 3, 4, 5, 6]
        assert {attempt["responseStatus"] for attempt in delivery["attempts"]} == {500}
        told_at = moments(delivery)
        pauses = [(after - before).total_seconds() for before, after in pairwise(told_at)]
        assert all(pause >= planned for pause, planned in zip(pauses, PAUSES, strict=True))
        assert delivery["nextAttemptAt"] is delivery["attempts"][-1]["nextAttemptAt"] is None
        assert len(receiver.calls) == 6

    async def test_each_attempt_says_when_the_next_one_is(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503))
        await shop.issue("nfe")
        delivery = await listener.until_status("delivered")
        first, second = delivery["attempts"]
        planned = datetime.fromisoformat(first["nextAttemptAt"])
        assert (
            timedelta() <= datetime.fromisoformat(second["startedAt"]) - planned < timedelta(seconds=PATIENCE)
        )

    async def test_a_retry_is_the_same_message_at_another_time(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.extend([Reply(500), Reply(drops=True)])
        await shop.issue("nfe")
        calls = await listener.until(3)
        assert len({call.headers["webhook-id"] for call in calls}) == 1
        told = [listener.verified(call) for call in calls]
        assert told[0]["id"] == told[1]["id"] == told[2]["id"]
        await listener.until_status("delivered")

    async def test_whatever_is_not_2xx_is_a_failure(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        """Each event meets another status before it is taken; one that was redirected stays where it was."""
        statuses = [301, 302, 304, 307, 400, 404, 410, 429, 500]
        elsewhere = {"Location": f"{receiver.url}/outro"}
        receiver.replies.extend(Reply(status, headers=elsewhere) for status in statuses)
        async with shop.floor.standstill():
            for _ in statuses:
                await shop.floor.fetch(TELL, shop.caller.subscription_id, shop.id)
        await shop.floor.until(
            f"(select count(*) = {len(statuses)} from deliveries"
            f" where webhook_id = '{listener.id}' and status = 'delivered')"
        )
        deliveries = [await listener.delivery(one) for one in await listener.deliveries()]
        answered = [[one["responseStatus"] for one in each["attempts"]] for each in deliveries]
        assert sorted(answered) == [[status, 200] for status in statuses]
        assert {call.path for call in receiver.calls} == {"/hook"}

    async def test_whoever_asks_to_wait_is_waited_for(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503, headers={"Retry-After": "1"}))
        await shop.issue("nfe")
        before, after = moments(await listener.until_status("delivered"))
        assert after - before >= timedelta(seconds=1)

    async def test_a_receiver_that_is_not_there_is_told_of_in_the_log(
        self, shop: Shop, new_listener: NewListener
    ) -> None:
        gone = Receiver()
        gone.url = "http://127.0.0.1:1"
        listener = await new_listener(gone)
        await shop.issue("nfe")
        await shop.floor.until(
            f"exists (select from delivery_attempts a join deliveries d on d.id = a.delivery_id"
            f" where d.webhook_id = '{listener.id}')"
        )
        attempt = (await listener.delivery((await listener.deliveries())[0]))["attempts"][0]
        assert attempt["responseStatus"] is None
        assert attempt["error"]
        assert attempt["nextAttemptAt"] is not None


class TestOrder:
    async def test_what_follows_of_a_document_waits_until_what_was_before_is_through(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.extend([Reply(500), Reply(500), Reply(500)])
        data_of(await cancel(shop, await shop.issue("nfe")))
        told = await listener.told(5)
        assert [one["event"] for one in told] == ["nfe.authorized"] * 4 + ["nfe.cancelled"]

    async def test_other_documents_do_not_wait_for_it(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503, headers={"Retry-After": "20"}))
        first = await shop.issue("nfe")
        second = await shop.issue("nfe")
        told = await listener.told(2)
        assert [one["data"]["id"] for one in told] == [first["id"], second["id"]]
        await listener.until_status("delivered")
        pending, delivered = sorted(await listener.deliveries(), key=lambda one: str(one["createdAt"]))
        assert (pending["status"], delivered["status"]) == ("pending", "delivered")


class TestDisabling:
    async def test_after_five_days_of_nothing_but_failures_the_webhook_is_disabled(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(500)
        await fail_since(listener, timedelta(days=5, minutes=1))
        await shop.issue("nfe")
        await shop.floor.until(f"(select not is_active from webhooks where id = '{listener.id}')")
        record = await listener.record()
        assert record["active"] is False
        assert "HTTP 500" in record["disabledReason"]
        calls = len(receiver.calls)
        await shop.issue("nfe")
        due = f"(select from deliveries where webhook_id = '{listener.id}' and next_action_at is not null)"
        await shop.floor.until(f"not exists {due}")
        assert len(receiver.calls) == calls

    async def test_before_that_it_goes_on(self, shop: Shop, listener: Listener, receiver: Receiver) -> None:
        receiver.replies.append(Reply(500))
        await fail_since(listener, timedelta(days=4, hours=23))
        await shop.issue("nfe")
        await listener.until_status("delivered")
        assert (await listener.record())["active"] is True

    async def test_a_success_makes_good_what_failed_before(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        await fail_since(listener, timedelta(days=4))
        await shop.issue("nfe")
        await listener.until_status("delivered")
        (row,) = await shop.floor.fetch("select failing_since from webhooks where id = $1", UUID(listener.id))
        assert row["failing_since"] is None

    async def test_activated_again_it_is_told_what_was_left(
        self, shop: Shop, listener: Listener, receiver: Receiver
    ) -> None:
        receiver.replies.append(Reply(503, headers={"Retry-After": "3600"}))
        receiver.default = Reply(500)
        left = await shop.issue("nfe")
        await listener.until(1)
        await fail_since(listener, timedelta(days=6))
        await shop.issue("nfe")
        await shop.floor.until(f"(select not is_active from webhooks where id = '{listener.id}')")
        await shop.floor.fetch(
            "update deliveries set next_action_at = now() where webhook_id = $1 and status = 'pending'",
            UUID(listener.id),
        )
        calls, receiver.default = len(receiver.calls), Reply()
        await listener.set_active(True)
        told = await listener.told(calls + 1)
        assert told[-1]["data"]["id"] == left["id"]
        record = await listener.record()
        assert (record["active"], record["disabledReason"]) == (True, None)


class TestRedelivery:
    async def test_it_has_the_same_id(self, shop: Shop, listener: Listener, receiver: Receiver) -> None:
        await shop.issue("nfe")
        delivered = await listener.until_status("delivered")
        answer = await listener.post(f"/deliveries/{delivered['id']}/redeliver")
        assert answer.status_code == 202, answer.text
        first, second = await listener.until(2)
        assert first.headers["webhook-id"] == second.headers["webhook-id"] == delivered["eventId"]
        assert listener.verified(first)["id"] == listener.verified(second)["id"]
        again = await listener.until_status("delivered")
        assert again["id"] == delivered["id"]
        await shop.floor.until(f"(select attempts_made = 2 from deliveries where id = '{delivered['id']}')")

    async def test_what_was_given_up_gets_all_its_retries_again(
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
    async def test_for_the_overlap_both_secrets_sign(self, shop: Shop, listener: Listener) -> None:
        rotated = data_of(await listener.post("/rotate-secret", {"overlapHours": 1}))
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        assert listener.verified(call) == listener.verified(call, rotated["secret"])

    async def test_a_second_rotation_leaves_the_first_its_time(self, shop: Shop, listener: Listener) -> None:
        second = data_of(await listener.post("/rotate-secret", {"overlapHours": 72}))
        third = data_of(await listener.post("/rotate-secret", {"overlapHours": 1}))
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        for secret in (listener.secret, second["secret"], third["secret"]):
            listener.verified(call, secret)

    async def test_without_overlap_only_the_new_one_does(self, shop: Shop, listener: Listener) -> None:
        data_of(await listener.post("/rotate-secret", {"overlapHours": 72}))
        rotated = data_of(await listener.post("/rotate-secret", {"overlapHours": 0}))
        await shop.issue("nfe")
        (call,) = await listener.until(1)
        assert call.headers["webhook-signature"].count("v1,") == 1
        listener.verified(call, rotated["secret"])


class TestTestEvent:
    async def test_its_answer_is_that_of_the_receiver(self, listener: Listener, receiver: Receiver) -> None:
        receiver.default = Reply(418, body=b"sou um bule")
        tried = data_of(await listener.post("/test"))
        (call,) = receiver.calls
        assert listener.verified(call)["event"] == "webhook.test"
        assert (tried["status"], tried["test"]) == ("failed", True)
        assert tried["attempts"][0]["responseBody"] == "sou um bule"

    async def test_it_is_tried_once(self, listener: Listener, receiver: Receiver) -> None:
        receiver.default = Reply(500)
        tried = data_of(await listener.post("/test"))
        assert (tried["status"], tried["nextAttemptAt"]) == ("failed", None)
        assert len(receiver.calls) == 1

    async def test_it_is_sent_to_an_inactive_webhook_too(self, listener: Listener) -> None:
        await listener.set_active(False)
        assert data_of(await listener.post("/test"))["status"] == "delivered"
