import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from decimal import Decimal
from typing import Any

import asyncpg
import pytest

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.storage.identifiers import new_id
from carimbo.storage.order_keys import OrderKeyTaken
from carimbo.storage.sales import NewSale, SaleLine, SaleLineDetails, SaleRow
from integration.storage.document_rows import Shop
from integration.storage.neighbours import line_of, new_product, new_sale

FULL: dict[str, Any] = {
    "amount": Decimal("165.00"),
    "discount": Decimal("5.00"),
    "shipping": Decimal("20.00"),
    "payment_method": "pix",
    "emit_when": "after_guarantee",
    "guarantee_date": date(2026, 12, 10),
}


@dataclass(frozen=True)
class Seller:
    """A company with a customer and two products."""

    shop: Shop
    sale: NewSale
    line: SaleLine
    other_line: SaleLine

    async def add(self, *lines: SaleLine, **changes: Any) -> SaleRow | None:
        """Stores a sale in its own transaction. Returns None if another order has one of its keys."""
        sale = replace(self.sale, id=new_id(), **changes)
        with suppress(OrderKeyTaken):
            async with self.shop.database.tenant(self.shop.subscription_id) as tenant:
                return await tenant.sales.add(sale, lines or [self.line])
        return None

    async def added(self, *lines: SaleLine, **changes: Any) -> SaleRow:
        sale = await self.add(*lines, **changes)
        assert sale is not None
        return sale

    async def read(self, sale: SaleRow) -> tuple[SaleRow | None, list[SaleLine]]:
        async with self.shop.database.tenant(self.shop.subscription_id) as tenant:
            shown = await tenant.sales.lines([sale.id])
            return await tenant.sales.get(sale.id), [_sold(line) for line in shown]


def _sold(line: SaleLineDetails) -> SaleLine:
    """Returns a line without the catalog's data about its item."""
    return SaleLine(**{field.name: getattr(line, field.name) for field in fields(SaleLine)})


async def seller_of(shop: Shop) -> Seller:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        customer = await tenant.customers.add(new_id(), shop.company_id, CustomerFacts(name="Maria"))
        products = [await tenant.products.add(new_product(shop.company_id, sku)) for sku in ("a", "b")]
    line, other = [line_of(product.id) for product in products if product]
    return Seller(shop, new_sale(shop.company_id, customer.id), line, replace(other, name="Outra"))


@pytest.fixture
async def seller(shop: Shop) -> Seller:
    return await seller_of(shop)


class TestAdd:
    @pytest.mark.parametrize("changes", [FULL, {"external_id": None, "is_direct": True}])
    async def test_the_answer_is_the_stored_sale_with_the_given_values(
        self, seller: Seller, changes: dict[str, Any]
    ) -> None:
        sale = replace(seller.sale, **changes)
        async with seller.shop.database.tenant(seller.shop.subscription_id) as tenant:
            added = await tenant.sales.add(sale, [seller.line])
        assert added is not None
        assert asdict(sale).items() <= asdict(added).items()
        assert await seller.read(added) == (added, [seller.line])

    async def test_lines_keep_their_order(self, seller: Seller) -> None:
        lines = [replace(seller.line, price=Decimal(price)) for price in (3, 1, 2)]
        sale = await seller.added(*lines)
        assert (await seller.read(sale))[1] == lines

    async def test_one_of_fifty_simultaneous_sales_with_an_external_id_is_stored(
        self, seller: Seller
    ) -> None:
        added = await asyncio.gather(*(seller.add() for _ in range(50)))
        assert Counter(sale is None for sale in added) == {True: 49, False: 1}
        async with seller.shop.database.connection() as connection:
            lines = await connection.fetchval(
                "select count(*) from sale_lines where subscription_id = $1", seller.shop.subscription_id
            )
        assert lines == 1

    async def test_sales_without_an_external_id_are_all_stored(self, seller: Seller) -> None:
        assert None not in [await seller.add(external_id=None) for _ in range(2)]

    async def test_sales_of_direct_documents_do_not_reserve_their_external_id(self, seller: Seller) -> None:
        assert None not in [await seller.add(is_direct=is_direct) for is_direct in (True, True, False)]

    async def test_another_company_may_use_the_same_external_id(
        self, seller: Seller, other_shop: Shop
    ) -> None:
        other = await seller_of(other_shop)
        assert None not in [await each_seller.add() for each_seller in (seller, other)]

    async def test_an_unknown_moment_of_issue_is_refused(self, seller: Seller) -> None:
        with pytest.raises(asyncpg.CheckViolationError):
            await seller.add(emit_when="never")


class TestRewrite:
    async def test_rewriting_changes_everything_but_the_identity(self, seller: Seller) -> None:
        before = await seller.added(seller.line, seller.other_line)
        wanted = replace(before, **FULL, sold_on=date(2026, 1, 2))
        renamed = replace(wanted, external_id="other", is_direct=True)
        async with seller.shop.database.tenant(seller.shop.subscription_id) as tenant:
            await tenant.sales.rewrite(renamed, [seller.other_line])
        after, lines = await seller.read(before)
        assert after is not None
        assert after.updated_at > before.updated_at
        assert (replace(after, updated_at=before.updated_at), lines) == (wanted, [seller.other_line])

    async def test_rewriting_leaves_other_sales(self, seller: Seller) -> None:
        other = await seller.added(external_id="other")
        sale = await seller.added()
        async with seller.shop.database.tenant(seller.shop.subscription_id) as tenant:
            await tenant.sales.rewrite(replace(sale, amount=Decimal(1)), [])
        assert await seller.read(other) == (other, [seller.line])
