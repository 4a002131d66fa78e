"""PATCH of a document that created a sale."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI

from carimbo.service import document_types
from carimbo.service.access import Authenticator
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.errors import Refusal
from integration.issuing.shop import MUG
from integration.service.direct_seller import CATALOG, NFE_TYPE, SELLING, Seller, ready_seller


@pytest.fixture
async def seller(app: FastAPI, authenticator: Authenticator) -> Seller:
    return await ready_seller(app, authenticator)


class TestCorrect:
    @pytest.fixture(autouse=True)
    def selling(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(document_types._BY_NAME, "nfe", SELLING)

    @pytest.fixture
    async def refused(self, seller: Seller) -> DocumentRecord:
        record = (await seller.create(externalId="pedido-1")).record
        await seller.reject(record)
        return record

    async def test_the_sale_follows_a_correction(self, seller: Seller, refused: DocumentRecord) -> None:
        before = await seller.only("sales")
        items = [MUG | {"sku": "copo", "description": "Copo", "quantity": 1, "unitValue": 10}]
        buyer = {"taxId": "11144477735", "name": "José", "email": "jose@example.com"}
        moment = datetime.now(UTC) - timedelta(days=2)
        changed = await seller.patch(refused, items=items, recipient=buyer, issueDate=moment.isoformat())
        sale, line = await seller.only("sales"), await seller.only("sale_lines")
        assert changed.sale_id == refused.sale_id == sale["id"]
        assert (sale["amount"], sale["sold_on"], line["name"], line["total"]) == (
            10, moment.date(), "Copo", 10,
        )  # fmt: skip
        assert (sale["created_at"], sale["external_id"]) == (before["created_at"], "pedido-1")
        assert await self._names(seller, sale, line) == ("José", "copo")

    async def test_a_correction_of_other_fields_leaves_the_sale(
        self, seller: Seller, refused: DocumentRecord
    ) -> None:
        before = await seller.rows()
        await seller.patch(refused, notes="Obrigado")
        after = await seller.rows()
        assert [after[name] for name in CATALOG] == [before[name] for name in CATALOG]

    async def test_the_customer_stays_if_the_buyer_is_not_changed(
        self, seller: Seller, refused: DocumentRecord
    ) -> None:
        async with seller.database.connection() as connection:
            await connection.execute(
                "update customers set deleted_at = now() where company_id = $1", seller.company.id
            )
        before = await seller.only("sales")
        await seller.patch(refused, items=[MUG | {"quantity": 1}])
        after = await seller.only("sales")
        assert (after["customer_id"], after["amount"]) == (before["customer_id"], Decimal("29.90"))

    async def test_the_date_stays_if_none_is_given(self, seller: Seller, refused: DocumentRecord) -> None:
        day = date(2026, 1, 2)
        async with seller.database.connection() as connection:
            await connection.execute("update sales set sold_on = $2 where id = $1", refused.sale_id, day)
        await seller.patch(refused, items=[MUG | {"quantity": 1}])
        assert (await seller.only("sales"))["sold_on"] == day

    async def test_removing_the_date_sets_today(self, seller: Seller) -> None:
        moment = datetime.now(UTC) - timedelta(days=2)
        record = (await seller.create(issueDate=moment.isoformat())).record
        await seller.reject(record)
        await seller.patch(record, issueDate=None)
        assert (await seller.only("sales"))["sold_on"] == seller.context.builder.today

    async def test_a_refused_correction_changes_nothing(
        self, seller: Seller, refused: DocumentRecord
    ) -> None:
        before = await seller.rows()
        for changes in ({"items": [MUG | {"ncm": "99999999"}]}, {"items": None}, {"externalId": "x"}):
            with pytest.raises(Refusal):
                await seller.patch(refused, **changes)
        assert await seller.rows() == before

    async def test_a_sale_created_by_a_caller_is_not_changed(self, seller: Seller) -> None:
        record = (await seller.create(document_type=NFE_TYPE)).record
        sale_id = await seller.sell()
        await seller.reject(record)
        async with seller.database.connection() as connection:
            await connection.execute(
                "update documents set sale_id = $2, is_direct = false where id = $1", record.id, sale_id
            )
        before = await seller.rows()
        assert (await seller.patch(record, items=[MUG | {"quantity": 1}])).sale_id == sale_id
        after = await seller.rows()
        assert [after[name] for name in CATALOG] == [before[name] for name in CATALOG]

    async def _names(self, seller: Seller, sale: dict[str, Any], line: dict[str, Any]) -> tuple[str, str]:
        rows = await seller.rows()
        names = {row["id"]: row["name"] for row in rows["customers"]}
        skus = {row["id"]: row["sku"] for row in rows["products"]}
        return names[sale["customer_id"]], skus[line["product_id"]]
