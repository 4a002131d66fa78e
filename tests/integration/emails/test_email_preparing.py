"""E-mails that can't be made ready: callers see it, and it comes to an end as other failures do."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.printout import DocumentPrint
from carimbo.outbound import smtp
from carimbo.printing.press import Press
from integration.emails.mailbox import addressed, ask, fate_of, new_address, outcomes, until_settled
from integration.issuing.shop import Shop
from post_office import PostOffice

NOT_PREPARED = "O e-mail não pôde ser preparado: houve um erro ao reunir o XML e o PDF do documento."


async def issued(shop: Shop) -> dict[str, Any]:
    return await shop.issue("nfe", **addressed("nfe", new_address()))


def broken(*_: object) -> Any:
    raise RuntimeError("broken")


class TestWhatCanNotBeMade:
    async def test_is_tried_again(
        self,
        shop: Shop,
        office: PostOffice,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        document = await issued(shop)
        monkeypatch.setattr(Press, "document", broken)
        email = await ask(shop, document)
        await shop.floor.until(f"(select attempts_made > 0 from emails where id = '{UUID(email['id'])}')")
        monkeypatch.undo()
        email = await fate_of(shop, document)
        assert (email["status"], outcomes(email)[0]) == ("sent", ("notSent", None))
        assert email["attempts"][0]["message"] == NOT_PREPARED
        logged = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
        told = [line for line in logged if line["event"] == "email_not_prepared"]
        assert told[0]["email"] == email["id"]
        assert repr(told[0]["exc_info"]) == repr(RuntimeError("broken"))

    async def test_is_given_up_in_the_end(self, shop: Shop, office: PostOffice) -> None:
        document = await issued(shop)
        async with shop.floor.standstill():
            email = await ask(shop, document)
            await shop.floor.fetch("delete from archive where owner_id = $1", UUID(document["id"]))
        await until_settled(shop, document)
        (row,) = await shop.floor.fetch("select * from emails where id = $1", UUID(email["id"]))
        assert (row["status"], row["last_error"], row["parked_reason"]) == ("failed", NOT_PREPARED, None)
        assert row["attempts_made"] == 4
        assert row["recipients"] == email["to"]

    async def test_of_a_letter_is_an_attempt_too(
        self, shop: Shop, office: PostOffice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await issued(shop)
        monkeypatch.setattr(smtp, "compose", broken)
        await ask(shop, document)
        email = await fate_of(shop, document)
        assert (email["status"], email["error"]) == ("failed", NOT_PREPARED)
        assert outcomes(email) == [("notSent", None)] * 4

    @pytest.mark.parametrize(("recipients", "status"), [("recipients", "sent"), ("null", "failed")])
    async def test_does_not_depend_on_a_body_that_can_not_be_read(
        self, shop: Shop, office: PostOffice, recipients: str, status: str
    ) -> None:
        document = await issued(shop)
        async with shop.floor.standstill():
            email = await ask(shop, document)
            changed = f"update emails set recipients = {recipients} where id = $1"
            await shop.floor.fetch(changed, UUID(email["id"]))
            await shop.floor.fetch("update documents set request = '{}' where id = $1", UUID(document["id"]))
        email = await fate_of(shop, document)
        assert email["status"] == status
        assert (status == "sent") or email["error"].startswith("Sem endereço de e-mail")

    async def test_because_it_kills_every_worker_is_no_longer_under_way(self, shop: Shop) -> None:
        document = await issued(shop)
        async with shop.floor.standstill():
            email = await ask(shop, document)
            await shop.floor.fetch("update emails set attempts = 99 where id = $1", UUID(email["id"]))
        own = f"from emails where id = '{UUID(email['id'])}'"
        await shop.floor.until(f"(select parked_reason is not null {own})")
        answer = (await shop.get(f"/nfe/{document['id']}/emails")).json()["data"][0]
        assert answer["status"] == "failed"
        assert answer["error"].startswith("O envio foi interrompido")


class TestDrawing:
    async def test_is_done_one_at_a_time(
        self, shop: Shop, office: PostOffice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Documents and webhooks of the same worker need the processor."""
        documents = [await issued(shop) for _ in range(4)]
        crowd = Crowd()
        monkeypatch.setattr(Press, "document", crowd.slowly(Press.document))
        async with shop.floor.standstill():
            for document in documents:
                await ask(shop, document)
        for document in documents:
            assert (await fate_of(shop, document))["status"] == "sent"
        assert (crowd.drawn, crowd.most) == (4, 1)


@dataclass
class Crowd:
    """Counts who draws at once."""

    lock: Lock = field(default_factory=Lock)
    inside: int = 0
    most: int = 0
    drawn: int = 0

    def slowly(
        self, draw: Callable[[Press, DocumentPrint], bytes]
    ) -> Callable[[Press, DocumentPrint], bytes]:
        def watched(press: Press, order: DocumentPrint) -> bytes:
            with self.lock:
                self.inside += 1
                self.drawn += 1
                self.most = max(self.most, self.inside)
            time.sleep(0.05)
            drawing = draw(press, order)
            with self.lock:
                self.inside -= 1
            return drawing

        return watched
