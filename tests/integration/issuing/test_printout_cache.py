"""Cached printouts: a PDF is not drawn again, and not sent to a client that has it."""

import asyncio

import pytest

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.registry import PdfRenderer
from integration.issuing.actions import cancel
from integration.issuing.printer import CACHE_BYTES, Recorder, ask, pdf_of, put_logo, services_with
from integration.issuing.shop import NewShop, Shop, error_of
from integration.issuing.system import System
from support import data_of


class TestCache:
    async def test_same_printout_is_drawn_once(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        files = {pdf_of(await ask(shop, record)) for _ in range(3)}
        files.add(pdf_of(await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf")))
        assert (len(files), len(printer.documents)) == (1, 1)

    async def test_concurrent_requests_share_one_drawing(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        answers = await asyncio.gather(*(ask(shop, record) for _ in range(8)))
        assert len({pdf_of(answer) for answer in answers}) == 1
        assert len(printer.documents) == 1

    async def test_canceled_document_is_drawn_again(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        pdf_of(await ask(shop, record))
        data_of(await cancel(shop, record))
        pdf_of(await ask(shop, record))
        assert [order.is_canceled for order in printer.documents] == [False, True]

    async def test_different_documents_have_different_printouts(self, shop: Shop, printer: Recorder) -> None:
        first, second = await shop.issue(), await shop.issue()
        assert pdf_of(await ask(shop, first)) != pdf_of(await ask(shop, second))
        assert len(printer.documents) == 2

    async def test_failed_drawing_is_not_cached(
        self, shop: Shop, renderer: PdfRenderer, printer: Recorder
    ) -> None:
        record = await shop.issue()
        printer.renderer = BrokenPrinter()
        error_of(await ask(shop, record), 500, "INTERNAL_ERROR")
        printer.renderer = renderer
        pdf_of(await ask(shop, record))
        assert len(printer.documents) == 2

    async def test_cache_of_size_zero_keeps_nothing(
        self, system: System, shop: Shop, renderer: PdfRenderer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        printer = Recorder(renderer)
        monkeypatch.setattr(system.app.state, "services", services_with(system, printer, 0))
        record = await shop.issue()
        assert pdf_of(await ask(shop, record)) == pdf_of(await ask(shop, record))
        assert len(printer.documents) == 2


class TestEtag:
    @pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}'])
    async def test_matching_etag_is_answered_without_the_file(
        self, shop: Shop, printer: Recorder, form: str
    ) -> None:
        record = await shop.issue()
        first = await ask(shop, record)
        again = await ask(shop, record, form.format(first.headers["etag"]))
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert len(printer.documents) == 1

    async def test_matching_etag_is_answered_without_drawing(
        self, system: System, shop: Shop, renderer: PdfRenderer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        record = await shop.issue()
        tag = (await ask(shop, record)).headers["etag"]
        afterwards = Recorder(renderer)
        monkeypatch.setattr(system.app.state, "services", services_with(system, afterwards, CACHE_BYTES))
        assert (await ask(shop, record, tag)).status_code == 304
        assert afterwards.documents == []

    async def test_printouts_that_look_different_have_different_etags(self, shop: Shop) -> None:
        record = await shop.issue("nfce")
        answers = [await ask(shop, record), await ask(shop, record, paper="58mm")]
        await put_logo(shop, "red")
        answers.append(await ask(shop, record))
        data_of(await cancel(shop, record))
        answers.append(await ask(shop, record, answers[-1].headers["etag"]))
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.headers["etag"] for answer in answers}) == len(answers)

    async def test_unknown_or_invalid_etag_gets_the_file(self, shop: Shop) -> None:
        record = await shop.issue()
        for tag in ("*", "", '"', f'"{"0" * 64}"', "x" * 3000):
            pdf_of(await ask(shop, record, tag))

    async def test_not_modified_answer_has_no_content_length(self, shop: Shop) -> None:
        record = await shop.issue()
        headers = {"If-None-Match": (await ask(shop, record)).headers["etag"], "X-Envelope": "ok"}
        answer = await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf", headers=headers)
        assert answer.status_code == 304
        assert "content-length" not in answer.headers

    async def test_printout_is_not_cached_by_proxies(self, shop: Shop) -> None:
        answer = await ask(shop, await shop.issue())
        assert answer.headers["cache-control"] == "private, no-cache"

    async def test_etag_of_another_subscriptions_document_is_not_found(
        self, shop: Shop, new_shop: NewShop
    ) -> None:
        record = await shop.issue()
        tag = (await ask(shop, record)).headers["etag"]
        error_of(await ask(await new_shop(), record, tag), 404, "NOT_FOUND")


class BrokenPrinter:
    """A printer that fails."""

    def document(self, order: DocumentPrint) -> bytes:
        raise RuntimeError("paper jam")

    def event(self, order: EventPrint) -> bytes:
        raise RuntimeError("paper jam")
