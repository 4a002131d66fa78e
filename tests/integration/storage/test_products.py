import asyncio
import re
from collections import Counter
from dataclasses import asdict, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import asyncpg
import pytest

from carimbo.storage.products import ProductRow, SkuTaken, new_product_id
from integration.storage.document_rows import Shop
from integration.storage.neighbours import SKU, new_product

FULL: dict[str, Any] = {
    "price": Decimal("150.1234567891"),
    "guarantee": 30,
    "follows_company_defaults": False,
    "fiscal": {"serviceItemCode": "01.05", "iss": {"rate": 2.5}},
    "components": [{"id": "01KNWJH000000000000000000Z", "percentage": "33.3330"}],
}


async def add(shop: Shop, **changes: Any) -> ProductRow | None:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return await tenant.products.add(replace(new_product(shop.company_id), **changes))


async def added(shop: Shop, **changes: Any) -> ProductRow:
    product = await add(shop, **changes)
    assert product is not None
    return product


async def find(shop: Shop, sku: str = SKU) -> ProductRow | None:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return await tenant.products.find_by_sku(shop.company_id, sku)


class TestAdd:
    @pytest.mark.parametrize("changes", [FULL, {}])
    async def test_the_answer_is_the_stored_product_with_the_given_values(
        self, shop: Shop, changes: dict[str, Any]
    ) -> None:
        product = replace(new_product(shop.company_id), **changes)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            added = await tenant.products.add(product)
        assert added is not None
        assert asdict(product).items() <= asdict(added).items()
        assert await find(shop) == added

    async def test_two_products_cannot_have_the_same_sku(self, shop: Shop) -> None:
        first = await add(shop)
        assert await add(shop, name="Outra coisa") is None
        assert await find(shop) == first

    async def test_one_of_twenty_simultaneous_products_is_stored(self, shop: Shop) -> None:
        added = await asyncio.gather(*(add(shop) for _ in range(20)))
        assert Counter(product is None for product in added) == {True: 19, False: 1}

    async def test_skus_differ_by_case(self, shop: Shop) -> None:
        await add(shop)
        assert await add(shop, sku=SKU.upper()) is not None

    async def test_another_company_may_have_the_same_sku(self, shop: Shop, other_shop: Shop) -> None:
        first, second = await add(shop), await add(other_shop)
        assert (await find(shop), await find(other_shop)) == (first, second)

    async def test_the_sku_of_a_deleted_product_is_free(self, shop: Shop) -> None:
        first = await add(shop)
        async with shop.database.connection() as connection:
            await connection.execute(
                "update products set deleted_at = now() where id = $1", first and first.id
            )
        assert await find(shop) is None
        assert await add(shop) is not None

    async def test_an_unknown_type_is_refused(self, shop: Shop) -> None:
        with pytest.raises(asyncpg.CheckViolationError):
            await add(shop, type="bundle")


class TestFindingSeveral:
    async def test_finding_by_skus_and_by_ids_returns_the_existing_products(
        self, shop: Shop, other_shop: Shop
    ) -> None:
        first, second = await added(shop, sku="a"), await added(shop, sku="b")
        await added(shop, sku="c")
        foreign = await added(other_shop, sku="d")
        async with shop.database.tenant(shop.subscription_id) as tenant:
            by_sku = await tenant.products.by_skus(shop.company_id, ["b", "a", "d", "absent"])
            by_id = await tenant.products.by_ids(shop.company_id, [second.id, first.id, foreign.id])
        assert sorted(by_sku, key=lambda item: item.sku) == [first, second]
        assert sorted(by_id, key=lambda item: item.sku) == [first, second]


class TestWrite:
    async def test_the_answer_is_the_stored_product_with_the_given_values(self, shop: Shop) -> None:
        before = await added(shop)
        changed = replace(new_product(shop.company_id, "other"), id=before.id, **FULL)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            written = await tenant.products.write(changed)
        assert asdict(changed).items() <= asdict(written).items()
        assert written.created_at == before.created_at < written.updated_at
        assert await find(shop, "other") == written

    async def test_a_taken_sku_is_reported_and_the_transaction_continues(self, shop: Shop) -> None:
        first, second = await added(shop), await added(shop, sku="other")
        async with shop.database.tenant(shop.subscription_id) as tenant:
            with pytest.raises(SkuTaken):
                await tenant.products.write(replace(new_product(shop.company_id), id=second.id))
            assert await tenant.products.find_by_sku(shop.company_id, SKU) == first
        assert await find(shop, "other") == second


class TestNewProductId:
    def test_a_product_id_is_a_ulid(self) -> None:
        assert all(re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", new_product_id()) for _ in range(100))

    def test_product_ids_sort_by_creation_time(self) -> None:
        ids = []
        for _ in range(100):
            ids.append(new_product_id())
            # Within one process ids are ordered by the quarter of a microsecond.
            sum(range(200))
        assert all(first < second for first, second in pairwise(ids))
