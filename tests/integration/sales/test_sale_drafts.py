"""A sale that someone has invoiced later: its drafts, and what may change before they are issued."""

import asyncio
from collections import Counter
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from integration.issuing.floor import Floor
from integration.issuing.provider import note_of
from integration.issuing.shop import accepted, error_of
from integration.issuing.test_correcting import text_in_xml
from integration.sales.store import MARIA, REFUSED_COURSE, REFUSED_MUG, Store, invoices
from support import data_of, fields_of

_SAO_PAULO = ZoneInfo("America/Sao_Paulo")
ABSENT = "01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b"


async def documents_of(store: Store) -> list[str]:
    return [one["id"] for one in data_of(await store.get("/invoices"))]


class TestDraft:
    async def test_is_made_at_once_and_not_issued(self, store: Store) -> None:
        answer = await store.sell("curso", "caneca", emitWhen="manual")
        assert answer.status_code == 200
        sale = answer.json()["data"]
        assert (sale["status"], sale["scheduledEmitAt"]) == ("draft", None)
        assert invoices(sale, "status", "number", "accessKey") == {
            "nfse": ("pending", None, None), "nfe": ("pending", None, None),
        }  # fmt: skip

    async def test_is_seen_among_the_invoices(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        assert {*await documents_of(store)} == {one["id"] for one in sale["invoices"]}
        pending = data_of(await store.get("/invoices", status="pending", type="nfse"))
        assert [one["saleId"] for one in pending] == [sale["id"]]

    async def test_is_changed_and_emitted_among_the_invoices(self, store: Store) -> None:
        sale = await store.draft("caneca")
        draft = await store.invoice(sale, "nfe")
        changed = data_of(await store.patch(draft, notes="Obrigado"))
        assert (changed["version"], changed["status"]) == (2, "pending")
        accepted(await store.emit(changed))
        record = await store.settled(changed)
        assert (record["status"], await text_in_xml(store, record, "infCpl")) == ("authorized", "Obrigado")
        assert (await store.read_sale(sale))["status"] == "invoiced"

    async def test_is_emitted_one_document_after_the_other(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfse"))))
        assert (await store.read_sale(sale))["status"] == "partiallyInvoiced"
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("authorized",)}

    async def test_follows_a_changed_amount(self, store: Store) -> None:
        sale = await store.draft("curso")
        data_of(await store.patch(await store.invoice(sale, "nfse"), amount=80))
        assert invoices(await store.read_sale(sale), "amount") == {"nfse": (80,)}


class TestEmit:
    async def test_queues_every_document_of_the_sale(self, floor: Floor, store: Store) -> None:
        sale = await store.draft("curso", "caneca", externalId="pedido-1")
        async with floor.standstill():
            queued = accepted(await store.emit_sale(sale))
            assert queued["status"] == "processing"
            assert invoices(queued, "status") == {"nfse": ("processing",), "nfe": ("processing",)}
            error_of(await store.emit_sale(sale), 409, "INVALID_STATE")
        settled = await store.sale_settled(sale)
        assert (settled["id"], settled["status"]) == (sale["id"], "invoiced")

    async def test_tries_again_what_was_refused(self, store: Store) -> None:
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

    async def test_leaves_a_note_on_the_day_on_which_it_was_first_asked_for(self, store: Store) -> None:
        await store.stock(REFUSED_COURSE)
        sale = await store.invoiced("curso-recusado")
        refused = await store.invoice(sale, "nfse")
        earlier = "update documents set first_queued_at = now() - interval '3 days' where id = $1"
        ((asked_at,),) = await store.floor.fetch(f"{earlier} returning first_queued_at", UUID(refused["id"]))
        data_of(await store.patch(refused, serviceDescription="Curso"))
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        note = await note_of(store, await store.invoice(sale, "nfse"))
        assert note.text("dCompet") == f"{asked_at.astimezone(_SAO_PAULO).date()}"

    async def test_of_what_is_issued_is_refused(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        error_of(await store.emit_sale(sale), 409, "INVALID_STATE")
        assert await store.read_sale(sale) == sale

    async def test_needs_a_certificate(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        data_of(await store.caller.http.delete(store.path("/certificate")))
        error_of(await store.emit_sale(sale), 422, "CERTIFICATE_MISSING")
        assert await store.read_sale(sale) == sale

    async def test_of_eight_at_once_issues_once(self, floor: Floor, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        async with floor.standstill():
            answers = await asyncio.gather(*(store.emit_sale(sale) for _ in range(8)))
        assert Counter(answer.status_code for answer in answers) == {202: 1, 409: 7}
        sale = await store.sale_settled(sale)
        for listed in sale["invoices"]:
            assert [one["type"] for one in await store.events(listed)].count("queued") == 1


class TestPut:
    async def test_rebuilds_the_drafts(self, store: Store) -> None:
        before = await store.draft("curso", externalId="pedido-1")
        after = data_of(await store.put(before, {"sku": "curso", "price": 70}, "caneca", emitWhen="manual"))
        assert (after["id"], after["externalId"]) == (before["id"], "pedido-1")
        assert after["createdAt"] == before["createdAt"]
        assert (after["status"], after["amount"]) == ("draft", 99.9)
        assert invoices(after, "status", "amount") == {"nfse": ("pending", 70), "nfe": ("pending", 29.9)}
        assert await store.read_sale(before) == after
        assert {*await documents_of(store)} == {one["id"] for one in after["invoices"]}

    async def test_takes_away_a_document_that_is_no_longer_needed(self, store: Store) -> None:
        before = await store.draft("curso", "caneca")
        after = data_of(await store.put(before, "caneca", emitWhen="manual", productInvoiceType="nfce"))
        assert invoices(after, "status") == {"nfce": ("pending",)}
        assert await documents_of(store) == [after["invoices"][0]["id"]]

    async def test_is_issued_as_it_was_written_last(self, store: Store) -> None:
        before = await store.draft("curso")
        buyer = MARIA | {"name": "Ana Lima", "email": "ana@example.com", "document": "111.444.777-35"}
        told = {"customer": buyer, "emitWhen": "manual", "discount": 10, "nfse": {"discrimination": "Aulas"}}
        after = data_of(await store.put(before, "curso", **told))
        assert after["customer"]["name"] == "Ana Lima"
        accepted(await store.emit_sale(after))
        note = await note_of(store, await store.invoice(await store.sale_settled(after), "nfse"))
        assert (note.text("toma/xNome"), note.text("xDescServ")) == ("Ana Lima", "Aulas")
        assert note.text("vDescIncond") == "10.00"

    async def test_may_have_it_issued_at_once(self, store: Store) -> None:
        before = await store.draft("curso")
        assert (await store.put(before, "curso")).status_code == 202
        assert (await store.sale_settled(before))["status"] == "invoiced"

    async def test_may_have_it_wait(self, store: Store) -> None:
        before = await store.draft("curso")
        told = {"emitWhen": "after_guarantee", "guaranteeDate": "2999-01-01"}
        after = data_of(await store.put(before, "curso", **told))
        assert (after["status"], after["guaranteeDate"]) == ("scheduled", "2999-01-01")
        again = data_of(await store.put(before, "curso", emitWhen="manual"))
        assert (again["status"], again["scheduledEmitAt"]) == ("draft", None)

    async def test_keeps_the_external_id(self, store: Store) -> None:
        sale = await store.draft("curso", externalId="pedido-1")
        same = data_of(await store.put(sale, "curso", emitWhen="manual", externalId="pedido-1"))
        assert same["externalId"] == "pedido-1"
        wrong = await store.put(sale, "curso", emitWhen="manual", externalId="pedido-2")
        assert set(fields_of(wrong)) == {"externalId"}

    async def test_that_is_refused_changes_nothing(self, store: Store) -> None:
        sale, stored = await store.draft("curso"), await store.stored()
        told = {"emitWhen": "manual", "nfse": {"competenceDate": "2999-01-01"}}
        error_of(await store.put(sale, "curso", **told), 422, "FISCAL_RULE_VIOLATION")
        assert set(fields_of(await store.put(sale, "nada", emitWhen="manual"))) >= {"products[0].name"}
        assert (await store.read_sale(sale), await store.stored()) == (sale, stored)


class TestDelete:
    async def test_takes_the_sale_and_its_drafts_away(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        assert data_of(await store.delete(sale)) == {"id": sale["id"], "deleted": True}
        error_of(await store.get(f"/sales/{sale['id']}"), 404, "NOT_FOUND")
        for listed in sale["invoices"]:
            error_of(await store.get(f"/invoices/{listed['id']}"), 404, "NOT_FOUND")
        assert (data_of(await store.get("/sales")), await documents_of(store)) == ([], [])
        error_of(await store.delete(sale), 404, "NOT_FOUND")

    async def test_leaves_customer_and_items(self, store: Store) -> None:
        sale = await store.draft("curso")
        data_of(await store.delete(sale))
        assert data_of(await store.get(f"/customers/{sale['customer']['id']}"))["name"] == MARIA["name"]
        assert len(await store.rows("products")) == 2

    async def test_lets_the_external_id_be_used_again(self, store: Store) -> None:
        sale = await store.draft("curso", externalId="pedido-1")
        data_of(await store.delete(sale))
        assert (await store.draft("curso", externalId="pedido-1"))["id"] != sale["id"]

    async def test_of_a_sale_that_waits_is_the_end_of_its_waiting(self, store: Store) -> None:
        sale = await store.sold("curso", emitWhen="after_guarantee", guaranteeDate="2999-01-01")
        data_of(await store.delete(sale))
        assert await store.rows("sales") == []


class TestAtOnce:
    """Whoever comes first, a sale and its documents fit together, and whoever comes too late is told so."""

    async def test_changed_deleted_and_emitted_it_is_one_of_these(self, store: Store) -> None:
        for _ in range(5):
            sale = await store.draft("curso", "caneca")
            answers = await asyncio.gather(
                store.put(sale, "curso", emitWhen="manual"),
                store.emit_sale(sale),
                store.delete(sale),
                store.emit(sale["invoices"][0]),
                store.put(sale, "caneca", emitWhen="manual"),
            )
            assert {answer.status_code for answer in answers} <= {200, 202, 404, 409}
            await self.assert_fits(store, sale)

    async def test_changed_by_eight_it_is_what_the_last_wrote(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        prices = range(11, 19)
        calls = (store.put(sale, {"sku": "curso", "price": price}, emitWhen="manual") for price in prices)
        assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}
        now = await store.read_sale(sale)
        assert invoices(now, "status", "amount") == {"nfse": ("pending", now["amount"])}
        assert now["amount"] in prices
        await self.assert_fits(store, sale)

    async def assert_fits(self, store: Store, sale: dict[str, Any]) -> None:
        answer = await store.get(f"/sales/{sale['id']}")
        rows = [row for row in await store.rows("documents") if str(row["sale_id"]) == sale["id"]]
        if answer.status_code == 404:
            assert rows == []
            return
        record = await store.sale_settled(sale)
        assert {one["id"] for one in record["invoices"]} == {str(row["id"]) for row in rows}
        sold = {"service": "nfse", "product": "nfe"}
        assert {sold[line["type"]] for line in record["products"]} == {row["type"] for row in rows}


class TestAfterIssuing:
    """Of a sale that is issued, or on its way, nothing changes but by its documents."""

    async def assert_closed(self, store: Store, sale: dict[str, Any], code: str) -> None:
        before = await store.read_sale(sale)
        error_of(await store.put(sale, "curso", emitWhen="manual"), 409, code)
        error_of(await store.delete(sale), 409, code)
        assert await store.read_sale(sale) == before

    async def test_an_authorized_one_stays(self, store: Store) -> None:
        await self.assert_closed(store, await store.invoiced("curso"), "SALE_ALREADY_INVOICED")

    async def test_one_under_way_stays(self, floor: Floor, store: Store) -> None:
        async with floor.standstill():
            await self.assert_closed(store, await store.sold("curso"), "SALE_ALREADY_INVOICED")

    async def test_a_canceled_one_stays(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        data_of(await store.cancel_sale(sale))
        await self.assert_closed(store, sale, "SALE_ALREADY_INVOICED")

    async def test_one_that_is_issued_in_part_stays(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        await self.assert_closed(store, sale, "SALE_ALREADY_INVOICED")

    async def test_a_refused_one_is_corrected_by_its_document(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("caneca-recusada")
        await self.assert_closed(store, sale, "INVALID_STATE")


class TestNoSale:
    @pytest.mark.parametrize("rest", ["", "/emit-invoice", "/cancel-invoice"])
    async def test_is_found_under_an_id_that_never_was(self, store: Store, rest: str) -> None:
        method = "POST" if rest else "GET"
        answer = await store.caller.http.request(method, store.path(f"/sales/{ABSENT}{rest}"))
        error_of(answer, 404, "NOT_FOUND")

    async def test_is_meant_by_what_is_no_id(self, store: Store) -> None:
        assert set(fields_of(await store.get("/sales/1"))) == {"id"}
