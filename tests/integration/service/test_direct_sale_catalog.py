"""The customer and the catalog item of a direct document: found, or created."""

import asyncio
from dataclasses import asdict, replace

import pytest
from fastapi import FastAPI

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.service.access import Authenticator
from carimbo.service.catalog.customers import find_or_add_customer
from integration.service.direct_seller import COURSE, MARIA, SOLD, Seller, ready_seller
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true


@pytest.fixture
async def seller(app: FastAPI, authenticator: Authenticator) -> Seller:
    return await ready_seller(app, authenticator)


class TestCustomer:
    async def test_a_customer_is_created_with_all_given_facts(self, seller: Seller) -> None:
        facts = CustomerFacts(
            name="John Smith",
            foreign_id="P123456",
            email="john@example.com",
            phone="1133334444",
            address={"street": "5th Avenue", "countryCode": "2496"},
            municipal_registration="12",
            state_registration="ISENTO",
            trade_name="Smith",
            is_foreign=True,
        )
        await seller.sell(replace(SOLD, customer=facts))
        customer = await seller.only("customers")
        assert asdict(facts).items() <= customer.items()

    async def test_an_existing_customer_keeps_its_facts_and_gets_the_missing_ones(
        self, seller: Seller
    ) -> None:
        first = await seller.sell_to(name="Maria", document="52998224725", phone="11999998888")
        again = await seller.sell_to(
            name="Maria da Silva", document="52998224725", phone="1133334444", email="maria@example.com"
        )
        assert first == again
        customer = await seller.only("customers")
        assert (customer["name"], customer["phone"], customer["email"]) == (
            "Maria", "11999998888", "maria@example.com",
        )  # fmt: skip

    async def test_a_customer_found_by_two_identifiers_at_once_gets_all_facts(self, seller: Seller) -> None:
        await seller.sell()
        by_document = CustomerFacts(name="Maria", document=MARIA.document, phone="1133334444")
        by_email = CustomerFacts(name="Maria", email="maria@example.com", trade_name="Loja")
        async with seller.database.tenant(seller.subscription.id) as tenant:
            await find_or_add_customer(tenant, seller.company.id, by_document)
            other = asyncio.create_task(seller.sell(replace(SOLD, customer=by_email)))
            async with seller.database.connection() as connection:
                await wait_until_true(connection.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
        await asyncio.wait_for(other, TIMEOUT_SECONDS)
        customer = await seller.only("customers")
        assert (customer["phone"], customer["trade_name"]) == ("1133334444", "Loja")

    async def test_a_customer_without_new_facts_is_not_written(self, seller: Seller) -> None:
        await seller.sell()
        before = await seller.only("customers")
        await seller.sell(replace(SOLD, customer=replace(MARIA, name="Outro nome")))
        assert await seller.only("customers") == before

    async def test_a_customer_found_by_e_mail_gets_its_document(self, seller: Seller) -> None:
        first = await seller.sell_to(name="Maria", email="maria@example.com")
        again = await seller.sell_to(name="Maria", email="maria@example.com", document="52998224725")
        assert first == again
        assert (await seller.only("customers"))["document"] == "52998224725"

    async def test_customers_with_the_same_e_mail_and_different_documents_are_different(
        self, seller: Seller
    ) -> None:
        first = await seller.sell_to(name="Maria", document="52998224725", email="contador@example.com")
        other = await seller.sell_to(name="José", document="11144477735", email="contador@example.com")
        assert first != other

    async def test_a_name_alone_creates_another_customer_each_time(self, seller: Seller) -> None:
        assert await seller.sell_to(name="Consumidor") != await seller.sell_to(name="Consumidor")

    async def test_a_deleted_customer_is_created_again(self, seller: Seller) -> None:
        first = await seller.sell_to(name="Maria", document="52998224725")
        async with seller.database.connection() as connection:
            await connection.execute("update customers set deleted_at = now() where id = $1", first)
        assert await seller.sell_to(name="Maria", document="52998224725") != first

    async def test_each_company_has_its_own_customer(
        self, seller: Seller, app: FastAPI, authenticator: Authenticator
    ) -> None:
        other = await ready_seller(app, authenticator)
        assert await seller.sell_to(name="Maria", document="52998224725") != await other.sell_to(
            name="Maria", document="52998224725"
        )


class TestItem:
    async def test_an_item_is_created_from_the_document(self, seller: Seller) -> None:
        await seller.sell()
        product = await seller.only("products")
        assert asdict(COURSE).items() <= product.items()
        assert (product["price"], product["follows_company_defaults"]) == (None, True)

    async def test_an_existing_item_is_not_changed(self, seller: Seller) -> None:
        await seller.sell()
        before = await seller.only("products")
        renamed = replace(COURSE, name="Outro nome", category="saas", guarantee=30, fiscal={})
        sale_id = await seller.sell(replace(SOLD, item=renamed))
        assert await seller.only("products") == before
        async with seller.database.tenant(seller.subscription.id) as tenant:
            (line,) = await tenant.sales.lines([sale_id])
        assert (line.product_id, line.name) == (before["id"], "Outro nome")
