"""The pages of exports: the archive of a month, links for the accountant, and the monthly e-mail."""

from collections.abc import AsyncIterator
from datetime import timedelta
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4
from zipfile import ZipFile

import httpx2
import pytest
from lxml import html

from carimbo.service.exports.links import open_export, stream_export
from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.issued.pages import facts_of, rows_of
from integration.dashboard.panel import new_browser, text_of
from integration.exports.exporting import this_month
from integration.issuing.shop import Shop, sister_of
from support import data_of


@pytest.fixture
async def window(shop: Shop, look_at: OpenWindow) -> ShopWindow:
    return await look_at(shop)


@pytest.fixture
async def accountant(shop: Shop) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser without a session."""
    async with new_browser(shop.system.app) as http:
        yield http


def month() -> str:
    return f"{this_month():%Y-%m}"


def read_html(text: str) -> Any:
    return html.fromstring(text)


async def send(window: ShopWindow, action: str, **fields: Any) -> httpx2.Response:
    return await window.panel.send(
        f"{window.base}/exportacoes", f"{window.base}/exportacoes{action}", **fields
    )


async def new_link(window: ShopWindow, days: int = 30) -> str:
    """Creates a link; returns its path and query."""
    answer = await send(window, "/links", mes=month(), conteudo="xml", dias=str(days))
    page = await window.panel.page(answer.headers["location"])
    (address,) = page.xpath("//main//code[@class='copyable']/text()")
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


async def links_of(window: ShopWindow) -> list[list[str]]:
    return rows_of(await window.page("/exportacoes"), "Links")


def names_in(content: bytes) -> list[str]:
    with ZipFile(BytesIO(content)) as archive:
        assert archive.testzip() is None
        return archive.namelist()


class TestMonth:
    async def test_month_is_counted_and_then_downloaded_with_its_progress(
        self, shop: Shop, window: ShopWindow
    ) -> None:
        document = await shop.issue("nfe")
        page = await window.page(f"/exportacoes?mes={month()}&conteudo=xmlAndPdf")
        assert "1 documento, 4 arquivos" in text_of(page)
        assert facts_of(page)["NF-e"] == "1 documento, R$ 59,80"

        started = await send(window, "/baixar", mes=month(), conteudo="xmlAndPdf")
        assert started.status_code == 303
        address = started.headers["location"]
        progress = await window.panel.page(address)
        (refresh,) = progress.xpath("//meta[@http-equiv='refresh']/@content")
        assert refresh.endswith(f"url={address}/arquivo")

        archive = await window.panel.http.get(f"{address}/arquivo")
        assert archive.headers["content-type"] == "application/zip"
        assert archive.headers["content-disposition"].startswith('attachment; filename="documentos-')
        names = names_in(archive.content)
        assert [name.rpartition(".")[2] for name in names if document["accessKey"] in name] == ["xml", "pdf"]
        finished = await window.panel.page(address)
        assert "Pronto" in text_of(finished)
        assert finished.xpath("//meta[@http-equiv='refresh'] | //*[@hx-get]") == []

    async def test_progress_is_that_of_the_running_download_until_it_falls_silent(
        self, shop: Shop, window: ShopWindow
    ) -> None:
        address = (await send(window, "/baixar", mes=month(), conteudo="xml")).headers["location"]
        streaming = (
            "update exports set state = 'streaming', documents_total = 1200, documents_done = 50,"
            " progressed_at = now() - $2::interval where id::text = $1"
        )
        export_id = address.rpartition("/")[2]
        await shop.system.fetch(streaming, export_id, timedelta(0))
        page = await window.panel.page(address)
        assert "50 de 1.200 documentos" in text_of(page)
        assert page.xpath("//*[@id='andamento']/@hx-get") == [address]
        await shop.system.fetch(streaming, export_id, timedelta(minutes=6))
        page = await window.panel.page(address)
        assert "O download parou antes do fim." in text_of(page)
        assert page.xpath("//*[@hx-get]") == []

    async def test_month_without_documents_says_so(self, window: ShopWindow) -> None:
        assert "Nenhum documento emitido ou recebido em" in text_of(await window.page("/exportacoes"))

    async def test_download_of_another_company_does_not_exist_here(
        self, shop: Shop, window: ShopWindow, look_at: OpenWindow
    ) -> None:
        other = await look_at(await sister_of(shop))
        started = await send(window, "/baixar", mes=month(), conteudo="xml")
        rest = started.headers["location"].removeprefix(window.base)
        assert (await window.answer(rest)).status_code == 200
        for address in (rest, f"{rest}/arquivo"):
            assert (await other.answer(address)).status_code == 404


class TestLinks:
    async def test_accountant_without_an_account_opens_the_link_and_downloads(
        self, shop: Shop, window: ShopWindow, accountant: httpx2.AsyncClient
    ) -> None:
        document = await shop.issue("nfe")
        link = await new_link(window)
        page = read_html((await accountant.get(link)).text)
        assert facts_of(page)["Arquivos"].startswith("Só XML: 1 documento, 3 arquivos, cerca de ")
        assert (await links_of(window))[0][2] == "0"

        (download,) = page.xpath("//main//a[@class='button']/@href")
        names = names_in((await accountant.get(download)).content)
        assert [name for name in names if document["accessKey"] in name]
        ((_, situation, downloads, created, _),) = await links_of(window)
        assert situation.startswith("Vale até ")
        assert downloads.startswith("1 ")
        assert created.endswith("Ana Souza")

    async def test_address_of_a_link_is_shown_once(self, window: ShopWindow) -> None:
        link = await new_link(window)
        token = link.partition("chave=")[2]
        assert len(token) >= 43
        assert token not in html.tostring(await window.page("/exportacoes")).decode()

    async def test_revoked_link_opens_nothing_and_others_stay(
        self, window: ShopWindow, accountant: httpx2.AsyncClient
    ) -> None:
        kept = await new_link(window)
        revoked = await new_link(window)
        page = await window.page("/exportacoes")
        newest = page.xpath("//form[contains(@action, '/revogar')]/@action")[0]
        assert (await send(window, newest.partition("/exportacoes")[2])).status_code == 303
        archive = revoked.replace("/exportacao?", "/exportacao/arquivo?")
        for address in (revoked, archive, "/painel/exportacao?chave=%00", "/painel/exportacao"):
            answer = await accountant.get(address)
            assert answer.status_code == 404
            assert "Este link não vale mais" in answer.text
        assert (await accountant.get(kept)).status_code == 200
        assert [row[1].split()[0] for row in await links_of(window)] == ["Revogado", "Vale"]

    async def test_refused_form_says_why_on_the_page(self, window: ShopWindow) -> None:
        answer = await send(window, "/links", mes=month(), conteudo="xml", dias="400")
        assert answer.status_code == 422
        page = read_html(answer.text)
        assert "Escolha de 7 a 90 dias." in text_of(page.xpath("//*[@role='alert']")[0])
        assert page.xpath("//select[@id='mes']/option[@selected]/@value") == [month()]
        assert await links_of(window) == []

    async def test_pager_after_a_refused_form_stays_on_the_list(self, shop: Shop, window: ShopWindow) -> None:
        await new_link(window)
        await shop.system.fetch(
            "insert into exports select copy.* from exports x, generate_series(1, 25) as n,"
            " jsonb_populate_record(x, jsonb_build_object('id', gen_random_uuid(),"
            " 'token_hash', '\\x' || md5(n::text))) as copy where x.company_id = $1",
            UUID(shop.id),
        )
        answer = await send(window, "/links", mes=month(), conteudo="xmlAndPdf", dias="400")
        (address,) = read_html(answer.text).xpath("//nav[@class='pager']/a/@href")
        page = await window.panel.page(address)
        assert len(rows_of(page, "Links")) == 1
        chosen = page.xpath("//form[@method='get']//option[@selected]/@value")
        assert chosen == [month(), "xmlAndPdf"]


class TestDeletedCompany:
    async def test_month_is_downloaded_and_neither_links_nor_mails_are_offered(
        self, shop: Shop, window: ShopWindow
    ) -> None:
        document = await shop.issue("nfe")
        await new_link(window)
        data_of(await shop.caller.http.delete(shop.path()))
        page = await window.page("/exportacoes")
        assert "Esta empresa foi excluída" in text_of(page)
        actions = page.xpath("//main//form[@method='post']/@action")
        assert actions == [f"{window.base}/exportacoes/baixar"]

        started = await send(window, "/baixar", mes=month(), conteudo="xmlAndPdf")
        archive = await window.panel.http.get(f"{started.headers['location']}/arquivo")
        names = [name for name in names_in(archive.content) if document["accessKey"] in name]
        assert [name.rpartition(".")[2] for name in names] == ["xml", "pdf"]
        refused = await send(window, "/links", mes=month(), conteudo="xml", dias="30")
        assert refused.status_code == 404


class TestLimits:
    async def test_archive_that_is_being_sent_is_refused_as_a_page(
        self, shop: Shop, window: ShopWindow, accountant: httpx2.AsyncClient
    ) -> None:
        link = await new_link(window)
        archive = link.replace("/exportacao?", "/exportacao/arquivo?")
        services = shop.system.app.state.services
        opened = await open_export(shop.system.database, link.partition("chave=")[2])
        assert opened is not None
        pieces = stream_export(services.database, services.printouts, opened, services.clock())
        running = services.archive_streams.open(uuid4(), opened.export.id, pieces)
        refused = await accountant.get(archive)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
        assert "já está sendo baixada" in refused.text
        await running.aclose()
        for _ in range(2):
            assert names_in((await accountant.get(archive)).content)

    async def test_head_of_a_file_reads_nothing_and_keeps_no_place(
        self, shop: Shop, window: ShopWindow, accountant: httpx2.AsyncClient
    ) -> None:
        archive = (await new_link(window)).replace("/exportacao?", "/exportacao/arquivo?")
        own = (await send(window, "/baixar", mes=month(), conteudo="xml")).headers["location"]
        entries = "select count(*) from audit_entries where company_id = $1"
        (before,) = await shop.system.fetch(entries, UUID(shop.id))
        people = window.panel.http
        for http, address, kind in (
            (accountant, archive, "application/zip"),
            (people, f"{own}/arquivo", "application/zip"),
            (people, f"{window.base}/clientes?formato=csv", "text/csv; charset=utf-8"),
        ):
            for _ in range(2):
                answer = await http.head(address)
                assert (answer.status_code, answer.content) == (200, b"")
                assert answer.headers["content-type"] == kind
        (after,) = await shop.system.fetch(entries, UUID(shop.id))
        assert after == before
        assert (await links_of(window))[0][2] == "0"

    @pytest.mark.parametrize("action", ["/links", "/envio"])
    async def test_giving_documents_away_needs_a_fresh_sign_in(
        self, shop: Shop, window: ShopWindow, action: str
    ) -> None:
        await shop.system.fetch(
            "update sessions set authenticated_at = now() - interval '11 minutes' where person_id = $1",
            window.panel.person.id,
        )
        answer = await send(window, action, mes=month(), conteudo="xml", dias="30")
        assert answer.headers["location"].startswith("/painel/confirmar")
        assert await links_of(window) == []


class TestMonthlyMail:
    async def test_schedule_is_stored_shown_and_stopped(self, window: ShopWindow) -> None:
        saved = await send(
            window, "/envio", dia="7", conteudo="xmlAndPdf", destinatarios="ana@example.com\r\nze@example.com"
        )
        assert saved.status_code == 303
        page = await window.page("/exportacoes")
        assert page.xpath("//textarea")[0].text == "ana@example.com\nze@example.com"
        chosen = page.xpath("//section[@aria-labelledby='envio']//option[@selected]/@value")
        assert chosen == ["7", "xmlAndPdf"]
        assert text_of(page.xpath("//h2[@id='envio']")[0]).endswith("Ligado")
        assert (await send(window, "/envio/parar")).status_code == 303
        page = await window.page("/exportacoes")
        assert text_of(page.xpath("//h2[@id='envio']")[0]).endswith("Desligado")
        assert page.xpath("//textarea")[0].text is None

    async def test_refused_schedule_keeps_what_was_typed(self, window: ShopWindow) -> None:
        for day, recipients, sentence in (
            ("7", "não é um e-mail", "E-mail inválido"),
            ("31", "ana@example.com", "Deve ser menor ou igual a 28."),
            ("100", "ana@example.com", "Deve ser menor ou igual a 28."),
            ("x", "ana@example.com", "número inteiro"),
            ("7", "", "pelo menos 1 item"),
        ):
            answer = await send(window, "/envio", dia=day, conteudo="xml", destinatarios=recipients)
            page = read_html(answer.text)
            assert answer.status_code == 422
            assert sentence in text_of(page.xpath("//*[@role='alert']")[0])
            assert (page.xpath("//textarea")[0].text or "") == recipients
        page = await window.page("/exportacoes")
        assert text_of(page.xpath("//h2[@id='envio']")[0]).endswith("Desligado")
