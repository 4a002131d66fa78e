"""Several recipients of one e-mail: each gets it once, whatever the mail server says of the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from integration.emails.mailbox import addressed, ask, fate_of, new_address, outcomes
from integration.issuing.shop import Shop
from post_office import PostOffice
from support import PATIENCE

NO_SUCH_USER = "550 5.1.1 No such user here"
NOT_NOW = "451 4.7.1 Greylisted, try again later"


async def asked(shop: Shop, *addresses: str) -> dict[str, Any]:
    """What became of a document that was to be sent to these addresses."""
    document = await shop.issue("nfe", **addressed("nfe", None))
    await ask(shop, document, {"to": list(addresses)})
    return await fate_of(shop, document)


def served(email: dict[str, Any]) -> list[list[str]]:
    """Whom each attempt was for."""
    return [attempt["to"] for attempt in email["attempts"]]


@asynccontextmanager
async def asleep_after(office: PostOffice, address: str) -> AsyncIterator[None]:
    """A mail server that has served somebody and says nothing more for the length of a block."""
    async with asyncio.timeout(PATIENCE):
        while not office.sent_to(address):  # noqa: ASYNC110 - a mail server tells nobody
            await asyncio.sleep(0.01)
    office.is_awake.clear()
    try:
        yield
    finally:
        office.is_awake.set()


class TestWhoIsNotTakenYet:
    async def test_is_tried_again_and_nobody_else(self, shop: Shop, office: PostOffice) -> None:
        good, late, bad = new_address(), new_address(), new_address()
        office.answer(late, NOT_NOW, NOT_NOW)
        office.answer(bad, NO_SUCH_USER)
        email = await asked(shop, good, late, bad)
        assert (email["status"], email["to"]) == ("sent", [good, late, bad])
        assert outcomes(email) == [("sent", 250), ("notSent", 451), ("sent", 250)]
        assert served(email) == [[good, late, bad], [late], [late]]
        assert email["error"] == f"Não foi enviado a: {bad} (550 5.1.1 No such user here)"
        (first,), (last,) = office.sent_to(good), office.sent_to(late)
        assert (first.recipients, last.recipients) == ([good], [late])
        assert office.sent_to(bad) == []

    async def test_gets_the_letter_that_the_others_got(self, shop: Shop, office: PostOffice) -> None:
        good, late = new_address(), new_address()
        office.answer(late, NOT_NOW)
        await asked(shop, good, late)
        (first,), (last,) = office.sent_to(good), office.sent_to(late)
        for header in ("Message-ID", "To", "Subject"):
            assert first.message[header] == last.message[header]
        assert [one.addr_spec for one in last.message["To"].addresses] == [good, late]

    async def test_is_named_if_it_is_never_taken(self, shop: Shop, office: PostOffice) -> None:
        good, late = new_address(), new_address()
        office.answer(late, *[NOT_NOW] * 9)
        email = await asked(shop, good, late)
        assert email["status"] == "sent"
        assert email["sentAt"] < email["attempts"][1]["startedAt"]
        assert outcomes(email) == [("sent", 250)] + [("notSent", 451)] * 3
        assert email["error"] == f"Não foi enviado a: {late} (451 4.7.1 Greylisted, try again later)"
        assert len(office.sent_to(good)) == 1

    async def test_is_tried_again_where_nobody_was_taken(self, shop: Shop, office: PostOffice) -> None:
        """But not who was refused for good, though the server may have changed its mind."""
        late, bad = new_address(), new_address()
        office.answer(late, NOT_NOW)
        office.answer(bad, NO_SUCH_USER)
        email = await asked(shop, late, bad)
        assert (email["status"], served(email)) == ("sent", [[late, bad], [late]])
        assert office.sent_to(bad) == []

    async def test_is_served_alone_while_others_have_it(self, shop: Shop, office: PostOffice) -> None:
        """Meanwhile the e-mail is under way, though somebody has it."""
        good, late = new_address(), new_address()
        office.answer(late, NOT_NOW)
        document = await shop.issue("nfe", **addressed("nfe", None))
        await ask(shop, document, {"to": [good, late]})
        async with asleep_after(office, good):
            own = f"from emails where document_id = '{UUID(document['id'])}'"
            await shop.floor.until(f"(select status = 'pending' and sent_at is not null {own})")
        assert (await fate_of(shop, document))["error"] is None


class TestAddressThatNoServerTakes:
    async def test_of_the_document_s_own_recipient_is_a_recorded_failure(
        self, shop: Shop, office: PostOffice
    ) -> None:
        document = await shop.issue("nfe", **addressed("nfe", "joão@example.com"))
        before = office.asked
        await ask(shop, document)
        email = await fate_of(shop, document)
        assert (email["status"], outcomes(email)) == ("failed", [("refused", None)])
        assert email["error"] == "Endereço com caracteres que nem todo servidor de e-mail aceita antes do @."
        (refusal,) = email["attempts"][0]["refusals"]
        assert (refusal["address"], refusal["code"], refusal["isFinal"]) == ("joão@example.com", None, True)
        assert office.asked == before

    async def test_keeps_nobody_else_from_the_mail(self, shop: Shop, office: PostOffice) -> None:
        """As where it was stored before anybody minded."""
        good, odd = new_address(), "joão@example.com"
        document = await shop.issue("nfe", **addressed("nfe", None))
        async with shop.floor.standstill():
            email = await ask(shop, document, {"to": [good]})
            stored = "update emails set recipients = $2 where id = $1"
            await shop.floor.fetch(stored, UUID(email["id"]), [odd, good])
        email = await fate_of(shop, document)
        assert (email["status"], email["to"]) == ("sent", [odd, good])
        assert email["error"].startswith(f"Não foi enviado a: {odd} (Endereço com caracteres")
        (mail,) = office.sent_to(good)
        assert [one.addr_spec for one in mail.message["To"].addresses] == [good]
