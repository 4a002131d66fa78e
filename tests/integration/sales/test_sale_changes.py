"""Changing and deleting a sale, and until when that is possible."""

import asyncio
from typing import Any

import pytest

from carimbo.service.sales import change
from integration.issuing.shop import accepted, error_of, note_of
from integration.issuing.system import System
from integration.sales.store import JOAO, MARIA, REFUSED_MUG, Store, invoices, sale_of
from support import ABSENT, data_of, fields_of


class TestPut:
    async def test_a_put_recreates_the_drafts(self, store: Store) -> None:
        before = await store.draft("curso", externalId="pedido-1")
        after = data_of(await store.put(before, {"sku": "curso", "price": 70}, "caneca", emitWhen="manual"))
        assert (after["id"], after["externalId"]) == (before["id"], "pedido-1")
        assert after["createdAt"] == before["createdAt"]
        assert (after["status"], after["amount"]) == ("draft", 99.9)
        assert invoices(after, "status", "amount") == {"nfse": ("pending", 70), "nfe": ("pending", 29.9)}
        assert await store.read_sale(before) == after
        assert {*await store.document_ids()} == {document["id"] for document in after["invoices"]}

    async def test_a_put_deletes_a_document_that_is_no_longer_needed(self, store: Store) -> None:
        before = await store.draft("curso", "caneca")
        after = data_of(await store.put(before, "caneca", emitWhen="manual", productInvoiceType="nfce"))
        assert invoices(after, "status") == {"nfce": ("pending",)}
        assert await store.document_ids() == [after["invoices"][0]["id"]]

    async def test_a_sale_is_issued_as_it_was_last_written(self, store: Store) -> None:
        before = await store.draft("curso")
        buyer = MARIA | {"name": "Ana Lima", "email": "ana@example.com", "document": "111.444.777-35"}
        values = {
            "customer": buyer,
            "emitWhen": "manual",
            "discount": 10,
            "nfse": {"discrimination": "Aulas"},
        }
        after = data_of(await store.put(before, "curso", **values))
        assert after["customer"]["name"] == "Ana Lima"
        accepted(await store.emit_sale(after))
        note = await note_of(store, await store.invoice(await store.sale_settled(after), "nfse"))
        assert (note.text("toma/xNome"), note.text("xDescServ")) == ("Ana Lima", "Aulas")
        assert note.text("vDescIncond") == "10.00"

    async def test_a_put_fills_gaps_of_an_existing_customer_and_overwrites_nothing(
        self, store: Store
    ) -> None:
        before, existing = await store.draft("curso"), await store.know(JOAO)
        facts = JOAO | {"name": "Joãozinho", "email": "outro@example.com", "phone": "11987654321"}
        after = data_of(await store.put(before, "curso", customer=facts, emitWhen="manual"))
        now = data_of(await store.get(f"/customers/{existing['id']}"))
        assert after["customer"] == {name: existing[name] for name in ("id", "name", "email", "document")}
        assert now == existing | {"phone": facts["phone"], "updatedAt": now["updatedAt"]}

    async def test_a_put_may_issue_the_sale_at_once(self, store: Store) -> None:
        before = await store.draft("curso")
        assert (await store.put(before, "curso", emitWhen="immediately")).status_code == 202
        assert (await store.sale_settled(before))["status"] == "invoiced"

    async def test_a_put_keeps_missing_fields_and_clears_null_fields(self, store: Store) -> None:
        values = {
            "discount": 10,
            "notes": "Até logo",
            "nfse": {"discrimination": "Aulas", "cityIbge": "3550308"},
        }
        before = await store.draft("curso", **values)
        changes = {"notes": None, "nfse": {"discrimination": "Curso"}}
        after = data_of(await store.caller.http.put(store.path(f"/sales/{before['id']}"), json=changes))
        assert (after["discount"], after["notes"]) == (10, None)
        assert (after["nfse"]["discrimination"], after["nfse"]["cityIbge"]) == ("Curso", None)
        assert after["products"] == before["products"]
        assert (after["status"], after["emitWhen"]) == ("draft", "manual")

    async def test_blank_fields_issue_nothing(self, store: Store) -> None:
        before = await store.draft("curso")
        path = store.path(f"/sales/{before['id']}")
        for method, blank in (("PUT", None), ("PUT", ""), ("PATCH", None), ("PATCH", "")):
            changes = {"emitWhen": blank, "products": blank, "guaranteeDate": blank}
            after = data_of(await store.caller.http.request(method, path, json=changes))
            assert (after["status"], after["products"]) == ("draft", before["products"]), (method, blank)

    async def test_a_put_may_schedule_the_sale(self, store: Store) -> None:
        before = await store.draft("curso")
        values = {"emitWhen": "after_guarantee", "guaranteeDate": "2999-01-01"}
        after = data_of(await store.put(before, "curso", **values))
        assert (after["status"], after["guaranteeDate"]) == ("scheduled", "2999-01-01")
        again = data_of(await store.put(before, "curso", emitWhen="manual"))
        assert (again["status"], again["scheduledEmitAt"]) == ("draft", None)

    async def test_a_put_keeps_the_external_id(self, store: Store) -> None:
        sale = await store.draft("curso", externalId="pedido-1")
        same = data_of(await store.put(sale, "curso", emitWhen="manual", externalId="pedido-1"))
        assert same["externalId"] == "pedido-1"
        wrong = await store.put(sale, "curso", emitWhen="manual", externalId="pedido-2")
        assert set(fields_of(wrong)) == {"externalId"}

    async def test_a_refused_put_changes_nothing(self, store: Store) -> None:
        sale, stored = await store.draft("curso"), await store.stored()
        values = {"emitWhen": "manual", "nfse": {"competenceDate": "2999-01-01"}}
        error_of(await store.put(sale, "curso", **values), 422, "FISCAL_RULE_VIOLATION")
        assert set(fields_of(await store.put(sale, "nada", emitWhen="manual"))) >= {"products[0].name"}
        assert (await store.read_sale(sale), await store.stored()) == (sale, stored)


class TestDelete:
    async def test_deleting_a_sale_deletes_its_drafts(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        assert data_of(await store.delete(sale)) == {"id": sale["id"], "deleted": True}
        error_of(await store.get(f"/sales/{sale['id']}"), 404, "NOT_FOUND")
        for listed in sale["invoices"]:
            error_of(await store.get(f"/invoices/{listed['id']}"), 404, "NOT_FOUND")
        assert (data_of(await store.get("/sales")), await store.document_ids()) == ([], [])
        error_of(await store.delete(sale), 404, "NOT_FOUND")

    async def test_deleting_a_sale_keeps_customer_and_items(self, store: Store) -> None:
        sale = await store.draft("curso")
        data_of(await store.delete(sale))
        assert data_of(await store.get(f"/customers/{sale['customer']['id']}"))["name"] == MARIA["name"]
        assert len(await store.rows("products")) == 2

    async def test_the_external_id_of_a_deleted_sale_may_be_used_again(self, store: Store) -> None:
        sale = await store.draft("curso", externalId="pedido-1")
        data_of(await store.delete(sale))
        assert (await store.draft("curso", externalId="pedido-1"))["id"] != sale["id"]

    async def test_a_scheduled_sale_can_be_deleted(self, store: Store) -> None:
        sale = await store.sold("curso", emitWhen="after_guarantee", guaranteeDate="2999-01-01")
        data_of(await store.delete(sale))
        assert await store.rows("sales") == []


class TestAtOnce:
    """A sale and its documents stay consistent in any order of requests; late requests are refused."""

    async def test_only_one_of_simultaneous_change_deletion_and_emission_succeeds(self, store: Store) -> None:
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
            await self.assert_consistent(store, sale)

    async def test_after_eight_simultaneous_changes_the_sale_is_one_of_them(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        prices = range(11, 19)
        calls = (store.put(sale, {"sku": "curso", "price": price}, emitWhen="manual") for price in prices)
        assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}
        now = await store.read_sale(sale)
        assert invoices(now, "status", "amount") == {"nfse": ("pending", now["amount"])}
        assert now["amount"] in prices
        await self.assert_consistent(store, sale)

    async def test_changes_of_different_fields_are_both_kept(self, store: Store) -> None:
        sale = await store.draft("caneca")
        answers = await store.answers_at_once(
            sale, store.patch_sale(sale, notes="Entregar na portaria"), store.patch_sale(sale, discount=5)
        )
        assert [answer.status_code for answer in answers] == [200, 200]
        now = await store.read_sale(sale)
        assert (now["notes"], now["discount"]) == ("Entregar na portaria", 5)
        assert invoices(now, "amount") == {"nfe": (24.9,)}

    async def test_a_change_that_issues_the_sale_includes_the_change_before_it(self, store: Store) -> None:
        sale = await store.draft("caneca")
        answers = await store.answers_at_once(
            sale, store.patch_sale(sale, discount=5), store.patch_sale(sale, emitWhen="immediately")
        )
        assert [answer.status_code for answer in answers] == [200, 202]
        now = await store.sale_settled(sale)
        assert invoices(now, "status", "amount") == {"nfe": ("authorized", 24.9)}

    async def test_a_change_that_conflicts_too_often_is_refused(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(change, "MAX_TRIES", 1)
        sale = await store.draft("caneca")
        first, second = await store.answers_at_once(
            sale, store.patch_sale(sale, notes="Obrigado"), store.patch_sale(sale, discount=5)
        )
        error_of(second, 409, "VERSION_CONFLICT")
        assert await store.read_sale(sale) == data_of(first)

    async def assert_consistent(self, store: Store, sale: dict[str, Any]) -> None:
        answer = await store.get(f"/sales/{sale['id']}")
        rows = [row for row in await store.rows("documents") if str(row["sale_id"]) == sale["id"]]
        if answer.status_code == 404:
            assert rows == []
            return
        record = await store.sale_settled(sale)
        assert {document["id"] for document in record["invoices"]} == {str(row["id"]) for row in rows}
        sold = {"service": "nfse", "product": "nfe"}
        assert {sold[line["type"]] for line in record["products"]} == {row["type"] for row in rows}


class TestAfterIssuing:
    """A sale that is issued or being issued changes only through its documents."""

    async def assert_closed(self, store: Store, sale: dict[str, Any], code: str) -> None:
        before = await store.read_sale(sale)
        error_of(await store.put(sale, "curso", emitWhen="manual"), 409, code)
        error_of(await store.delete(sale), 409, code)
        assert await store.read_sale(sale) == before

    async def test_an_invoiced_sale_cannot_be_changed(self, store: Store) -> None:
        await self.assert_closed(store, await store.invoiced("curso"), "SALE_ALREADY_INVOICED")

    async def test_a_sale_being_issued_cannot_be_changed(self, system: System, store: Store) -> None:
        async with system.worker_stopped():
            await self.assert_closed(store, await store.sold("curso"), "SALE_ALREADY_INVOICED")

    async def test_a_canceled_sale_cannot_be_changed(self, store: Store) -> None:
        sale = await store.invoiced("curso")
        data_of(await store.cancel_sale(sale))
        await self.assert_closed(store, sale, "SALE_ALREADY_INVOICED")

    async def test_a_partially_invoiced_sale_cannot_be_changed(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        await self.assert_closed(store, sale, "SALE_ALREADY_INVOICED")

    async def test_a_rejected_sale_with_a_number_is_neither_deleted_nor_given_another_type(
        self, store: Store
    ) -> None:
        await store.stock(REFUSED_MUG)
        sale = await store.invoiced("caneca-recusada")
        await self.assert_closed(store, sale, "INVALID_STATE")


class TestMissingSale:
    async def test_a_missing_sale_is_not_found_by_any_route(self, store: Store) -> None:
        routes = [
            *(("GET", ""), ("PUT", ""), ("PATCH", ""), ("DELETE", "")),
            *(("POST", "/emit-invoice"), ("POST", "/cancel-invoice")),
        ]
        for method, rest in routes:
            body = sale_of("curso") if method in ("PUT", "PATCH") else None
            path = store.path(f"/sales/{ABSENT}{rest}")
            error_of(await store.caller.http.request(method, path, json=body), 404, "NOT_FOUND")
        assert await store.rows("sales") == []

    async def test_a_malformed_id_is_invalid(self, store: Store) -> None:
        assert set(fields_of(await store.get("/sales/1"))) == {"id"}
