"""A direct document creates a sale, its customer and its catalog item, each once."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from fastapi import FastAPI

from carimbo.service.access import Authenticator
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.issuing.accept import find_replay
from integration.issuing.shop import MUG, RECIPIENT
from integration.service.direct_seller import NFE_TYPE, SELLING, Seller, ready_seller

SIMULTANEOUS = 50
ONE_OF_EACH = {"documents": 1, "customers": 1, "products": 1, "sales": 1, "sale_lines": 1}
NOTHING = dict.fromkeys(ONE_OF_EACH, 0)


@pytest.fixture
async def seller(app: FastAPI, authenticator: Authenticator) -> Seller:
    return await ready_seller(app, authenticator)


class TestCreate:
    async def test_a_document_has_the_sale_that_it_created(self, seller: Seller) -> None:
        accepted = await seller.create(externalId="pedido-1")
        sale, line = await seller.only("sales"), await seller.only("sale_lines")
        customer, product = await seller.only("customers"), await seller.only("products")
        assert accepted.record.sale_id == sale["id"] == line["sale_id"]
        assert (sale["customer_id"], line["product_id"]) == (customer["id"], product["id"])
        assert (sale["external_id"], sale["is_direct"], sale["amount"]) == (
            "pedido-1",
            True,
            Decimal("59.80"),
        )
        assert (line["name"], line["price"], line["quantity"], line["total"]) == (
            "Caneca", Decimal("59.80"), 1, Decimal("59.80"),
        )  # fmt: skip
        assert (customer["name"], customer["document"]) == ("Maria da Silva", "52998224725")
        assert customer["address"]["cityCode"] == "3550308"

    async def test_a_type_without_sales_leaves_the_catalog(self, seller: Seller) -> None:
        accepted = await seller.create(document_type=NFE_TYPE)
        assert accepted.record.sale_id is None
        assert await seller.counts() == NOTHING | {"documents": 1}

    async def test_the_sale_has_the_date_of_the_document(self, seller: Seller) -> None:
        moment = datetime.now(UTC) - timedelta(days=2)
        await seller.create(issueDate=moment.isoformat())
        assert (await seller.only("sales"))["sold_on"] == moment.date()

    async def test_a_sale_without_a_date_is_of_today(self, seller: Seller) -> None:
        await seller.create()
        assert (await seller.only("sales"))["sold_on"] == seller.context.builder.today

    async def test_a_second_document_reuses_customer_and_item(self, seller: Seller) -> None:
        first, second = await seller.create(), await seller.create()
        assert first.record.sale_id != second.record.sale_id
        assert await seller.counts() == ONE_OF_EACH | {"documents": 2, "sales": 2, "sale_lines": 2}

    async def test_a_document_refused_by_the_rules_stores_nothing(self, seller: Seller) -> None:
        with pytest.raises(Refusal) as refusal:
            await seller.create(items=[MUG | {"ncm": "99999999"}])
        assert refusal.value.code is ErrorCode.FISCAL_RULE_VIOLATION
        assert await seller.counts() == NOTHING

    async def test_a_document_refused_by_the_plan_stores_nothing(
        self, app: FastAPI, authenticator: Authenticator
    ) -> None:
        seller = await ready_seller(app, authenticator, "trial")
        async with seller.database.connection() as connection:
            await connection.execute(
                "insert into allowances (subscription_id, period, used) values ($1, 'total', 10)",
                seller.subscription.id,
            )
        with pytest.raises(Refusal) as refusal:
            await seller.create()
        assert refusal.value.code is ErrorCode.DOCUMENT_LIMIT_REACHED
        assert await seller.counts() == NOTHING


class TestReplay:
    async def test_a_replay_returns_the_first_document_and_writes_nothing(self, seller: Seller) -> None:
        first = await seller.create("k")
        before = await seller.rows()
        other_buyer = RECIPIENT | {"taxId": "111.444.777-35", "name": "José"}
        again = await seller.create("k", recipient=other_buyer, items=[MUG | {"sku": "outra"}])
        assert (again.is_new, again.record.id) == (False, first.record.id)
        assert await seller.rows() == before

    async def test_a_replay_is_found_by_the_external_id_of_the_sale(self, seller: Seller) -> None:
        first = await seller.create("k1", externalId="pedido-1")
        again = await seller.create("k2", externalId="pedido-1")
        assert again.record == first.record
        ids = (seller.subscription.id, seller.company.id)
        replayed = await find_replay(seller.database, *ids, SELLING, "k3", {"externalId": "pedido-1"})
        assert replayed is not None
        assert replayed.id == first.record.id
        assert await seller.counts() == ONE_OF_EACH

    async def test_a_replay_does_not_use_the_plan(self, app: FastAPI, authenticator: Authenticator) -> None:
        seller = await ready_seller(app, authenticator, "trial")
        for _ in range(3):
            await seller.create("k")
        assert (await seller.only("allowances"))["reserved"] == 1


class TestAtOnce:
    @pytest.mark.parametrize("plan", ["unlimited", "trial"])
    async def test_simultaneous_requests_with_one_key_create_one_of_each(
        self, app: FastAPI, authenticator: Authenticator, plan: str
    ) -> None:
        seller = await ready_seller(app, authenticator, plan)
        accepted = await asyncio.gather(*(seller.create("k") for _ in range(SIMULTANEOUS)))
        assert Counter(document.is_new for document in accepted) == {True: 1, False: SIMULTANEOUS - 1}
        assert len({(document.record.id, document.record.sale_id) for document in accepted}) == 1
        assert await seller.counts() == ONE_OF_EACH

    async def test_simultaneous_requests_with_one_key_and_other_buyers_create_one(
        self, seller: Seller
    ) -> None:
        bodies = [RECIPIENT | {"email": f"{number}@example.com"} for number in range(SIMULTANEOUS)]
        await asyncio.gather(*(seller.create("k", recipient=buyer) for buyer in bodies))
        assert await seller.counts() == ONE_OF_EACH

    async def test_simultaneous_documents_for_one_new_customer_create_one_customer(
        self, seller: Seller
    ) -> None:
        await asyncio.gather(*(seller.create() for _ in range(SIMULTANEOUS)))
        assert await seller.counts() == {
            "documents": SIMULTANEOUS,
            "customers": 1,
            "products": 1,
            "sales": SIMULTANEOUS,
            "sale_lines": SIMULTANEOUS,
        }

    @pytest.mark.parametrize(
        "facts",
        [
            {"document": "52998224725"},
            {"foreign_id": "P123456"},
            {"email": "maria@example.com"},
            {"document": "52998224725", "email": "maria@example.com"},
        ],
        ids=str,
    )
    async def test_simultaneous_sales_with_the_same_identifier_create_one_customer(
        self, seller: Seller, facts: dict[str, str]
    ) -> None:
        customer_ids = await asyncio.gather(
            *(seller.sell_to(name="Maria", **facts) for _ in range(SIMULTANEOUS))
        )
        assert len(set(customer_ids)) == (await seller.counts())["customers"] == 1

    async def test_simultaneous_sales_with_different_identifiers_create_one_customer(
        self, seller: Seller
    ) -> None:
        identifiers: list[dict[str, str]] = [
            {"document": "52998224725", "email": "maria@example.com"},
            {"email": "Maria@example.com"},
        ]
        all_facts = [identifiers[number % 2] for number in range(SIMULTANEOUS)]
        await asyncio.gather(*(seller.sell_to(name="Maria", **facts) for facts in all_facts))
        customer = await seller.only("customers")
        assert (customer["document"], customer["email"].lower()) == ("52998224725", "maria@example.com")

    async def test_facts_of_simultaneous_sales_are_all_kept(self, seller: Seller) -> None:
        facts = [{"phone": "1133334444"}, {"trade_name": "Loja"}, {"municipal_registration": "1"}] * 10
        identity = {"name": "Maria", "document": "52998224725"}
        await asyncio.gather(*(seller.sell_to(**identity, **fact) for fact in facts))
        customer = await seller.only("customers")
        assert {name: customer[name] for fact in facts for name in fact} == {
            name: value for fact in facts for name, value in fact.items()
        }
