"""Sales at a counter: receipts without a customer, payments by several means, and notes."""

from typing import Any
from uuid import UUID

import pytest

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import accepted
from integration.sales.store import MARIA, MUG, Store, invoices
from support import data_of, fields_of, wrong_fields

AT_COUNTER: dict[str, Any] = {"customer": None, "productInvoiceType": "nfce", "paymentMethod": "dinheiro"}

TAXED_MUG = MUG | {"sku": "caneca-ipi", "price": 100, "ipi": {"cst": "50", "rate": 10}}


class TestWithoutCustomer:
    async def test_a_receipt_is_issued_read_listed_and_printed(self, store: Store) -> None:
        sale = await store.invoiced("caneca", **AT_COUNTER)
        assert (sale["status"], sale["customer"], sale["paymentMethod"]) == ("invoiced", None, "dinheiro")
        assert data_of(await store.get("/sales")) == [sale]
        assert data_of(await store.get("/sales", status="invoiced")) == [sale]
        assert data_of(await store.get("/customers")) == []
        receipt = await store.invoice(sale, "nfce")
        assert await text_in_xml(store, receipt, "tPag") == "01"
        assert await text_in_xml(store, receipt, "dest/CPF") is None
        printout = await store.get(f"/nfce/{receipt['id']}/pdf")
        assert (printout.status_code, printout.content[:4]) == (200, b"%PDF")

    @pytest.mark.parametrize("customer", [{}, {"name": " ", "email": None, "address": {"street": ""}}])
    async def test_an_empty_object_is_no_customer(self, store: Store, customer: dict[str, Any]) -> None:
        sale = await store.draft("caneca", **AT_COUNTER | {"customer": customer})
        assert (sale["customer"], invoices(sale, "status")) == (None, {"nfce": ("pending",)})

    async def test_a_receipt_names_a_document_that_is_not_in_the_catalog(self, store: Store) -> None:
        buyer = {"customer": {"document": MARIA["document"]}}
        sale = await store.draft("caneca", **AT_COUNTER | buyer)
        data_of(await store.patch_sale(sale, notes="Obrigado"))
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert (sale["status"], sale["customer"]) == ("invoiced", None)
        assert await text_in_xml(store, await store.invoice(sale, "nfce"), "dest/CPF") == "52998224725"
        assert data_of(await store.get("/customers")) == []

    async def test_a_recreated_receipt_names_the_same_document(self, store: Store) -> None:
        sale = await store.draft("caneca", **AT_COUNTER | {"customer": {"document": MARIA["document"]}})
        data_of(await store.discard(sale["invoices"][0]))
        await self.assert_named(store, data_of(await store.patch_sale(sale, notes="Obrigado")))

    async def test_a_sale_of_an_earlier_release_keeps_the_document_of_its_receipt(self, store: Store) -> None:
        sale = await store.draft("caneca", **AT_COUNTER | {"customer": {"document": MARIA["document"]}})
        earlier = "update sales set buyer_tax_id = null where id = $1"
        await store.system.fetch(earlier, UUID(sale["id"]))
        await self.assert_named(store, data_of(await store.patch_sale(sale, notes="Obrigado")))

    async def assert_named(self, store: Store, sale: dict[str, Any]) -> None:
        """Asserts that the draft of a sale names the buyer by the CPF."""
        (draft,) = sale["invoices"]
        request = data_of(await store.get(f"/nfce/{draft['id']}", include="request"))["request"]
        assert request["recipient"]["taxId"] == "52998224725"

    async def test_the_company_s_default_document_type_is_used(self, store: Store) -> None:
        await store.put_settings(defaults={"productInvoiceType": "nfce"})
        sale = await store.draft("caneca", customer=None)
        assert invoices(sale, "status") == {"nfce": ("pending",)}

    async def test_a_customer_can_be_added_and_removed_by_put(self, store: Store) -> None:
        sale = await store.draft("caneca", **AT_COUNTER)
        named = data_of(
            await store.put(sale, "caneca", **AT_COUNTER | {"customer": MARIA}, emitWhen="manual")
        )
        assert named["customer"]["name"] == MARIA["name"]
        again = data_of(await store.put(sale, "caneca", **AT_COUNTER | {"customer": ""}))
        assert again["customer"] is None


class TestPayments:
    async def test_payments_need_no_payment_method(self, store: Store) -> None:
        payments = [{"method": "pix", "amount": 20}, {"method": "dinheiro", "amount": 9.9}]
        sale = await store.invoiced(
            "caneca", customer=None, productInvoiceType="nfce", paymentMethod=None, payments=payments
        )
        assert (sale["status"], sale["paymentMethod"]) == ("invoiced", None)
        assert [(payment["method"], payment["amount"]) for payment in sale["payments"]] == [
            ("17", 20),
            ("01", 9.9),
        ]
        assert await text_in_xml(store, await store.invoice(sale, "nfce"), "vPag") == "20.00"

    async def test_payments_of_a_sale_with_services_are_divided_for_the_goods(self, store: Store) -> None:
        payments = [{"method": "pix", "amount": 100}, {"method": "credit_card", "amount": 29.9}]
        sale = await store.invoiced("curso", "caneca", payments=payments)
        assert sale["status"] == "invoiced"
        # 29.90 of 129.90, by each means in proportion: 23.02 and 6.88.
        assert await text_in_xml(store, await store.invoice(sale, "nfe"), "vPag") == "23.02"

    async def test_payments_of_goods_with_ipi_are_the_total_of_the_document(self, store: Store) -> None:
        await store.stock(TAXED_MUG)
        short = await store.sell("caneca-ipi", payments=[{"method": "pix", "amount": 100}])
        assert fields_of(short) == {"payments": "Somam R$ 100,00, e os documentos da venda somam R$ 110,00."}
        sale = await store.draft("caneca-ipi", payments=[{"method": "pix", "amount": 110}])
        assert invoices(sale, "amount") == {"nfe": (110,)}

    async def test_payments_of_a_sale_with_services_include_the_ipi_of_the_goods(self, store: Store) -> None:
        await store.stock(TAXED_MUG)
        payments = [{"method": "pix", "amount": 105}, {"method": "credit_card", "amount": 105}]
        sale = await store.draft("curso", "caneca-ipi", payments=payments)
        assert invoices(sale, "amount") == {"nfse": (100,), "nfe": (110,)}
        goods = next(document for document in sale["invoices"] if document["type"] == "nfe")
        request = data_of(await store.get(f"/nfe/{goods['id']}", include="request"))["request"]
        assert [payment["amount"] for payment in request["payments"]] == [55, 55]

    async def test_payments_that_contradict_the_sale_are_refused(self, store: Store) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"payments": [{"method": "pix", "amount": 20}]}, "payments"),
            ({"payments": [{"method": "pix", "amount": 29.9}], "paymentMethod": "boleto"}, "paymentMethod"),
            ({"payments": [{"method": "conchas", "amount": 29.9}]}, "payments[0].method"),
            ({"paymentMethod": "conchas"}, "paymentMethod"),
        ]
        wrong = await wrong_fields({str(payment): store.sell("caneca", **payment) for payment, _ in cases})
        assert wrong == {str(payment): [field] for payment, field in cases}

    async def test_payment_methods_may_be_words_or_codes(self, store: Store) -> None:
        methods = ["PIX", 17, "17", "Cartão de crédito"]
        sales = [await store.draft("caneca", paymentMethod=method) for method in methods]
        assert [sale["paymentMethod"] for sale in sales] == [str(method) for method in methods]


class TestNotes:
    async def test_notes_are_returned_and_written_to_every_document(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca", notes="Entregar na portaria")
        assert (sale["status"], sale["notes"]) == ("invoiced", "Entregar na portaria")
        goods, service = await store.invoice(sale, "nfe"), await store.invoice(sale, "nfse")
        assert "Entregar na portaria" in (await text_in_xml(store, goods, "infCpl") or "")
        assert await text_in_xml(store, service, "xInfComp") == "Entregar na portaria"

    async def test_notes_are_removed_by_put(self, store: Store) -> None:
        sale = await store.draft("caneca", notes="Entregar na portaria")
        assert data_of(await store.put(sale, "caneca", notes=""))["notes"] is None
