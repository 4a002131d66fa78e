"""The pages of the catalog's customers."""

from integration.api.customer_book import JOHN, WHOLE
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.panel import text_of
from integration.sales.store import JOAO, MARIA, NewStore, Store


class TestList:
    async def test_search_finds_customers_of_this_company_alone(
        self, new_store: NewStore, store: Store, look_at: OpenWindow
    ) -> None:
        await store.know(MARIA)
        await store.know(JOAO)
        await (await new_store(store.caller)).know(MARIA | {"name": "Maria de Souza"})
        window = await look_at(store)
        shown = {}
        for search in ("", "maria", "souza", "111.444.777-35", "ninguém"):
            rows = rows_of(await window.page(f"/clientes?busca={search}"), "Clientes")
            shown[search] = [row[0] for row in rows]
        assert shown == {
            "": ["João Souza", "Maria da Silva"],
            "maria": ["Maria da Silva"],
            "souza": ["João Souza"],
            "111.444.777-35": ["João Souza"],
            "ninguém": [],
        }

    async def test_empty_list_says_how_customers_get_there(self, store: Store, look_at: OpenWindow) -> None:
        page = await (await look_at(store)).page("/clientes")
        assert f"POST /v1/companies/{store.id}/customers" in text_of(page)


class TestDetail:
    async def test_all_fields_of_a_customer_are_in_words(self, store: Store, look_at: OpenWindow) -> None:
        customer = await store.know(WHOLE)
        facts = facts_of(await (await look_at(store)).page(f"/clientes/{customer['id']}"))
        assert facts["CPF ou CNPJ"] == "12.ABC.345/01DE-35"
        assert facts["Telefone"] == "(11) 98888-7777"
        assert facts["Endereço"] == "Avenida Paulista, 1000, Sala 12 Bela Vista São Paulo/SP 01310-100"
        assert (facts["Nome fantasia"], facts["Inscrição municipal"]) == ("Açaí", "1234567")

    async def test_checklist_names_what_each_document_lacks(self, store: Store, look_at: OpenWindow) -> None:
        bare = {"name": "Ana Lima", "email": "ana@example.com"}
        partial = JOAO | {"address": {"street": "Rua Direita", "city": "Campinas", "state": "SP"}}
        window = await look_at(store)
        shown = {}
        for customer in (bare, partial, WHOLE, JOHN):
            page = await window.page(f"/clientes/{(await store.know(customer))['id']}")
            items = page.xpath("//ul[@class='checklist']/li")
            shown[customer["name"]] = [text_of(item) for item in items if item.get("class") == "missing"]
            assert len(items) == 3
        assert shown == {
            "Ana Lima": ["NF-e: falta o CPF, CNPJ ou documento do exterior e o endereço."],
            "João Souza": ["NF-e: falta o número do imóvel e o bairro."],
            "Açaí & Cia Ltda": [],
            "John Smith": [],
        }

    async def test_page_links_the_customer_s_own_sales_and_documents(
        self, new_store: NewStore, store: Store, look_at: OpenWindow
    ) -> None:
        sale = await store.invoiced("curso")
        await store.draft("curso", customer=JOAO)
        await (await new_store(store.caller)).draft("curso")
        (document,) = sale["invoices"]
        page = await (await look_at(store)).page(f"/clientes/{sale['customer']['id']}")
        assert [link.rpartition("/")[2] for link in links_of(page, "/documentos/")] == [document["id"]]
        assert [link.rpartition("/")[2] for link in links_of(page, "/vendas/")] == [sale["id"]]
        assert rows_of(page, "Documentos")[0][1:3] == ["R$ 100,00", "Autorizado"]

    async def test_customer_abroad_has_a_country_and_no_search_for_documents(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        customer = await store.know(JOHN)
        page = await (await look_at(store)).page(f"/clientes/{customer['id']}")
        assert facts_of(page)["Endereço"].endswith("New York/NY 10118 Estados Unidos")
        assert facts_of(page)["Identificação no exterior"] == "AB-123"
        assert "Este cliente não tem CPF nem CNPJ" in text_of(page)

    async def test_customer_of_another_company_is_not_found(
        self, new_store: NewStore, store: Store, look_at: OpenWindow
    ) -> None:
        foreign = await (await new_store(store.caller)).know(MARIA)
        window = await look_at(store)
        assert (await window.answer(f"/clientes/{foreign['id']}")).status_code == 404
