"""The terms of a sale: its date, payment, amount, and their defaults."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from integration.sales.store import Store
from support import fields_of, wrong_fields

_SAO_PAULO = ZoneInfo("America/Sao_Paulo")


class TestRecord:
    async def test_a_record_has_all_fields_of_a_sale_and_no_company(self, store: Store) -> None:
        sale = await store.draft("curso")
        assert sale.keys() == {
            "id", "externalId", "status", "customer", "products", "amount", "discount", "shipping",
            "saleDate", "paymentMethod", "payments", "emitWhen", "guaranteeDate", "scheduledEmitAt",
            "sendEmail", "productInvoiceType", "nfse", "notes", "invoices", "warnings", "createdAt",
            "createdBy", "updatedAt",
        }  # fmt: skip
        assert await store.read_sale(sale) == sale


class TestDefaults:
    async def test_the_defaults_are_today_credit_card_and_immediately(self, store: Store) -> None:
        before = datetime.now(_SAO_PAULO).date()
        answer = await store.sell("curso")
        assert answer.status_code == 202
        sale = answer.json()["data"]
        assert sale["saleDate"] in {f"{day:%Y-%m-%d}" for day in (before, datetime.now(_SAO_PAULO).date())}
        assert (sale["paymentMethod"], sale["emitWhen"]) == ("credit_card", "immediately")
        assert (sale["discount"], sale["shipping"], sale["externalId"]) == (0, 0, None)
        assert (sale["guaranteeDate"], sale["scheduledEmitAt"]) == (None, None)
        assert (sale["sendEmail"], sale["productInvoiceType"], sale["nfse"]) == (None, None, None)
        assert (sale["products"][0]["price"], sale["products"][0]["quantity"]) == (100, 1)

    async def test_given_values_replace_the_defaults(self, store: Store) -> None:
        values = {
            "saleDate": "2026-11-02", "paymentMethod": "pix", "emitWhen": "manual", "sendEmail": True,
            "externalId": "pedido-1", "productInvoiceType": "nfce",
        }  # fmt: skip
        sale = await store.sold("curso", **values)
        assert {name: sale[name] for name in values} == values

    async def test_sending_an_e_mail_may_be_switched_on_or_off(self, store: Store) -> None:
        for answer in (True, False):
            sale = await store.draft("curso", sendEmail=answer)
            assert (sale["sendEmail"], (await store.read_sale(sale))["sendEmail"]) == (answer, answer)

    async def test_invalid_values_are_refused_and_not_replaced_by_defaults(self, store: Store) -> None:
        wrong: list[tuple[str, Any]] = [
            ("saleDate", "02/11/2026"), ("saleDate", 5), ("paymentMethod", "conchas"), ("emitWhen", "depois"),
            ("guaranteeDate", "amanhã"), ("sendEmail", "sim"), ("externalId", "x" * 101), ("discount", -1),
            ("discount", 0.001), ("shipping", -1), ("shipping", "10"), ("productInvoiceType", "cte"),
            ("nfse", {"serviceLocation": "3"}), ("nfse", {"cor": "azul"}), ("cor", "azul"),
        ]  # fmt: skip
        named = await wrong_fields(
            {f"{name} {value}": store.sell("curso", **{name: value}) for name, value in wrong}
        )
        assert {case: [field.partition(".")[0] for field in fields] for case, fields in named.items()} == {
            f"{name} {value}": [name] for name, value in wrong
        }
        assert await store.rows("sales") == []


class TestDay:
    async def test_the_date_of_a_time_is_that_of_the_company_s_time_zone(self, store: Store) -> None:
        late = await store.draft("curso", saleDate="2026-11-03T02:59:59Z")
        next_day = await store.draft("curso", saleDate="2026-11-03T03:00:00Z")
        assert (late["saleDate"], next_day["saleDate"]) == ("2026-11-02", "2026-11-03")

    async def test_a_date_outside_of_the_calendar_is_invalid(self, store: Store) -> None:
        days = ("1999-12-31", "3000-01-01", "2000-01-01T01:59:59Z")
        dated = [(name, day) for name in ("saleDate", "guaranteeDate") for day in days]
        named = await wrong_fields(
            {f"{name} {day}": store.sell("curso", **{name: day}) for name, day in dated}
        )
        assert named == {f"{name} {day}": [name] for name, day in dated}
        problems = fields_of(await store.sell("curso", saleDate=days[0]))
        assert problems == {"saleDate": "A data está fora do calendário."}

    async def test_the_first_and_last_day_of_the_calendar_are_accepted(self, store: Store) -> None:
        days = ["2000-01-01", "2999-12-31"]
        sales = [await store.draft("curso", saleDate=day, guaranteeDate=day) for day in days]
        assert [(sale["saleDate"], sale["guaranteeDate"]) for sale in sales] == [(day, day) for day in days]


class TestAmount:
    async def test_the_amount_is_the_sum_of_the_lines_to_the_cent(self, store: Store) -> None:
        lines = [{"sku": "curso", "price": 33.333, "quantity": 3}, {"sku": "caneca", "quantity": 2}]
        sale = await store.draft(*lines)
        assert [line["total"] for line in sale["products"]] == [100, 59.8]
        assert sale["amount"] == 159.8

    async def test_the_amount_subtracts_the_discount_and_adds_the_shipping(self, store: Store) -> None:
        sale = await store.draft("curso", "caneca", discount=9.9, shipping=15)
        assert (sale["amount"], sale["discount"], sale["shipping"]) == (135, 9.9, 15)

    async def test_the_discount_cannot_exceed_the_lines(self, store: Store) -> None:
        assert set(fields_of(await store.sell("curso", discount=100.01, shipping=20))) == {"discount"}
