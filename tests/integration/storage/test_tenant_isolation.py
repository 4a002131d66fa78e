"""No repository shows or changes a row of another subscription."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any

import asyncpg
import pytest

from carimbo.storage.audit import AuditAction, AuditFilter
from carimbo.storage.database import Tenant
from carimbo.storage.emissions import NumberSeries
from carimbo.storage.identifiers import new_id
from carimbo.storage.monthly_documents import IssuePeriod
from carimbo.storage.numbering import NumberSequences, UnusedPage
from carimbo.storage.subscriptions import Usage
from integration.storage.neighbours import FORM, SUMMARY, TAX_ID, Neighbours

NumberChange = Callable[[NumberSequences, NumberSeries], Awaitable[Any]]


async def set_back(numbers: NumberSequences, number_series: NumberSeries) -> None:
    await numbers.set_next_number(
        number_series.company_id,
        number_series.document_type,
        number_series.environment,
        number_series.series,
        7,
    )


async def lock(numbers: NumberSequences, number_series: NumberSeries) -> None:
    await numbers.lock(
        number_series.company_id, number_series.document_type, number_series.environment, number_series.series
    )


async def move_past(numbers: NumberSequences, number_series: NumberSeries) -> None:
    await numbers.move_past(number_series, 99)


class TestEveryRepository:
    # The repository of subscriptions is the operator's, and not scoped.
    COVERED = frozenset(
        {
            "allowances",
            "archive",
            "audit",
            "catalog",
            "certificates",
            "companies",
            "credentials",
            "customers",
            "deliveries",
            "document_events",
            "documents",
            "emails",
            "emissions",
            "event_filings",
            "events",
            "export_schedules",
            "exports",
            "form_drafts",
            "imports",
            "inutilizations",
            "manifestations",
            "monthly_documents",
            "memberships",
            "number_sequences",
            "numberings",
            "open_documents",
            "order_keys",
            "products",
            "received",
            "receptions",
            "sales",
            "secrets",
            "state_registrations",
            "superseded_attempts",
            "webhooks",
        }
    )

    def test_every_repository_is_covered_by_an_isolation_test(self) -> None:
        repositories = {name for name, value in vars(Tenant).items() if isinstance(value, cached_property)}
        assert repositories - {"subscriptions"} == self.COVERED

    async def test_the_owner_has_rows_in_every_table(self, neighbours: Neighbours) -> None:
        rows = await neighbours.owner_rows()
        # Rate limits, probes of the queue and streams belong to no tenant and have no tenant repository.
        of_nobody = {"rate_limits", "probes", "streams"}
        assert {name for name, table_rows in rows.items() if not table_rows} <= of_nobody


class TestAudit:
    async def test_another_subscription_s_entries_are_not_seen(self, neighbours: Neighbours) -> None:
        everything = AuditFilter()
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            await tenant.audit.add(AuditAction.WEBHOOK_CREATED)
            owned = await tenant.audit.page(everything, 0, 100)
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            seen = await tenant.audit.page(everything, 0, 100)
            assert await tenant.audit.count(everything) == len(seen)
        assert owned
        assert not {entry.id for entry in seen} & {entry.id for entry in owned}


class TestFormDrafts:
    async def test_another_subscription_s_draft_is_neither_seen_nor_changed(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        key = (neighbours.company_id, neighbours.person_id, FORM)
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.form_drafts.get(*key) is None
            await tenant.form_drafts.delete(*key)
        assert await neighbours.owner_rows() == before


class TestImports:
    async def test_another_subscription_s_import_is_neither_seen_nor_changed(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        company_id, import_id = neighbours.company_id, neighbours.import_id
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.imports.get(import_id) is None
            assert await tenant.imports.content(import_id) is None
            assert await tenant.imports.page(company_id, 0, 10) == []
            assert await tenant.imports.problems(import_id, 0, 10) == []
            assert await tenant.imports.count(company_id) == 0
            assert await tenant.imports.count_problems(import_id) == 0
            assert not await tenant.imports.cancel(company_id, import_id)
            await tenant.imports.cancel_all(company_id)
        assert await neighbours.owner_rows() == before


class TestExports:
    async def test_another_subscription_s_archive_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.exports.get(neighbours.export_id) is None
            assert await tenant.exports.links(neighbours.company_id, 0, 100) == []
            assert await tenant.exports.count_links(neighbours.company_id) == 0

    async def test_another_subscription_s_archive_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.exports.revoke(neighbours.company_id, neighbours.export_id) is None
            await tenant.exports.begin(neighbours.export_id, 7)
            await tenant.exports.advance(neighbours.export_id, 7, is_finished=True)
        assert await neighbours.owner_rows() == before

    async def test_another_subscription_s_schedule_is_neither_seen_nor_changed(
        self, neighbours: Neighbours
    ) -> None:
        before = await neighbours.owner_rows()
        month, minute = date(2027, 1, 1), timedelta(minutes=1)
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            schedules = tenant.export_schedules
            assert await schedules.get(neighbours.company_id) is None
            assert not await schedules.delete(neighbours.company_id)
            assert await schedules.claim(neighbours.company_id, month, new_id(), minute) is None
        assert await neighbours.owner_rows() == before

    async def test_another_subscription_s_documents_of_a_month_are_not_seen(
        self, neighbours: Neighbours
    ) -> None:
        period = IssuePeriod(
            neighbours.company_id,
            "production",
            datetime(2026, 1, 1, tzinfo=UTC),
            datetime(2027, 1, 1, tzinfo=UTC),
        )
        async with neighbours.database.connection() as connection:
            await connection.execute("update documents set status = 'authorized'")
            await connection.execute("update emissions set state = 'authorized', issued_at = '2026-11-10'")
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert (await tenant.monthly_documents.issued(period, None, 100)).rows
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert (await tenant.monthly_documents.issued(period, None, 100)).rows == []
            assert (await tenant.monthly_documents.received(period, "nfe", None, 100)).rows == []
            assert await tenant.monthly_documents.issued_totals(period) == []
            assert await tenant.monthly_documents.received_totals(period, "nfe") == []
            assert await tenant.documents.for_export([neighbours.document_id]) == []
            assert await tenant.received.with_ids([neighbours.received_id]) == []


class TestCompanies:
    async def test_another_subscription_s_company_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.companies.get(neighbours.company_id) is None
            assert await tenant.companies.get(neighbours.company_id, deleted_too=True) is None
            assert await tenant.companies.lock(neighbours.company_id) is None
            assert await tenant.companies.find_by_tax_id(TAX_ID) is None
            assert await tenant.companies.page(0, 100) == []
            assert await tenant.companies.count() == 0

    async def test_another_subscription_s_company_is_not_changed(self, neighbours: Neighbours) -> None:
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
    async def test_another_subscription_s_certificate_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.certificates.get(neighbours.company_id) is None

    async def test_another_subscription_s_certificate_is_not_removed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert not await tenant.certificates.warn(neighbours.company_id, SUMMARY.fingerprint, 7)
            assert not await tenant.certificates.delete(neighbours.company_id)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.certificates.get(neighbours.company_id) is not None

    async def test_nothing_can_be_added_to_another_subscription_s_company(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.certificates.put(neighbours.company_id, SUMMARY)


class TestOpenDocuments:
    async def test_another_subscription_s_open_document_is_not_seen(self, neighbours: Neighbours) -> None:
        open_since = {"openSince": "2026-11-01T00:00:00Z"}
        async with neighbours.database.connection() as connection:
            await connection.execute(
                "update documents set status = 'authorized', facts = $1, created_at = '2026-11-01'",
                open_since,
            )
        before, now = await neighbours.owner_rows(), datetime(2026, 12, 1, tzinfo=UTC)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            rows = await tenant.open_documents.of_company(neighbours.company_id, ["nfe"], now)
        assert rows
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.open_documents.of_company(neighbours.company_id, ["nfe"], now) == []
            assert not await tenant.open_documents.warn(rows[0].id, 10, {})
        assert await neighbours.owner_rows() == before


class TestStateRegistrations:
    async def test_another_subscription_s_registration_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.state_registrations.all(neighbours.company_id) == []
            assert await tenant.state_registrations.find_by_state(neighbours.company_id, "SP") is None

    async def test_another_subscription_s_registration_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.state_registrations.clear_default(neighbours.company_id)
            assert not await tenant.state_registrations.delete(
                neighbours.company_id, neighbours.registration_id
            )
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            (registration,) = await tenant.state_registrations.all(neighbours.company_id)
        assert registration.is_default

    async def test_nothing_can_be_added_to_another_subscription_s_company(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.state_registrations.add(neighbours.company_id, new_id(), "RJ", "12345678", False)


class TestNumberSequences:
    async def test_another_subscription_s_next_number_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            number = await tenant.number_sequences.next_number(neighbours.company_id, "nfe", "production", 1)
        assert number == 1

    @pytest.mark.parametrize("change", [set_back, lock, move_past])
    async def test_another_subscription_s_next_number_is_not_changed(
        self, neighbours: Neighbours, change: NumberChange
    ) -> None:
        before = await neighbours.owner_rows()
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await change(tenant.number_sequences, neighbours.number_series)
        assert await neighbours.owner_rows() == before


class TestNumberings:
    async def test_another_subscription_s_series_are_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            (numbering,) = await tenant.numberings.all(neighbours.company_id)
            assert (await tenant.numberings.unused(numbering, 10)).total == 1
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.numberings.all(neighbours.company_id) == []
            assert await tenant.numberings.unused(numbering, 10) == UnusedPage([], 0)


class TestSecrets:
    async def test_another_subscription_s_secret_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.secrets.get(neighbours.company_id, "csc") is None
            assert await tenant.secrets.all(neighbours.company_id) == {}
            assert await tenant.secrets.of_owners([neighbours.company_id], "csc") == {}

    async def test_another_subscription_s_secret_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.secrets.put(neighbours.company_id, "csc", b"mine now")
            await tenant.secrets.delete(neighbours.company_id, "csc")
            await tenant.secrets.delete_all(neighbours.company_id)
            await tenant.state_registrations.delete_all(neighbours.company_id)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.secrets.get(neighbours.company_id, "csc") == b"secret"


class TestAllowances:
    async def test_another_subscription_s_use_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.allowances.usage("2026-11") == Usage(0, 0)

    async def test_another_subscription_s_use_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.allowances.reserve("2026-11", None)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.allowances.usage("2026-11") == Usage(used=0, reserved=1)


class TestCredentials:
    async def test_each_subscription_sees_its_own_credential(self, neighbours: Neighbours) -> None:
        for subscription_id in (neighbours.owner, neighbours.stranger):
            async with neighbours.database.tenant(subscription_id) as tenant:
                credential = await tenant.credentials.get()
            assert credential is not None
            assert credential.subscription_id == subscription_id

    async def test_another_subscription_s_credential_is_not_changed(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            before = await tenant.credentials.get()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.credentials.rotate(b"hash", "...abcd", timedelta(hours=1))
            await tenant.credentials.touch()
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.credentials.get() == before


class TestMemberships:
    async def test_another_subscription_s_people_are_neither_seen_nor_changed(
        self, neighbours: Neighbours
    ) -> None:
        person_id = neighbours.person_id
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            before = await tenant.memberships.get(person_id)
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            people = tenant.memberships
            assert await people.get(person_id) is None
            assert await people.all() == await people.lock_all() == []
            assert not await people.accept(person_id)
            await people.write(person_id, "viewer", [])
            await people.delete(person_id)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            assert await tenant.memberships.get(person_id) == before is not None


class TestEmails:
    async def test_another_subscription_s_e_mail_is_not_seen(self, neighbours: Neighbours) -> None:
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                email = await tenant.emails.get(neighbours.email_id)
                listed = await tenant.emails.of_document(neighbours.document_id, 0, 10)
                attempts = await tenant.emails.attempts([neighbours.email_id])
                assert len(listed) == await tenant.emails.count(neighbours.document_id) == seen
                assert (email is not None, len(attempts[neighbours.email_id])) == (bool(seen), seen)

    async def test_an_e_mail_cannot_be_added_to_another_subscription_s_document(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.emails.add(neighbours.company_id, neighbours.document_id, ["a@example.com"])
