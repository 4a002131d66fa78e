"""Certificates that are about to end: told once for each warning, by whichever worker is first."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.access import Gatekeeper
from carimbo.service.certificate_expiry import expiring, warn
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.certificates import CertificateSummary
from carimbo.storage.database import Database, PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.identifiers import new_id
from carimbo.worker.certificates import warn_everywhere, warn_forever
from integration.conftest import NewDatabase
from support import CNPJ, OTHER_CNPJ, until_it_holds

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
class Certified:
    """A company with a certificate."""

    database: Database
    subscription_id: UUID
    company_id: UUID

    async def put(self, summary: CertificateSummary) -> None:
        async with self.database.tenant(self.subscription_id) as tenant:
            await tenant.certificates.put(self.company_id, summary)

    async def told(self) -> list[dict[str, Any]]:
        async with self.database.connection() as connection:
            rows = await connection.fetch(
                "select details from events where topic = 'certificate.expiring' and company_id = $1"
                " and subscription_id = $2 order by ordinal",
                self.company_id, self.subscription_id,
            )  # fmt: skip
        return [row["details"] for row in rows]

    async def days_told(self) -> list[int]:
        return [details["daysLeft"] for details in await self.told()]

    async def delete(self) -> None:
        async with self.database.tenant(self.subscription_id) as tenant:
            assert await tenant.companies.delete(self.company_id)


@pytest.fixture(scope="module")
async def quiet(new_migrated_database: NewDatabase) -> AsyncIterator[Database]:
    """A database where no other test has certificates."""
    async with (
        new_migrated_database() as url,
        open_database(url, KeyRing.parse(new_key("k1")), PoolOptions(size=12)) as opened,
    ):
        yield opened


async def certified(database: Database, tax_id: str = CNPJ) -> Certified:
    created = await create_subscription(await Gatekeeper.open(database), "Teste")
    company_id = new_id()
    async with database.tenant(created.subscription_id) as tenant:
        await tenant.companies.add(company_id, tax_id, {"legal_name": "Loja Modelo Ltda"})
    company = Certified(database, created.subscription_id, company_id)
    await company.put(SUMMARY)
    return company


@pytest.fixture
async def company(quiet: Database) -> Certified:
    return await certified(quiet)


class TestWarnings:
    async def test_come_once_for_each_term(self, company: Certified) -> None:
        for hour in range(70 * 24):
            if hour % 7 == 0:
                await warn_everywhere(company.database, NOW + timedelta(hours=hour))
        assert await company.days_told() == [60, 30, 15, 7, 1]
        expires_at = SUMMARY.expires_at.isoformat().replace("+00:00", "Z")
        assert {details["expiresAt"] for details in await company.told()} == {expires_at}

    async def test_of_a_certificate_that_has_five_days_left_are_one(self, company: Certified) -> None:
        for _ in range(3):
            await warn_everywhere(company.database, SUMMARY.expires_at - 5 * DAY)
        assert await company.days_told() == [5]

    async def test_are_not_given_of_one_that_has_ended(self, company: Certified) -> None:
        await warn_everywhere(company.database, SUMMARY.expires_at)
        assert await company.told() == []

    async def test_begin_anew_with_another_certificate(self, company: Certified) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        await warn_everywhere(company.database, moment)
        await company.put(replace(SUMMARY, fingerprint="cd" * 32, expires_at=moment + 20 * DAY))
        await warn_everywhere(company.database, moment)
        assert await company.days_told() == [5, 20]

    async def test_go_on_with_the_same_certificate(self, company: Certified) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        await warn_everywhere(company.database, moment)
        await company.put(SUMMARY)
        await warn_everywhere(company.database, moment)
        assert await company.days_told() == [5]

    async def test_are_not_given_to_a_company_that_is_deleted(self, company: Certified) -> None:
        await company.delete()
        await warn_everywhere(company.database, SUMMARY.expires_at - 5 * DAY)
        assert await company.told() == []

    async def test_are_given_once_by_workers_that_look_at_once(self, company: Certified) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        due = {one.company_id: one for one in await expiring(company.database, moment)}
        certificate = due[company.company_id]
        given = await asyncio.gather(*(warn(company.database, certificate, moment) for _ in range(10)))
        assert sorted(given) == [False] * 9 + [True]
        assert await company.days_told() == [5]

    async def test_are_not_noted_unless_they_are_told(
        self, company: Certified, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        moment = SUMMARY.expires_at - 5 * DAY
        with monkeypatch.context() as broken:
            broken.setattr("carimbo.storage.events.Events.add", _explode)
            await warn_everywhere(company.database, moment)
        assert await company.told() == []
        await warn_everywhere(company.database, moment)
        assert await company.days_told() == [5]

    async def test_are_for_every_company(self, company: Certified) -> None:
        other = await certified(company.database, OTHER_CNPJ)
        await warn_everywhere(company.database, SUMMARY.expires_at - 5 * DAY)
        assert (await company.days_told(), await other.days_told()) == ([5], [5])


class TestTheChore:
    async def test_looks_again_and_again_whatever_fails(self, company: Certified) -> None:
        moments = chain([30 * DAY, None], repeat(15 * DAY))

        def clock() -> datetime:
            before = next(moments)
            if before is None:
                raise ZeroDivisionError("boom")
            return SUMMARY.expires_at - before

        chore = asyncio.create_task(warn_forever(company.database, clock, every=timedelta(0)))
        async with company.database.connection() as connection:
            await until_it_holds(connection.fetch, _told_twice(company.company_id), patience=10)
        assert await company.days_told() == [30, 15]
        chore.cancel()
        with pytest.raises(asyncio.CancelledError):
            await chore


def _told_twice(company_id: UUID) -> str:
    return f"(select count(*) = 2 from events where company_id = '{company_id}')"


async def _explode(*_: object) -> None:
    raise ZeroDivisionError("boom")
