"""Documents and their events as PDF files."""

import asyncio
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from PIL import Image

from carimbo.fiscal.outcome import Canceled
from carimbo.fiscal.printout import Paper
from carimbo.main import api_of
from carimbo.printing.press import Press
from carimbo.printing.truetype import FontUnusable
from carimbo.service import outage_board
from carimbo.settings import Settings
from carimbo.storage.work import WorkKind
from integration.issuing.floor import Floor
from integration.issuing.printer import Blank, Jammed, Recorder, services_with
from integration.issuing.scripted import LOST, Script, authorizing, canceling, playing, registering
from integration.issuing.shop import GOODS, KINDS, REFUSALS, REFUSED, UNANSWERED, NewShop, Shop, error_of
from integration.issuing.test_cancel import cancel
from integration.issuing.test_correction import LETTER, correct
from integration.issuing.test_stray import OURS, cancellations, first_attempt, left_behind, settle
from integration.issuing.till import Till, till_of
from pdf_reading import sizes_of, text_of
from support import data_of, fields_of

MEGABYTE = 1024 * 1024
PRINT_NAMES = {"nfe": "DANFE", "nfce": "NFCe", "nfse": "DANFSe"}
SOLD = {"nfe": "Caneca", "nfce": "Caneca", "nfse": "Assinatura mensal"}
of_every_type = pytest.mark.parametrize("kind", KINDS)
of_goods = pytest.mark.parametrize("kind", GOODS)


@pytest.fixture(scope="module")
def press() -> Press:
    return Press(None)


@pytest.fixture
def printer(floor: Floor, press: Press, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """The printer of the floor for one test, with a cache of its own."""
    recorder = Recorder(press)
    monkeypatch.setattr(floor.app.state, "services", services_with(floor, recorder, MEGABYTE))
    return recorder


@pytest.fixture
async def till(shop: Shop) -> Till:
    return await till_of(shop)


def pdf_of(answer: httpx2.Response, name: str | None = None) -> bytes:
    """The file of an answer, which must be one."""
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf"), answer.text
    assert answer.headers["content-disposition"].startswith('inline; filename="')
    assert name is None or name in answer.headers["content-disposition"]
    assert answer.content.startswith(b"%PDF-")
    return answer.content


async def ask(shop: Shop, document: dict[str, Any], tag: str = "", **query: Any) -> httpx2.Response:
    path = shop.path(f"/{document['type']}/{document['id']}/pdf")
    headers = {"If-None-Match": tag} if tag else {}
    return await shop.caller.http.get(path, params=query, headers=headers)


async def ask_event(shop: Shop, document: dict[str, Any], event_id: object) -> httpx2.Response:
    return await shop.get(f"/{document['type']}/{document['id']}/events/{event_id}/pdf")


async def last_event(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    return (await shop.events(document))[-1]


async def put_logo(shop: Shop, color: str) -> None:
    image = BytesIO()
    Image.new("RGB", (60, 30), color).save(image, "PNG")
    files = {"file": ("logo.png", image.getvalue())}
    data_of(await shop.caller.http.put(shop.path("/settings/logo"), files=files))


def digits(text: str) -> str:
    """The text without what stands between the digits of a key, or the letters of a watermark."""
    return text.replace(" ", "").replace("\n", "")


@of_every_type
class TestPdf:
    async def test_holds_the_key_and_what_was_sold(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        text = text_of(pdf_of(await ask(shop, record), f'"{PRINT_NAMES[kind]}-{record["accessKey"]}.pdf"'))
        assert record["accessKey"] in digits(text)
        assert SOLD[kind] in text

    async def test_is_found_by_id_over_every_type(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        found = pdf_of(await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf"))
        assert found == pdf_of(await ask(shop, record))

    async def test_says_canceled_after_a_cancellation(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        assert "CANCELAD" not in digits(text_of(pdf_of(await ask(shop, record)))).upper()
        data_of(await cancel(shop, record))
        assert "CANCELAD" in digits(text_of(pdf_of(await ask(shop, record)))).upper()

    async def test_is_not_there_before_an_authorization(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            made = await shop.create(kind)
            answers = [
                await ask(shop, made),
                await shop.caller.http.get(f"/v1/invoices/{made['id']}.pdf"),
            ]
        for answer in answers:
            details = error_of(answer, 409, "INVALID_STATE")
            assert details == {"currentStatus": "processing", "allowed": ["authorized", "canceled"]}

    async def test_is_not_there_while_the_authority_does_not_answer(self, shop: Shop, kind: str) -> None:
        made = await sent(shop, await shop.create(kind, notes=UNANSWERED))
        error_of(await ask(shop, made), 409, "INVALID_STATE")

    async def test_is_not_there_after_a_refusal(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSALS[kind])
        details = error_of(await ask(shop, record), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"

    async def test_outlives_the_company(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        before = pdf_of(await ask(shop, record))
        await put_logo(shop, "red")
        data_of(await shop.caller.http.delete(shop.path()))
        assert pdf_of(await ask(shop, record)) == before

    async def test_is_not_found_by_others(self, shop: Shop, new_shop: NewShop, kind: str) -> None:
        record, other = await shop.issue(kind), await new_shop()
        pdf_of(await ask(shop, record))
        error_of(await ask(other, record), 404, "NOT_FOUND")
        error_of(await other.caller.http.get(f"/v1/invoices/{record['id']}.pdf"), 404, "NOT_FOUND")
        error_of(await other.caller.http.get(shop.path(f"/{kind}/{record['id']}/pdf")), 404, "NOT_FOUND")

    async def test_is_not_found_under_another_type(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        for other in PRINT_NAMES.keys() - {kind}:
            error_of(await ask(shop, record | {"type": other}), 404, "NOT_FOUND")


class TestPdfOfGoods:
    @of_goods
    async def test_holds_the_protocol(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        assert record["protocol"] in digits(text_of(pdf_of(await ask(shop, record))))


async def sent(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """A document that the authority was asked about, and has not answered."""
    told = f"document_id = '{document['id']}' and type = 'transmitted'"
    await shop.floor.until(f"exists (select from document_events where {told})")
    return document


class TestOffline:
    async def test_is_printed_before_its_authorization(self, till: Till) -> None:
        made = await sent(till.shop, await till.hand_over(till.paper(10, notes=UNANSWERED)))
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
        monkeypatch.setattr(floor.app.state, "services", services_with(floor, afterwards, MEGABYTE))
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

    @of_every_type
    async def test_holds_a_cancellation_and_its_protocol(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        data_of(await cancel(shop, record, {"justification": "Pedido desfeito pelo cliente"}))
        told = await last_event(shop, record)
        answer = await ask_event(shop, record, told["id"])
        text = text_of(pdf_of(answer, f'"Cancelamento-{record["accessKey"]}.pdf"'))
        assert "Pedido desfeito pelo cliente" in text
        assert record["accessKey"] in digits(text)
        assert kind not in GOODS or told["protocol"] in digits(text)

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

    async def test_of_an_attempt_that_another_took_the_place_of_names_that_one(
        self, floor: Floor, shop: Shop, printer: Recorder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        printer.press = Blank()
        async with playing(floor, shop) as play:
            record = await left_behind(play, OURS, registering())
            await settle(play, record)
            (event,) = await cancellations(play, record)
            await play.work(WorkKind.EVENT, event)
            attempt = await first_attempt(play, record)
            pdf_of(await ask_event(shop, record, event), f"Cancelamento-{attempt['access_key']}.pdf")
        await floor.fetch("delete from outages")
        (order,) = printer.events
        assert attempt["access_key"].encode() in order.document
        assert record["accessKey"].encode() not in order.document

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


class TestFonts:
    def test_that_are_not_there_keep_the_api_from_being_built(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable, match=r"regular\.ttf"):
            api_of(Settings(fonts_folder=tmp_path))
