"""Several recipients of one e-mail: each gets it once, whatever the mail server answers about the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from integration.emails.mailbox import new_address, outcomes, party_fields, request_email, settled_email
from integration.issuing.shop import Shop
from smtp_server import SmtpServer
from support import TIMEOUT_SECONDS

NO_SUCH_USER = "550 5.1.1 No such user here"
NOT_NOW = "451 4.7.1 Greylisted, try again later"


async def send_to(shop: Shop, *addresses: str) -> dict[str, Any]:
    """Sends a document to these addresses and returns the settled e-mail."""
    document = await shop.issue("nfe", **party_fields("nfe", None))
    await request_email(shop, document, {"to": list(addresses)})
    return await settled_email(shop, document)


def recipients_by_attempt(email: dict[str, Any]) -> list[list[str]]:
    """Returns the recipients of each attempt."""
    return [attempt["to"] for attempt in email["attempts"]]


@asynccontextmanager
async def silent_after(mail_server: SmtpServer, address: str) -> AsyncIterator[None]:
    """Makes the mail server silent for the length of a block, once it has delivered to an address."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not mail_server.sent_to(address):  # noqa: ASYNC110 - the mail server has no event for it
            await asyncio.sleep(0.01)
    mail_server.is_awake.clear()
    try:
        yield
    finally:
        mail_server.is_awake.set()


class TestTemporarilyRefusedRecipient:
    async def test_only_temporarily_refused_recipients_are_retried(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        good, late, bad = new_address(), new_address(), new_address()
        mail_server.answer(late, NOT_NOW, NOT_NOW)
        mail_server.answer(bad, NO_SUCH_USER)
        email = await send_to(shop, good, late, bad)
        assert (email["status"], email["to"]) == ("sent", [good, late, bad])
        assert outcomes(email) == [("sent", 250), ("notSent", 451), ("sent", 250)]
        assert recipients_by_attempt(email) == [[good, late, bad], [late], [late]]
        assert email["error"] == f"Não foi enviado a: {bad} (550 5.1.1 No such user here)"
        (first,), (last,) = mail_server.sent_to(good), mail_server.sent_to(late)
        assert (first.recipients, last.recipients) == ([good], [late])
        assert mail_server.sent_to(bad) == []

    async def test_retried_recipient_gets_the_same_message(self, shop: Shop, mail_server: SmtpServer) -> None:
        good, late = new_address(), new_address()
        mail_server.answer(late, NOT_NOW)
        await send_to(shop, good, late)
        (first,), (last,) = mail_server.sent_to(good), mail_server.sent_to(late)
        for header in ("Message-ID", "To", "Subject"):
            assert first.message[header] == last.message[header]
        assert [address.addr_spec for address in last.message["To"].addresses] == [good, late]

    async def test_recipient_that_is_never_accepted_is_named_in_the_error(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        good, late = new_address(), new_address()
        mail_server.answer(late, *[NOT_NOW] * 9)
        email = await send_to(shop, good, late)
        assert email["status"] == "sent"
        assert email["sentAt"] < email["attempts"][1]["startedAt"]
        assert outcomes(email) == [("sent", 250)] + [("notSent", 451)] * 3
        assert email["error"] == f"Não foi enviado a: {late} (451 4.7.1 Greylisted, try again later)"
        assert len(mail_server.sent_to(good)) == 1

    async def test_permanently_refused_recipient_is_not_retried(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        """Even where no recipient was accepted, and the server would accept it now."""
        late, bad = new_address(), new_address()
        mail_server.answer(late, NOT_NOW)
        mail_server.answer(bad, NO_SUCH_USER)
        email = await send_to(shop, late, bad)
        assert (email["status"], recipients_by_attempt(email)) == ("sent", [[late, bad], [late]])
        assert mail_server.sent_to(bad) == []

    async def test_mail_is_pending_while_a_recipient_is_retried(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        good, late = new_address(), new_address()
        mail_server.answer(late, NOT_NOW)
        document = await shop.issue("nfe", **party_fields("nfe", None))
        await request_email(shop, document, {"to": [good, late]})
        async with silent_after(mail_server, good):
            own = f"from emails where document_id = '{UUID(document['id'])}'"
            await shop.system.until(f"(select status = 'pending' and sent_at is not null {own})")
        assert (await settled_email(shop, document))["error"] is None


class TestInvalidAddress:
    async def test_invalid_address_of_the_documents_recipient_is_a_failure(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        document = await shop.issue("nfe", **party_fields("nfe", "joão@example.com"))
        before = mail_server.rcpt_commands
        await request_email(shop, document)
        email = await settled_email(shop, document)
        assert (email["status"], outcomes(email)) == ("failed", [("refused", None)])
        assert email["error"] == "Endereço com caracteres que nem todo servidor de e-mail aceita antes do @."
        (refusal,) = email["attempts"][0]["refusals"]
        assert (refusal["address"], refusal["code"], refusal["isFinal"]) == ("joão@example.com", None, True)
        assert mail_server.rcpt_commands == before

    async def test_invalid_address_does_not_prevent_delivery_to_the_others(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        """It may have been stored before addresses were checked."""
        good, odd = new_address(), "joão@example.com"
        document = await shop.issue("nfe", **party_fields("nfe", None))
        async with shop.system.worker_stopped():
            email = await request_email(shop, document, {"to": [good]})
            stored = "update emails set recipients = $2 where id = $1"
            await shop.system.fetch(stored, UUID(email["id"]), [odd, good])
        email = await settled_email(shop, document)
        assert (email["status"], email["to"]) == ("sent", [odd, good])
        assert email["error"].startswith(f"Não foi enviado a: {odd} (Endereço com caracteres")
        (mail,) = mail_server.sent_to(good)
        assert [address.addr_spec for address in mail.message["To"].addresses] == [good]
