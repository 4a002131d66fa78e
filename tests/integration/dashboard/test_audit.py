"""The page of the audit: its filters, and what an entry says."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.dashboard.pages import audit as audit_page
from carimbo.fiscal.local_time import BRASILIA
from carimbo.storage.actors import Actor, ActorKind
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database
from integration.dashboard.panel import Panel, words_of
from support import CNPJ, OTHER_CNPJ, Caller, NewCaller, data_of

MARIA = Actor(ActorKind.PERSON, None, "Maria da Silva")


async def entries_of(panel: Panel, **filters: Any) -> list[str]:
    address = str(
        panel.http.build_request("GET", f"{panel.base}/registro", params=filters).url.raw_path, "ascii"
    )
    page = await panel.page(address)
    return [words_of(row) for row in page.xpath("//main//tbody/tr")]


async def test_changes_can_be_filtered_by_who_subject_company_and_day(
    panel: Panel, caller: Caller, new_caller: NewCaller, database: Database
) -> None:
    first = await caller.create_company(legalName="Alfa Ltda")
    second = await caller.create_company(OTHER_CNPJ, legalName="Beta Ltda")
    await (await new_caller()).create_company(legalName="Gama Ltda")
    async with database.acting_as(MARIA).tenant(caller.subscription_id) as tenant:
        await tenant.audit.add(
            AuditAction.WEBHOOK_DELETED,
            company_id=UUID(second),
            subject_name="loja",
            details={"reason": "fim"},
        )
    newest, beta, alfa, *_ = await entries_of(panel)
    assert "Excluiu o webhook loja. Motivo: fim Maria da Silva Beta Ltda" in newest
    assert "Cadastrou a empresa Beta Ltda" in beta
    assert "Cadastrou a empresa Alfa Ltda" in alfa
    assert not any("Gama" in entry for entry in await entries_of(panel))

    today = datetime.now(BRASILIA).date()
    assert await entries_of(panel, quem="maria") == [newest]
    assert await entries_of(panel, tipo="person") == [newest]
    assert await entries_of(panel, assunto="company") == [beta, alfa]
    assert await entries_of(panel, empresa=first) == [alfa]
    assert await entries_of(panel, inicio=today - timedelta(days=1), fim=today - timedelta(days=1)) == []
    assert newest in await entries_of(panel, inicio=today - timedelta(days=1), fim=today + timedelta(days=1))


async def test_company_beyond_those_of_the_filter_is_named_and_can_be_asked_for(
    panel: Panel, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tax_id, name in ((OTHER_CNPJ, "Alfa Ltda"), ("33000167000101", "Beta Ltda"), (CNPJ, "Gama Ltda")):
        last = await caller.create_company(tax_id, legalName=name)
    monkeypatch.setattr(audit_page, "_MAX_COMPANIES", 2)
    newest, *_ = await entries_of(panel)
    assert "Cadastrou a empresa Gama Ltda." in newest
    assert newest.count("Gama Ltda") == 2
    assert await entries_of(panel, empresa=last) == [newest]
    page = await panel.page(f"{panel.base}/registro?empresa={last}")
    assert [words_of(option) for option in page.xpath("//select[@id='empresa']/option[@selected]")] == [
        "Gama Ltda"
    ]


async def test_entry_of_a_deleted_company_says_so(panel: Panel, caller: Caller) -> None:
    for tax_id in (CNPJ, OTHER_CNPJ, "33000167000101"):
        last = await caller.create_company(tax_id)
    data_of(await caller.http.delete(f"/v1/companies/{last}"))
    newest, *_ = await entries_of(panel)
    assert "empresa excluída" in newest


async def test_malformed_filters_count_as_absent(panel: Panel, caller: Caller) -> None:
    await caller.create_company()
    everything = await entries_of(panel)
    assert everything
    assert await entries_of(panel, tipo="x", assunto="x", empresa="x", inicio="x", fim="x") == everything


async def test_moments_in_the_details_are_those_of_brasilia(
    panel: Panel, caller: Caller, database: Database
) -> None:
    async with database.acting_as(MARIA).tenant(caller.subscription_id) as tenant:
        for moment in ("2027-11-19T14:53:48Z", "um dia"):
            await tenant.audit.add(AuditAction.CERTIFICATE_STORED, details={"expiresAt": moment})
    unreadable, readable, *_ = await entries_of(panel)
    assert "Válido até: 19/11/2027 11:53 Maria" in readable
    assert "Válido até: um dia Maria" in unreadable


async def test_changed_fields_are_named_without_their_values(panel: Panel, caller: Caller) -> None:
    company_id = await caller.create_company()
    data_of(await caller.http.put(f"/v1/companies/{company_id}", json={"email": "novo@example.com"}))
    newest, *_ = await entries_of(panel)
    assert "Campos: email" in newest
    assert "novo@example.com" not in newest


async def test_deliveries_that_were_sent_again_say_since_when_they_had_failed(
    panel: Panel, caller: Caller, database: Database
) -> None:
    async with database.acting_as(MARIA).tenant(caller.subscription_id) as tenant:
        details = {"since": "2026-11-16T11:00:00+00:00"}
        await tenant.audit.add(AuditAction.WEBHOOK_RESENT, subject_name="loja", details=details)
    newest, *_ = await entries_of(panel)
    assert "Reenviou entregas do webhook loja. Falhas desde: 16/11/2026 08:00" in newest
