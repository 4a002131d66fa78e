"""What becomes of an e-mail: taken, refused, or tried again until it is given up."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.main.outbound import mail_room_of
from carimbo.service.delivery import mailing
from carimbo.service.delivery.mailing import send_email
from carimbo.service.errors import Code
from carimbo.service.parked import list_parked, resume_parked
from carimbo.storage.work import WorkKey, WorkKind, claim
from carimbo.worker.sweeper import announce
from integration.emails.mailbox import addressed, ask, fate_of, listed, new_address, outcomes, until_settled
from integration.issuing.shop import Shop
from post_office import PostOffice
from support import PATIENCE

NO_SUCH_USER = "550 5.1.1 No such user here"
NOT_NOW = "451 4.7.1 Greylisted, try again later"


async def issued(shop: Shop, address: str | None = None, kind: str = "nfe") -> dict[str, Any]:
    return await shop.issue(kind, **addressed(kind, address))


async def asked(shop: Shop, *addresses: str) -> dict[str, Any]:
    """A document that is to be sent to these addresses, once that has come to an end."""
    document = await issued(shop)
    await ask(shop, document, {"to": list(addresses)})
    return await fate_of(shop, document)


async def both_jobs(shop: Shop, document: dict[str, Any]) -> list[dict[str, Any]]:
    """What the jobs of an e-mail that a trigger made and of one that is asked for look like, but for ids."""
    await ask(shop, document, {"to": [new_address()]})
    rows = await shop.floor.fetch(
        "select e.asked_by, e.id, q.* from emails e join pgqueuer q"
        " on q.dedupe_key = 'email:' || e.subscription_id || ':' || e.id || ':' || e.lease_token"
        " where e.document_id = $1 order by e.asked_by",
        UUID(document["id"]),
    )
    assert [row["asked_by"] for row in rows] == ["company", "request"]
    assert [row["payload"].decode() for row in rows] == [row["dedupe_key"].rpartition(":")[0] for row in rows]
    shown = ("entrypoint", "priority", "status")
    return [{name: row[name] for name in shown} for row in rows]


@pytest.fixture
def asleep(office: PostOffice) -> Iterator[PostOffice]:
    """A mail server that takes connections and says nothing of recipients."""
    office.is_awake.clear()
    yield office
    office.is_awake.set()


class TestWrongAddress:
    async def test_is_a_recorded_failure_that_is_not_repeated(self, shop: Shop, office: PostOffice) -> None:
        address = new_address()
        office.answer(address, NO_SUCH_USER, NO_SUCH_USER)
        email = await asked(shop, address)
        assert (email["status"], email["sentAt"]) == ("failed", None)
        assert outcomes(email) == [("refused", 550)]
        assert email["error"] == (
            f"O servidor de e-mail recusou o destinatário {address}: 550 5.1.1 No such user here"
        )
        (attempt,) = email["attempts"]
        assert (attempt["number"], attempt["to"]) == (1, [address])
        assert attempt["refusals"] == [
            {"address": address, "code": 550, "message": "5.1.1 No such user here", "isFinal": True}
        ]
        assert office.sent_to(address) == []

    async def test_of_a_whole_message_is_a_failure_too(self, shop: Shop, office: PostOffice) -> None:
        address = new_address()
        document = await issued(shop)
        async with shop.floor.standstill():
            await ask(shop, document, {"to": [address]})
            office.verdicts.append("554 5.7.1 Spam")
        email = await fate_of(shop, document)
        assert (email["status"], outcomes(email)) == ("failed", [("refused", 554)])


class TestMailServer:
    async def test_that_asks_to_come_back_is_asked_again(self, shop: Shop, office: PostOffice) -> None:
        address = new_address()
        office.answer(address, NOT_NOW)
        email = await asked(shop, address)
        assert (email["status"], email["error"]) == ("sent", None)
        assert outcomes(email) == [("notSent", 451), ("sent", 250)]
        first, second = email["attempts"]
        assert [first["number"], second["number"]] == [1, 2]
        assert second["startedAt"] > first["startedAt"]
        (mail,) = office.sent_to(address)
        assert mail.message["Message-ID"] == f"<{email['id']}@example.com>"

    async def test_that_never_takes_it_is_given_up(self, shop: Shop, office: PostOffice) -> None:
        address = new_address()
        office.answer(address, *[NOT_NOW] * 9)
        email = await asked(shop, address)
        assert email["status"] == "failed"
        assert outcomes(email) == [("notSent", 451)] * 4
        assert "Greylisted" in email["error"]

    async def test_that_is_down_is_tried_until_it_is_back(self, shop: Shop, office: PostOffice) -> None:
        address = new_address()
        document = await issued(shop)
        await office.close()
        try:
            await ask(shop, document, {"to": [address]})
            own = f"(select attempts_made from emails where document_id = '{UUID(document['id'])}')"
            await shop.floor.until(f"{own} > 0")
        finally:
            await office.open()
        email = await fate_of(shop, document)
        assert email["status"] == "sent"
        assert outcomes(email)[0] == ("notSent", None)
        assert email["attempts"][0]["message"] == "O servidor de e-mail não pôde ser alcançado."
        assert len(office.sent_to(address)) == 1

    async def test_that_hangs_is_given_up_on_for_now(self, shop: Shop, asleep: PostOffice) -> None:
        address = new_address()
        document = await issued(shop)
        await ask(shop, document, {"to": [address]})
        own = f"(select attempts_made from emails where document_id = '{UUID(document['id'])}')"
        await shop.floor.until(f"{own} > 0")
        asleep.is_awake.set()
        email = await fate_of(shop, document)
        assert email["status"] == "sent"
        assert email["attempts"][0]["message"] == "O servidor de e-mail não respondeu em 2 s."
        assert email["attempts"][0]["milliseconds"] >= 2000

    async def test_that_hangs_keeps_no_document_waiting(self, shop: Shop, asleep: PostOffice) -> None:
        document = await issued(shop)
        before = asleep.asked
        async with shop.floor.standstill():
            for _ in range(60):
                await ask(shop, document, {"to": [new_address()]})
        async with asyncio.timeout(PATIENCE):
            while asleep.asked == before:  # noqa: ASYNC110 - a mail server tells nobody
                await asyncio.sleep(0.02)
            assert (await shop.issue("nfce"))["status"] == "authorized"
        assert {email["status"] for email in await listed(shop, document)} == {"pending"}
        asleep.is_awake.set()
        await until_settled(shop, document)


class TestCrowd:
    async def test_beyond_many_comes_back_later(
        self, shop: Shop, office: PostOffice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(mailing, "_MOST_INSIDE", 0)
        document = await issued(shop)
        await ask(shop, document, {"to": [new_address()]})
        row = f"from emails where document_id = '{UUID(document['id'])}'"
        await shop.floor.until(f"(select next_action_at > now() + interval '20 seconds' {row})")
        assert (await listed(shop, document))[0]["attempts"] == []
        monkeypatch.undo()
        await shop.floor.fetch(f"update emails set next_action_at = now() where id in (select id {row})")
        assert (await fate_of(shop, document))["status"] == "sent"


class TestNothingIsLost:
    async def test_though_every_job_is_deleted(self, shop: Shop, office: PostOffice) -> None:
        address = new_address()
        await shop.put_settings(email={"sendOnAuthorization": True})
        async with shop.floor.standstill():
            document = await shop.create("nfe", **addressed("nfe", address))
            await shop.floor.fetch("delete from pgqueuer")
        await shop.floor.until(f"exists (select from emails where document_id = '{UUID(document['id'])}')")
        await shop.floor.fetch("delete from pgqueuer")
        assert (await fate_of(shop, document))["status"] == "sent"
        assert len(office.sent_to(address)) == 1

    async def test_of_one_that_failed_before(self, shop: Shop, office: PostOffice) -> None:
        """While it waits for its next attempt it may have no job at all."""
        address = new_address()
        office.answer(address, NOT_NOW, NOT_NOW)
        document = await issued(shop)
        await ask(shop, document, {"to": [address]})
        for _ in range(10):
            await shop.floor.fetch("delete from pgqueuer")
            await asyncio.sleep(0.05)
        assert (await fate_of(shop, document))["status"] == "sent"

    async def test_what_waits_for_hours_is_announced_in_time(self, shop: Shop) -> None:
        """Its job is made shortly before: the queue stays short while no mail goes out."""
        floor, document = shop.floor, await issued(shop)
        async with floor.standstill():
            email = await ask(shop, document, {"to": [new_address()]})
            await floor.fetch("delete from pgqueuer")
            moment = "next_action_at = now() + interval '5 minutes'"
            await floor.fetch(f"update emails set {moment} where id = $1", UUID(email["id"]))
            jobs = f"from pgqueuer where dedupe_key like 'email:%{email['id']}:%'"
            await announce(floor.database, within=timedelta(minutes=4))
            assert await floor.fetch(f"select {jobs}") == []
            await announce(floor.database, within=timedelta(minutes=6))
            (job,) = await floor.fetch(f"select execute_after, priority {jobs}")
            (row,) = await floor.fetch("select * from emails where id = $1", UUID(email["id"]))
            assert (job["execute_after"], job["priority"]) == (row["next_action_at"], -(1 << 30))

    async def test_what_was_set_aside_is_taken_up_again(self, shop: Shop) -> None:
        floor, document = shop.floor, await issued(shop)
        async with floor.standstill():
            email = await ask(shop, document, {"to": [new_address()]})
            parked = "update emails set next_action_at = null, parked_reason = 'broken' where id = $1"
            await floor.fetch(parked, UUID(email["id"]))
        (work,) = [one for one in await list_parked(floor.database) if str(one.id) == email["id"]]
        assert (work.kind, work.type, work.parked_reason) == ("email", "request", "broken")
        (shown,) = await listed(shop, document)
        assert shown["status"] == "failed"
        assert shown["error"] == (
            "O envio foi interrompido por erros internos e aguarda quem cuida desta instalação."
        )
        assert await resume_parked(floor.database, work.id)
        assert (await fate_of(shop, document))["status"] == "sent"

    async def test_the_job_of_an_authorization_goes_after_all_documents(
        self, shop: Shop, office: PostOffice
    ) -> None:
        """As those of every other e-mail, though the database makes it."""
        await shop.put_settings(email={"sendOnAuthorization": True})
        document = await issued(shop)
        async with shop.floor.standstill():
            told = (
                "insert into events (subscription_id, topic, company_id, document_id)"
                " select subscription_id, 'nfe.authorized', company_id, id from documents where id = $1"
            )
            await shop.floor.fetch(told, UUID(document["id"]))
            made, asked = await both_jobs(shop, document)
        assert made == asked


class TestWithoutSending:
    async def test_a_document_that_was_canceled_meanwhile_is_not_sent(
        self, shop: Shop, office: PostOffice
    ) -> None:
        address = new_address()
        document = await issued(shop, address)
        async with shop.floor.standstill():
            await ask(shop, document)
            await shop.floor.fetch(
                "update documents set status = 'canceled' where id = $1", UUID(document["id"])
            )
        email = await fate_of(shop, document)
        assert (email["status"], email["attempts"]) == ("failed", [])
        assert email["error"] == "O documento deixou de estar autorizado antes do envio."
        assert office.sent_to(address) == []

    async def test_an_installation_without_a_mail_server_says_so(self, shop: Shop) -> None:
        document = await issued(shop, new_address())
        async with shop.floor.standstill():
            asked = await ask(shop, document)
            room = replace(mail_room_of(shop.floor.settings, shop.floor.database), mailer=None)
            key = WorkKey(WorkKind.EMAIL, shop.caller.subscription_id, UUID(asked["id"]))
            async with shop.floor.database.connection() as connection:
                lease = await claim(connection, key, timedelta(minutes=1))
            assert lease
            assert await send_email(room, lease) is None
        email = await fate_of(shop, document)
        assert (email["status"], email["attempts"]) == ("failed", [])
        assert email["error"] == Code.EMAIL_NOT_CONFIGURED.message
