"""The pages of sales."""

from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.panel import text_of
from integration.sales.store import FAR, JOAO, MARIA, REFUSED_COURSE, NewStore, Store
from support import data_of


async def listed_ids(store: Store, look_at: OpenWindow, query: str) -> list[str]:
    page = await (await look_at(store)).page(f"/vendas?{query}")
    return [row.get("id").removeprefix("venda-") for row in page.xpath("//tbody/tr")]


class TestList:
    async def test_each_filter_shows_only_the_sales_that_match_it(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        draft = (await store.draft("curso", saleDate="2026-11-03", customer=JOAO, externalId="pedido-7"))[
            "id"
        ]
        issued = (await store.invoiced("curso", saleDate="2026-11-10"))["id"]
        (maria,) = data_of(await store.get("/customers", search="maria"))
        shown = {
            query: await listed_ids(store, look_at, query)
            for query in (
                "",
                "status=draft",
                "status=invoiced",
                "emissao=manual",
                f"cliente={maria['id']}",
                "inicio=2026-11-04",
                "fim=2026-11-04",
                "busca=souza",
                "busca=529.982.247-25",
                "busca=pedido-7",
                "busca=pedido",
                "busca=%00&status=absurdo&inicio=ontem&cliente=7",
            )
        }
        assert shown == {
            "": [issued, draft],
            "status=draft": [draft],
            "status=invoiced": [issued],
            "emissao=manual": [draft],
            f"cliente={maria['id']}": [issued],
            "inicio=2026-11-04": [issued],
            "fim=2026-11-04": [draft],
            "busca=souza": [draft],
            "busca=529.982.247-25": [issued],
            "busca=pedido-7": [draft],
            "busca=pedido": [],
            "busca=%00&status=absurdo&inicio=ontem&cliente=7": [issued, draft],
        }

    async def test_sales_of_another_company_are_neither_listed_nor_found(
        self, new_store: NewStore, store: Store, look_at: OpenWindow
    ) -> None:
        other = await new_store(store.caller)
        foreign = await other.draft("curso", externalId="pedido-8")
        assert await listed_ids(store, look_at, "") == []
        assert await listed_ids(store, look_at, "busca=pedido-8") == []
        assert await listed_ids(store, look_at, "busca=maria") == []
        window = await look_at(store)
        assert (await window.answer(f"/vendas/{foreign['id']}")).status_code == 404

    async def test_empty_list_says_how_sales_get_there(self, store: Store, look_at: OpenWindow) -> None:
        window = await look_at(store)
        assert f"POST /v1/companies/{store.id}/sales" in text_of(await window.page("/vendas"))
        filtered = text_of(await window.page("/vendas?busca=x"))
        assert "Nenhuma venda com estes filtros." in filtered

    async def test_rejection_of_a_document_is_in_the_row_of_its_sale(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        await store.stock(REFUSED_COURSE)
        sale = await store.invoiced("curso-recusado")
        (rejection,) = (document["rejection"] for document in sale["invoices"])
        ((_, status, customer, amount, _),) = rows_of(await (await look_at(store)).page("/vendas"), "Vendas")
        assert (customer, amount) == ("Maria da Silva", "R$ 100,00")
        assert status.startswith(f"Rejeitada NFS-e: {rejection['code']}: ")

    async def test_list_with_sales_in_process_asks_for_itself_with_its_filters(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        await store.draft("curso")
        window = await look_at(store)
        assert (await window.page("/vendas")).xpath("//*[@hx-get]") == []
        async with store.system.worker_stopped():
            for _ in range(2):
                await store.sold("curso", customer=MARIA)
            (live,) = (await window.page("/vendas?inicio=2020-01-01&pagina=1")).xpath("//*[@hx-get]")
            assert live.get("hx-get") == f"{window.base}/vendas?inicio=2020-01-01&pagina=1"
            assert live.get("hx-select") == f"#{live.get('id')}"
            assert len(live.xpath(".//tbody/tr")) == 3


class TestAudit:
    async def test_sale_without_an_external_id_is_named_by_its_day_and_amount(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        sale = await store.draft("curso", saleDate="2026-11-03")
        panel = (await look_at(store)).panel
        page = text_of(await panel.page(f"{panel.base}/registro?assunto=sale"))
        assert "Registrou a venda de 03/11/2026, de R$ 100,00." in page
        assert sale["id"] not in page


class TestDownload:
    async def test_list_downloads_the_sales_of_its_filters_as_csv(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        await store.draft("curso", externalId="pedido-7")
        await store.draft("curso", externalId="pedido-8")
        window = await look_at(store)
        page = await window.page("/vendas?busca=pedido-7&pagina=1")
        (address,) = page.xpath("//a[text()='Baixar CSV']/@href")
        file = await window.panel.http.get(address)
        assert file.headers["content-type"] == "text/csv; charset=utf-8"
        assert ("pedido-7" in file.text, "pedido-8" in file.text) == (True, False)


class TestDetail:
    async def test_sale_shows_its_items_its_terms_and_its_documents(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        sale = await store.invoiced(
            {"sku": "curso"},
            {"sku": "caneca", "quantity": 2.5},
            discount=10,
            shipping=8.5,
            sendEmail=False,
            payments=[{"method": "pix", "amount": 173.25}],
            notes="Entregar à tarde",
        )
        page = await (await look_at(store)).page(f"/vendas/{sale['id']}")
        assert rows_of(page, "Itens") == [
            ["Curso de violão curso", "Serviço", "1", "R$ 100,00", "R$ 100,00"],
            ["Caneca caneca", "Produto", "2,5", "R$ 29,90", "R$ 74,75"],
        ]
        facts = facts_of(page)
        assert (facts["Desconto"], facts["Frete"]) == ("R$ 10,00", "R$ 8,50")
        assert facts["Valor"].startswith("R$ 173,25")
        assert facts["Pagamento"] == "PIX dinâmico: R$ 173,25"
        assert facts["E-mail ao cliente"] == "Não"
        assert facts["Observações"] == "Entregar à tarde"
        assert ", por " in facts["Criada"]
        assert {f"/documentos/{document['id']}" for document in sale["invoices"]} == {
            "/documentos/" + link.rpartition("/")[2] for link in links_of(page, "/documentos/")
        }
        assert [row[2] for row in rows_of(page, "Documentos")] == ["Autorizado"] * 2

    async def test_deleted_customer_and_item_are_named_without_links(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        sale = await store.draft("curso", "caneca")
        customer, kept = sale["customer"]["id"], sale["products"][1]["id"]
        window = await look_at(store)
        page = await window.page(f"/vendas/{sale['id']}")
        assert len(links_of(page, "/produtos/")) == 2
        assert len(links_of(page, "/clientes/")) == 1
        for path in (f"/customers/{customer}", f"/products/{sale['products'][0]['id']}"):
            data_of(await store.caller.http.delete(store.path(path)))
        page = await window.page(f"/vendas/{sale['id']}")
        assert facts_of(page)["Cliente"] == "Maria da Silva 529.982.247-25"
        assert rows_of(page, "Itens")[0][0] == "Curso de violão curso"
        assert [link.rpartition("/")[2] for link in links_of(page, "/produtos/")] == [kept]
        of_customer = await window.page(f"/vendas?cliente={customer}")
        assert "Só as vendas de Maria da Silva." in text_of(of_customer)
        assert links_of(page, "/clientes/") == links_of(of_customer, "/clientes/") == []
        assert "isDeleted" not in str(await store.read_sale(sale))

    async def test_scheduled_sale_says_when_it_is_issued(self, store: Store, look_at: OpenWindow) -> None:
        sale = await store.sold("curso", emitWhen="after_guarantee", guaranteeDate=FAR)
        page = await (await look_at(store)).page(f"/vendas/{sale['id']}")
        assert "Os documentos são emitidos em 15/01/2999 00:00" in text_of(page)
        assert facts_of(page)["Emissão"] == "Depois da garantia; garantia até 15/01/2999"
        assert facts_of(page)["E-mail ao cliente"] == "Como na configuração da empresa"

    async def test_split_item_shows_the_parts_of_its_price(self, store: Store, look_at: OpenWindow) -> None:
        parts = [{"sku": "curso", "percentage": 62.5}, {"sku": "caneca", "percentage": 37.5}]
        await store.stock(
            {"sku": "combo", "name": "Curso e caneca", "type": "split", "price": 80, "components": parts}
        )
        sale = await store.draft("combo")
        page = await (await look_at(store)).page(f"/vendas/{sale['id']}")
        ((_, parts_shown, *_),) = rows_of(page, "Itens")
        assert parts_shown == "Item dividido 62,5% curso 37,5% caneca"

    async def test_sale_in_processing_is_asked_for_again_until_it_is_issued(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        async with store.system.worker_stopped():
            sale = await store.sold("curso", customer=MARIA)
            window = await look_at(store)
            address = f"/vendas/{sale['id']}"
            (live,) = (await window.page(address)).xpath("//*[@hx-get]")
            assert live.get("hx-get") == window.base + address
        await store.sale_settled(sale)
        assert (await window.page(address)).xpath("//*[@hx-get]") == []
