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
    """Adds a bundle of an e-book and a course."""
    await store.stock(EBOOK)
    parts = [{"sku": "ebook", "percentage": share}, {"sku": "curso", "percentage": round(100 - share, 4)}]
    bundle = {"sku": "kit", "name": "Curso com e-book", "type": "split", "price": price, "components": parts}
    await store.stock(bundle)


def amounts(sale: dict[str, Any]) -> dict[str, float]:
    return {document_type: amount for document_type, (amount,) in invoices(sale, "amount").items()}


class TestDocumentType:
    async def test_services_are_issued_on_an_nfs_e(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        assert invoices(sale, "status", "amount") == {"nfse": ("authorized", 100)}

    async def test_products_are_issued_on_an_nf_e_by_default(self, store: Store) -> None:
        sale = await store.invoiced("caneca")
        assert invoices(sale, "status", "amount") == {"nfe": ("authorized", 29.9)}

    @pytest.mark.parametrize("document_type", ["nfe", "nfce"])
    async def test_products_are_issued_on_the_type_that_the_sale_names(
        self, store: Store, document_type: str
    ) -> None:
        sale = await store.invoiced("caneca", productInvoiceType=document_type)
        assert sale["productInvoiceType"] == document_type
        assert invoices(sale, "status") == {document_type: ("authorized",)}

    async def test_products_are_issued_on_the_company_s_default_type(self, store: Store) -> None:
        await store.put_settings(defaults={"productInvoiceType": "nfce"})
        assert invoices(await store.invoiced("caneca"), "status") == {"nfce": ("authorized",)}
        sale = await store.invoiced("caneca", productInvoiceType="nfe")
        assert invoices(sale, "status") == {"nfe": ("authorized",)}

    async def test_services_and_products_are_issued_on_one_document_each(self, store: Store) -> None:
        sale = await store.invoiced("curso", {"sku": "caneca", "quantity": 2}, "curso")
        assert invoices(sale, "status", "amount") == {
            "nfse": ("authorized", 200), "nfe": ("authorized", 59.8),
        }  # fmt: skip
        assert sale["status"] == "invoiced"


class TestRecord:
    async def test_a_document_has_the_id_and_external_id_of_its_sale(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca", externalId="pedido-1")
        for listed in sale["invoices"]:
            document = await store.read(listed)
            assert (document["saleId"], document["externalId"]) == (sale["id"], "pedido-1")
            shared = listed.keys() & document.keys()
            assert shared == {"id", "type", "status", "amount", "number", "accessKey", "rejection"}
            assert {name: document[name] for name in shared} == listed
        documents = data_of(await store.get("/invoices", externalId="pedido-1"))
        assert {document["id"] for document in documents} == {document["id"] for document in sale["invoices"]}

    async def test_an_authorized_document_has_number_and_access_key(self, store: Store) -> None:
        sale = await store.invoiced("caneca")
        (listed,) = sale["invoices"]
        assert (listed["number"], len(listed["accessKey"]), listed["rejection"]) == (1, 44, None)


class TestAmounts:
    async def test_the_amounts_of_the_documents_add_up_to_the_sale(self, store: Store) -> None:
        sale = await store.invoiced("curso", {"sku": "caneca", "quantity": 2}, discount=15.98, shipping=12)
        assert amounts(sale) == {"nfse": 90, "nfe": 65.82}
        assert sale["amount"] == 155.82
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert [note.text(name) for name in ("vServ", "vDescIncond", "vLiq")] == ["100.00", "10.00", "90.00"]
        goods = await store.invoice(sale, "nfe")
        totals = [
            await text_in_xml(store, goods, f"ICMSTot/{name}") for name in ("vProd", "vDesc", "vFrete", "vNF")
        ]
        assert totals == ["59.80", "5.98", "12.00", "65.82"]

    async def test_a_discount_is_shared_to_the_cent(self, store: Store) -> None:
        mug, course = {"sku": "caneca", "price": 33.33}, {"sku": "curso", "price": 33.33}
        sale = await store.invoiced(mug, course, "caneca", discount=10, shipping=0.01)
        assert (sale["amount"], amounts(sale)) == (86.57, {"nfse": 29.88, "nfe": 56.69})
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("vLiq") == "29.88"

    async def test_services_alone_include_the_shipping(self, store: Store) -> None:
        sale = await store.invoiced("curso", shipping=12.5)
        assert amounts(sale) == {"nfse": 112.5}
        assert (await note_of(store, await store.invoice(sale, "nfse"))).text("vServ") == "112.50"

    async def test_an_nfc_e_includes_discount_and_shipping(self, store: Store) -> None:
        values = {"discount": 9.9, "shipping": 10, "productInvoiceType": "nfce"}
        sale = await store.invoiced("caneca", **values)
        assert invoices(sale, "status", "amount") == {"nfce": ("authorized", 30)}


class TestSplit:
    async def test_a_bundle_creates_a_document_for_each_part(self, store: Store) -> None:
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
    async def test_a_bundle_is_divided_to_the_cent(
        self, store: Store, share: float, price: float, quantity: float
    ) -> None:
        await stock_bundle(store, share, price)
        sale = await store.draft({"sku": "kit", "quantity": quantity})
        parts = amounts(sale)
        assert round(sum(parts.values()), 2) == sale["amount"]
        assert abs(parts["nfe"] - float(sale["amount"]) * share / 100) < 0.011

    async def test_discount_and_shipping_of_a_bundle_are_divided_too(self, store: Store) -> None:
        await stock_bundle(store, 40, 250)
        sale = await store.invoiced("kit", discount=25, shipping=10)
        assert invoices(sale, "status", "amount") == {
            "nfe": ("authorized", 100), "nfse": ("authorized", 135),
        }  # fmt: skip
        assert (await note_of(store, await store.invoice(sale, "nfse"))).text("vLiq") == "135.00"


class TestNote:
    async def test_an_nfs_e_names_the_services(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "aula", "name": "Aula avulsa"})
        sale = await store.invoiced("curso", {"sku": "aula", "quantity": 2})
        note = await note_of(store, await store.invoice(sale, "nfse"))
        description = note.text("xDescServ") or ""
        assert "Curso de violão" in description
        assert "2 x Aula avulsa" in description
        assert (note.text("toma/CPF"), note.text("toma/xNome")) == ("52998224725", MARIA["name"])

    async def test_an_nfs_e_has_the_details_given_in_the_sale(self, store: Store) -> None:
        yesterday = f"{datetime.now(_SAO_PAULO).date() - timedelta(days=1)}"
        details = {
            "discrimination": "Turma da noite: {nomeProduto}", "competenceDate": yesterday,
            "serviceLocation": "1", "cityIbge": CAMPINAS, "property": None,
        }  # fmt: skip
        sale = await store.invoiced("curso", nfse=details)
        assert sale["nfse"] == details
        assert sale["status"] == "invoiced", sale["invoices"]
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("xDescServ") == "Turma da noite: Curso de violão"
        assert (note.text("dCompet"), note.text("cLocPrestacao")) == (yesterday, CAMPINAS)

    async def test_an_nfs_e_has_the_property_given_in_the_sale(self, store: Store) -> None:
        cleaning = {"sku": "limpeza", "serviceItemCode": "07.13", "nbs": "118032100"}
        await store.stock(COURSE | cleaning)
        estate = {"cibCode": "1A2B3C45"}
        sale = await store.invoiced("limpeza", customer=FIRM, nfse={"property": estate})
        assert sale["status"] == "invoiced", sale["invoices"]
        assert sale["nfse"]["property"] == estate
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("imovel/cCIB") == "1A2B3C45"

    async def test_codes_of_the_item_take_precedence_over_the_company_s(self, store: Store) -> None:
        fiscal = {"serviceItemCode": "08.02", "iss": {"rate": 3, "isWithheld": True}}
        await store.stock(COURSE | {"sku": "aula", **fiscal})
        sale = await store.invoiced("aula", customer=FIRM)
        assert sale["status"] == "invoiced", sale["invoices"]
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert (note.text("cTribNac"), note.text("tribMun/pAliq")) == ("080201", "3.00")


class TestGoods:
    async def test_goods_may_be_paid_by_other_means(self, store: Store) -> None:
        sale = await store.invoiced("caneca", paymentMethod="other")
        goods = await store.invoice(sale, "nfe")
        assert (sale["status"], await text_in_xml(store, goods, "detPag/xPag")) == ("invoiced", "Outros")

    async def test_an_nf_e_has_items_prices_and_payment(self, store: Store) -> None:
        cheap = {"sku": "caneca", "price": 10.5, "quantity": 1.5}
        sale = await store.invoiced("caneca", cheap, paymentMethod="boleto")
        goods = await store.invoice(sale, "nfe")
        items = data_of(await store.get(f"/nfe/{goods['id']}/items"))
        assert [item["description"] for item in items] == ["Caneca", "Caneca"]
        texts = [await text_in_xml(store, goods, path) for path in ("detPag/tPag", "detPag/vPag", "dest/CPF")]
        assert texts == ["15", "45.65", "52998224725"]

    async def test_goods_are_paid_by_credit_card_by_default(self, store: Store) -> None:
        sale = await store.invoiced("caneca")
        assert await text_in_xml(store, await store.invoice(sale, "nfe"), "detPag/tPag") == "03"

    async def test_an_nfc_e_does_not_name_a_consumer_without_a_document(self, store: Store) -> None:
        buyer = {"name": "Consumidor"}
        sale = await store.invoiced("caneca", customer=buyer, productInvoiceType="nfce")
        receipt = await store.invoice(sale, "nfce")
        assert (sale["status"], await text_in_xml(store, receipt, "dest/xNome")) == ("invoiced", None)

    async def test_an_nfc_e_names_a_consumer_with_a_document(self, store: Store) -> None:
        sale = await store.invoiced("caneca", productInvoiceType="nfce")
        receipt = await store.invoice(sale, "nfce")
        assert await text_in_xml(store, receipt, "dest/CPF") == "52998224725"
