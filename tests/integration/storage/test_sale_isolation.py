"""No repository of sales, customers or products shows or changes a row of another subscription."""

from dataclasses import replace
from decimal import Decimal

import asyncpg
import pytest

from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogReferences, CatalogService
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.storage.identifiers import new_id
from carimbo.storage.products import ProductFilter
from integration.storage.neighbours import (
    CUSTOMER,
    SKU,
    TAX_ID,
    Neighbours,
    line_of,
    new_product,
    new_sale,
)


class TestCustomers:
    async def test_another_subscription_s_customer_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.customers.get(neighbours.customer_id) is None
            assert await tenant.customers.lock(neighbours.customer_id) is None
            assert await tenant.customers.find(neighbours.company_id, CUSTOMER) is None
            assert await tenant.customers.page(neighbours.company_id, None, 0, 10) == []
            assert await tenant.customers.count(neighbours.company_id, None) == 0

    async def test_another_subscription_s_customer_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.customers.write(neighbours.customer_id, CustomerFacts(name="Minha agora"))
            assert not await tenant.customers.delete(neighbours.company_id, neighbours.customer_id)
        assert await neighbours.owner_rows() == before

    async def test_nothing_can_be_added_to_another_subscription_s_company(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.customers.add(new_id(), neighbours.company_id, CUSTOMER)

    async def test_two_subscriptions_may_have_the_same_customer(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            company = await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Outra Loja"})
            assert company is not None
            added = await tenant.customers.add(new_id(), company.id, CUSTOMER)
        assert added.id != neighbours.customer_id


class TestCatalog:
    async def test_facts_of_another_subscription_s_catalog_are_not_seen(self, neighbours: Neighbours) -> None:
        wanted = CatalogReferences(tax_id=CUSTOMER.document, skus=(SKU,))
        arguments = (neighbours.company_id, wanted, "service")
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            own = await tenant.catalog.facts(*arguments)
            assert (own.customer, list(own.items)) == (CUSTOMER, [SKU])
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.catalog.facts(*arguments) == CatalogFacts()

    async def test_services_of_another_subscription_s_catalog_are_not_seen(
        self, neighbours: Neighbours
    ) -> None:
        arguments = (neighbours.company_id, CatalogReferences(city_service_code="02800"), "service")
        fiscal = {"cityServiceCode": "02800", "serviceItemCode": "01.05"}
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            await tenant.products.add(replace(new_product(neighbours.company_id, "hosting"), fiscal=fiscal))
            own = await tenant.catalog.facts(*arguments)
            assert own == CatalogFacts(services=(CatalogService("hosting", fiscal),))
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.catalog.facts(*arguments) == CatalogFacts()


class TestProducts:
    async def test_another_subscription_s_product_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            products, company_id = tenant.products, neighbours.company_id
            assert await products.find_by_sku(company_id, SKU) is None
            assert await products.get(company_id, neighbours.product_id) is None
            assert await products.by_skus(company_id, [SKU]) == []
            assert await products.by_ids(company_id, [neighbours.product_id]) == []
            assert await products.page(company_id, ProductFilter(), 0, 10) == []
            assert await products.count(company_id, ProductFilter()) == 0

    async def test_another_subscription_s_split_is_not_seen(self, neighbours: Neighbours) -> None:
        parts = [{"id": neighbours.product_id, "percentage": "100"}]
        split = replace(new_product(neighbours.company_id, "split"), type="split", components=parts)
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                if seen:
                    await tenant.products.add(split)
                splits = await tenant.products.splits_with(neighbours.company_id, neighbours.product_id)
            assert len(splits) == seen

    async def test_another_subscription_s_product_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        mine = replace(new_product(neighbours.company_id), id=neighbours.product_id, name="Meu agora")
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert not await tenant.products.delete(neighbours.company_id, neighbours.product_id)
            with pytest.raises(LookupError):
                await tenant.products.write(mine)
        assert await neighbours.owner_rows() == before

    async def test_nothing_can_be_added_to_another_subscription_s_company(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.products.add(new_product(neighbours.company_id))


class TestSales:
    async def test_another_subscription_s_sale_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.sales.get(neighbours.sale_id) is None
            assert await tenant.sales.lines([neighbours.sale_id]) == []

    async def test_another_subscription_s_sale_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            sale = await tenant.sales.get(neighbours.sale_id)
        assert sale is not None
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.sales.rewrite(replace(sale, amount=Decimal(1)), [line_of(neighbours.product_id)])
        assert await neighbours.owner_rows() == before

    @pytest.mark.parametrize("foreign", ["company", "customer", "product"])
    async def test_a_sale_cannot_refer_to_another_subscription_s_rows(
        self, neighbours: Neighbours, foreign: str
    ) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            company = await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Outra Loja"})
            assert company is not None
            customer = await tenant.customers.add(new_id(), company.id, CUSTOMER)
            product = await tenant.products.add(new_product(company.id))
        assert product is not None
        company_id = neighbours.company_id if foreign == "company" else company.id
        customer_id = neighbours.customer_id if foreign == "customer" else customer.id
        product_id = neighbours.product_id if foreign == "product" else product.id
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.sales.add(new_sale(company_id, customer_id), [line_of(product_id)])
