"""The status of a sale, derived from its documents, and the cancellation of its documents."""

from typing import Any

import pytest

from integration.issuing.actions import cancel
from integration.issuing.shop import accepted, error_of
from integration.issuing.system import System
from integration.sales.store import (
    MUG,
    REFUSED_COURSE,
    REFUSED_MUG,
    UNANSWERED_MUG,
    Store,
    invoices,
    waiting,
)
from support import data_of, fields_of

REASON = "Pedido cancelado pelo cliente"
REFUSING = "Pedido cancelado SIMULA:REJEICAO:E0840"


async def ids_by_status(store: Store, status: str) -> list[str]:
    return [sale["id"] for sale in data_of(await store.get("/sales", status=status))]


class TestStatus:
    async def assert_is(self, store: Store, sale: dict[str, Any], status: str) -> None:
        """Checks the status in the record, in the list, and in the lists filtered by status."""
        record = await store.read_sale(sale)
        assert record["status"] == status, record["invoices"]
        assert data_of(await store.get("/sales")) == [record]
        statuses = (
            "draft", "scheduled", "processing", "invoiced", "partiallyInvoiced", "failed", "canceled",
        )  # fmt: skip
        by_status = {name: await ids_by_status(store, name) for name in statuses}
        assert by_status == {name: [sale["id"]] if name == status else [] for name in statuses}

    async def test_a_sale_is_a_draft_when_nothing_was_emitted(self, store: Store) -> None:
        await self.assert_is(store, await store.draft("curso", "caneca"), "draft")

    async def test_a_sale_is_scheduled_when_it_waits_for_its_time(self, store: Store) -> None:
        schedule = {"emitWhen": "after_guarantee", "guaranteeDate": "2999-01-01"}
        await self.assert_is(store, await store.sold("curso", "caneca", **schedule), "scheduled")

    async def test_a_sale_is_processing_while_a_document_is(self, store: Store) -> None:
        await store.stock(UNANSWERED_MUG)
        sale = await store.sold("curso", "caneca-parada")
        await store.settled(await store.invoice(sale, "nfse"))
        await self.assert_is(store, sale, "processing")

    async def test_a_sale_is_invoiced_when_all_documents_are_authorized(self, store: Store) -> None:
        await self.assert_is(store, await store.invoiced("curso", "caneca"), "invoiced")

    async def test_a_sale_is_partially_invoiced_when_one_document_is_rejected(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("curso", "caneca-recusada")
        await self.assert_is(store, sale, "partiallyInvoiced")
        shown = {document["type"]: document["rejection"] for document in sale["invoices"]}
        assert (shown["nfse"], shown["nfe"]["code"]) == (None, "528")

    async def test_a_sale_is_partially_invoiced_when_one_document_is_a_draft(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfse"))))
        await self.assert_is(store, sale, "partiallyInvoiced")

    async def test_a_sale_is_partially_invoiced_when_one_document_is_canceled(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        data_of(await cancel(store, await store.invoice(sale, "nfse")))
        await self.assert_is(store, sale, "partiallyInvoiced")

    async def test_a_sale_is_failed_when_all_documents_are_rejected(self, store: Store) -> None:
        for item in (REFUSED_COURSE, REFUSED_MUG):
            await store.stock(item)
        sale = await store.invoiced("curso-recusado", "caneca-recusada")
        await self.assert_is(store, sale, "failed")
        assert {document["rejection"]["code"] for document in sale["invoices"]} == {"E0310", "528"}

    async def test_a_sale_is_failed_when_a_document_is_rejected_and_none_authorized(
        self, store: Store
    ) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.draft("curso", "caneca-recusada")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        await self.assert_is(store, sale, "failed")

    async def test_a_sale_is_canceled_when_all_documents_are(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        for listed in sale["invoices"]:
            data_of(await cancel(store, listed))
        await self.assert_is(store, sale, "canceled")

    async def test_a_sale_is_partially_invoiced_when_one_document_was_discarded(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        data_of(await store.discard(await store.invoice(sale, "nfe")))
        await self.assert_is(store, sale, "draft")
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",)}
        await self.assert_is(store, sale, "partiallyInvoiced")

    async def test_a_sale_is_canceled_when_a_document_is_and_another_is_a_draft(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        note = await store.settled(accepted(await store.emit(await store.invoice(sale, "nfse"))))
        data_of(await cancel(store, note))
        await self.assert_is(store, sale, "canceled")
        shown = invoices(await store.read_sale(sale), "status")
        assert shown == {"nfse": ("canceled",), "nfe": ("pending",)}

    async def test_a_sale_is_scheduled_when_a_document_is_canceled_and_another_scheduled(
        self, store: Store
    ) -> None:
        sale = await waiting(store, "curso", "caneca")
        note = accepted(await store.emit(await store.invoice(sale, "nfse")))
        data_of(await cancel(store, await store.settled(note)))
        await self.assert_is(store, sale, "scheduled")

    async def test_an_unknown_status_is_an_invalid_filter(self, store: Store) -> None:
        assert set(fields_of(await store.get("/sales", status="pronta"))) == {"status"}


class TestCancel:
    async def test_canceling_a_sale_cancels_every_authorized_document(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        canceled = data_of(await store.cancel_sale(sale, {"justification": REASON}))
        assert (canceled["id"], canceled["status"]) == (sale["id"], "canceled")
        assert invoices(canceled, "status") == {"nfse": ("canceled",), "nfe": ("canceled",)}
        assert await store.read_sale(sale) == canceled

    async def test_the_reason_is_sent_to_the_authorities(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        data_of(await store.cancel_sale(sale, {"justification": REASON, "reasonCode": "2"}))
        for listed in sale["invoices"]:
            event = (await store.events(listed))[-1]
            path = f"/{listed['type']}/{listed['id']}/events/{event['id']}/xml"
            xml = (await store.get(path)).text
            assert REASON in xml
            assert ("<cMotivo>2</cMotivo>" in xml) == (listed["type"] == "nfse")

    async def test_canceling_a_sale_deletes_its_drafts(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        accepted(await store.post(f"/invoices/{(await store.invoice(sale, 'nfe'))['id']}/emit"))
        await store.system.until(
            f"exists (select from documents where sale_id = '{sale['id']}' and status = 'authorized')"
        )
        sale = data_of(await store.cancel_sale(sale))
        assert (sale["status"], sale["scheduledEmitAt"]) == ("canceled", None)
        assert invoices(sale, "status") == {"nfe": ("canceled",)}

    async def test_canceling_a_sale_needs_no_reason(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        assert data_of(await store.cancel_sale(sale))["status"] == "canceled"

    async def test_canceling_a_sale_leaves_rejected_documents(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("curso", "caneca-recusada")
        canceled = data_of(await store.cancel_sale(sale))
        assert invoices(canceled, "status") == {"nfse": ("canceled",), "nfe": ("rejected",)}

    async def test_canceling_a_sale_leaves_a_draft_with_a_number(self, store: Store) -> None:
        for item in (REFUSED_COURSE, REFUSED_MUG):
            await store.stock(item)
        sale = await store.invoiced("curso-recusado", "caneca-recusada")
        data_of(await store.patch_sale(sale, products=[{"sku": "curso"}, {"sku": "caneca"}]))
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        canceled = data_of(await store.cancel_sale(sale))
        assert canceled["status"] == "canceled"
        assert invoices(canceled, "status") == {"nfse": ("pending",), "nfe": ("canceled",)}
        error_of(await store.delete(sale), 409, "SALE_ALREADY_INVOICED")
        answer = await store.emit_sale(sale)
        assert error_of(answer, 409, "INVALID_STATE")["currentStatus"] == "canceled"
        assert "invoices/{id}/emit" in answer.json()["error"]["message"]
        assert await store.read_sale(sale) == canceled
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfse"))))
        assert (await store.read_sale(sale))["status"] == "partiallyInvoiced"

    async def test_canceling_without_an_authorized_document_is_refused(
        self, system: System, store: Store
    ) -> None:
        draft = await store.draft("curso")
        error_of(await store.cancel_sale(draft), 409, "INVALID_STATE")
        accepted(await store.emit_sale(draft))
        sale = await store.sale_settled(draft)
        data_of(await store.cancel_sale(sale))
        error_of(await store.cancel_sale(sale), 409, "INVALID_STATE")
        async with system.worker_stopped():
            under_way = await store.sold("curso")
            error_of(await store.cancel_sale(under_way), 409, "INVALID_STATE")

    async def test_canceling_is_refused_while_a_document_is_processing(self, store: Store) -> None:
        await store.stock(UNANSWERED_MUG)
        sale = await store.sold("curso", "caneca-parada")
        note = await store.settled(await store.invoice(sale, "nfse"))
        details = error_of(await store.cancel_sale(sale), 409, "INVALID_STATE")
        assert details["currentStatus"] == "processing"
        assert (await store.read(note))["status"] == "authorized"

    async def test_a_cancellation_refused_by_the_authority_is_reported_with_its_message(
        self, store: Store
    ) -> None:
        sale = await store.invoiced("curso")
        details = error_of(
            await store.cancel_sale(sale, {"justification": REFUSING}), 422, "AUTHORITY_REJECTED"
        )
        assert details["authorityCode"] == "E0840"
        assert (details["documentId"], details["documentType"]) == (sale["invoices"][0]["id"], "nfse")
        assert await store.read_sale(sale) == sale

    @pytest.mark.usefixtures("short_wait")
    async def test_a_cancellation_without_an_answer_yet_continues(self, system: System, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca")
        async with system.worker_stopped():
            answer = await store.cancel_sale(sale)
            assert accepted(answer)["status"] == "invoiced"
        await system.until(
            f"not exists (select from documents where sale_id = '{sale['id']}' and status <> 'canceled')"
        )
        assert (await store.read_sale(sale))["status"] == "canceled"

    @pytest.mark.parametrize(
        ("body", "field"),
        [({"justification": "curta"}, "justification"), ({"reasonCode": "7"}, "reasonCode"), ({"x": 1}, "x")],
    )
    async def test_an_invalid_reason_is_reported(
        self, store: Store, body: dict[str, Any], field: str
    ) -> None:
        sale = await store.invoiced("curso")
        assert set(fields_of(await store.cancel_sale(sale, body))) == {field}
        assert await store.read_sale(sale) == sale

    async def test_a_canceled_number_is_not_reused(self, store: Store) -> None:
        first = await store.invoiced("caneca")
        data_of(await store.cancel_sale(first))
        second = await store.invoiced(MUG["sku"])
        assert (await store.invoice(second, "nfe"))["number"] == 2
