"""A sale keeps everything its documents need when its customer and items are deleted."""

from typing import Any

from integration.issuing.actions import text_in_xml
from integration.issuing.printer import ask, pdf_of
from integration.issuing.shop import accepted, note_of
from integration.sales.store import JOAO, MARIA, MUG, Store, fired, invoices, make_due, waiting
from integration.sales.test_sale_documents import stock_bundle
from support import data_of, fields_of


async def empty_catalog(store: Store) -> None:
    """Deletes all products and customers of a company."""
    for collection in ("customers", "products"):
        for entry in data_of(await store.get(f"/{collection}")):
            data_of(await store.caller.http.delete(store.path(f"/{collection}/{entry['id']}")))
        assert data_of(await store.get(f"/{collection}")) == []


async def assert_named(store: Store, sale: dict[str, Any]) -> None:
    """Checks that the documents of a sale are issued and name customer and items."""
    assert sale["status"] == "invoiced", sale["invoices"]
    note = await note_of(store, await store.invoice(sale, "nfse"))
    assert (note.text("toma/xNome"), note.text("xDescServ")) == (MARIA["name"], "Curso de violão")
    goods = await store.invoice(sale, "nfe")
    texts = [await text_in_xml(store, goods, path) for path in ("dest/xNome", "prod/xProd", "prod/NCM")]
    assert texts == [MARIA["name"], "Caneca", "69120000"]


class TestInvoiced:
    async def test_an_invoiced_sale_is_read_as_before(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        await empty_catalog(store)
        assert await store.read_sale(sale) == sale
        assert data_of(await store.get("/sales", customerId=sale["customer"]["id"])) == [sale]

    async def test_documents_keep_their_files(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        await empty_catalog(store)
        await assert_named(store, sale)
        for listed in sale["invoices"]:
            assert pdf_of(await ask(store, listed))


class TestDraft:
    async def test_a_draft_is_emitted_as_it_was_created(self, store: Store) -> None:
        draft = await store.draft("curso", "caneca")
        await empty_catalog(store)
        assert await store.read_sale(draft) == draft
        accepted(await store.emit_sale(draft))
        await assert_named(store, await store.sale_settled(draft))

    async def test_a_draft_can_be_changed_with_its_deleted_items(self, store: Store) -> None:
        await stock_bundle(store, 40, 250)
        draft = await store.draft("caneca", "kit")
        await empty_catalog(store)
        changed = data_of(await store.patch_sale(draft, notes="Obrigado"))
        names = ("customer", "products", "amount")
        assert [changed[name] for name in names] == [draft[name] for name in names]
        assert invoices(changed, "status", "amount") == invoices(draft, "status", "amount")

    async def test_a_draft_cannot_be_changed_to_another_deleted_item_or_customer(self, store: Store) -> None:
        draft, other = await store.draft("curso"), await store.know(JOAO)
        products = {item["sku"]: item["id"] for item in data_of(await store.get("/products"))}
        await empty_catalog(store)
        changes = {"customer": other["id"], "products": [{"id": products["caneca"]}]}
        assert set(fields_of(await store.patch_sale(draft, **changes))) == {"customer", "products[0].id"}
        assert await store.read_sale(draft) == draft

    async def test_a_draft_keeps_its_item_beside_a_new_one_of_the_same_sku(self, store: Store) -> None:
        draft = await store.draft("caneca")
        (sold,) = draft["products"]
        await empty_catalog(store)
        new = await store.stock(MUG | {"price": 35})
        lines = [{"id": sold["id"], "price": sold["price"]}, {"sku": "caneca"}]
        changed = data_of(await store.patch_sale(draft, products=lines))
        assert [(line["id"], line["price"]) for line in changed["products"]] == [
            (sold["id"], sold["price"]), (new["id"], 35),
        ]  # fmt: skip

    async def test_a_scheduled_sale_is_issued_in_time(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await empty_catalog(store)
        await make_due(store, sale)
        await assert_named(store, await fired(store, sale))
