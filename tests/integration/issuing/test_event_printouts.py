"""Events of documents as PDF files."""

from dataclasses import replace
from uuid import UUID

from carimbo.fiscal.outcome import Canceled
from integration.issuing.actions import LETTER, cancel, correct
from integration.issuing.floor import Floor
from integration.issuing.printer import Recorder, ask_event, digits, last_event, pdf_of, put_logo
from integration.issuing.scripted import LOST, Script, canceling, playing
from integration.issuing.shop import NewShop, Shop, error_of
from pdf_reading import text_of
from support import data_of


class TestEvent:
    async def test_holds_a_correction_and_its_protocol(self, shop: Shop) -> None:
        record = await shop.issue()
        data_of(await correct(shop, record))
        told = data_of(await correct(shop, record, f"{LETTER}, fundos"))
        answer = await ask_event(shop, record, told["id"])
        text = text_of(pdf_of(answer, f'"CCe-{record["accessKey"]}-02.pdf"'))
        assert "fundos" in text
        assert record["accessKey"] in digits(text)
        assert told["protocol"] in digits(text)

    async def test_is_drawn_once_for_each_logo(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        told = data_of(await correct(shop, record))
        for color in ("red", "blue"):
            await put_logo(shop, color)
            files = {pdf_of(await ask_event(shop, record, told["id"])) for _ in range(2)}
            assert len(files) == 1
        first, second = printer.events
        assert first.logo != second.logo

    async def test_has_a_tag_too(self, shop: Shop) -> None:
        record = await shop.issue()
        told = data_of(await correct(shop, record))
        path = shop.path(f"/nfe/{record['id']}/events/{told['id']}/pdf")
        tag = (await shop.caller.http.get(path)).headers["etag"]
        assert (await shop.caller.http.get(path, headers={"If-None-Match": tag})).status_code == 304

    async def test_that_somebody_else_told_is_printed(
        self, floor: Floor, shop: Shop, printer: Recorder
    ) -> None:
        canceled = await shop.issue()
        data_of(await cancel(shop, canceled))
        told = await last_event(shop, canceled)
        xml = (await shop.get(f"/nfe/{canceled['id']}/events/{told['id']}/xml")).content

        def learnt(script: Script) -> Canceled:
            return replace(canceling(script), cancellation_xml=xml)

        async with playing(floor, shop, LOST, learnt) as play:
            record = await play.perform(await shop.create())
        learnt_event = await last_event(shop, record)
        pdf_of(await ask_event(shop, record, learnt_event["id"]), f"Cancelamento-{record['accessKey']}.pdf")
        (order,) = printer.events
        assert order.event == xml
        assert record["accessKey"].encode() in order.document

    async def test_that_the_authority_refused_is_not_there(self, shop: Shop) -> None:
        record = await shop.issue()
        await shop.floor.fetch(
            "update emissions set protocol = '135260000009999' where document_id = $1", UUID(record["id"])
        )
        error_of(await cancel(shop, record), 422, "AUTHORITY_REJECTED")
        told = await last_event(shop, record)
        details = error_of(await ask_event(shop, record, told["id"]), 409, "INVALID_STATE")
        assert details["allowed"] == ["authorized"]

    async def test_that_was_told_to_nobody_has_no_paper(self, shop: Shop) -> None:
        record = await shop.issue()
        for told in await shop.events(record):
            error_of(await ask_event(shop, record, told["id"]), 404, "NOT_FOUND")

    async def test_of_another_document_is_not_found(self, shop: Shop, new_shop: NewShop) -> None:
        record, other = await shop.issue(), await shop.issue()
        told = data_of(await correct(shop, record))
        error_of(await ask_event(shop, other, told["id"]), 404, "NOT_FOUND")
        error_of(await ask_event(await new_shop(), record, told["id"]), 404, "NOT_FOUND")
