"""The customer and the catalog item of a document that is created directly: found, or made."""

import asyncio
from dataclasses import asdict, replace

import pytest
from fastapi import FastAPI

from carimbo.fiscal.customer import CustomerFacts
from carimbo.service.access import Gatekeeper
from carimbo.service.customers import customer_for
from integration.service.direct_seller import COURSE, MARIA, SOLD, Seller, ready_seller
from support import HELD_UP, PATIENCE, until_it_holds


@pytest.fixture
async def seller(app: FastAPI, gatekeeper: Gatekeeper) -> Seller:
    return await ready_seller(app, gatekeeper)


class TestCustomer:
    async def test_is_made_of_all_that_is_told(self, seller: Seller) -> None:
        told = CustomerFacts(
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
        await seller.sell(replace(SOLD, customer=told))
        customer = await seller.only("customers")
        assert asdict(told).items() <= customer.items()

    async def test_that_is_known_keeps_what_is_filled_and_gets_the_rest(self, seller: Seller) -> None:
        first = await seller.sell_to(name="Maria", document="52998224725", phone="11999998888")
        again = await seller.sell_to(
            name="Maria da Silva", document="52998224725", phone="1133334444", email="maria@example.com"
        )
        assert first == again
        customer = await seller.only("customers")
        assert (customer["name"], customer["phone"], customer["email"]) == (
            "Maria", "11999998888", "maria@example.com",
        )  # fmt: skip

    async def test_that_two_know_by_different_marks_gets_what_both_tell(self, seller: Seller) -> None:
        await seller.sell()
        by_document = CustomerFacts(name="Maria", document=MARIA.document, phone="1133334444")
        by_email = CustomerFacts(name="Maria", email="maria@example.com", trade_name="Loja")
        async with seller.database.tenant(seller.subscription.id) as tenant:
            await customer_for(tenant, seller.company.id, by_document)
            other = asyncio.create_task(seller.sell(replace(SOLD, customer=by_email)))
            async with seller.database.connection() as connection:
                await until_it_holds(connection.fetch, f"{HELD_UP} > 0", PATIENCE)
        await asyncio.wait_for(other, PATIENCE)
        customer = await seller.only("customers")
        assert (customer["phone"], customer["trade_name"]) == ("1133334444", "Loja")

    async def test_that_gets_nothing_new_is_not_written(self, seller: Seller) -> None:
        await seller.sell()
        before = await seller.only("customers")
        await seller.sell(replace(SOLD, customer=replace(MARIA, name="Outro nome")))
        assert await seller.only("customers") == before

    async def test_whose_document_becomes_known_is_the_one_with_the_e_mail(self, seller: Seller) -> None:
        first = await seller.sell_to(name="Maria", email="maria@example.com")
        again = await seller.sell_to(name="Maria", email="maria@example.com", document="52998224725")
        assert first == again
        assert (await seller.only("customers"))["document"] == "52998224725"

    async def test_with_another_document_is_another_though_the_e_mail_is_the_same(
        self, seller: Seller
    ) -> None:
        first = await seller.sell_to(name="Maria", document="52998224725", email="contador@example.com")
        other = await seller.sell_to(name="José", document="11144477735", email="contador@example.com")
        assert first != other

    async def test_that_is_known_by_a_name_alone_is_another_each_time(self, seller: Seller) -> None:
        assert await seller.sell_to(name="Consumidor") != await seller.sell_to(name="Consumidor")

    async def test_that_was_deleted_is_made_anew(self, seller: Seller) -> None:
        first = await seller.sell_to(name="Maria", document="52998224725")
        async with seller.database.connection() as connection:
            await connection.execute("update customers set deleted_at = now() where id = $1", first)
        assert await seller.sell_to(name="Maria", document="52998224725") != first

    async def test_of_another_company_is_another(
        self, seller: Seller, app: FastAPI, gatekeeper: Gatekeeper
    ) -> None:
        other = await ready_seller(app, gatekeeper)
        assert await seller.sell_to(name="Maria", document="52998224725") != await other.sell_to(
            name="Maria", document="52998224725"
        )


class TestItem:
    async def test_is_made_as_the_document_tells_it(self, seller: Seller) -> None:
        await seller.sell()
        product = await seller.only("products")
        assert asdict(COURSE).items() <= product.items()
        assert (product["price"], product["follows_company_defaults"]) == (None, True)

    async def test_that_is_known_stays_as_it_is(self, seller: Seller) -> None:
        await seller.sell()
        before = await seller.only("products")
        renamed = replace(COURSE, name="Outro nome", category="saas", guarantee=30, fiscal={})
        sale_id = await seller.sell(replace(SOLD, item=renamed))
        assert await seller.only("products") == before
        async with seller.database.tenant(seller.subscription.id) as tenant:
            (line,) = await tenant.sales.lines([sale_id])
        assert (line.product_id, line.name) == (before["id"], "Outro nome")
