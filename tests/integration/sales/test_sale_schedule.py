"""A sale that is invoiced when its guarantee has ended."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.floor import Floor
from integration.issuing.shop import ADDRESS, accepted, provider_in
from integration.sales.store import (
    COURSE,
    FAR,
    MUG,
    REFUSED_MUG,
    Store,
    come_due,
    fired,
    invoices,
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
    async def test_is_the_beginning_of_the_day_that_is_told(self, store: Store) -> None:
        answer = await store.sell("curso", emitWhen="after_guarantee", guaranteeDate=FAR)
        assert answer.status_code == 200
        sale = answer.json()["data"]
        assert (sale["status"], sale["guaranteeDate"]) == ("scheduled", FAR)
        assert moment(sale) == datetime(2999, 1, 15, tzinfo=_SAO_PAULO)
        assert invoices(sale, "status") == {"nfse": ("pending",)}
        assert await store.read_sale(sale) == sale

    async def test_is_the_very_one_that_is_told(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2999-01-15T01:30:00+00:00")
        assert moment(sale) == datetime(2999, 1, 15, 1, 30, tzinfo=UTC)
        assert sale["guaranteeDate"] == "2999-01-14"

    async def test_is_the_one_that_its_documents_are_judged_by(self, store: Store) -> None:
        day = datetime.now(_SAO_PAULO).date() + timedelta(days=20)
        told: dict[str, Any] = {"guaranteeDate": f"{day}", "nfse": {"competenceDate": f"{day}"}}
        sale = await waiting(store, "curso", **told)
        draft = await store.invoice(sale, "nfse")
        changed = data_of(await store.patch(draft, serviceDescription="Curso de verão"))
        assert (sale["status"], changed["status"]) == ("scheduled", "pending")
        told["nfse"] = {"competenceDate": f"{day + timedelta(days=1)}"}
        answer = await store.sell("curso", emitWhen="after_guarantee", **told)
        assert rules_of(answer) == {"nfse.competenceDate": "nfse"}

    async def test_without_an_offset_is_by_the_clock_of_the_company(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2999-01-15T10:30:00")
        assert moment(sale) == datetime(2999, 1, 15, 10, 30, tzinfo=_SAO_PAULO)
        assert sale["guaranteeDate"] == "2999-01-15"

    async def test_is_the_beginning_of_the_day_where_the_company_is(
        self, floor: Floor, certificate: A1Certificate
    ) -> None:
        store = await open_store(await provider_in(floor, certificate, RIO_BRANCO), COURSE)
        sale = await waiting(store, "curso")
        assert moment(sale) == datetime(2999, 1, 15, 5, tzinfo=UTC)
        late = await waiting(store, "curso", guaranteeDate="2999-01-15T04:59:59+00:00")
        assert late["guaranteeDate"] == "2999-01-14"

    async def test_is_the_longest_guarantee_of_the_items_after_the_sale(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        await store.stock(MUG | {"sku": "trinta", "guarantee": 30})
        today = datetime.now(_SAO_PAULO).date()
        told = {"guaranteeDate": None, "saleDate": f"{today}"}
        sale = await waiting(store, "sete", "curso", "trinta", **told)
        ends = today + timedelta(days=30)
        assert moment(sale) == datetime(ends.year, ends.month, ends.day, tzinfo=_SAO_PAULO)
        assert sale["guaranteeDate"] == f"{ends}"
        assert await store.read_sale(sale) == sale

    async def test_by_a_guarantee_is_counted_from_today_when_the_day_of_the_sale_is_not_told(
        self, store: Store
    ) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        sale = await waiting(store, "sete", guaranteeDate=None)
        ends = date.fromisoformat(sale["saleDate"]) + timedelta(days=7)
        assert sale["guaranteeDate"] == f"{ends}"
        assert moment(sale) == datetime(ends.year, ends.month, ends.day, tzinfo=_SAO_PAULO)

    async def test_of_a_split_is_by_the_longest_guarantee_of_its_parts(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        await store.stock(MUG | {"sku": "trinta", "guarantee": 30})
        parts = [{"sku": "sete", "percentage": 50}, {"sku": "trinta", "percentage": 50}]
        await store.stock({"sku": "kit", "name": "Kit", "type": "split", "price": 50, "components": parts})
        today = datetime.now(_SAO_PAULO).date()
        sale = await waiting(store, "kit", guaranteeDate=None, saleDate=f"{today}")
        assert sale["guaranteeDate"] == f"{today + timedelta(days=30)}"

    async def test_that_is_told_goes_before_the_guarantee_of_the_items(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "sete", "guarantee": 7})
        assert moment(await waiting(store, "sete")).year == 2999

    async def test_can_not_be_none(self, store: Store) -> None:
        answer = await store.sell("curso", "caneca", emitWhen="after_guarantee")
        assert set(fields_of(answer)) == {"guaranteeDate"}

    @pytest.mark.parametrize("when", ["immediately", "manual"])
    async def test_is_none_for_a_sale_that_does_not_wait(self, store: Store, when: str) -> None:
        sale = await store.sold("curso", emitWhen=when, guaranteeDate=FAR)
        assert (sale["scheduledEmitAt"], sale["guaranteeDate"]) == (None, FAR)


class TestWaiting:
    async def test_ends_with_the_issue_of_every_document(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "invoiced"
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("authorized",)}

    async def test_ends_at_once_when_the_moment_has_passed(self, store: Store) -> None:
        sale = await waiting(store, "curso", guaranteeDate="2026-01-01")
        assert (await fired(store, sale))["status"] == "invoiced"

    async def test_goes_on_until_then(self, store: Store) -> None:
        sale, due = await waiting(store, "curso"), await waiting(store, "caneca")
        await come_due(store, due)
        await fired(store, due)
        assert await store.read_sale(sale) == sale

    async def test_ends_once(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await come_due(store, sale)
        sale = await fired(store, sale)
        await come_due(store, sale)
        assert (await fired(store, sale))["invoices"] == sale["invoices"]
        assert await times_queued(store, sale) == BOTH_ONCE

    async def test_outlasts_a_worker_and_all_that_was_queued(self, floor: Floor, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        async with floor.standstill():
            await come_due(store, sale)
            await floor.fetch("delete from pgqueuer")
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", BOTH_ONCE)

    async def test_may_be_cut_short(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        accepted(await store.emit_sale(sale))
        sale = await store.sale_settled(sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", {"nfse": 1})

    async def test_leaves_what_was_emitted_before(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        await store.settled(accepted(await store.emit(await store.invoice(sale, "nfe"))))
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", BOTH_ONCE)

    async def test_ends_with_what_was_changed_meanwhile(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        data_of(await store.patch(await store.invoice(sale, "nfse"), amount=80))
        await come_due(store, sale)
        assert invoices(await fired(store, sale), "status", "amount") == {"nfse": ("authorized", 80)}

    async def test_ends_with_a_refusal_as_well(self, store: Store) -> None:
        await store.stock(REFUSED_MUG)
        sale = await waiting(store, "curso", "caneca-recusada")
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "partiallyInvoiced"
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("rejected",)}

    async def test_of_a_company_that_can_not_issue_ends_with_a_refusal_of_ours(
        self, store: Store, certificate: A1Certificate
    ) -> None:
        sale = await waiting(store, "curso", "caneca")
        data_of(await store.caller.http.delete(store.path("/certificate")))
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "failed"
        assert {one["rejection"]["code"] for one in sale["invoices"]} == {"CERTIFICATE_MISSING"}
        await store.certify(certificate)
        accepted(await store.emit_sale(sale))
        assert (await store.sale_settled(sale))["status"] == "invoiced"

    async def test_may_end_while_someone_cuts_it_short(self, store: Store) -> None:
        for _ in range(5):
            sale = await waiting(store, "curso", "caneca")
            await come_due(store, sale)
            cut_short = await store.emit_sale(sale)
            assert cut_short.status_code in (202, 409), cut_short.text
            sale = await fired(store, sale)
            assert (sale["status"], await times_queued(store, sale)) == ("invoiced", BOTH_ONCE)

    async def test_of_a_sale_that_is_put_off_ends_later(self, store: Store) -> None:
        sale = await waiting(store, "curso")
        told = {"emitWhen": "after_guarantee", "guaranteeDate": "2999-02-01"}
        later = data_of(await store.put(sale, "curso", **told))
        assert moment(later) == datetime(2999, 2, 1, tzinfo=_SAO_PAULO)
        await come_due(store, later)
        assert (await fired(store, later))["status"] == "invoiced"

    async def test_needs_no_certificate_before_its_end(
        self, store: Store, certificate: A1Certificate
    ) -> None:
        data_of(await store.caller.http.delete(store.path("/certificate")))
        sale = await waiting(store, "curso")
        assert sale["status"] == "scheduled"
        await store.certify(certificate)
        await come_due(store, sale)
        assert (await fired(store, sale))["status"] == "invoiced"
