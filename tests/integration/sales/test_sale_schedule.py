"""A sale that is invoiced when its guarantee has ended."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.shop import ADDRESS, accepted, provider_in
from integration.issuing.system import System
from integration.sales.store import (
    COURSE,
    FAR,
    MUG,
    REFUSED_MUG,
    Store,
    fired,
    invoices,
    make_due,
    moment,
    open_store,
    rules_of,
    times_queued,
    waiting,
)
from support import data_of, fields_of

RIO_BRANCO = ADDRESS | {"zipcode": "69900-062", "city": "Rio Branco", "state": "AC"}
BOTH_ONCE = {"nfse": 1, "nfe": 1}
_SAO_PAULO = ZoneInfo("America/Sao_Paulo")


class TestMoment:
    async def test_a_guarantee_date_means_the_beginning_of_that_day(self, store: Store) -> None:
        answer = await store.sell("curso", emitWhen="after_guarantee", guaranteeDate=FAR)
        assert answer.status_code == 200
        sale = answer.json()["data"]
        assert (sale["status"], sale["guaranteeDate"]) == ("scheduled", FAR)
        assert moment(sale) == datetime(2999, 1, 15, tzinfo=_SAO_PAULO)
        assert invoices(sale, "status") == {"nfse": ("pending",)}
        assert await store.read_sale(sale) == sale

    async def test_a_guarantee_time_is_kept_exactly(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2999-01-15T01:30:00+00:00")
        assert moment(sale) == datetime(2999, 1, 15, 1, 30, tzinfo=UTC)
        assert sale["guaranteeDate"] == "2999-01-14"

    async def test_documents_are_checked_as_of_the_scheduled_time(self, store: Store) -> None:
        day = datetime.now(_SAO_PAULO).date() + timedelta(days=20)
        values: dict[str, Any] = {"guaranteeDate": f"{day}", "nfse": {"competenceDate": f"{day}"}}
        sale = await waiting(store, "curso", **values)
        draft = await store.invoice(sale, "nfse")
        changed = data_of(await store.patch(draft, serviceDescription="Curso de verão"))
        assert (sale["status"], changed["status"]) == ("scheduled", "pending")
        values["nfse"] = {"competenceDate": f"{day + timedelta(days=1)}"}
        answer = await store.sell("curso", emitWhen="after_guarantee", **values)
        assert rules_of(answer) == {"nfse.competenceDate": "nfse"}

    async def test_a_time_without_offset_is_in_the_company_s_time_zone(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2999-01-15T10:30:00")
        assert moment(sale) == datetime(2999, 1, 15, 10, 30, tzinfo=_SAO_PAULO)
        assert sale["guaranteeDate"] == "2999-01-15"

    async def test_a_guarantee_date_begins_in_the_company_s_time_zone(
        self, system: System, certificate: A1Certificate
    ) -> None:
        store = await open_store(await provider_in(system, certificate, RIO_BRANCO), COURSE)
        sale = await waiting(store, "curso")
        assert moment(sale) == datetime(2999, 1, 15, 5, tzinfo=UTC)
        late = await waiting(store, "curso", guaranteeDate="2999-01-15T04:59:59+00:00")
        assert late["guaranteeDate"] == "2999-01-14"

    async def test_the_longest_guarantee_of_the_items_decides(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        await store.stock(MUG | {"sku": "trinta", "guarantee": 30})
        today = datetime.now(_SAO_PAULO).date()
        values = {"guaranteeDate": None, "saleDate": f"{today}"}
        sale = await waiting(store, "sete", "curso", "trinta", **values)
        ends = today + timedelta(days=30)
        assert moment(sale) == datetime(ends.year, ends.month, ends.day, tzinfo=_SAO_PAULO)
        assert sale["guaranteeDate"] == f"{ends}"
        assert await store.read_sale(sale) == sale

    async def test_a_guarantee_starts_today_if_the_sale_has_no_date(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        sale = await waiting(store, "sete", guaranteeDate=None)
        ends = date.fromisoformat(sale["saleDate"]) + timedelta(days=7)
        assert sale["guaranteeDate"] == f"{ends}"
        assert moment(sale) == datetime(ends.year, ends.month, ends.day, tzinfo=_SAO_PAULO)

    async def test_the_longest_guarantee_of_a_bundle_s_parts_decides(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        await store.stock(MUG | {"sku": "trinta", "guarantee": 30})
        parts = [{"sku": "sete", "percentage": 50}, {"sku": "trinta", "percentage": 50}]
        await store.stock({"sku": "kit", "name": "Kit", "type": "split", "price": 50, "components": parts})
        today = datetime.now(_SAO_PAULO).date()
        sale = await waiting(store, "kit", guaranteeDate=None, saleDate=f"{today}")
        assert sale["guaranteeDate"] == f"{today + timedelta(days=30)}"

    async def test_a_given_date_takes_precedence_over_the_items_guarantees(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        assert moment(await waiting(store, "sete")).year == 2999

    async def test_a_sale_after_guarantee_needs_a_date(self, store: Store) -> None:
        answer = await store.sell("curso", "caneca", emitWhen="after_guarantee")
        assert set(fields_of(answer)) == {"guaranteeDate"}

    @pytest.mark.parametrize("when", ["immediately", "manual"])
    async def test_a_sale_that_is_not_scheduled_has_no_scheduled_time(self, store: Store, when: str) -> None:
        sale = await store.sold("curso", emitWhen=when, guaranteeDate=FAR)
        assert (sale["scheduledEmitAt"], sale["guaranteeDate"]) == (None, FAR)


class TestWaiting:
    async def test_every_document_is_issued_when_the_sale_is_due(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await make_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "invoiced"
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("authorized",)}

    async def test_a_sale_whose_time_has_passed_is_issued_at_once(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2026-01-01")
        assert (await fired(store, sale))["status"] == "invoiced"

    async def test_a_sale_that_is_not_due_keeps_waiting(self, store: Store) -> None:
        sale, due = await waiting(store, "curso"), await waiting(store, "caneca")
        await make_due(store, due)
        await fired(store, due)
        assert await store.read_sale(sale) == sale

    async def test_a_sale_is_issued_only_once(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await make_due(store, sale)
        sale = await fired(store, sale)
        await make_due(store, sale)
        assert (await fired(store, sale))["invoices"] == sale["invoices"]
        assert await times_queued(store, sale) == BOTH_ONCE

    async def test_a_sale_that_comes_due_while_no_worker_runs_is_issued_later(
        self, system: System, store: Store
    ) -> None:
        sale = await waiting(store, "curso", "caneca")
        async with system.worker_stopped():
            await make_due(store, sale)
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", BOTH_ONCE)

    async def test_a_scheduled_sale_may_be_emitted_early(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", {"nfse": 1})

    async def test_documents_emitted_earlier_are_not_issued_again(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        await make_due(store, sale)
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", BOTH_ONCE)

    async def test_a_changed_draft_is_issued_as_changed(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        data_of(await store.patch(await store.invoice(sale, "nfse"), amount=80))
        await make_due(store, sale)
        assert invoices(await fired(store, sale), "status", "amount") == {"nfse": ("authorized", 80)}

    async def test_a_scheduled_document_may_be_rejected(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await waiting(store, "curso", "caneca-recusada")
        await make_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "partiallyInvoiced"
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("rejected",)}

    async def test_a_company_that_is_not_ready_gets_its_documents_rejected(
        self, store: Store, certificate: A1Certificate
    ) -> None:
        sale = await waiting(store, "curso", "caneca")
        data_of(await store.caller.http.delete(store.path("/certificate")))
        await make_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "failed"
        assert {document["rejection"]["code"] for document in sale["invoices"]} == {"CERTIFICATE_MISSING"}
        await store.set_certificate(certificate)
        accepted(await store.emit_sale(sale))
        assert (await store.sale_settled(sale))["status"] == "invoiced"

    async def test_a_sale_emitted_just_when_it_is_due_is_issued_once(self, store: Store) -> None:
        for _ in range(5):
            sale = await waiting(store, "curso", "caneca")
            await make_due(store, sale)
            cut_short = await store.emit_sale(sale)
            assert cut_short.status_code in (202, 409), cut_short.text
            sale = await fired(store, sale)
            assert (sale["status"], await times_queued(store, sale)) == ("invoiced", BOTH_ONCE)

    async def test_a_sale_may_be_postponed(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        schedule = {"emitWhen": "after_guarantee", "guaranteeDate": "2999-02-01"}
        later = data_of(await store.put(sale, "curso", **schedule))
        assert moment(later) == datetime(2999, 2, 1, tzinfo=_SAO_PAULO)
        await make_due(store, later)
        assert (await fired(store, later))["status"] == "invoiced"

    async def test_a_scheduled_sale_needs_no_certificate_until_it_is_due(
        self, store: Store, certificate: A1Certificate
    ) -> None:
        data_of(await store.caller.http.delete(store.path("/certificate")))
        sale = await waiting(store, "curso")
        assert sale["status"] == "scheduled"
        await store.set_certificate(certificate)
        await make_due(store, sale)
        assert (await fired(store, sale))["status"] == "invoiced"
