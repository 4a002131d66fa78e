"""A sale that is invoiced manually: its drafts, and issuing them."""

import asyncio
from collections import Counter
from uuid import UUID
from zoneinfo import ZoneInfo

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import accepted, error_of, note_of
from integration.issuing.system import System
from integration.sales.store import REFUSED_COURSE, REFUSED_MUG, Store, invoices, times_queued
from support import data_of

_SAO_PAULO = ZoneInfo("America/Sao_Paulo")


class TestDraft:
    async def test_drafts_are_created_at_once_and_not_issued(self, store: Store) -> None:
        answer = await store.sell("curso", "caneca", emitWhen="manual")
        assert answer.status_code == 200
        sale = answer.json()["data"]
        assert (sale["status"], sale["scheduledEmitAt"]) == ("draft", None)
        assert invoices(sale, "status", "number", "accessKey") == {
            "nfse": ("pending", None, None), "nfe": ("pending", None, None),
        }  # fmt: skip

    async def test_drafts_are_listed_among_the_invoices(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        assert {*await store.document_ids()} == {document["id"] for document in sale["invoices"]}
        pending = data_of(await store.get("/invoices", status="pending", type="nfse"))
        assert [document["saleId"] for document in pending] == [sale["id"]]

    async def test_a_draft_can_be_changed_and_emitted_as_an_invoice(self, store: Store) -> None:
        sale = await store.draft("caneca")
        draft = await store.invoice(sale, "nfe")
        changed = data_of(await store.patch(draft, notes="Obrigado"))
        assert (changed["version"], changed["status"]) == (2, "pending")
        accepted(await store.emit(changed))
        record = await store.settled(changed)
        notes = await text_in_xml(store, record, "infCpl") or ""
        assert (record["status"], notes.partition(" | ")[0]) == ("authorized", "Obrigado")
        assert (await store.read_sale(sale))["status"] == "invoiced"

    async def test_drafts_can_be_emitted_one_after_the_other(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfse"))))
        assert (await store.read_sale(sale))["status"] == "partiallyInvoiced"
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("authorized",)}

    async def test_a_sale_shows_the_changed_amount_of_a_draft(self, store: Store) -> None:
        sale = await store.draft("curso")
        data_of(await store.patch(await store.invoice(sale, "nfse"), amount=80))
        assert invoices(await store.read_sale(sale), "amount") == {"nfse": (80,)}


class TestEmit:
    async def test_emitting_queues_every_document_of_the_sale(self, system: System, store: Store) -> None:
        sale = await store.draft("curso", "caneca", externalId="pedido-1")
        async with system.worker_stopped():
            queued = accepted(await store.emit_sale(sale))
            assert queued["status"] == "processing"
            assert invoices(queued, "status") == {"nfse": ("processing",), "nfe": ("processing",)}
            error_of(await store.emit_sale(sale), 409, "INVALID_STATE")
        settled = await store.sale_settled(sale)
        assert (settled["id"], settled["status"]) == (sale["id"], "invoiced")

    async def test_emitting_retries_rejected_documents(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("curso", "caneca-recusada")
        assert sale["status"] == "partiallyInvoiced"
        refused, note = await store.invoice(sale, "nfe"), await store.invoice(sale, "nfse")
        (line,) = data_of(await store.get(f"/nfe/{refused['id']}/items"))
        items = [{"description": "Caneca", "ncm": line["ncm"], "quantity": 1, "unitValue": 29.9}]
        data_of(await store.patch(refused, items=items))
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert (sale["status"], (await store.invoice(sale, "nfe"))["number"]) == ("invoiced", 1)
        assert await store.read(note) == note

    async def test_an_nfs_e_keeps_the_competence_date_of_its_first_emission(self, store: Store) -> None:
        await store.stock(REFUSED_COURSE)
        sale = await store.invoiced("curso-recusado")
        refused = await store.invoice(sale, "nfse")
        earlier = "update documents set first_queued_at = now() - interval '3 days' where id = $1"
        ((requested_at,),) = await store.system.fetch(
            f"{earlier} returning first_queued_at", UUID(refused["id"])
        )
        data_of(await store.patch(refused, serviceDescription="Curso"))
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("dCompet") == f"{requested_at.astimezone(_SAO_PAULO).date()}"

    async def test_emitting_an_invoiced_sale_is_refused(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        error_of(await store.emit_sale(sale), 409, "INVALID_STATE")
        assert await store.read_sale(sale) == sale

    async def test_emitting_needs_a_certificate(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        data_of(await store.caller.http.delete(store.path("/certificate")))
        error_of(await store.emit_sale(sale), 422, "CERTIFICATE_MISSING")
        assert await store.read_sale(sale) == sale

    async def test_emitting_during_a_correction_issues_the_corrected_document(self, store: Store) -> None:
        sale = await store.draft("caneca")
        draft = await store.invoice(sale, "nfe")
        corrected, emitted = await store.answers_at_once(
            sale, store.patch(draft, notes="Entregar na portaria"), store.emit_sale(sale)
        )
        assert data_of(corrected)["version"] == 2
        accepted(emitted)
        issued = await store.invoice(await store.sale_settled(sale), "nfe")
        assert "Entregar na portaria" in (await text_in_xml(store, issued, "infCpl") or "")

    async def test_eight_simultaneous_emissions_issue_once(self, system: System, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        async with system.worker_stopped():
            answers = await asyncio.gather(*(store.emit_sale(sale) for _ in range(8)))
        assert Counter(answer.status_code for answer in answers) == {202: 1, 409: 7}
        sale = await store.sale_settled(sale)
        assert await times_queued(store, sale) == {"nfse": 1, "nfe": 1}
