"""Warnings of expiring certificates: each is published once, by whichever worker is first."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.company_status.certificate_expiry import (
    certificates_to_warn_about,
    publish_expiry_warning,
)
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.certificates import CertificateSummary
from carimbo.storage.database import Database, PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.identifiers import new_id
from carimbo.worker.chores import warn_of_certificates, warn_of_certificates_forever
from integration.conftest import NewDatabase
from support import CNPJ, OTHER_CNPJ, wait_until_true

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SUMMARY = CertificateSummary(
    tax_id=CNPJ,
    subject_name="LOJA MODELO LTDA",
    serial_number="1",
    fingerprint="ab" * 32,
    valid_from=NOW - 300 * DAY,
    expires_at=NOW + 65 * DAY,
)


@dataclass(frozen=True)
class CertifiedCompany:
    """A company with a certificate."""

    database: Database
    subscription_id: UUID
    company_id: UUID

    async def put(self, summary: CertificateSummary) -> None:
        async with self.database.tenant(self.subscription_id) as tenant:
            await tenant.certificates.put(self.company_id, summary)

    async def warnings(self) -> list[dict[str, Any]]:
        async with self.database.connection() as connection:
            rows = await connection.fetch(
                "select details from events where topic = 'certificate.expiring' and company_id = $1"
                " and subscription_id = $2 order by ordinal",
                self.company_id, self.subscription_id,
            )  # fmt: skip
        return [row["details"] for row in rows]

    async def warned_days(self) -> list[int]:
        return [details["daysLeft"] for details in await self.warnings()]

    async def delete(self) -> None:
        async with self.database.tenant(self.subscription_id) as tenant:
            assert await tenant.companies.delete(self.company_id)


@pytest.fixture(scope="module")
async def empty_database(new_migrated_database: NewDatabase) -> AsyncIterator[Database]:
    """A database without certificates of other tests."""
    async with (
        new_migrated_database() as url,
        open_database(url, KeyRing.parse(new_key("k1")), PoolOptions(size=12)) as opened,
    ):
        yield opened


async def certified(database: Database, tax_id: str = CNPJ) -> CertifiedCompany:
    created = await create_subscription(await Authenticator.open(database), "Teste")
    company_id = new_id()
    async with database.tenant(created.subscription_id) as tenant:
        await tenant.companies.add(company_id, tax_id, {"legal_name": "Loja Modelo Ltda"})
    company = CertifiedCompany(database, created.subscription_id, company_id)
    await company.put(SUMMARY)
    return company


@pytest.fixture
async def company(empty_database: Database) -> CertifiedCompany:
    return await certified(empty_database)


class TestWarnings:
    async def test_a_warning_is_published_once_for_each_term(self, company: CertifiedCompany) -> None:
        for hour in range(70 * 24):
            if hour % 7 == 0:
                await warn_of_certificates(company.database, NOW + timedelta(hours=hour))
        assert await company.warned_days() == [60, 30, 15, 7, 1]
        expires_at = SUMMARY.expires_at.isoformat().replace("+00:00", "Z")
        assert {details["expiresAt"] for details in await company.warnings()} == {expires_at}

    async def test_a_certificate_with_five_days_left_gets_one_warning(
        self, company: CertifiedCompany
    ) -> None:
        for _ in range(3):
            await warn_of_certificates(company.database, SUMMARY.expires_at - 5 * DAY)
        assert await company.warned_days() == [5]

    async def test_an_expired_certificate_gets_no_warning(self, company: CertifiedCompany) -> None:
        await warn_of_certificates(company.database, SUMMARY.expires_at)
        assert await company.warnings() == []

    async def test_warnings_start_again_with_another_certificate(self, company: CertifiedCompany) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        await warn_of_certificates(company.database, moment)
        await company.put(replace(SUMMARY, fingerprint="cd" * 32, expires_at=moment + 20 * DAY))
        await warn_of_certificates(company.database, moment)
        assert await company.warned_days() == [5, 20]

    async def test_uploading_the_same_certificate_does_not_repeat_warnings(
        self, company: CertifiedCompany
    ) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        await warn_of_certificates(company.database, moment)
        await company.put(SUMMARY)
        await warn_of_certificates(company.database, moment)
        assert await company.warned_days() == [5]

    async def test_a_deleted_company_gets_no_warning(self, company: CertifiedCompany) -> None:
        await company.delete()
        await warn_of_certificates(company.database, SUMMARY.expires_at - 5 * DAY)
        assert await company.warnings() == []

    async def test_simultaneous_workers_publish_a_warning_once(self, company: CertifiedCompany) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        due = {
            certificate.company_id: certificate
            for certificate in await certificates_to_warn_about(company.database, moment)
        }
        certificate = due[company.company_id]
        results = await asyncio.gather(
            *(publish_expiry_warning(company.database, certificate, moment) for _ in range(10))
        )
        assert sorted(results) == [False] * 9 + [True]
        assert await company.warned_days() == [5]

    async def test_a_warning_that_could_not_be_published_is_repeated(
        self, company: CertifiedCompany, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        with monkeypatch.context() as broken:
            broken.setattr("carimbo.storage.events.Events.add", _explode)
            await warn_of_certificates(company.database, moment)
        assert await company.warnings() == []
        await warn_of_certificates(company.database, moment)
        assert await company.warned_days() == [5]

    async def test_every_company_gets_its_warning(self, company: CertifiedCompany) -> None:
        other = await certified(company.database, OTHER_CNPJ)
        await warn_of_certificates(company.database, SUMMARY.expires_at - 5 * DAY)
        assert (await company.warned_days(), await other.warned_days()) == ([5], [5])


class TestChore:
    async def test_the_chore_continues_after_a_failure(self, company: CertifiedCompany) -> None:
        moments = chain([30 * DAY, None], repeat(15 * DAY))

        def clock() -> datetime:
            before = next(moments)
            if before is None:
                raise ZeroDivisionError("boom")
            return SUMMARY.expires_at - before

        chore = asyncio.create_task(warn_of_certificates_forever(company.database, clock, every=timedelta(0)))
        async with company.database.connection() as connection:
            await wait_until_true(connection.fetch, _has_two_events(company.company_id), timeout_seconds=10)
        assert await company.warned_days() == [30, 15]
        chore.cancel()
        with pytest.raises(asyncio.CancelledError):
            await chore


def _has_two_events(company_id: UUID) -> str:
    return f"(select count(*) = 2 from events where company_id = '{company_id}')"


async def _explode(*_: object) -> None:
    raise ZeroDivisionError("boom")
