"""The pages of received documents: the lists, the totals of a month, and everything about one document."""

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.local_time import local_day
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.panel import text_of
from integration.issuing.shop import MUG, sister_of
from integration.receiving.inbox import Buyer, carried, served, upload, xml_of
from support import data_of

REASON = "Mercadoria recusada na entrega"


async def listed(buyer: Buyer, look_at: OpenWindow, query: str = "") -> list[str]:
    """Returns the ids of the listed documents."""
    page = await (await look_at(buyer.shop)).page(f"/recebidos?{query}")
    return [address.rpartition("/")[2] for address in page.xpath("//tbody//td[1]/a/@href")]


def month_of(document: dict[str, Any]) -> str:
    """Returns the month in which a document was issued in the time zone of the buyer, as `2026-11`."""
    return f"{local_day(datetime.fromisoformat(document['issuedAt']), 'SP'):%Y-%m}"


async def page_of(buyer: Buyer, look_at: OpenWindow, document: dict[str, Any]) -> Any:
    return await (await look_at(buyer.shop)).page(f"/recebidos/{document['type']}/{document['id']}")


class TestList:
    async def test_each_filter_shows_only_the_documents_that_match_it(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        month = month_of(await buyer.buys())
        await buyer.buys()
        await buyer.sync()
        first, second = await buyer.inbox()
        body = {"type": "notPerformed", "justification": REASON}
        data_of(await buyer.shop.post(f"/received-nfes/{first['id']}/manifest", body))
        both = [first["id"], second["id"]]
        shown = {
            query: await listed(buyer, look_at, query)
            for query in (
                f"mes={month}",
                "mes=2020-01",
                "mes=never",
                "manifestacao=notPerformed",
                "manifestacao=science",
                "situacao=canceled",
                "papel=recipient",
                "papel=carrier",
                "busca=modelo",
                f"busca={first['accessKey']}",
                "tipo=cte",
            )
        }
        assert shown == {
            f"mes={month}": both,
            "mes=2020-01": [],
            "mes=never": both,
            "manifestacao=notPerformed": [first["id"]],
            "manifestacao=science": [second["id"]],
            "situacao=canceled": [],
            "papel=recipient": both,
            "papel=carrier": [],
            "busca=modelo": both,
            f"busca={first['accessKey']}": [first["id"]],
            "tipo=cte": [],
        }

    async def test_list_says_how_documents_come_and_how_to_begin(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        window = await look_at(buyer.shop)
        assert "Começar a receber" in text_of(await window.page("/recebidos"))
        await buyer.buys()
        await buyer.sync()
        page = text_of(await window.page("/recebidos"))
        assert "Acompanhando" in page
        assert "próxima consulta" in page
        await buyer.shop.system.fetch(
            "update receptions set parked_reason = 'x', next_action_at = null where company_id = $1",
            UUID(buyer.shop.id),
        )
        page = text_of(await window.page("/recebidos"))
        assert "Parado por falhas" in page
        assert "A leitura do que chegou parou" in page

    async def test_documents_of_another_company_are_neither_listed_nor_shown(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        sister = await sister_of(buyer.shop)
        assert await listed(Buyer(sister, buyer.supplier), look_at) == []
        window = await look_at(sister)
        for part in ("", "/xml", "/pdf"):
            answer = await window.answer(f"/recebidos/nfe/{document['id']}{part}")
            assert answer.status_code == 404, part


class TestTotals:
    async def test_sums_of_a_month_are_those_of_its_documents(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        month = month_of(await buyer.buys())
        await buyer.buys()
        await buyer.sync()
        window = await look_at(buyer.shop)
        page = await window.page(f"/recebidos/totais?mes={month}")
        assert "2 documentos somados" in text_of(page)
        rows = {
            tax: (cfop, items, documents) for cfop, tax, _, items, _, _, documents in rows_of(page, "Totais")
        }
        assert rows["ICMS"] == ("5102", "R$ 119,60", "2")
        assert rows_of(await window.page("/recebidos/totais?mes=2020-01"), "Totais") == []


class TestDetail:
    async def test_bought_goods_are_shown_with_items_parties_and_statements(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        await buyer.buys(
            items=[MUG, MUG | {"description": "Prato"}], payments=[{"method": "pix", "amount": 119.6}]
        )
        await buyer.sync()
        document = await buyer.only()
        page = await page_of(buyer, look_at, document)
        assert [row[1].split()[0] for row in rows_of(page, "Itens")] == ["Caneca", "Prato"]
        assert [row[0] for row in rows_of(page, "Participantes")] == ["Emitente", "Destinatário"]
        facts = facts_of(page)
        assert (facts["Valor"], facts["Produtos"]) == ("R$ 119,60", "R$ 119,60")
        assert "Ciência da operação" in text_of(page.find(".//h1"))
        assert "A empresa pode se manifestar até" in text_of(page)
        (entry,) = page.xpath("//ol[@class='timeline']/li")
        assert "automaticamente, pelo serviço" in text_of(entry)
        window = await look_at(buyer.shop)
        event_xml, xml = (link.removeprefix(window.base) for link in sorted(links_of(page, "/xml")))
        assert b"procEventoNFe" in (await window.answer(event_xml)).content
        assert b"nfeProc" in (await window.answer(xml)).content
        (pdf,) = (link.removeprefix(window.base) for link in links_of(page, "/pdf"))
        assert (await window.answer(pdf)).content.startswith(b"%PDF")

    async def test_concluded_document_says_what_the_company_stated_and_needs_nothing_more(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        body = {"type": "notPerformed", "justification": REASON}
        data_of(await buyer.shop.post(f"/received-nfes/{document['id']}/manifest", body))
        page = await page_of(buyer, look_at, document)
        assert "Operação não realizada" in text_of(page.find(".//h1"))
        assert "A empresa pode se manifestar" not in text_of(page)
        assert REASON in text_of(page.xpath("//ol[@class='timeline']/li")[-1])

    async def test_summary_says_why_its_xml_is_missing_and_asks_for_nothing(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        await buyer.shop.put_settings(received={"autoAcknowledge": False})
        await buyer.buys()
        await buyer.sync()
        document = await buyer.only()
        page = await page_of(buyer, look_at, document)
        assert "Só há o resumo" in text_of(page)
        assert not links_of(page, "/xml")
        assert not links_of(page, "/pdf")
        await buyer.shop.post(f"/received-nfes/{document['id']}/manifest", {"type": "confirmed"})
        await buyer.quiet()
        page = await page_of(buyer, look_at, document)
        requests = "select count(*) from stream_requests where access_key = $1"
        (row,) = await buyer.shop.system.fetch(requests, document["accessKey"])
        assert ("A SEFAZ já libera o XML" in text_of(page), row["count"]) == (True, 0)

    @pytest.mark.parametrize(
        ("issue", "collection", "item"),
        [(carried, "received-ctes", "Componente do frete"), (served, "received-nfses", "Assinatura mensal")],
        ids=["cte", "nfse"],
    )
    async def test_freight_and_services_are_shown(
        self, buyer: Buyer, look_at: OpenWindow, issue: Any, collection: str, item: str
    ) -> None:
        await issue(buyer)
        await buyer.sync(collection)
        document = await buyer.only(collection)
        assert await listed(buyer, look_at, f"tipo={document['type']}") == [document["id"]]
        page = await page_of(buyer, look_at, document)
        assert any(row[1].startswith(item) for row in rows_of(page, "Itens"))
        assert facts_of(page)["Papel da empresa"] == "Tomadora"

    async def test_imported_document_says_so(self, buyer: Buyer, look_at: OpenWindow) -> None:
        bought = await buyer.buys()
        document = data_of(await upload(buyer.shop, await xml_of(buyer.supplier, bought)))
        assert facts_of(await page_of(buyer, look_at, document))["Chegou em"].endswith(", importado")
