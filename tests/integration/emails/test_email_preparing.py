"""E-mails that can not be prepared: the failure is visible, retried and ends like other failures."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.printout import DocumentPrint
from carimbo.outbound import smtp
from carimbo.printing.registry import PdfRenderer
from integration.emails.mailbox import (
    new_address,
    outcomes,
    party_fields,
    request_email,
    settled_email,
    until_settled,
)
from integration.issuing.shop import Shop
from smtp_server import SmtpServer

NOT_PREPARED = "O e-mail não pôde ser preparado: houve um erro ao reunir o XML e o PDF do documento."


async def issued(shop: Shop) -> dict[str, Any]:
    return await shop.issue("nfe", **party_fields("nfe", new_address()))


def broken(*_: object) -> Any:
    raise RuntimeError("broken")


class TestUnpreparedEmail:
    async def test_mail_that_can_not_be_prepared_is_retried(
        self,
        shop: Shop,
        mail_server: SmtpServer,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        document = await issued(shop)
        monkeypatch.setattr(PdfRenderer, "document", broken)
        email = await request_email(shop, document)
        await shop.system.until(f"(select attempts_made > 0 from emails where id = '{UUID(email['id'])}')")
        monkeypatch.undo()
        email = await settled_email(shop, document)
        assert (email["status"], outcomes(email)[0]) == ("sent", ("notSent", None))
        assert email["attempts"][0]["message"] == NOT_PREPARED
        logged = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
        lines = [line for line in logged if line["event"] == "email_not_prepared"]
        assert lines[0]["email"] == email["id"]
        assert repr(lines[0]["exc_info"]) == repr(RuntimeError("broken"))

    async def test_mail_that_can_never_be_prepared_is_given_up(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        document = await issued(shop)
        async with shop.system.worker_stopped():
            email = await request_email(shop, document)
            await shop.system.fetch("delete from archive where owner_id = $1", UUID(document["id"]))
        await until_settled(shop, document)
        (row,) = await shop.system.fetch("select * from emails where id = $1", UUID(email["id"]))
        assert (row["status"], row["last_error"], row["parked_reason"]) == ("failed", NOT_PREPARED, None)
        assert row["attempts_made"] == 4
        assert row["recipients"] == email["to"]

    async def test_error_while_composing_the_message_counts_as_an_attempt(
        self, shop: Shop, mail_server: SmtpServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await issued(shop)
        monkeypatch.setattr(smtp, "compose", broken)
        await request_email(shop, document)
        email = await settled_email(shop, document)
        assert (email["status"], email["error"]) == ("failed", NOT_PREPARED)
        assert outcomes(email) == [("notSent", None)] * 4

    @pytest.mark.parametrize(("recipients", "status"), [("recipients", "sent"), ("null", "failed")])
    async def test_stored_recipients_are_used_when_the_body_can_not_be_read(
        self, shop: Shop, mail_server: SmtpServer, recipients: str, status: str
    ) -> None:
        document = await issued(shop)
        async with shop.system.worker_stopped():
            email = await request_email(shop, document)
            changed = f"update emails set recipients = {recipients} where id = $1"
            await shop.system.fetch(changed, UUID(email["id"]))
            await shop.system.fetch("update documents set request = '{}' where id = $1", UUID(document["id"]))
        email = await settled_email(shop, document)
        assert email["status"] == status
        assert (status == "sent") or email["error"].startswith("Sem endereço de e-mail")

    async def test_mail_that_kills_every_worker_is_parked_and_shown_as_failed(self, shop: Shop) -> None:
        document = await issued(shop)
        async with shop.system.worker_stopped():
            email = await request_email(shop, document)
            await shop.system.fetch("update emails set attempts = 99 where id = $1", UUID(email["id"]))
        own = f"from emails where id = '{UUID(email['id'])}'"
        await shop.system.until(f"(select parked_reason is not null {own})")
        answer = (await shop.get(f"/nfe/{document['id']}/emails")).json()["data"][0]
        assert answer["status"] == "failed"
        assert answer["error"].startswith("O envio foi interrompido")


class TestDrawing:
    async def test_printouts_are_drawn_one_at_a_time(
        self, shop: Shop, mail_server: SmtpServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Documents and webhooks of the same worker need the processor."""
        documents = [await issued(shop) for _ in range(4)]
        drawings = DrawingCounter()
        monkeypatch.setattr(PdfRenderer, "document", drawings.slowly(PdfRenderer.document))
        async with shop.system.worker_stopped():
            for document in documents:
                await request_email(shop, document)
        for document in documents:
            assert (await settled_email(shop, document))["status"] == "sent"
        assert (drawings.drawn, drawings.most) == (4, 1)


@dataclass
class DrawingCounter:
    """Counts concurrent drawings."""

    lock: Lock = field(default_factory=Lock)
    inside: int = 0
    most: int = 0
    drawn: int = 0

    def slowly(
        self, draw: Callable[[PdfRenderer, DocumentPrint], bytes]
    ) -> Callable[[PdfRenderer, DocumentPrint], bytes]:
        def watched(renderer: PdfRenderer, order: DocumentPrint) -> bytes:
            with self.lock:
                self.inside += 1
                self.drawn += 1
                self.most = max(self.most, self.inside)
            time.sleep(0.05)
            drawing = draw(renderer, order)
            with self.lock:
                self.inside -= 1
            return drawing

        return watched
