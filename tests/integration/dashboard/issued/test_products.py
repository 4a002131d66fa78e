"""The pages of the catalog's products and services."""

from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.pages import facts_of, rows_of
from integration.dashboard.panel import text_of
from integration.issuing.shop import Shop
from integration.sales.store import BOOK, COURSE, JOAO, MARIA, MUG, NewStore, Store

TAXED_MUG = MUG | {
    "sku": "caneca-fiscal",
    "price": 0.0333,
    "guarantee": 90,
    "cfop": "5102",
    "origin": "2",
    "icms": {"csosn": "101", "creditRate": 1.25},
    "pis": {"cst": "49"},
}
WITHHELD_COURSE = COURSE | {
    "sku": "curso-retido",
    "serviceItemCode": "08.02",
    "iss": {"rate": 2.5, "isWithheld": True},
    "fiscalFollowsCompanyDefaults": False,
}


async def checklist_of(store: Shop, look_at: OpenWindow, item: dict[str, str]) -> dict[str, bool]:
    """Returns the lines of the checklist, and whether something is missing."""
    page = await (await look_at(store)).page(f"/produtos/{item['id']}")
    return {text_of(line): line.get("class") == "missing" for line in page.xpath("//ul/li[contains(., ':')]")}


class TestList:
    async def test_search_and_type_filter_the_items_of_this_company(
        self, new_store: NewStore, store: Store, look_at: OpenWindow
    ) -> None:
        await (await new_store(store.caller)).stock(BOOK)
        window = await look_at(store)
        shown = {}
        for query in (
            "",
            "tipo=service",
            "tipo=absurdo",
            "busca=CANE",
            "busca=livro",
            "tipo=service&busca=caneca",
        ):
            rows = rows_of(await window.page(f"/produtos?{query}"), "Itens")
            shown[query] = sorted(row[1] for row in rows)
        assert shown == {
            "": ["caneca", "curso"],
            "tipo=service": ["curso"],
            "tipo=absurdo": ["caneca", "curso"],
            "busca=CANE": ["caneca"],
            "busca=livro": [],
            "tipo=service&busca=caneca": [],
        }

    async def test_lists_of_the_catalog_download_what_they_show(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        await store.know(MARIA)
        await store.know(JOAO)
        window = await look_at(store)
        products = (await window.answer("/produtos?tipo=service&formato=csv")).text
        assert ("Curso de violão" in products, "Caneca" in products) == (True, False)
        customers = (await window.answer("/clientes?busca=souza&formato=csv")).text
        assert ("João Souza" in customers, "Maria" in customers) == (True, False)

    async def test_empty_catalog_says_how_items_get_there(self, shop: Shop, look_at: OpenWindow) -> None:
        page = await (await look_at(shop)).page("/produtos")
        assert f"POST /v1/companies/{shop.id}/products" in text_of(page)


class TestDetail:
    async def test_fiscal_fields_of_a_product_are_in_words(self, store: Store, look_at: OpenWindow) -> None:
        item = await store.stock(TAXED_MUG)
        page = await (await look_at(store)).page(f"/produtos/{item['id']}")
        facts = facts_of(page)
        assert (facts["Preço"], facts["Garantia"]) == ("R$ 0,0333", "90 dias")
        assert (facts["NCM"], facts["CFOP"]) == ("69120000", "5102")
        assert facts["Origem da mercadoria"] == "2, estrangeira, comprada no Brasil"
        assert facts["Alíquota de crédito do Simples Nacional"] == "1,25%"
        assert facts["CSOSN"] == "101, Tributada com permissão de crédito"
        assert [text_of(heading) for heading in page.findall(".//h3")] == ["Códigos", "ICMS", "PIS"]

    async def test_rates_and_withholding_of_a_service_are_in_words(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        item = await store.stock(WITHHELD_COURSE)
        facts = facts_of(await (await look_at(store)).page(f"/produtos/{item['id']}"))
        assert facts["Item da lista de serviços"] == "08.02"
        assert facts["Alíquota do ISS"] == "2,5%"
        assert facts["O tomador retém o ISS"] == "Sim"

    async def test_checklist_tells_what_comes_from_the_company_and_what_is_missing(
        self, store: Store, look_at: OpenWindow
    ) -> None:
        bare = await store.stock(MUG | {"sku": "sem-ncm", "ncm": None})
        taxes = "a situação tributária do ICMS"
        rest = ". Da empresa ou da regra comum:"
        assert await checklist_of(store, look_at, bare) == {
            f"NF-e: falta o NCM{rest} o CFOP, {taxes}.": True,
            f"NFC-e: falta o NCM{rest} o CFOP, {taxes}.": True,
        }
        await store.put_settings(defaults={"ncm": "69120000"})
        assert await checklist_of(store, look_at, bare) == {
            f"NF-e: nada falta{rest} o NCM, o CFOP, {taxes}.": False,
            f"NFC-e: nada falta{rest} o NCM, o CFOP, {taxes}.": False,
        }
        alone = await store.stock(WITHHELD_COURSE)
        assert await checklist_of(store, look_at, alone) == {"NFS-e: nada falta.": False}

    async def test_split_item_links_its_parts(self, store: Store, look_at: OpenWindow) -> None:
        parts = [{"sku": "curso", "percentage": 62.5}, {"sku": "caneca", "percentage": 37.5}]
        item = await store.stock({"sku": "combo", "name": "Combo", "type": "split", "components": parts})
        page = await (await look_at(store)).page(f"/produtos/{item['id']}")
        assert rows_of(page, "Partes") == [["curso", "62,5%"], ["caneca", "37,5%"]]
        assert [link.rpartition("/")[2] for link in page.xpath("//td/a/@href")] == [
            component["id"] for component in item["components"]
        ]
        assert facts_of(page)["Preço"] == "Informado em cada venda"

    async def test_item_of_another_company_and_a_strange_id_are_not_found(
        self, new_store: NewStore, store: Store, look_at: OpenWindow
    ) -> None:
        foreign = await (await new_store(store.caller)).stock(BOOK)
        window = await look_at(store)
        for product_id in (foreign["id"], "%00", "é"):
            assert (await window.answer(f"/produtos/{product_id}")).status_code == 404
