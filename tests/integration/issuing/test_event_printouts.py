"""Events of documents as PDF files."""

from dataclasses import replace
from uuid import UUID

from carimbo.fiscal.outcome import Canceled
from integration.issuing.actions import LETTER, cancel, correct
from integration.issuing.printer import Recorder, ask_event, digits, last_event, pdf_of, put_logo
from integration.issuing.scripted import LOST, Script, canceling, scripted_authorities
from integration.issuing.shop import NewShop, Shop, error_of
from integration.issuing.system import System
from pdf_reading import text_of
from support import data_of


class TestEvent:
    async def test_pdf_of_a_correction_contains_its_text_and_protocol(self, shop: Shop) -> None:
        record = await shop.issue()
        data_of(await correct(shop, record))
        event = data_of(await correct(shop, record, f"{LETTER}, fundos"))
        answer = await ask_event(shop, record, event["id"])
        text = text_of(pdf_of(answer, f'"CCe-{record["accessKey"]}-02.pdf"'))
        assert "fundos" in text
        assert record["accessKey"] in digits(text)
        assert event["protocol"] in digits(text)

    async def test_event_is_drawn_once_for_each_logo(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        event = data_of(await correct(shop, record))
        for color in ("red", "blue"):
            await put_logo(shop, color)
            files = {pdf_of(await ask_event(shop, record, event["id"])) for _ in range(2)}
            assert len(files) == 1
        first, second = printer.events
        assert first.logo != second.logo

    async def test_pdf_of_an_event_has_an_etag(self, shop: Shop) -> None:
        record = await shop.issue()
        event = data_of(await correct(shop, record))
        path = shop.path(f"/nfe/{record['id']}/events/{event['id']}/pdf")
        tag = (await shop.caller.http.get(path)).headers["etag"]
        assert (await shop.caller.http.get(path, headers={"If-None-Match": tag})).status_code == 304

    async def test_event_of_another_system_is_printed(
        self, system: System, shop: Shop, printer: Recorder
    ) -> None:
        canceled = await shop.issue()
        data_of(await cancel(shop, canceled))
        event = await last_event(shop, canceled)
        xml = (await shop.get(f"/nfe/{canceled['id']}/events/{event['id']}/xml")).content

        def canceled_elsewhere(script: Script) -> Canceled:
            return replace(canceling(script), cancellation_xml=xml)

        async with scripted_authorities(system, shop, LOST, canceled_elsewhere) as worker:
            record = await worker.advance(await shop.create())
        other_event = await last_event(shop, record)
        pdf_of(await ask_event(shop, record, other_event["id"]), f"Cancelamento-{record['accessKey']}.pdf")
        (order,) = printer.events
        assert order.event == xml
        assert record["accessKey"].encode() in order.document

    async def test_refused_event_has_no_pdf(self, shop: Shop) -> None:
        record = await shop.issue()
        await shop.system.fetch(
            "update emissions set protocol = '135260000009999' where document_id = $1", UUID(record["id"])
        )
        error_of(await cancel(shop, record), 422, "AUTHORITY_REJECTED")
        event = await last_event(shop, record)
        details = error_of(await ask_event(shop, record, event["id"]), 409, "INVALID_STATE")
        assert details["allowed"] == ["authorized"]

    async def test_history_entry_that_was_not_sent_has_no_pdf(self, shop: Shop) -> None:
        record = await shop.issue()
        for event in await shop.events(record):
            error_of(await ask_event(shop, record, event["id"]), 404, "NOT_FOUND")

    async def test_event_of_another_document_is_not_found(self, shop: Shop, new_shop: NewShop) -> None:
        record, other = await shop.issue(), await shop.issue()
        event = data_of(await correct(shop, record))
        error_of(await ask_event(shop, other, event["id"]), 404, "NOT_FOUND")
        error_of(await ask_event(await new_shop(), record, event["id"]), 404, "NOT_FOUND")
