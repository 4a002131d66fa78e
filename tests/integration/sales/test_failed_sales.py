"""A sale that failed or whose drafts are not wanted: corrected, emitted again, or deleted."""

from typing import Any

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.actions import text_in_xml
from integration.issuing.shop import accepted, error_of, own_number
from integration.sales.store import (
    BOOK,
    FAR,
    JOAO,
    MARIA,
    REFUSED_COURSE,
    REFUSED_MUG,
    Store,
    fired,
    invoices,
    make_due,
    sale_of,
    waiting,
)
from integration.sales.test_sale_status import ids_by_status
from support import data_of, wrong_fields


async def failed_without_number(store: Store, *skus: str, **changes: Any) -> dict[str, Any]:
    """Returns a sale that failed because the company's certificate was deleted before issuing."""
    async with store.system.worker_stopped():
        sale = await store.sold(*skus, **changes)
        data_of(await store.caller.http.delete(store.path("/certificate")))
    sale = await store.sale_settled(sale)
    assert (sale["status"], {document["number"] for document in sale["invoices"]}) == ("failed", {None})
    return sale


class TestDelete:
    async def test_deleting_a_failed_sale_without_numbers_frees_its_key(self, store: Store) -> None:
        sale = await failed_without_number(store, "curso", "caneca", externalId="pedido-1")
        assert data_of(await store.delete(sale)) == {"id": sale["id"], "deleted": True}
        assert (data_of(await store.get("/sales")), await store.document_ids()) == ([], [])
        assert (await store.draft("curso", externalId="pedido-1"))["id"] != sale["id"]

    async def test_deleting_the_sale_of_a_direct_document_deletes_the_document(self, store: Store) -> None:
        async with store.system.worker_stopped():
            created = await store.create("nfse", externalId="pedido-1")
            data_of(await store.caller.http.delete(store.path("/certificate")))
        note = await store.settled(created)
        data_of(await store.delete({"id": note["saleId"]}))
        assert await store.document_ids() == []
        assert (await store.draft("curso", externalId="pedido-1"))["externalId"] == "pedido-1"

    async def test_a_failed_sale_with_a_number_is_never_deleted(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("caneca-recusada")
        details = error_of(await store.delete(sale), 409, "INVALID_STATE")
        assert details == {"currentStatus": "failed", "allowed": []}


class TestCorrection:
    async def test_a_sale_corrected_by_patch_is_issued_under_the_same_number(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("caneca-recusada", externalId="pedido-1", notes="Obrigado")
        rejected = await store.invoice(sale, "nfe")
        changed = data_of(
            await store.patch_sale(sale, products=[{"sku": "caneca", "quantity": 2}], discount=5)
        )
        assert (changed["id"], changed["externalId"]) == (sale["id"], "pedido-1")
        assert (changed["amount"], changed["notes"], changed["status"]) == (54.8, "Obrigado", "draft")
        assert invoices(changed, "status", "number", "rejection") == {
            "nfe": ("pending", rejected["number"], None)
        }
        details = error_of(await store.discard(rejected), 409, "INVALID_STATE")
        assert details == {"currentStatus": "pending", "allowed": []}
        details = error_of(await store.delete(sale), 409, "INVALID_STATE")
        assert details == {"currentStatus": "draft", "allowed": []}
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        issued = await store.invoice(sale, "nfe")
        assert (sale["status"], issued["id"]) == ("invoiced", rejected["id"])
        assert (own_number(issued), issued["amount"]) == (own_number(rejected), 54.8)
        assert await text_in_xml(store, issued, "vNF") == "54.80"

    async def test_a_correction_recreates_documents_without_a_number(
        self, store: Store, certificate: A1Certificate
    ) -> None:
        sale = await failed_without_number(store, "curso", "caneca")
        changed = data_of(await store.patch_sale(sale, notes="Entregar na portaria"))
        assert invoices(changed, "status") == {"nfse": ("pending",), "nfe": ("pending",)}
        assert (changed["status"], changed["emitWhen"]) == ("draft", "manual")
        assert not {document["id"] for document in changed["invoices"]} & {
            document["id"] for document in sale["invoices"]
        }
        await store.set_certificate(certificate)
        accepted(await store.emit_sale(sale))
        assert (await store.sale_settled(sale))["status"] == "invoiced"

    async def test_a_corrected_sale_may_be_issued_at_once(self, store: Store) -> None:
        for item in (REFUSED_COURSE, REFUSED_MUG):
            await store.stock(item)
        sale = await store.invoiced("curso-recusado", "caneca-recusada")
        lines = [{"sku": "curso"}, {"sku": "caneca"}]
        answer = await store.patch_sale(sale, products=lines, emitWhen="immediately")
        assert answer.status_code == 202
        again = await store.sale_settled(sale)
        assert again["status"] == "invoiced"
        assert {document["id"] for document in again["invoices"]} == {
            document["id"] for document in sale["invoices"]
        }

    async def test_a_scheduled_correction_is_issued_at_its_time_under_the_same_number(
        self, store: Store
    ) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("caneca-recusada")
        schedule = {"emitWhen": "after_guarantee", "guaranteeDate": FAR}
        changed = data_of(await store.patch_sale(sale, products=[{"sku": "caneca"}], **schedule))
        assert (changed["status"], changed["guaranteeDate"]) == ("scheduled", FAR)
        again = data_of(await store.patch_sale(sale, notes="Obrigado"))
        assert (again["status"], again["scheduledEmitAt"]) == ("scheduled", changed["scheduledEmitAt"])
        await make_due(store, sale)
        issued = await fired(store, sale)
        assert issued["status"] == "invoiced"
        assert invoices(issued, "id", "number") == invoices(sale, "id", "number")

    async def test_a_correction_keeps_the_schedule_after_the_rejection_of_one_document(
        self, store: Store
    ) -> None:
        await store.stock(REFUSED_MUG)
        sale = await waiting(store, "curso", "caneca-recusada")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        changed = data_of(await store.patch_sale(sale, products=[{"sku": "curso"}, {"sku": "caneca"}]))
        assert (changed["status"], changed["scheduledEmitAt"]) == ("scheduled", sale["scheduledEmitAt"])

    async def test_a_sale_corrected_by_put_may_be_issued_at_once(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("caneca-recusada")
        assert (await store.put(sale, "caneca", "curso", emitWhen="immediately")).status_code == 202
        again = await store.sale_settled(sale)
        assert again["status"] == "invoiced"
        assert set(invoices(again, "status")) == {"nfe", "nfse"}

    async def test_a_partially_invoiced_sale_cannot_be_corrected(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("curso", "caneca-recusada")
        assert sale["status"] == "partiallyInvoiced"
        error_of(await store.patch_sale(sale, notes="Obrigado"), 409, "SALE_ALREADY_INVOICED")
        assert await store.read_sale(sale) == sale

    async def test_the_sale_of_a_direct_document_cannot_be_corrected(self, store: Store) -> None:
        async with store.system.worker_stopped():
            created = await store.create("nfse")
            data_of(await store.caller.http.delete(store.path("/certificate")))
        note = await store.settled(created)
        error_of(await store.patch_sale({"id": note["saleId"]}, notes="x"), 409, "INVALID_STATE")


class TestPatch:
    async def test_a_patch_keeps_all_fields_that_it_does_not_name(self, store: Store) -> None:
        values = {
            "externalId": "pedido-1", "discount": 1.5, "shipping": 3, "sendEmail": False, "notes": "Obrigado",
            "nfse": {"discrimination": "Aulas"}, "saleDate": "2026-11-14", "paymentMethod": "boleto",
            "guaranteeDate": "2027-01-10",
        }  # fmt: skip
        sale = await store.draft(
            {"sku": "curso", "price": 70.5, "quantity": 2, "name": "Aulas"}, "caneca", **values
        )
        changed = data_of(await store.patch_sale(sale, paymentMethod="pix"))
        own = ("invoices", "updatedAt", "paymentMethod")
        assert {name: changed[name] for name in sale if name not in own} == {
            name: sale[name] for name in sale if name not in own
        }
        assert invoices(changed, "status", "amount") == invoices(sale, "status", "amount")

    async def test_a_patch_keeps_the_scheduled_time(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2999-01-15T10:30:00-03:00")
        changed = data_of(await store.patch_sale(sale, notes="Obrigado"))
        names = ("status", "scheduledEmitAt", "guaranteeDate", "emitWhen")
        assert [changed[name] for name in names] == [sale[name] for name in names]

    async def test_a_patch_of_either_payment_field_replaces_both(self, store: Store) -> None:
        sale = await store.draft("caneca", paymentMethod="boleto")
        paid = data_of(await store.patch_sale(sale, payments=[{"method": "pix", "amount": 29.9}]))
        assert (paid["paymentMethod"], [payment["method"] for payment in paid["payments"]]) == (None, ["17"])
        again = data_of(await store.patch_sale(sale, paymentMethod="cash"))
        assert (again["paymentMethod"], again["payments"]) == ("cash", [])

    async def test_a_patch_with_an_address_completes_the_customer(self, store: Store) -> None:
        sale = await store.draft("curso", customer=JOAO)
        changed = data_of(await store.patch_sale(sale, customer={"address": MARIA["address"]}))
        assert changed["customer"] == sale["customer"]
        customer = data_of(await store.get(f"/customers/{sale['customer']['id']}"))
        assert customer["address"]["street"] == MARIA["address"]["street"]

    async def test_a_patch_with_an_e_mail_alone_completes_the_customer(self, store: Store) -> None:
        sale = await store.draft("curso", customer={"name": JOAO["name"], "document": JOAO["document"]})
        changed = data_of(await store.patch_sale(sale, customer={"email": JOAO["email"]}))
        assert changed["customer"] == sale["customer"] | {"email": JOAO["email"]}
        assert len(data_of(await store.get("/customers"))) == 1

    async def test_a_patch_with_another_customer_takes_nothing_of_the_first(self, store: Store) -> None:
        sale = await store.draft("curso")
        changed = data_of(await store.patch_sale(sale, customer={"name": "Ana Lima"}))
        assert (changed["customer"]["name"], changed["customer"]["email"]) == ("Ana Lima", None)

    async def test_an_invalid_patch_changes_nothing(self, store: Store) -> None:
        sale = await store.draft("curso", externalId="pedido-1")
        patches: list[tuple[dict[str, Any], list[str]]] = [
            ({"cor": "azul"}, ["cor"]),
            ({"products": []}, ["products"]),
            ({"customer": None}, ["customer", "customer.name"]),
            ({"externalId": "pedido-2"}, ["externalId"]),
        ]
        wrong = await wrong_fields(
            {str(changes): store.patch_sale(sale, **changes) for changes, _ in patches}
        )
        assert wrong == {str(changes): fields for changes, fields in patches}
        assert await store.read_sale(sale) == sale


class TestDiscardedDocuments:
    async def test_the_other_documents_stay_in_the_sale(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        data_of(await store.discard(await store.invoice(sale, "nfse")))
        now = await store.read_sale(sale)
        assert (now["status"], invoices(now, "status")) == ("scheduled", {"nfe": ("pending",)})
        assert now["updatedAt"] > sale["updatedAt"]

    async def test_discarding_all_documents_leaves_an_unscheduled_draft(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        data_of(await store.discard(sale["invoices"][0]))
        now = await store.read_sale(sale)
        assert (now["status"], now["scheduledEmitAt"], now["invoices"]) == ("draft", None, [])
        assert await ids_by_status(store, "draft") == [sale["id"]]
        for other in ("scheduled", "invoiced", "failed", "canceled"):
            assert await ids_by_status(store, other) == []
        answer = await store.emit_sale(sale)
        assert error_of(answer, 409, "INVALID_STATE") == {"currentStatus": "draft", "allowed": []}
        assert "PUT ou PATCH" in answer.json()["error"]["message"]

    async def test_discarding_in_a_partially_invoiced_sale_is_refused(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        answer = await store.discard(await store.invoice(sale, "nfse"))
        assert error_of(answer, 409, "INVALID_STATE") == {"currentStatus": "pending", "allowed": []}
        assert "Outro documento da venda" in answer.json()["error"]["message"]
        assert (await store.read_sale(sale))["status"] == "partiallyInvoiced"

    async def test_discarded_documents_are_recreated_when_the_sale_is_changed(self, store: Store) -> None:
        sale = await store.draft("curso")
        data_of(await store.discard(sale["invoices"][0]))
        changed = data_of(await store.patch_sale(sale, notes="Obrigado"))
        assert invoices(changed, "status") == {"nfse": ("pending",)}
        assert await ids_by_status(store, "draft") == [sale["id"]]
        accepted(await store.emit_sale(sale))
        assert (await store.sale_settled(sale))["status"] == "invoiced"
        assert await ids_by_status(store, "invoiced") == [sale["id"]]

    async def test_the_sale_keeps_its_key_after_its_documents_are_discarded(self, store: Store) -> None:
        sale = await store.draft("curso", externalId="pedido-1")
        data_of(await store.discard(sale["invoices"][0]))
        answer = await store.post("/sales", sale_of(BOOK, externalId="pedido-1"))
        assert (answer.headers["Idempotent-Replayed"], answer.json()["data"]["id"]) == ("true", sale["id"])
