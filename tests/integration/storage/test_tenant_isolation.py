"""No repository shows or changes a row of another subscription."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

import asyncpg
import pytest

from carimbo.fiscal.customer import CustomerFacts
from carimbo.storage.allowances import Usage
from carimbo.storage.database import Tenant
from carimbo.storage.emissions import Place
from carimbo.storage.identifiers import new_id
from carimbo.storage.number_sequences import NumberSequences
from carimbo.storage.numbering import UnusedPage
from carimbo.storage.products import ProductFilter
from integration.storage.neighbours import (
    CUSTOMER,
    SKU,
    SUMMARY,
    TAX_ID,
    Neighbours,
    line_of,
    new_product,
    new_sale,
)

ChangeOfNumber = Callable[[NumberSequences, Place], Awaitable[Any]]


async def set_back(numbers: NumberSequences, place: Place) -> None:
    await numbers.set_next_number(place.company_id, place.document_type, place.environment, place.series, 7)


async def lock(numbers: NumberSequences, place: Place) -> None:
    await numbers.lock(place.company_id, place.document_type, place.environment, place.series)


async def move_past(numbers: NumberSequences, place: Place) -> None:
    await numbers.move_past(place, 99)


class TestEveryRepository:
    # The repository of subscriptions is the operator's, and not scoped.
    COVERED = frozenset(
        {
            "allowances",
            "archive",
            "certificates",
            "companies",
            "credentials",
            "customers",
            "document_events",
            "documents",
            "emissions",
            "event_filings",
            "inutilizations",
            "number_sequences",
            "numberings",
            "products",
            "sales",
            "secrets",
            "state_registrations",
            "strays",
        }
    )

    def test_is_covered_by_this_file_or_that_of_documents(self) -> None:
        repositories = {name for name, value in vars(Tenant).items() if isinstance(value, cached_property)}
        assert repositories - {"subscriptions"} == self.COVERED

    async def test_has_something_of_the_owner_in_its_table(self, neighbours: Neighbours) -> None:
        rows = await neighbours.everything_of_the_owner()
        # Turns of callers and probes of the queue are nobody's data, and have no repository of a tenant.
        assert {name for name, found in rows.items() if not found} <= {"rate_limits", "probes"}


class TestCompanies:
    async def test_another_s_company_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.companies.get(neighbours.company_id) is None
            assert await tenant.companies.get(neighbours.company_id, deleted_too=True) is None
            assert await tenant.companies.lock(neighbours.company_id) is None
            assert await tenant.companies.find_by_tax_id(TAX_ID) is None
            assert await tenant.companies.page(0, 100) == []
            assert await tenant.companies.count() == 0

    async def test_another_s_company_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            before = await tenant.companies.get(neighbours.company_id)
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.companies.update(neighbours.company_id, {"legal_name": "Minha agora"}) is None
            assert not await tenant.companies.delete(neighbours.company_id)
            await tenant.companies.set_environment(neighbours.company_id, "homologation")
            await tenant.companies.set_settings(neighbours.company_id, {"nfe": {"series": 9}})
            assert await tenant.companies.set_contingency(neighbours.company_id, "forced", "Sim") is None
            await tenant.companies.set_logo(neighbours.company_id, "ab" * 32)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.companies.get(neighbours.company_id) == before

    async def test_two_subscriptions_may_have_the_same_cnpj(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            added = await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Outra Loja"})
        assert added is not None
        assert added.id != neighbours.company_id
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.companies.find_by_tax_id(TAX_ID) == neighbours.company_id


class TestCertificates:
    async def test_another_s_certificate_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.certificates.get(neighbours.company_id) is None

    async def test_another_s_certificate_is_not_removed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert not await tenant.certificates.delete(neighbours.company_id)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.certificates.get(neighbours.company_id) is not None

    async def test_none_can_be_put_on_another_s_company(self, neighbours: Neighbours) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.certificates.put(neighbours.company_id, SUMMARY)


class TestStateRegistrations:
    async def test_another_s_registration_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.state_registrations.all(neighbours.company_id) == []
            assert await tenant.state_registrations.find_by_state(neighbours.company_id, "SP") is None

    async def test_another_s_registration_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.state_registrations.clear_default(neighbours.company_id)
            assert not await tenant.state_registrations.delete(
                neighbours.company_id, neighbours.registration_id
            )
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            (registration,) = await tenant.state_registrations.all(neighbours.company_id)
        assert registration.is_default

    async def test_none_can_be_put_on_another_s_company(self, neighbours: Neighbours) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.state_registrations.add(neighbours.company_id, new_id(), "RJ", "12345678", False)


class TestNumberSequences:
    async def test_another_s_next_number_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            number = await tenant.number_sequences.next_number(neighbours.company_id, "nfe", "production", 1)
        assert number == 1

    @pytest.mark.parametrize("change", [set_back, lock, move_past])
    async def test_another_s_next_number_is_not_changed(
        self, neighbours: Neighbours, change: ChangeOfNumber
    ) -> None:
        before = await neighbours.everything_of_the_owner()
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await change(tenant.number_sequences, neighbours.place)
        assert await neighbours.everything_of_the_owner() == before


class TestNumberings:
    async def test_another_s_series_are_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            (numbering,) = await tenant.numberings.all(neighbours.company_id)
            assert (await tenant.numberings.unused(numbering, 10)).total == 1
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.numberings.all(neighbours.company_id) == []
            assert await tenant.numberings.unused(numbering, 10) == UnusedPage([], 0)


class TestSecrets:
    async def test_another_s_secret_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.secrets.get(neighbours.company_id, "csc") is None

    async def test_another_s_secret_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.secrets.put(neighbours.company_id, "csc", b"mine now")
            await tenant.secrets.delete(neighbours.company_id, "csc")
            await tenant.secrets.delete_all(neighbours.company_id)
            await tenant.state_registrations.delete_all(neighbours.company_id)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.secrets.get(neighbours.company_id, "csc") == b"secret"


class TestAllowances:
    async def test_another_s_use_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.allowances.usage("2026-11") == Usage(0, 0)

    async def test_another_s_use_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.allowances.reserve("2026-11", None)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.allowances.usage("2026-11") == Usage(used=0, reserved=1)


class TestCredentials:
    async def test_each_sees_its_own(self, neighbours: Neighbours) -> None:
        for subscription_id in (neighbours.owner, neighbours.stranger):
            async with neighbours.database.tenant(subscription_id) as tenant:
                credential = await tenant.credentials.get()
            assert credential is not None
            assert credential.subscription_id == subscription_id

    async def test_another_s_credential_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            before = await tenant.credentials.get()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.credentials.rotate(b"hash", "...abcd", timedelta(hours=1))
            await tenant.credentials.touch()
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.credentials.get() == before


class TestCustomers:
    async def test_another_s_customer_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.customers.get(neighbours.customer_id) is None
            assert await tenant.customers.lock(neighbours.customer_id) is None
            assert await tenant.customers.find(neighbours.company_id, CUSTOMER) is None
            assert await tenant.customers.page(neighbours.company_id, None, 0, 10) == []
            assert await tenant.customers.count(neighbours.company_id, None) == 0

    async def test_another_s_customer_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.everything_of_the_owner()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.customers.write(neighbours.customer_id, CustomerFacts(name="Minha agora"))
            assert not await tenant.customers.delete(neighbours.company_id, neighbours.customer_id)
        assert await neighbours.everything_of_the_owner() == before

    async def test_none_can_be_put_on_another_s_company(self, neighbours: Neighbours) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.customers.add(new_id(), neighbours.company_id, CUSTOMER)

    async def test_two_subscriptions_may_have_the_same_customer(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            company = await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Outra Loja"})
            assert company is not None
            added = await tenant.customers.add(new_id(), company.id, CUSTOMER)
        assert added.id != neighbours.customer_id


class TestProducts:
    async def test_another_s_product_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            products, company_id = tenant.products, neighbours.company_id
            assert await products.find_by_sku(company_id, SKU) is None
            assert await products.get(company_id, neighbours.product_id) is None
            assert await products.by_skus(company_id, [SKU]) == []
            assert await products.by_ids(company_id, [neighbours.product_id]) == []
            assert await products.page(company_id, ProductFilter(), 0, 10) == []
            assert await products.count(company_id, ProductFilter()) == 0

    async def test_another_s_split_is_not_seen(self, neighbours: Neighbours) -> None:
        parts = [{"id": neighbours.product_id, "percentage": "100"}]
        split = replace(new_product(neighbours.company_id, "split"), type="split", components=parts)
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                if seen:
                    await tenant.products.add(split)
                found = await tenant.products.splits_with(neighbours.company_id, neighbours.product_id)
            assert len(found) == seen

    async def test_another_s_product_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.everything_of_the_owner()
        mine = replace(new_product(neighbours.company_id), id=neighbours.product_id, name="Meu agora")
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert not await tenant.products.delete(neighbours.company_id, neighbours.product_id)
            with pytest.raises(LookupError):
                await tenant.products.write(mine)
        assert await neighbours.everything_of_the_owner() == before

    async def test_none_can_be_put_on_another_s_company(self, neighbours: Neighbours) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.products.add(new_product(neighbours.company_id))


class TestSales:
    async def test_another_s_sale_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.sales.get(neighbours.sale_id) is None
            assert await tenant.sales.lines([neighbours.sale_id]) == []

    async def test_another_s_sale_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            sale = await tenant.sales.get(neighbours.sale_id)
        assert sale is not None
        before = await neighbours.everything_of_the_owner()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.sales.rewrite(replace(sale, amount=Decimal(1)), [line_of(neighbours.product_id)])
        assert await neighbours.everything_of_the_owner() == before

    @pytest.mark.parametrize("whose", ["company", "customer", "product"])
    async def test_none_can_be_made_of_another_s(self, neighbours: Neighbours, whose: str) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            company = await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Outra Loja"})
            assert company is not None
            customer = await tenant.customers.add(new_id(), company.id, CUSTOMER)
            product = await tenant.products.add(new_product(company.id))
        assert product is not None
        company_id = neighbours.company_id if whose == "company" else company.id
        customer_id = neighbours.customer_id if whose == "customer" else customer.id
        product_id = neighbours.product_id if whose == "product" else product.id
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.sales.add(new_sale(company_id, customer_id), [line_of(product_id)])
