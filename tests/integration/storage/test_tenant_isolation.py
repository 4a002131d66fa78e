"""No repository shows or changes a row of another subscription."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from uuid import UUID

import asyncpg
import pytest

from carimbo.service.access import Gatekeeper
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.allowances import Usage
from carimbo.storage.certificates import CertificateSummary
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id

TAX_ID = "11222333000181"
SUMMARY = CertificateSummary(
    tax_id=TAX_ID,
    subject_name="LOJA MODELO LTDA:11222333000181",
    serial_number="01",
    fingerprint="ab" * 32,
    valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    expires_at=datetime(2027, 1, 1, tzinfo=UTC),
)


@dataclass(frozen=True)
class Neighbours:
    """Two subscriptions; the first one has a company with everything, the second one has nothing."""

    database: Database
    owner: UUID
    stranger: UUID
    company_id: UUID
    registration_id: UUID


@pytest.fixture
async def neighbours(database: Database, gatekeeper: Gatekeeper) -> Neighbours:
    owner = (await create_subscription(gatekeeper, "Dona")).subscription_id
    stranger = (await create_subscription(gatekeeper, "Vizinha")).subscription_id
    company_id, registration_id = new_id(), new_id()
    async with database.tenant(owner) as tenant:
        await tenant.companies.add(company_id, TAX_ID, {"legal_name": "Loja Modelo Ltda"})
        await tenant.certificates.put(company_id, SUMMARY)
        await tenant.state_registrations.add(company_id, registration_id, "SP", "110042490114", True)
        await tenant.number_sequences.set_next_number(company_id, "nfe", "production", 1, 42)
        await tenant.secrets.put(company_id, "csc", b"secret")
        await tenant.allowances.reserve("2026-11", None)
    return Neighbours(database, owner, stranger, company_id, registration_id)


class TestEveryRepository:
    # The repository of subscriptions is the operator's, and not scoped.
    COVERED = frozenset(
        {
            "allowances",
            "certificates",
            "companies",
            "credentials",
            "number_sequences",
            "secrets",
            "state_registrations",
        }
    )

    def test_is_covered_by_this_file(self) -> None:
        repositories = {name for name, value in vars(Tenant).items() if isinstance(value, cached_property)}
        assert repositories - {"subscriptions"} == self.COVERED


class TestCompanies:
    async def test_another_s_company_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.companies.get(neighbours.company_id) is None
            assert await tenant.companies.get(neighbours.company_id, deleted_too=True) is None
            assert await tenant.companies.get_for_update(neighbours.company_id) is None
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

    async def test_another_s_next_number_is_not_changed(self, neighbours: Neighbours) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.number_sequences.set_next_number(
                    neighbours.company_id, "nfe", "production", 1, 7
                )
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            number = await tenant.number_sequences.next_number(neighbours.company_id, "nfe", "production", 1)
        assert number == 42


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
            await tenant.allowances.release("2026-11")
            await tenant.allowances.spend("2026-11")
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
