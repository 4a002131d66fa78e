"""What was drawn before is not drawn again, nor sent to who has it."""

import asyncio

import pytest

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.press import Press
from integration.issuing.actions import cancel
from integration.issuing.floor import Floor
from integration.issuing.printer import CACHE_BYTES, Recorder, ask, pdf_of, put_logo, services_with
from integration.issuing.shop import NewShop, Shop, error_of
from support import data_of


class TestCache:
    async def test_spares_what_was_drawn_before(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        files = {pdf_of(await ask(shop, record)) for _ in range(3)}
        files.add(pdf_of(await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf")))
        assert (len(files), len(printer.documents)) == (1, 1)

    async def test_has_one_drawing_for_all_who_ask_at_once(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        answers = await asyncio.gather(*(ask(shop, record) for _ in range(8)))
        assert len({pdf_of(answer) for answer in answers}) == 1
        assert len(printer.documents) == 1

    async def test_gives_nothing_of_before_a_cancellation(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        pdf_of(await ask(shop, record))
        data_of(await cancel(shop, record))
        pdf_of(await ask(shop, record))
        assert [order.is_canceled for order in printer.documents] == [False, True]

    async def test_keeps_documents_apart(self, shop: Shop, printer: Recorder) -> None:
        first, second = await shop.issue(), await shop.issue()
        assert pdf_of(await ask(shop, first)) != pdf_of(await ask(shop, second))
        assert len(printer.documents) == 2

    async def test_keeps_no_failure(self, shop: Shop, press: Press, printer: Recorder) -> None:
        record = await shop.issue()
        printer.press = Jammed()
        error_of(await ask(shop, record), 500, "INTERNAL_ERROR")
        printer.press = press
        pdf_of(await ask(shop, record))
        assert len(printer.documents) == 2

    async def test_of_no_size_keeps_nothing(
        self, floor: Floor, shop: Shop, press: Press, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        printer = Recorder(press)
        monkeypatch.setattr(floor.app.state, "services", services_with(floor, printer, 0))
        record = await shop.issue()
        assert pdf_of(await ask(shop, record)) == pdf_of(await ask(shop, record))
        assert len(printer.documents) == 2


class TestTag:
    @pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}'])
    async def test_that_is_known_spares_the_file(self, shop: Shop, printer: Recorder, form: str) -> None:
        record = await shop.issue()
        first = await ask(shop, record)
        again = await ask(shop, record, form.format(first.headers["etag"]))
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert len(printer.documents) == 1

    async def test_that_is_known_spares_the_drawing(
        self, floor: Floor, shop: Shop, press: Press, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        record = await shop.issue()
        tag = (await ask(shop, record)).headers["etag"]
        afterwards = Recorder(press)
        monkeypatch.setattr(floor.app.state, "services", services_with(floor, afterwards, CACHE_BYTES))
        assert (await ask(shop, record, tag)).status_code == 304
        assert afterwards.documents == []

    async def test_is_another_for_another_drawing(self, shop: Shop) -> None:
        record = await shop.issue("nfce")
        answers = [await ask(shop, record), await ask(shop, record, paper="58mm")]
        await put_logo(shop, "red")
        answers.append(await ask(shop, record))
        data_of(await cancel(shop, record))
        answers.append(await ask(shop, record, answers[-1].headers["etag"]))
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.headers["etag"] for answer in answers}) == len(answers)

    async def test_that_is_unknown_or_none_gets_the_file(self, shop: Shop) -> None:
        record = await shop.issue()
        for tag in ("*", "", '"', f'"{"0" * 64}"', "x" * 3000):
            pdf_of(await ask(shop, record, tag))

    async def test_that_is_known_says_nothing_of_a_length(self, shop: Shop) -> None:
        record = await shop.issue()
        known = {"If-None-Match": (await ask(shop, record)).headers["etag"], "X-Envelope": "ok"}
        answer = await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf", headers=known)
        assert answer.status_code == 304
        assert "content-length" not in answer.headers

    async def test_is_for_the_caller_alone(self, shop: Shop) -> None:
        answer = await ask(shop, await shop.issue())
        assert answer.headers["cache-control"] == "private, no-cache"

    async def test_of_a_known_file_tells_others_nothing(self, shop: Shop, new_shop: NewShop) -> None:
        record = await shop.issue()
        tag = (await ask(shop, record)).headers["etag"]
        error_of(await ask(await new_shop(), record, tag), 404, "NOT_FOUND")


class Jammed:
    """Fails."""

    def document(self, order: DocumentPrint) -> bytes:
        raise RuntimeError("paper jam")

    def event(self, order: EventPrint) -> bytes:
        raise RuntimeError("paper jam")
