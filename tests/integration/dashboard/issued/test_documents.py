"""The pages of documents: the list with its filters, and everything about one document."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.panel import text_of
from integration.issuing.shop import MDFE, MUG, NFE, REFUSED, UNANSWERED, NewShop, Shop, accepted
from receiver import Receiver
from support import REFORM, data_of


async def listed_ids(shop: Shop, look_at: OpenWindow, query: str = "") -> set[str]:
    page = await (await look_at(shop)).page(f"/documentos?{query}")
    return {row.get("id").removeprefix("documento-") for row in page.xpath("//tbody/tr")}


async def page_of(shop: Shop, look_at: OpenWindow, document: dict[str, Any]) -> Any:
    return await (await look_at(shop)).page(f"/documentos/{document['id']}")


def timeline_of(page: Any) -> list[str]:
    return [text_of(entry.find("b")) for entry in page.xpath("//ol[@class='timeline']/li")]


class TestList:
    async def test_each_filter_shows_only_the_documents_that_match_it(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        issued = (await shop.issue("nfe", externalId="pedido-77"))["id"]
        refused = (await shop.issue("nfce", notes=REFUSED))["id"]
        service = (await shop.issue("nfse"))["id"]
        shown = {
            query: await listed_ids(shop, look_at, query)
            for query in (
                "",
                "tipo=nfse",
                "tipo=unknown",
                "status=rejected",
                "busca=maria",
                "busca=pedido-77",
                "fim=2020-01-01",
                "serie=1&tipo=nfce",
                "serie=abc",
                "abertos=1",
            )
        }
        everything = {issued, refused, service}
        assert shown == {
            "": everything,
            "tipo=nfse": {service},
            "tipo=unknown": everything,
            "status=rejected": {refused},
            "busca=maria": {issued, service},
            "busca=pedido-77": {issued},
            "fim=2020-01-01": set(),
            "serie=1&tipo=nfce": {refused},
            "serie=abc": everything,
            "abertos=1": set(),
        }

    async def test_open_manifests_are_listed_until_they_are_closed(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue("nfe")
        manifest = await shop.settled(accepted(await shop.post("/mdfe", MDFE)))
        assert await listed_ids(shop, look_at, "abertos=1") == {manifest["id"]}
        facts = facts_of(await page_of(shop, look_at, manifest))
        assert facts["Encerramento"].startswith("até ")
        await shop.post(f"/mdfe/{manifest['id']}/close", {"cityCode": "3304557"})
        assert await listed_ids(shop, look_at, "abertos=1") == set()

    async def test_row_says_what_to_do_about_a_rejection(self, shop: Shop, look_at: OpenWindow) -> None:
        refused = await shop.issue("nfe", notes=REFUSED)
        page = await (await look_at(shop)).page("/documentos")
        ((name, status, recipient, amount, _),) = rows_of(page, "Documentos")
        assert name.startswith("NF-e")
        assert (recipient, amount) == ("Maria da Silva", "R$ 59,80")
        assert "528" in status
        assert refused["rejection"]["hint"] in status

    async def test_documents_of_another_company_are_neither_listed_nor_shown(
        self, shop: Shop, new_shop: NewShop, look_at: OpenWindow
    ) -> None:
        sister = await new_shop(shop.caller)
        document = await sister.issue("nfe")
        assert await listed_ids(shop, look_at) == set()
        window = await look_at(shop)
        for part in ("", "/estado", "/xml", "/pdf"):
            assert (await window.answer(f"/documentos/{document['id']}{part}")).status_code == 404, part

    async def test_list_with_documents_in_process_asks_for_itself_with_its_filters(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        await shop.issue("nfe")
        for _ in range(2):
            await shop.create("nfe", notes=UNANSWERED)
        window = await look_at(shop)
        (live,) = (await window.page("/documentos?tipo=nfe&pagina=1")).xpath("//*[@hx-get]")
        assert live.get("hx-get") == f"{window.base}/documentos?tipo=nfe&pagina=1"
        assert live.get("hx-select") == f"#{live.get('id')}"
        assert len(live.xpath(".//tbody/tr")) == 3
        assert (await window.page("/documentos?status=authorized")).xpath("//*[@hx-get]") == []

    async def test_only_filters_can_be_cleared(self, shop: Shop, look_at: OpenWindow) -> None:
        window = await look_at(shop)
        assert "Limpar filtros" not in text_of(await window.page("/documentos?pagina=2"))
        assert "Limpar filtros" in text_of(await window.page("/documentos?pagina=2&tipo=nfe"))


class TestDetail:
    @pytest.mark.parametrize(
        ("document_type", "item", "total"),
        [
            ("nfe", "Caneca", ("Produtos", "R$ 59,80")),
            ("nfce", "Caneca", ("Produtos", "R$ 59,80")),
            ("nfse", "Assinatura mensal", ("Valor líquido", "R$ 59,80")),
            ("cte", "Componente do frete", ("Valor da carga", "R$ 50.000,00")),
        ],
    )
    async def test_items_and_totals_of_each_type_are_shown(
        self, shop: Shop, look_at: OpenWindow, document_type: str, item: str, total: tuple[str, str]
    ) -> None:
        document = await shop.issue(document_type)
        page = await page_of(shop, look_at, document)
        facts = facts_of(page)
        descriptions = [row[1] for row in rows_of(page, "Itens")]
        name, amount = total
        assert any(description.startswith(item) for description in descriptions), descriptions
        assert (facts[name], facts["Total"]) == (amount, "R$ 59,80")
        assert text_of(page.find(".//h1")).endswith("Autorizado")

    async def test_manifest_shows_its_cargo(self, shop: Shop, look_at: OpenWindow) -> None:
        manifest = await shop.settled(accepted(await shop.post("/mdfe", MDFE)))
        facts = facts_of(await page_of(shop, look_at, manifest))
        assert (facts["NF-e transportadas"], facts["Peso ou volume da carga"]) == ("1", "532")

    async def test_long_document_shows_its_items_page_by_page(self, shop: Shop, look_at: OpenWindow) -> None:
        items = [MUG | {"description": f"Caneca {position}", "quantity": 1} for position in range(1, 61)]
        payments = [{"method": "pix", "amount": 1794}]
        document = await shop.issue("nfe", items=items, payments=payments)
        window = await look_at(shop)
        page = await window.page(f"/documentos/{document['id']}?pagina=6")
        assert [row[0] for row in rows_of(page, "Itens")] == [str(position) for position in range(51, 61)]
        assert "Página 6 de 6" in text_of(page)

    async def test_page_stays_small_when_each_item_has_all_taxes(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        regime = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=regime))
        mug = MUG | REFORM | {"description": "Caneca de porcelana ".ljust(120, "x"), "unit": "CX"}
        items = [mug | {"sku": f"CANECA-DE-PORCELANA-{position}"} for position in range(1, 31)]
        payments = [{"method": "pix", "amount": 1794}]
        document = await shop.issue("nfe", items=items, payments=payments)
        answer = await (await look_at(shop)).answer(f"/documentos/{document['id']}")
        assert all(tax in answer.text for tax in ("ICMS 18%", "COFINS 3%", "CBS 0,9%"))
        assert len(answer.content) < 60_000

    async def test_rejection_marks_its_field_in_the_request(self, shop: Shop, look_at: OpenWindow) -> None:
        refused = await shop.issue("nfe", notes="SIMULA:REJEICAO:778")
        page = await page_of(shop, look_at, refused)
        assert refused["rejection"]["field"]
        (marked,) = page.xpath("//mark")
        assert refused["rejection"]["field"].rpartition(".")[2] in text_of(marked)
        assert "778" in text_of(page.xpath("//section[@aria-label='Rejeição']")[0])
        assert links_of(page, "/rejeicao")
        assert not links_of(page, "/pdf")
        assert "Calculados agora, do pedido, com o cadastro de hoje da empresa." in text_of(page)

    async def test_deadlines_are_those_of_the_events_that_are_still_possible(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("nfe")
        facts = facts_of(await page_of(shop, look_at, document))
        assert facts["Cancelamento"].startswith("até ")
        assert "(em 29 dias)" in facts["Carta de correção"]
        data_of(await shop.caller.http.delete(shop.path(f"/nfe/{document['id']}")))
        assert "Cancelamento" not in facts_of(await page_of(shop, look_at, document))

    async def test_passed_deadline_says_what_to_do_instead(self, shop: Shop, look_at: OpenWindow) -> None:
        document = await shop.issue("nfe")
        aged = "update emissions set authorized_at = authorized_at - $2::interval where document_id = $1"
        await shop.system.fetch(aged, UUID(document["id"]), timedelta(days=2))
        late = facts_of(await page_of(shop, look_at, document))["Cancelamento"]
        assert late.startswith("o prazo terminou em")
        assert "com atraso, a autoridade ainda aceita até" in late
        await shop.system.fetch(aged, UUID(document["id"]), timedelta(days=60))
        over = facts_of(await page_of(shop, look_at, document))["Cancelamento"]
        assert "Emita uma NF-e de devolução ou de estorno que referencie esta." in over

    async def test_long_history_is_cut_in_its_middle(self, shop: Shop, look_at: OpenWindow) -> None:
        document = await shop.issue("nfe")
        before = len(await shop.events(document))
        await shop.system.fetch(
            "insert into document_events (subscription_id, document_id, company_id, id, type, status)"
            " select subscription_id, id, company_id, gen_random_uuid(), 'transmitted', status"
            " from documents, generate_series(1, 500) where id = $1",
            UUID(document["id"]),
        )
        page = await page_of(shop, look_at, document)
        assert f"{before + 500 - 45} passos não mostrados" in text_of(page)
        assert len(page.xpath("//ol[@class='timeline']/li")) == 46

    async def test_history_names_events_with_their_files(self, shop: Shop, look_at: OpenWindow) -> None:
        document = await shop.issue("nfe")
        correction = {"correction": "O endereço de entrega é Rua das Flores, 10"}
        data_of(await shop.post(f"/nfe/{document['id']}/correction", correction))
        page = await page_of(shop, look_at, document)
        shown = timeline_of(page)
        assert (shown[0], shown[-1]) == ("Pedido recebido", "Carta de correção nº 1")
        assert text_of(page.xpath("//ol[@class='timeline']/li")[0]).count("credencial") == 1
        window = await look_at(shop)
        pdf, xml = (link.removeprefix(window.base) for link in links_of(page, "/eventos/"))
        assert (await window.answer(pdf)).content.startswith(b"%PDF")
        file = await window.answer(xml)
        assert b"procEventoNFe" in file.content
        assert "attachment" in file.headers["content-disposition"]

    async def test_refused_event_has_no_files(self, shop: Shop, look_at: OpenWindow) -> None:
        document = await shop.issue("nfe")
        await shop.system.fetch(
            "update emissions set protocol = '135260000009999' where document_id = $1", UUID(document["id"])
        )
        await shop.caller.http.delete(shop.path(f"/nfe/{document['id']}"))
        page = await page_of(shop, look_at, document)
        entry = page.xpath("//ol[@class='timeline']/li")[-1]
        assert (entry.get("class"), entry.xpath(".//a")) == ("bad", [])
        assert "A autoridade não registrou." in text_of(entry)

    async def test_deliveries_of_the_document_are_shown_with_their_webhook(
        self, shop: Shop, look_at: OpenWindow, receiver: Receiver
    ) -> None:
        webhook = {"name": "Sistema da loja", "url": receiver.url, "events": {"invoice": ["nfe.authorized"]}}
        data_of(await shop.caller.http.post("/v1/webhooks", json=webhook))
        document = await shop.issue("nfe")
        await shop.issue("nfe", items=[MUG], recipient=NFE["recipient"])
        await shop.system.until("(select bool_and(status = 'delivered') from deliveries)")
        page = await page_of(shop, look_at, document)
        ((event, name, status, attempts, _),) = rows_of(page, "Avisos")
        assert (event, name, status, attempts) == (
            "nfe.authorized",
            "Sistema da loja",
            "Entregue resposta 200",
            "1",
        )
        (delivery,) = links_of(page, "/entregas/")
        assert (await (await look_at(shop)).panel.http.get(delivery)).status_code == 200

    async def test_document_without_xml_shows_what_its_request_amounts_to(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        async with shop.system.worker_stopped():
            document = await shop.create("nfe")
            page = await page_of(shop, look_at, document)
        assert "Calculados agora, do pedido" in text_of(page)
        assert (facts_of(page)["Total"], rows_of(page, "Itens")[0][1].split()[0]) == ("R$ 59,80", "Caneca")
        assert not links_of(page, "/xml")
