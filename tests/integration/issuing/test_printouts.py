"""Documents as PDF files: what is on them, on which paper, and when there is none."""

from pathlib import Path

import pytest

from carimbo.fiscal.printout import Paper
from carimbo.main.api import api_of
from carimbo.printing.truetype import FontUnusable
from carimbo.settings import Settings
from integration.issuing.actions import cancel, until_sent
from integration.issuing.floor import Floor
from integration.issuing.printer import Recorder, ask, ask_event, digits, last_event, pdf_of, put_logo
from integration.issuing.scripted import LOST, authorizing, playing
from integration.issuing.shop import GOODS, KINDS, REFUSED, UNANSWERED, NewShop, Shop, error_of
from integration.issuing.till import Till
from pdf_reading import sizes_of, text_of
from support import data_of, fields_of

PRINT_NAMES = {"nfe": "DANFE", "nfce": "NFCe", "nfse": "DANFSe"}
SOLD = {"nfe": "Caneca", "nfce": "Caneca", "nfse": "Assinatura mensal"}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_printout_holds_key_protocol_and_goods_and_says_when_it_is_canceled(
    shop: Shop, kind: str
) -> None:
    record = await shop.issue(kind)
    text = text_of(pdf_of(await ask(shop, record), f'"{PRINT_NAMES[kind]}-{record["accessKey"]}.pdf"'))
    assert record["accessKey"] in digits(text)
    assert kind not in GOODS or record["protocol"] in digits(text)
    assert SOLD[kind] in text
    assert "CANCELAD" not in digits(text).upper()
    data_of(await cancel(shop, record, {"justification": "Pedido desfeito pelo cliente"}))
    assert "CANCELAD" in digits(text_of(pdf_of(await ask(shop, record)))).upper()
    event = await last_event(shop, record)
    answer = await ask_event(shop, record, event["id"])
    text = text_of(pdf_of(answer, f'"Cancelamento-{record["accessKey"]}.pdf"'))
    assert "Pedido desfeito pelo cliente" in text
    assert record["accessKey"] in digits(text)
    assert kind not in GOODS or event["protocol"] in digits(text)


class TestOffline:
    async def test_is_printed_before_its_authorization(self, till: Till) -> None:
        made = await until_sent(till.shop, await till.hand_over(till.paper(10, notes=UNANSWERED)))
        text = text_of(pdf_of(await ask(till.shop, made), f"NFCe-{made['accessKey']}.pdf"))
        assert made["accessKey"] in digits(text)
        assert "CONTINGÊNCIA" in text.upper()
        assert "PENDENTE DE AUTORIZAÇÃO" in text.upper()

    async def test_is_drawn_anew_once_it_is_authorized(self, floor: Floor, till: Till) -> None:
        async with playing(floor, till.shop, LOST, authorizing()) as play:
            made = await till.hand_over(till.paper(10))
            await play.perform(made, steps=1)
            pending = text_of(pdf_of(await ask(till.shop, made)))
            record = await play.perform(made)
            authorized = text_of(pdf_of(await ask(till.shop, record)))
        assert record["protocol"] not in digits(pending)
        assert record["protocol"] in digits(authorized)
        assert "PENDENTE" not in authorized.upper()

    async def test_that_was_refused_is_not_printed(self, till: Till) -> None:
        refused = await till.shop.settled(await till.hand_over(till.paper(10, notes=REFUSED)))
        details = error_of(await ask(till.shop, refused), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"

    async def test_that_is_not_signed_yet_is_not_printed(self, till: Till) -> None:
        error_of(await ask(till.shop, await till.keep()), 409, "INVALID_STATE")


class TestPaper:
    async def test_is_the_usual_one_of_the_type(self, shop: Shop, printer: Recorder) -> None:
        for kind in KINDS:
            pdf_of(await ask(shop, await shop.issue(kind)))
        assert [order.paper for order in printer.documents] == [Paper.A4, Paper.ROLL_80, Paper.A4]

    async def test_may_be_set_by_the_company(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue("nfce")
        pdf_of(await ask(shop, record))
        await shop.put_settings(nfce={"paper": "58mm"})
        pdf_of(await ask(shop, record))
        pdf_of(await ask(shop, record, paper="80mm"))
        assert [order.paper for order in printer.documents] == [Paper.ROLL_80, Paper.ROLL_58]

    async def test_may_be_asked_for(self, shop: Shop) -> None:
        record = await shop.issue("nfce")
        narrow = pdf_of(await ask(shop, record, paper="58mm"))
        found = await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf", params={"paper": "58mm"})
        assert pdf_of(found) == narrow
        (wide_page,), (narrow_page,) = sizes_of(pdf_of(await ask(shop, record))), sizes_of(narrow)
        assert wide_page.width > narrow_page.width

    @pytest.mark.parametrize(
        ("kind", "paper", "told"),
        [("nfe", "80mm", "use a4"), ("nfce", "a4", "use 80mm ou 58mm"), ("nfse", "58mm", "use a4")],
    )
    async def test_of_another_type_is_refused(self, shop: Shop, kind: str, paper: str, told: str) -> None:
        record = await shop.issue(kind)
        assert told in fields_of(await ask(shop, record, paper=paper))["paper"]

    async def test_that_nobody_has_is_refused(self, shop: Shop) -> None:
        assert "80mm" in fields_of(await ask(shop, await shop.issue("nfce"), paper="letter"))["paper"]


class TestLogo:
    async def test_is_on_what_is_printed_from_then_on(self, shop: Shop, printer: Recorder) -> None:
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

    async def test_is_the_image_that_is_kept(self, shop: Shop, printer: Recorder) -> None:
        record = await shop.issue()
        await put_logo(shop, "red")
        pdf_of(await ask(shop, record))
        (order,) = printer.documents
        assert order.logo == (await shop.get("/settings/logo")).content

    async def test_is_that_of_the_documents_company(
        self, shop: Shop, new_shop: NewShop, printer: Recorder
    ) -> None:
        await put_logo(await new_shop(shop.caller), "red")
        pdf_of(await ask(shop, await shop.issue()))
        assert [order.logo for order in printer.documents] == [None]


class TestFonts:
    def test_that_are_not_there_keep_the_api_from_being_built(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable, match=r"regular\.ttf"):
            api_of(Settings(fonts_folder=tmp_path))
