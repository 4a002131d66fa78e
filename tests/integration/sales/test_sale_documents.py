"""The documents of a sale: services on an NFS-e, products on an NF-e or an NFC-e."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import note_of
from integration.sales.store import COURSE, MARIA, MUG, Store, invoices
from support import data_of

EBOOK = MUG | {"sku": "ebook", "name": "E-book", "price": None, "ncm": "49019900"}
CAMPINAS = "3509502"
FIRM = MARIA | {"name": "Mercado Modelo S.A.", "email": "loja@example.com", "document": "66.677.788/0001-83"}
_SAO_PAULO = ZoneInfo("America/Sao_Paulo")


async def stock_bundle(store: Store, share: float, price: float) -> None:
    """An e-book and a course that are sold as one."""
    await store.stock(EBOOK)
    parts = [{"sku": "ebook", "percentage": share}, {"sku": "curso", "percentage": round(100 - share, 4)}]
    bundle = {"sku": "kit", "name": "Curso com e-book", "type": "split", "price": price, "components": parts}
    await store.stock(bundle)


def amounts(sale: dict[str, Any]) -> dict[str, float]:
    return {kind: amount for kind, (amount,) in invoices(sale, "amount").items()}


class TestKind:
    async def test_of_services_is_an_nfs_e(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        assert invoices(sale, "status", "amount") == {"nfse": ("authorized", 100)}

    async def test_of_products_is_an_nf_e_unless_told(self, store: Store) -> None:
        sale = await store.invoiced("caneca")
        assert invoices(sale, "status", "amount") == {"nfe": ("authorized", 29.9)}

    @pytest.mark.parametrize("kind", ["nfe", "nfce"])
    async def test_of_products_is_the_told_one(self, store: Store, kind: str) -> None:
        sale = await store.invoiced("caneca", productInvoiceType=kind)
        assert sale["productInvoiceType"] == kind
        assert invoices(sale, "status") == {kind: ("authorized",)}

    async def test_of_products_is_the_company_s_when_the_sale_does_not_say(self, store: Store) -> None:
        await store.put_settings(defaults={"productInvoiceType": "nfce"})
        assert invoices(await store.invoiced("caneca"), "status") == {"nfce": ("authorized",)}
        told = await store.invoiced("caneca", productInvoiceType="nfe")
        assert invoices(told, "status") == {"nfe": ("authorized",)}

    async def test_of_both_is_one_of_each(self, store: Store) -> None:
        sale = await store.invoiced("curso", {"sku": "caneca", "quantity": 2}, "curso")
        assert invoices(sale, "status", "amount") == {
            "nfse": ("authorized", 200), "nfe": ("authorized", 59.8),
        }  # fmt: skip
        assert sale["status"] == "invoiced"


class TestRecord:
    async def test_tells_the_sale_and_its_external_id(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca", externalId="pedido-1")
        for listed in sale["invoices"]:
            document = await store.read(listed)
            assert (document["saleId"], document["externalId"]) == (sale["id"], "pedido-1")
            shared = listed.keys() & document.keys()
            assert shared == {"id", "type", "status", "amount", "number", "accessKey", "rejection"}
            assert {name: document[name] for name in shared} == listed
        found = data_of(await store.get("/invoices", externalId="pedido-1"))
        assert {one["id"] for one in found} == {one["id"] for one in sale["invoices"]}

    async def test_has_number_and_key_once_it_is_authorized(self, store: Store) -> None:
        sale = await store.invoiced("caneca")
        (listed,) = sale["invoices"]
        assert (listed["number"], len(listed["accessKey"]), listed["rejection"]) == (1, 44, None)


class TestAmounts:
    async def test_are_those_of_the_sale_together(self, store: Store) -> None:
        sale = await store.invoiced("curso", {"sku": "caneca", "quantity": 2}, discount=15.98, shipping=12)
        assert amounts(sale) == {"nfse": 90, "nfe": 65.82}
        assert sale["amount"] == 155.82
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert [note.text(name) for name in ("vServ", "vDescIncond", "vLiq")] == ["100.00", "10.00", "90.00"]
        goods = await store.invoice(sale, "nfe")
        told = [
            await text_in_xml(store, goods, f"ICMSTot/{name}") for name in ("vProd", "vDesc", "vFrete", "vNF")
        ]
        assert told == ["59.80", "5.98", "12.00", "65.82"]

    async def test_share_a_discount_to_the_cent(self, store: Store) -> None:
        mug, course = {"sku": "caneca", "price": 33.33}, {"sku": "curso", "price": 33.33}
        sale = await store.invoiced(mug, course, "caneca", discount=10, shipping=0.01)
        assert (sale["amount"], amounts(sale)) == (86.57, {"nfse": 29.88, "nfe": 56.69})
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("vLiq") == "29.88"

    async def test_of_services_alone_have_the_shipping(self, store: Store) -> None:
        sale = await store.invoiced("curso", shipping=12.5)
        assert amounts(sale) == {"nfse": 112.5}
        assert (await note_of(store, await store.invoice(sale, "nfse"))).text("vServ") == "112.50"

    async def test_of_an_nfc_e_have_discount_and_shipping(self, store: Store) -> None:
        told = {"discount": 9.9, "shipping": 10, "productInvoiceType": "nfce"}
        sale = await store.invoiced("caneca", **told)
        assert invoices(sale, "status", "amount") == {"nfce": ("authorized", 30)}


class TestSplit:
    async def test_makes_a_document_of_each_part(self, store: Store) -> None:
        await stock_bundle(store, 40, 250)
        sale = await store.invoiced("kit")
        assert invoices(sale, "status", "amount") == {
            "nfe": ("authorized", 100), "nfse": ("authorized", 150),
        }  # fmt: skip
        (line,) = sale["products"]
        assert (line["sku"], line["type"], line["total"]) == ("kit", "split", 250)

    @pytest.mark.parametrize(
        ("share", "price", "quantity"), [(33.3333, 99.99, 1), (50, 0.03, 1), (12.5, 19.99, 7), (40, 10, 1.5)]
    )
    async def test_divides_to_the_cent(
        self, store: Store, share: float, price: float, quantity: float
    ) -> None:
        await stock_bundle(store, share, price)
        sale = await store.draft({"sku": "kit", "quantity": quantity})
        parts = amounts(sale)
        assert round(sum(parts.values()), 2) == sale["amount"]
        assert abs(parts["nfe"] - float(sale["amount"]) * share / 100) < 0.011

    async def test_divides_discount_and_shipping_too(self, store: Store) -> None:
        await stock_bundle(store, 40, 250)
        sale = await store.invoiced("kit", discount=25, shipping=10)
        assert invoices(sale, "status", "amount") == {
            "nfe": ("authorized", 100), "nfse": ("authorized", 135),
        }  # fmt: skip
        assert (await note_of(store, await store.invoice(sale, "nfse"))).text("vLiq") == "135.00"


class TestNote:
    async def test_names_the_services(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "aula", "name": "Aula avulsa"})
        sale = await store.invoiced("curso", {"sku": "aula", "quantity": 2})
        note = await note_of(store, await store.invoice(sale, "nfse"))
        told = note.text("xDescServ") or ""
        assert "Curso de violão" in told
        assert "2 x Aula avulsa" in told
        assert (note.text("toma/CPF"), note.text("toma/xNome")) == ("52998224725", MARIA["name"])

    async def test_says_what_the_sale_says_of_it(self, store: Store) -> None:
        yesterday = f"{datetime.now(_SAO_PAULO).date() - timedelta(days=1)}"
        told = {
            "discrimination": "Turma da noite: {nomeProduto}", "competenceDate": yesterday,
            "serviceLocation": "1", "cityIbge": CAMPINAS, "property": None,
        }  # fmt: skip
        sale = await store.invoiced("curso", nfse=told)
        assert sale["nfse"] == told
        assert sale["status"] == "invoiced", sale["invoices"]
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("xDescServ") == "Turma da noite: Curso de violão"
        assert (note.text("dCompet"), note.text("cLocPrestacao")) == (yesterday, CAMPINAS)

    async def test_has_the_property_that_the_sale_says(self, store: Store) -> None:
        cleaning = {"sku": "limpeza", "serviceItemCode": "07.13", "nbs": "118032100"}
        await store.stock(COURSE | cleaning)
        estate = {"cibCode": "1A2B3C45"}
        sale = await store.invoiced("limpeza", customer=FIRM, nfse={"property": estate})
        assert sale["status"] == "invoiced", sale["invoices"]
        assert sale["nfse"]["property"] == estate
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("imovel/cCIB") == "1A2B3C45"

    async def test_has_the_codes_of_the_item_before_those_of_the_company(self, store: Store) -> None:
        fiscal = {"serviceItemCode": "08.02", "iss": {"rate": 3, "isWithheld": True}}
        await store.stock(COURSE | {"sku": "aula", **fiscal})
        sale = await store.invoiced("aula", customer=FIRM)
        assert sale["status"] == "invoiced", sale["invoices"]
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert (note.text("cTribNac"), note.text("tribMun/pAliq")) == ("080201", "3.00")


class TestGoods:
    async def test_may_be_paid_by_means_of_no_kind(self, store: Store) -> None:
        sale = await store.invoiced("caneca", paymentMethod="other")
        goods = await store.invoice(sale, "nfe")
        assert (sale["status"], await text_in_xml(store, goods, "detPag/xPag")) == ("invoiced", "Outros")

    async def test_are_told_with_their_prices_and_the_payment(self, store: Store) -> None:
        cheap = {"sku": "caneca", "price": 10.5, "quantity": 1.5}
        sale = await store.invoiced("caneca", cheap, paymentMethod="boleto")
        goods = await store.invoice(sale, "nfe")
        items = data_of(await store.get(f"/nfe/{goods['id']}/items"))
        assert [item["description"] for item in items] == ["Caneca", "Caneca"]
        told = [await text_in_xml(store, goods, path) for path in ("detPag/tPag", "detPag/vPag", "dest/CPF")]
        assert told == ["15", "45.65", "52998224725"]

    async def test_are_paid_by_credit_card_unless_told(self, store: Store) -> None:
        sale = await store.invoiced("caneca")
        assert await text_in_xml(store, await store.invoice(sale, "nfe"), "detPag/tPag") == "03"

    async def test_are_sold_to_nobody_in_particular_on_an_nfc_e(self, store: Store) -> None:
        buyer = {"name": "Consumidor"}
        sale = await store.invoiced("caneca", customer=buyer, productInvoiceType="nfce")
        receipt = await store.invoice(sale, "nfce")
        assert (sale["status"], await text_in_xml(store, receipt, "dest/xNome")) == ("invoiced", None)

    async def test_of_an_nfc_e_name_the_consumer_who_has_a_document(self, store: Store) -> None:
        sale = await store.invoiced("caneca", productInvoiceType="nfce")
        receipt = await store.invoice(sale, "nfce")
        assert await text_in_xml(store, receipt, "dest/CPF") == "52998224725"
