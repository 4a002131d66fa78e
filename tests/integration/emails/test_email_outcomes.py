"""Outcomes of an e-mail: sent, refused, or retried until it is given up."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from carimbo.main.outbound import mailing_context_of
from carimbo.service.delivery import mailing
from carimbo.service.delivery.mailing import send_email
from carimbo.service.errors import ErrorCode
from carimbo.service.maintenance import list_parked, resume_parked
from carimbo.storage.work import WorkKey, WorkKind
from claimed_rows import claim_row
from integration.emails.mailbox import (
    listed,
    new_address,
    outcomes,
    party_fields,
    request_email,
    settled_email,
    until_settled,
)
from integration.issuing.shop import Shop
from smtp_server import SmtpServer
from support import TIMEOUT_SECONDS

NO_SUCH_USER = "550 5.1.1 No such user here"
NOT_NOW = "451 4.7.1 Greylisted, try again later"


async def issued(shop: Shop, address: str | None = None, document_type: str = "nfe") -> dict[str, Any]:
    return await shop.issue(document_type, **party_fields(document_type, address))


async def send_to(shop: Shop, *addresses: str) -> dict[str, Any]:
    """Sends a document to these addresses and returns the settled e-mail."""
    document = await issued(shop)
    await request_email(shop, document, {"to": list(addresses)})
    return await settled_email(shop, document)


@pytest.fixture
def silent_server(mail_server: SmtpServer) -> Iterator[SmtpServer]:
    """A mail server that accepts connections and does not answer about recipients."""
    mail_server.is_awake.clear()
    yield mail_server
    mail_server.is_awake.set()


class TestWrongAddress:
    async def test_unknown_address_is_a_failure_that_is_not_retried(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        address = new_address()
        mail_server.answer(address, NO_SUCH_USER, NO_SUCH_USER)
        email = await send_to(shop, address)
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
        assert mail_server.sent_to(address) == []

    async def test_refused_message_is_a_failure(self, shop: Shop, mail_server: SmtpServer) -> None:
        address = new_address()
        document = await issued(shop)
        async with shop.system.worker_stopped():
            await request_email(shop, document, {"to": [address]})
            mail_server.verdicts.append("554 5.7.1 Spam")
        email = await settled_email(shop, document)
        assert (email["status"], outcomes(email)) == ("failed", [("refused", 554)])


class TestMailServer:
    async def test_temporary_refusal_is_retried(self, shop: Shop, mail_server: SmtpServer) -> None:
        address = new_address()
        mail_server.answer(address, NOT_NOW)
        email = await send_to(shop, address)
        assert (email["status"], email["error"]) == ("sent", None)
        assert outcomes(email) == [("notSent", 451), ("sent", 250)]
        first, second = email["attempts"]
        assert [first["number"], second["number"]] == [1, 2]
        assert second["startedAt"] > first["startedAt"]
        (mail,) = mail_server.sent_to(address)
        assert mail.message["Message-ID"] == f"<{email['id']}@example.com>"

    async def test_mail_is_given_up_after_repeated_temporary_refusals(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        address = new_address()
        mail_server.answer(address, *[NOT_NOW] * 9)
        email = await send_to(shop, address)
        assert email["status"] == "failed"
        assert outcomes(email) == [("notSent", 451)] * 4
        assert "Greylisted" in email["error"]

    async def test_mail_is_retried_until_the_mail_server_is_back(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        address = new_address()
        document = await issued(shop)
        await mail_server.close()
        try:
            await request_email(shop, document, {"to": [address]})
            own = f"(select attempts_made from emails where document_id = '{UUID(document['id'])}')"
            await shop.system.until(f"{own} > 0")
        finally:
            await mail_server.open()
        email = await settled_email(shop, document)
        assert email["status"] == "sent"
        assert outcomes(email)[0] == ("notSent", None)
        assert email["attempts"][0]["message"] == "O servidor de e-mail não pôde ser alcançado."
        assert len(mail_server.sent_to(address)) == 1

    async def test_attempt_at_a_hanging_mail_server_times_out_and_is_retried(
        self, shop: Shop, silent_server: SmtpServer
    ) -> None:
        address = new_address()
        document = await issued(shop)
        await request_email(shop, document, {"to": [address]})
        own = f"(select attempts_made from emails where document_id = '{UUID(document['id'])}')"
        await shop.system.until(f"{own} > 0")
        silent_server.is_awake.set()
        email = await settled_email(shop, document)
        assert email["status"] == "sent"
        assert email["attempts"][0]["message"] == "O servidor de e-mail não respondeu em 2 s."
        assert email["attempts"][0]["milliseconds"] >= 2000

    async def test_hanging_mail_server_delays_no_document(
        self, shop: Shop, silent_server: SmtpServer
    ) -> None:
        document = await issued(shop)
        before = silent_server.rcpt_commands
        async with shop.system.worker_stopped():
            for _ in range(60):
                await request_email(shop, document, {"to": [new_address()]})
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while silent_server.rcpt_commands == before:  # noqa: ASYNC110 - the mail server has no event for it
                await asyncio.sleep(0.02)
            assert (await shop.issue("nfce"))["status"] == "authorized"
        assert {email["status"] for email in await listed(shop, document)} == {"pending"}
        silent_server.is_awake.set()
        await until_settled(shop, document)


class TestWaitingLimit:
    async def test_mail_beyond_the_waiting_limit_is_postponed(
        self, shop: Shop, mail_server: SmtpServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(mailing, "_MAX_WAITING", 0)
        document = await issued(shop)
        await request_email(shop, document, {"to": [new_address()]})
        row = f"from emails where document_id = '{UUID(document['id'])}'"
        await shop.system.until(f"(select next_action_at > now() + interval '20 seconds' {row})")
        assert (await listed(shop, document))[0]["attempts"] == []
        monkeypatch.undo()
        await shop.system.fetch(f"update emails set next_action_at = now() where id in (select id {row})")
        assert (await settled_email(shop, document))["status"] == "sent"


class TestParked:
    async def test_parked_mail_is_sent_after_it_is_resumed(self, shop: Shop) -> None:
        system, document = shop.system, await issued(shop)
        async with system.worker_stopped():
            email = await request_email(shop, document, {"to": [new_address()]})
            parked = "update emails set next_action_at = null, parked_reason = 'broken' where id = $1"
            await system.fetch(parked, UUID(email["id"]))
        (work,) = [row for row in await list_parked(system.database) if str(row.id) == email["id"]]
        assert (work.kind, work.type, work.parked_reason) == ("email", "request", "broken")
        (shown,) = await listed(shop, document)
        assert shown["status"] == "failed"
        assert shown["error"] == (
            "O envio foi interrompido por erros internos e aguarda quem cuida desta instalação."
        )
        assert await resume_parked(system.database, work.id)
        assert (await settled_email(shop, document))["status"] == "sent"


class TestWithoutSending:
    async def test_document_that_was_canceled_meanwhile_is_not_sent(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        address = new_address()
        document = await issued(shop, address)
        async with shop.system.worker_stopped():
            await request_email(shop, document)
            await shop.system.fetch(
                "update documents set status = 'canceled' where id = $1", UUID(document["id"])
            )
        email = await settled_email(shop, document)
        assert (email["status"], email["attempts"]) == ("failed", [])
        assert email["error"] == "O documento deixou de estar autorizado antes do envio."
        assert mail_server.sent_to(address) == []

    async def test_installation_without_a_mail_server_fails_the_mail(self, shop: Shop) -> None:
        document = await issued(shop, new_address())
        async with shop.system.worker_stopped():
            email = await request_email(shop, document)
            context = replace(mailing_context_of(shop.system.settings, shop.system.database), mailer=None)
            key = WorkKey(WorkKind.EMAIL, shop.caller.subscription_id, UUID(email["id"]))
            async with shop.system.database.connection() as connection:
                lease = await claim_row(connection, key)
            assert lease
            await send_email(context, lease)
        email = await settled_email(shop, document)
        assert (email["status"], email["attempts"]) == ("failed", [])
        assert email["error"] == ErrorCode.EMAIL_NOT_CONFIGURED.message
