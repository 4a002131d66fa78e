import asyncio
from dataclasses import asdict, replace
from typing import Any

import asyncpg
import pytest

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.storage.customers import Customer
from carimbo.storage.identifiers import new_id
from integration.storage.document_rows import Shop
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS

MARIA = CustomerFacts(name="Maria da Silva", document="52998224725", email="maria@example.com")
JOHN = CustomerFacts(name="John Smith", foreign_id="P123456", email="john@example.com", is_foreign=True)
WHOLE = CustomerFacts(
    name="Açaí & Cia",
    email="acai@example.com",
    document="12ABC34501DE35",
    foreign_id="P1",
    phone="1133334444",
    address={"zipcode": "01310100", "city": "São Paulo"},
    municipal_registration="123",
    state_registration="ISENTO",
    trade_name="Açaí",
    is_foreign=True,
)


async def add(shop: Shop, facts: CustomerFacts) -> Customer:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return await tenant.customers.add(new_id(), shop.company_id, facts)


async def find_customer(shop: Shop, **facts: Any) -> Customer | None:
    """Finds a customer by anything but the name."""
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return await tenant.customers.find(shop.company_id, CustomerFacts(name="Fulano", **facts))


async def delete(shop: Shop, customer: Customer) -> bool:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        return await tenant.customers.delete(shop.company_id, customer.id)


async def listed(shop: Shop, search: str | None = None) -> list[Customer]:
    async with shop.database.tenant(shop.subscription_id) as tenant:
        page = await tenant.customers.page(shop.company_id, search, 0, 100)
        assert await tenant.customers.count(shop.company_id, search) == len(page)
    return page


class TestAdd:
    @pytest.mark.parametrize("facts", [WHOLE, CustomerFacts(name="Só o nome")])
    async def test_the_answer_is_the_stored_customer_with_the_given_facts(
        self, shop: Shop, facts: CustomerFacts
    ) -> None:
        added = await add(shop, facts)
        assert asdict(facts).items() <= asdict(added).items()
        async with shop.database.tenant(shop.subscription_id) as tenant:
            assert await tenant.customers.get(added.id) == added

    async def test_two_customers_cannot_have_the_same_document(self, shop: Shop) -> None:
        await add(shop, MARIA)
        with pytest.raises(asyncpg.UniqueViolationError):
            await add(shop, replace(MARIA, name="Outra", email=None))

    async def test_another_company_may_have_a_customer_with_the_same_document(
        self, shop: Shop, other_shop: Shop
    ) -> None:
        assert (await add(shop, MARIA)).id != (await add(other_shop, MARIA)).id

    async def test_the_document_of_a_deleted_customer_is_free(self, shop: Shop) -> None:
        await delete(shop, await add(shop, MARIA))
        again = await add(shop, MARIA)
        assert await find_customer(shop, document="52998224725") == again

    async def test_customers_without_a_document_are_all_stored(self, shop: Shop) -> None:
        nobody = CustomerFacts(name="Consumidor")
        assert len({(await add(shop, nobody)).id for _ in range(3)}) == 3


class TestFind:
    async def test_a_customer_is_found_by_document(self, shop: Shop) -> None:
        maria = await add(shop, MARIA)
        assert await find_customer(shop, document="52998224725", email="new@example.com") == maria

    async def test_a_customer_is_found_by_foreign_id(self, shop: Shop) -> None:
        john = await add(shop, JOHN)
        assert await find_customer(shop, foreign_id="P123456") == john

    async def test_a_customer_is_found_by_e_mail_regardless_of_case(self, shop: Shop) -> None:
        maria = await add(shop, replace(MARIA, email="Maria@Example.com"))
        assert await find_customer(shop, email="mARIA@example.com") == maria

    async def test_the_document_takes_precedence_over_the_e_mail(self, shop: Shop) -> None:
        await add(shop, CustomerFacts(name="Caixa de entrada", email="maria@example.com"))
        maria = await add(shop, MARIA)
        assert await find_customer(shop, document="52998224725", email="maria@example.com") == maria

    async def test_an_e_mail_finds_a_customer_that_has_no_document(self, shop: Shop) -> None:
        existing = await add(shop, replace(MARIA, document=None))
        assert await find_customer(shop, document="52998224725", email="maria@example.com") == existing
        assert await find_customer(shop, foreign_id="P1", email="maria@example.com") == existing

    @pytest.mark.parametrize("identity", [{"document": "11144477735"}, {"foreign_id": "P9"}])
    @pytest.mark.parametrize("existing", [MARIA, replace(MARIA, document=None, foreign_id="P1")])
    async def test_an_e_mail_does_not_find_a_customer_with_another_document_or_foreign_id(
        self, shop: Shop, existing: CustomerFacts, identity: dict[str, str]
    ) -> None:
        await add(shop, existing)
        assert await find_customer(shop, email="maria@example.com", **identity) is None

    async def test_an_e_mail_finds_the_oldest_of_several_customers(self, shop: Shop) -> None:
        oldest = await add(shop, MARIA)
        await add(shop, replace(MARIA, document="11144477735"))
        assert await find_customer(shop, email="maria@example.com") == oldest

    async def test_nobody_is_found_without_identification(self, shop: Shop) -> None:
        await add(shop, CustomerFacts(name="Fulano"))
        assert await find_customer(shop) is None

    async def test_a_customer_of_another_company_is_not_found(self, shop: Shop, other_shop: Shop) -> None:
        await add(shop, MARIA)
        assert await find_customer(other_shop, document="52998224725", email="maria@example.com") is None

    async def test_a_deleted_customer_is_not_found(self, shop: Shop) -> None:
        for facts in (MARIA, JOHN):
            await delete(shop, await add(shop, facts))
        assert await find_customer(shop, document="52998224725", email="maria@example.com") is None
        assert await find_customer(shop, foreign_id="P123456", email="john@example.com") is None


class TestHold:
    """A transaction that holds a customer's identification delays others with an identifier in common."""

    async def test_a_transaction_with_an_identifier_in_common_waits(self, shop: Shop) -> None:
        others = [
            MARIA,
            CustomerFacts(name="Por documento", document="52998224725"),
            CustomerFacts(name="Por e-mail", email="MARIA@example.com"),
            replace(JOHN, email="maria@example.com"),
        ]
        for other in others:
            async with shop.database.tenant(shop.subscription_id) as tenant:
                await tenant.customers.hold(shop.company_id, MARIA)
                waiting = asyncio.create_task(self._hold(shop, other))
                assert await self._all_wait(shop, waiting), other.name
            await asyncio.wait_for(waiting, TIMEOUT_SECONDS)

    async def test_a_transaction_with_no_identifier_in_common_does_not_wait(
        self, shop: Shop, other_shop: Shop
    ) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.customers.hold(shop.company_id, MARIA)
            await asyncio.wait_for(self._hold(shop, JOHN), TIMEOUT_SECONDS)
            await asyncio.wait_for(self._hold(shop, CustomerFacts(name=MARIA.name)), TIMEOUT_SECONDS)
            await asyncio.wait_for(self._hold(other_shop, MARIA), TIMEOUT_SECONDS)

    async def test_two_transactions_never_deadlock(self, shop: Shop) -> None:
        first = CustomerFacts(name="Um", document="a", foreign_id="b", email="c")
        reversed_facts = CustomerFacts(name="Outro", document="c", foreign_id="b", email="a")
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.customers.hold(shop.company_id, CustomerFacts(name="Do meio", document="b"))
            waiting = [asyncio.create_task(self._hold(shop, facts)) for facts in (first, reversed_facts)]
            assert await self._all_wait(shop, *waiting)
        await asyncio.wait_for(asyncio.gather(*waiting), TIMEOUT_SECONDS)

    async def _hold(self, shop: Shop, facts: CustomerFacts) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.customers.hold(shop.company_id, facts)

    async def _all_wait(self, shop: Shop, *tasks: asyncio.Task[None]) -> bool:
        """Waits until all tasks are blocked. Returns False if one of them ends instead."""
        async with asyncio.timeout(TIMEOUT_SECONDS), shop.database.connection() as connection:
            while not any(task.done() for task in tasks):
                if await connection.fetchval(f"select {BLOCKED_SESSIONS}") >= len(tasks):
                    return True
                await asyncio.sleep(0.01)
        return False


class TestWrite:
    async def test_all_facts_are_replaced(self, shop: Shop) -> None:
        before = await add(shop, MARIA)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            written = await tenant.customers.write(before.id, WHOLE)
            after = await tenant.customers.lock(before.id)
        assert after is not None
        assert written == after
        assert after.updated_at > before.updated_at
        assert after == replace(before, **asdict(WHOLE), updated_at=after.updated_at)

    async def test_a_deleted_customer_is_not_changed(self, shop: Shop) -> None:
        maria = await add(shop, MARIA)
        await delete(shop, maria)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            assert await tenant.customers.write(maria.id, WHOLE) is None
            assert await tenant.customers.lock(maria.id) is None
            name = await tenant.connection.fetchval("select name from customers where id = $1", maria.id)
        assert name == MARIA.name


class TestPage:
    async def test_customers_are_listed_newest_first(self, shop: Shop) -> None:
        added = [await add(shop, CustomerFacts(name=f"Cliente {number}")) for number in range(3)]
        assert await listed(shop) == added[::-1]
        async with shop.database.tenant(shop.subscription_id) as tenant:
            assert await tenant.customers.page(shop.company_id, None, 1, 1) == [added[1]]

    async def test_customers_of_other_companies_and_deleted_ones_are_not_listed(
        self, shop: Shop, other_shop: Shop
    ) -> None:
        await add(other_shop, MARIA)
        await delete(shop, await add(shop, MARIA))
        assert await listed(shop) == []
        assert await listed(shop, "maria") == []

    async def test_a_search_finds_the_current_facts(self, shop: Shop) -> None:
        maria = await add(shop, MARIA)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.customers.write(maria.id, replace(MARIA, name="Ana Lima", email=None))
        assert await listed(shop, "maria") == []
        assert [customer.id for customer in await listed(shop, "LIMA 529.982")] == [maria.id]


class TestDelete:
    async def test_a_customer_is_deleted_only_once(self, shop: Shop) -> None:
        maria = await add(shop, MARIA)
        assert [await delete(shop, maria) for _ in range(2)] == [True, False]

    async def test_a_customer_of_another_company_is_not_deleted(self, shop: Shop, other_shop: Shop) -> None:
        maria = await add(shop, MARIA)
        assert await delete(other_shop, maria) is False
        assert await listed(shop) == [maria]
