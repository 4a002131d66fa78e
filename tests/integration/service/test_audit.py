"""The list of what was done in a subscription."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.service.audit import AuditQuery, AuditRecord, list_audit
from carimbo.service.companies.company_bodies import CompanyChanges, EnvironmentChange
from carimbo.service.companies.registration import switch_environment, update_company
from carimbo.service.listing import PageRequest
from carimbo.storage.actors import OPERATOR_AT_TERMINAL, SCHEDULE, Actor, ActorKind
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from integration.issuing.shop import ADDRESS
from support import Caller, NewCaller

ANA = Actor(ActorKind.PERSON, new_id(), "Ana Souza")
COMPANY = UUID("01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5c")


async def add(
    database: Database, subscription_id: UUID, actor: Actor | None, action: AuditAction, **entry: Any
) -> None:
    acting = database if actor is None else database.acting_as(actor)
    async with acting.tenant(subscription_id) as tenant:
        await tenant.audit.add(action, **entry)


async def listed(
    database: Database, caller: Caller, query: AuditQuery | None = None, **page: int
) -> list[AuditRecord]:
    request = PageRequest(**page)
    return (await list_audit(database, caller.subscription_id, query or AuditQuery(), request)).items


@pytest.fixture
async def entries(database: Database, caller: Caller) -> None:
    """Entries of three actors, beside those of the creation of the subscription."""
    owner = caller.subscription_id
    await add(database, owner, ANA, AuditAction.WEBHOOK_CREATED, subject_name="Loja")
    await add(database, owner, ANA, AuditAction.CUSTOMER_CHANGED, company_id=COMPANY)
    await add(database, owner, OPERATOR_AT_TERMINAL, AuditAction.WEBHOOK_DELETED, subject_name="Loja")
    await add(database, owner, SCHEDULE, AuditAction.INUTILIZATION_FILED, company_id=COMPANY)


@pytest.mark.usefixtures("entries")
class TestFilters:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (AuditQuery(actor_kind=ActorKind.SCHEDULE, company_id=COMPANY), ["inutilization.filed"]),
            (AuditQuery(actor_name="SOUZA"), ["customer.changed", "webhook.created"]),
            (AuditQuery(actor_name="%"), []),
            (AuditQuery(action="webhook"), ["webhook.deleted", "webhook.created"]),
            (AuditQuery(action="webhook.created"), ["webhook.created"]),
            (AuditQuery(action="web"), []),
            (AuditQuery(company_id=COMPANY), ["inutilization.filed", "customer.changed"]),
            (AuditQuery(actor_name="ana", company_id=COMPANY), ["customer.changed"]),
        ],
        ids=str,
    )
    async def test_entries_are_filtered_and_the_newest_comes_first(
        self, database: Database, caller: Caller, query: AuditQuery, expected: list[str]
    ) -> None:
        page = await list_audit(database, caller.subscription_id, query, PageRequest())
        assert [entry.action for entry in page.items] == expected
        assert page.total == len(expected)

    async def test_days_are_included_to_their_end(self, database: Database, caller: Caller) -> None:
        # The day in Brasília, which is three hours behind UTC.
        today = (datetime.now(UTC) - timedelta(hours=3)).date()
        everything = await listed(database, caller)
        assert await listed(database, caller, AuditQuery(start=today, end=today)) == everything
        assert await listed(database, caller, AuditQuery(end=today - timedelta(days=1))) == []
        assert await listed(database, caller, AuditQuery(start=today + timedelta(days=1))) == []

    async def test_pages_follow_each_other(self, database: Database, caller: Caller) -> None:
        everything = await listed(database, caller)
        pages = [await listed(database, caller, page=number, page_size=2) for number in (1, 2)]
        assert [entry for page in pages for entry in page] == everything[:4]

    async def test_another_subscription_sees_nothing_of_it(
        self, database: Database, new_caller: NewCaller
    ) -> None:
        stranger = await new_caller()
        actions = {entry.action for entry in await listed(database, stranger)}
        assert actions == {AuditAction.SUBSCRIPTION_CREATED}


class TestEntries:
    async def test_entry_says_who_did_what_and_when(self, database: Database, caller: Caller) -> None:
        await add(
            database, caller.subscription_id, ANA, AuditAction.WEBHOOK_RESENT,
            company_id=COMPANY, subject_id=COMPANY, subject_name="Loja", details={"deliveries": 3},
        )  # fmt: skip
        entry = (await listed(database, caller))[0]
        assert (entry.actor.kind, entry.actor.name) == (ActorKind.PERSON, "Ana Souza")
        assert entry.sentence == "Reenviou entregas do webhook Loja."
        assert (entry.subject_id, entry.subject_name, entry.company_id) == (str(COMPANY), "Loja", COMPANY)
        assert entry.details == {"deliveries": 3}
        assert datetime.now(UTC) - entry.created_at < timedelta(minutes=1)

    async def test_change_that_fails_leaves_no_entry(self, database: Database, caller: Caller) -> None:
        before = await listed(database, caller)
        with pytest.raises(ZeroDivisionError):
            async with database.tenant(caller.subscription_id) as tenant:
                await tenant.audit.add(AuditAction.WEBHOOK_CREATED)
                raise ZeroDivisionError
        assert await listed(database, caller) == before

    async def test_change_without_an_actor_is_the_installations_own(
        self, database: Database, caller: Caller
    ) -> None:
        await add(database, caller.subscription_id, None, AuditAction.WEBHOOK_CREATED)
        assert (await listed(database, caller))[0].actor.kind == SCHEDULE.kind


class TestCompanies:
    async def test_only_changed_fields_are_named(self, database: Database, caller: Caller) -> None:
        company_id = UUID(await caller.create_company(tradeName="Loja"))
        changes = CompanyChanges.model_validate(
            {"tradeName": "Loja", "email": "a@example.com", "address": ADDRESS}
        )
        await update_company(database.acting_as(ANA), caller.subscription_id, company_id, changes)
        entry = (await listed(database, caller))[0]
        assert (entry.action, entry.company_id) == (AuditAction.COMPANY_CHANGED, company_id)
        assert entry.details == {"fields": ["address", "email"]}
        assert entry.sentence == "Alterou o cadastro da empresa Loja."

    async def test_switch_of_the_environment_names_both(self, database: Database, caller: Caller) -> None:
        company_id = UUID(await caller.create_company(tradeName="Loja"))
        change = EnvironmentChange(environment=Environment.HOMOLOGATION)
        await switch_environment(database.acting_as(ANA), caller.subscription_id, company_id, change)
        (entry,) = await listed(database, caller, AuditQuery(action="environment"))
        assert entry.sentence == "Trocou o ambiente da empresa Loja: de produção para homologação."
