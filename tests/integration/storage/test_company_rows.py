import asyncio
from collections import Counter
from typing import Any
from uuid import UUID

from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id

TAX_ID = "11222333000181"


async def add(database: Database, subscription_id: UUID, **values: Any) -> CompanyRow | None:
    async with database.tenant(subscription_id) as tenant:
        return await tenant.companies.add(new_id(), TAX_ID, {"legal_name": "Loja", **values})


async def delete(database: Database, subscription_id: UUID, company_id: UUID) -> bool:
    async with database.tenant(subscription_id) as tenant:
        return await tenant.companies.delete(company_id)


class TestAdd:
    async def test_a_cnpj_is_registered_only_once(self, database: Database, subscription_id: UUID) -> None:
        assert await add(database, subscription_id) is not None
        assert await add(database, subscription_id) is None

    async def test_one_of_twenty_simultaneous_additions_wins(
        self, database: Database, subscription_id: UUID
    ) -> None:
        added = await asyncio.gather(*(add(database, subscription_id) for _ in range(20)))
        assert Counter(company is None for company in added) == {True: 19, False: 1}
        async with database.tenant(subscription_id) as tenant:
            assert await tenant.companies.count() == 1
            winner = next(company for company in added if company)
            assert await tenant.companies.find_by_tax_id(TAX_ID) == winner.id


class TestRevive:
    async def test_a_revived_company_keeps_its_id(self, database: Database, subscription_id: UUID) -> None:
        first = await add(database, subscription_id)
        assert first is not None
        assert await delete(database, subscription_id, first.id)
        again = await add(database, subscription_id)
        assert again is not None
        assert again.id == first.id
        assert again.deleted_at is None

    async def test_a_revived_company_keeps_its_number_sequences(
        self, database: Database, subscription_id: UUID
    ) -> None:
        company = await add(database, subscription_id)
        assert company is not None
        async with database.tenant(subscription_id) as tenant:
            await tenant.number_sequences.set_next_number(company.id, "nfe", "production", 1, 99)
        await delete(database, subscription_id, company.id)
        await add(database, subscription_id)
        async with database.tenant(subscription_id) as tenant:
            assert await tenant.number_sequences.next_number(company.id, "nfe", "production", 1) == 99

    async def test_a_revived_company_loses_its_earlier_registration_data(
        self, database: Database, subscription_id: UUID
    ) -> None:
        first = await add(database, subscription_id, email="old@example.com", trade_name="Velha")
        assert first is not None
        await delete(database, subscription_id, first.id)
        again = await add(database, subscription_id, legal_name="Nova Ltda", trade_name="Nova")
        assert again is not None
        assert (again.legal_name, again.trade_name, again.email) == ("Nova Ltda", "Nova", None)

    async def test_one_of_twenty_simultaneous_revivals_wins(
        self, database: Database, subscription_id: UUID
    ) -> None:
        first = await add(database, subscription_id)
        assert first is not None
        await delete(database, subscription_id, first.id)
        revived = await asyncio.gather(*(add(database, subscription_id) for _ in range(20)))
        assert [company.id for company in revived if company] == [first.id]


class TestDelete:
    async def test_a_deleted_company_is_returned_only_on_request(
        self, database: Database, subscription_id: UUID
    ) -> None:
        company = await add(database, subscription_id)
        assert company is not None
        await delete(database, subscription_id, company.id)
        async with database.tenant(subscription_id) as tenant:
            assert await tenant.companies.get(company.id) is None
            assert await tenant.companies.lock(company.id) is None
            assert await tenant.companies.update(company.id, {"legal_name": "Outra"}) is None
            assert await tenant.companies.page(0, 10) == []
            assert await tenant.companies.count() == 0
            deleted = await tenant.companies.get(company.id, deleted_too=True)
        assert deleted is not None
        assert deleted.deleted_at is not None

    async def test_a_company_is_deleted_only_once(self, database: Database, subscription_id: UUID) -> None:
        company = await add(database, subscription_id)
        assert company is not None
        deleted = await asyncio.gather(*(delete(database, subscription_id, company.id) for _ in range(5)))
        assert Counter(deleted) == {True: 1, False: 4}


class TestLock:
    async def test_simultaneous_changes_of_settings_are_all_kept(
        self, database: Database, subscription_id: UUID
    ) -> None:
        company = await add(database, subscription_id)
        assert company is not None

        async def merge(name: str) -> None:
            async with database.tenant(subscription_id) as tenant:
                current = await tenant.companies.lock(company.id)
                assert current is not None
                await tenant.companies.set_settings(company.id, {**current.settings, name: {"series": 1}})

        await asyncio.gather(*(merge(f"type{number}") for number in range(8)))
        async with database.tenant(subscription_id) as tenant:
            merged = await tenant.companies.get(company.id)
        assert merged is not None
        assert set(merged.settings) == {f"type{number}" for number in range(8)}


class TestPage:
    async def test_pages_are_newest_first_and_do_not_overlap(
        self, database: Database, subscription_id: UUID
    ) -> None:
        for number in range(5):
            async with database.tenant(subscription_id) as tenant:
                await tenant.companies.add(new_id(), f"{number:014}", {"legal_name": f"Loja {number}"})
        async with database.tenant(subscription_id) as tenant:
            pages = [await tenant.companies.page(offset, 2) for offset in (0, 2, 4, 6)]
        names = [[company.legal_name for company in page] for page in pages]
        assert names == [["Loja 4", "Loja 3"], ["Loja 2", "Loja 1"], ["Loja 0"], []]
