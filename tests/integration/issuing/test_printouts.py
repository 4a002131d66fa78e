"""PDF files of documents: contents, paper size, and when there is none."""

from pathlib import Path

import pytest

from carimbo.fiscal.printout import PaperSize
from carimbo.main.api import api_of
from carimbo.printing.engine.truetype import FontUnusable
from carimbo.settings import Settings
from integration.issuing.actions import cancel, until_sent
from integration.issuing.point_of_sale import PointOfSale
from integration.issuing.printer import Recorder, ask, ask_event, digits, last_event, pdf_of, put_logo
from integration.issuing.scripted import LOST, authorizing, scripted_authorities
from integration.issuing.shop import GOODS, KINDS, REFUSED, UNANSWERED, NewShop, Shop, error_of
from integration.issuing.system import System
from pdf_reading import sizes_of, text_of
from support import data_of, fields_of

PRINT_NAMES = {"nfe": "DANFE", "nfce": "NFCe", "nfse": "DANFSe", "cte": "DACTE"}
SOLD = {"nfe": "Caneca", "nfce": "Caneca", "nfse": "Assinatura mensal", "cte": "Aparelhos eletrônicos"}


@pytest.mark.parametrize("document_type", KINDS)
async def test_printout_has_key_protocol_and_goods_and_shows_a_cancellation(
    shop: Shop, document_type: str
) -> None:
    record = await shop.issue(document_type)
    text = text_of(
        pdf_of(await ask(shop, record), f'"{PRINT_NAMES[document_type]}-{record["accessKey"]}.pdf"')
    )
    assert record["accessKey"] in digits(text)
    assert document_type not in GOODS or record["protocol"] in digits(text)
    assert SOLD[document_type] in text
    assert "CANCELAD" not in digits(text).upper()
    data_of(await cancel(shop, record, {"justification": "Pedido desfeito pelo cliente"}))
    assert "CANCELAD" in digits(text_of(pdf_of(await ask(shop, record)))).upper()
    event = await last_event(shop, record)
    answer = await ask_event(shop, record, event["id"])
    text = text_of(pdf_of(answer, f'"Cancelamento-{record["accessKey"]}.pdf"'))
    assert "Pedido desfeito pelo cliente" in text
    assert record["accessKey"] in digits(text)
    assert document_type not in GOODS or event["protocol"] in digits(text)


class TestOffline:
    async def test_offline_receipt_is_printed_before_its_authorization(
        self, point_of_sale: PointOfSale
    ) -> None:
        document = await until_sent(
            point_of_sale.shop, await point_of_sale.submit(point_of_sale.paper(10, notes=UNANSWERED))
        )
        text = text_of(pdf_of(await ask(point_of_sale.shop, document), f"NFCe-{document['accessKey']}.pdf"))
        assert document["accessKey"] in digits(text)
        assert "CONTINGÊNCIA" in text.upper()
        assert "PENDENTE DE AUTORIZAÇÃO" in text.upper()

    async def test_offline_receipt_is_drawn_again_once_it_is_authorized(
        self, system: System, point_of_sale: PointOfSale
    ) -> None:
        async with scripted_authorities(system, point_of_sale.shop, LOST, authorizing()) as worker:
            document = await point_of_sale.submit(point_of_sale.paper(10))
            await worker.advance(document, steps=1)
            pending = text_of(pdf_of(await ask(point_of_sale.shop, document)))
            record = await worker.advance(document)
            authorized = text_of(pdf_of(await ask(point_of_sale.shop, record)))
        assert record["protocol"] not in digits(pending)
        assert record["protocol"] in digits(authorized)
        assert "PENDENTE" not in authorized.upper()

    async def test_refused_offline_receipt_is_not_printed(self, point_of_sale: PointOfSale) -> None:
        refused = await point_of_sale.shop.settled(
            await point_of_sale.submit(point_of_sale.paper(10, notes=REFUSED))
        )
        details = error_of(await ask(point_of_sale.shop, refused), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"

    async def test_offline_receipt_that_is_not_signed_yet_is_not_printed(
        self, point_of_sale: PointOfSale
    ) -> None:
        error_of(await ask(point_of_sale.shop, await point_of_sale.keep()), 409, "INVALID_STATE")


class TestPaperSize:
    async def test_default_paper_depends_on_the_type(self, shop: Shop, printer: Recorder) -> None:
        for document_type in KINDS:
            pdf_of(await ask(shop, await shop.issue(document_type)))
        papers = [PaperSize.A4, PaperSize.ROLL_80, PaperSize.A4, PaperSize.A4]
        assert [order.paper for order in printer.documents] == papers

    async def test_company_can_set_the_paper(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue("nfce")
        pdf_of(await ask(shop, record))
        await shop.put_settings(nfce={"paper": "58mm"})
        pdf_of(await ask(shop, record))
        pdf_of(await ask(shop, record, paper="80mm"))
        assert [order.paper for order in printer.documents] == [PaperSize.ROLL_80, PaperSize.ROLL_58]

    async def test_request_can_choose_the_paper(self, shop: Shop) -> None:
        record = await shop.issue("nfce")
        narrow = pdf_of(await ask(shop, record, paper="58mm"))
        answer = await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf", params={"paper": "58mm"})
        assert pdf_of(answer) == narrow
        (wide_page,), (narrow_page,) = sizes_of(pdf_of(await ask(shop, record))), sizes_of(narrow)
        assert wide_page.width > narrow_page.width

    @pytest.mark.parametrize(
        ("document_type", "paper", "message"),
        [("nfe", "80mm", "use a4"), ("nfce", "a4", "use 80mm ou 58mm"), ("nfse", "58mm", "use a4")],
    )
    async def test_paper_of_another_type_is_invalid(
        self, shop: Shop, document_type: str, paper: str, message: str
    ) -> None:
        record = await shop.issue(document_type)
        assert message in fields_of(await ask(shop, record, paper=paper))["paper"]

    async def test_unknown_paper_is_invalid(self, shop: Shop) -> None:
        assert "80mm" in fields_of(await ask(shop, await shop.issue("nfce"), paper="letter"))["paper"]


class TestLogo:
    async def test_changed_logo_appears_on_later_printouts(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        bare = pdf_of(await ask(shop, record))
        await put_logo(shop, "red")
        red = pdf_of(await ask(shop, record))
        await put_logo(shop, "blue")
        blue = pdf_of(await ask(shop, record))
        assert len({bare, red, blue}) == 3
        data_of(await shop.caller.http.delete(shop.path("/settings/logo")))
        assert pdf_of(await ask(shop, record)) == bare
        assert len(printer.documents) == 3

    async def test_logo_is_the_stored_image(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        await put_logo(shop, "red")
        pdf_of(await ask(shop, record))
        (order,) = printer.documents
        assert order.logo == (await shop.get("/settings/logo")).content

    async def test_logo_is_that_of_the_documents_company(
        self, shop: Shop, new_shop: NewShop, printer: Recorder
    ) -> None:
        await put_logo(await new_shop(shop.caller), "red")
        pdf_of(await ask(shop, await shop.issue()))
        assert [order.logo for order in printer.documents] == [None]


class TestFonts:
    def test_missing_fonts_prevent_the_start_of_the_api(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable, match=r"regular\.ttf"):
            api_of(Settings(fonts_folder=tmp_path))
