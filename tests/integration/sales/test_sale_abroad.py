"""Sales to customers abroad: services can be sold, goods need fields that a sale does not have."""

from integration.api.customer_book import ABROAD
from integration.issuing.shop import note_of
from integration.sales.store import COURSE, Store, rules_of
from support import data_of

JANE = {"name": "Jane Roe", "email": "jane@example.com", "foreignId": "US-123456", "address": ABROAD}
IN_THE_NOTE = {
    "xNome": "Jane Roe", "NIF": "US-123456", "end/xLgr": "5th Avenue", "end/xBairro": "Manhattan",
    "end/endExt/cPais": "US", "end/endExt/cEndPost": "10118", "end/endExt/xCidade": "New York",
    "end/endExt/xEstProvReg": "NY",
}  # fmt: skip
LESSON = COURSE | {"sku": "aula", "nbs": "1.2205.20.00"}


class TestService:
    async def test_a_service_is_authorized_with_the_address_abroad(self, store: Store) -> None:
        await store.stock(LESSON)
        sale = await store.invoiced("aula", customer=JANE)
        assert sale["status"] == "invoiced", sale["invoices"]
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert {path: note.text(f"toma/{path}") for path in IN_THE_NOTE} == IN_THE_NOTE

    async def test_a_sale_abroad_creates_a_foreign_customer(self, store: Store) -> None:
        await store.stock(LESSON)
        sale = await store.draft("aula", customer=JANE)
        customer = data_of(await store.get(f"/customers/{sale['customer']['id']}"))
        assert (customer["foreign"], customer["foreignId"]) == (True, "US-123456")


class TestGoods:
    async def test_goods_are_refused_because_of_the_address(self, store: Store) -> None:
        before = await store.stored()
        assert rules_of(await store.sell("caneca", customer=JANE)) == {"customer.address": "nfe"}
        assert await store.stored() == before
