"""The page of authorities: it says what our own traffic showed, and no more."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service import outage_board
from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from carimbo.storage.outages import AuthorityService, end_outage, record_outage
from integration.dashboard.company_rows import DAMAGES, damage, ready_company
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from integration.storage.document_rows import Shop
from support import OTHER_CNPJ, Caller, data_of

CUIABA = AuthorityService("55", "MT", "production")
RECIFE = AuthorityService("55", "PE", "production")
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def uncached_outages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)


@pytest.fixture
async def outages(database: Database) -> AsyncIterator[None]:
    """The authorities of Mato Grosso and of Pernambuco are out of service."""
    async with database.connection() as connection:
        for service in (CUIABA, RECIFE):
            await record_outage(connection, service, "109", f"Paralisado em {service.authorizer}", MINUTE)
    yield
    async with database.connection() as connection:
        for service in (CUIABA, RECIFE):
            await end_outage(connection, service)


async def cards_of(panel: Panel) -> list[str]:
    """Returns the texts of the authorities, the normal one of a type before its contingency."""
    page = await panel.page(f"{panel.base}/autoridades")
    return [words_of(card) for card in page.xpath("//article")]


async def authorized(shop: Shop, emission_type: str, authorized_at: datetime) -> None:
    """Stores a document that was authorized at a moment."""
    document = await shop.added()
    async with shop.database.connection() as connection:
        await connection.execute("update documents set emission = 1 where id = $1", document.id)
        await connection.execute(
            "insert into emissions (subscription_id, document_id, ordinal, company_id, document_type,"
            " environment, series, number, numeric_code, state, emission_type, authorized_at)"
            " values ($1, $2, 1, $3, 'nfe', 'production', 1, $4, '12345678', 'authorized', $5, $6)",
            shop.subscription_id, document.id, shop.company_id, int(emission_type), emission_type,
            authorized_at,
        )  # fmt: skip


class TestOutages:
    async def test_outage_of_an_own_authority_is_shown_with_its_message(
        self, outages: None, panel: Panel, caller: Caller, database: Database
    ) -> None:
        await ready_company(caller, database)
        page = await panel.page(f"{panel.base}/autoridades")
        (note,) = page.xpath("//section[@aria-label='Fora do ar']")
        assert "SEFAZ MT não atende NF-e desde" in words_of(note)
        assert "109: Paralisado em MT" in words_of(note)
        assert "Paralisado em PE" not in words_of(page)

    async def test_failure_of_long_ago_is_not_called_an_outage(
        self, outages: None, panel: Panel, caller: Caller, database: Database
    ) -> None:
        await ready_company(caller, database)
        async with database.connection() as connection:
            await connection.execute(
                "update outages set since = since - interval '1 day', seen_at = seen_at - interval '1 day'"
                " where authorizer = 'MT'"
            )
        normal, stand_in = await cards_of(panel)
        assert "Falhou na última vez" in normal
        assert "desde então nada foi enviado a ela" in normal
        assert "Contingência · 1 empresa de MT" in stand_in


class TestUnreadable:
    @pytest.mark.parametrize("name", DAMAGES)
    async def test_company_that_can_not_be_read_hides_no_other_company(
        self, panel: Panel, caller: Caller, database: Database, name: str
    ) -> None:
        damaged = await ready_company(caller, database, legalName="Alfa Ltda")
        await ready_company(caller, database, OTHER_CNPJ, legalName="Beta Ltda")
        await damage(database, caller.subscription_id, UUID(damaged), name)
        normal, _stand_in = await cards_of(panel)
        assert "SEFAZ MT" in normal
        file = await panel.http.get(f"{panel.base}/autoridades?formato=csv")
        assert "SEFAZ MT" in file.text
        if name == "lost master key":
            page = await panel.page(f"{panel.base}/autoridades")
            (note,) = page.xpath("//section[@aria-label='Empresa que não pôde ser conferida']")
            assert words_of(note).startswith("Não foi possível conferir Alfa Ltda . Parte dos dados")


class TestTraffic:
    async def test_last_authorization_counts_only_for_the_authority_that_gave_it(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await ready_company(caller, database)
        shop = Shop(database, caller.subscription_id, UUID(company_id))
        normal, stand_in = await cards_of(panel)
        assert ("Sem dados" in normal, "Ainda não autorizou nada daqui." in normal) == (True, True)

        await authorized(shop, "1", datetime(2026, 11, 10, 15, 30, tzinfo=UTC))
        await authorized(shop, "7", datetime(2026, 11, 11, 15, 30, tzinfo=UTC))
        normal, stand_in = await cards_of(panel)
        assert "Sem falhas vistas desde a última autorização, em 10/11/2026 12:30." in normal
        assert "A última autorização que vimos foi em 11/11/2026 12:30." in stand_in

    async def test_forced_contingency_is_shown_only_for_visible_companies(
        self, caller: Caller, database: Database, sign_in_as: NewPanel
    ) -> None:
        mine = await ready_company(caller, database, legalName="Alfa Ltda")
        other = await ready_company(caller, database, OTHER_CNPJ, legalName="Beta Ltda")
        body: dict[str, Any] = {"mode": "forced", "reason": "Autorizador com lentidão extrema"}
        for company_id in (mine, other):
            data_of(await caller.http.put(f"/v1/companies/{company_id}/contingency", json=body))
        panel = await sign_in_as(caller.subscription_id, MemberRole.VIEWER, frozenset({UUID(mine)}))
        page = await panel.page(f"{panel.base}/autoridades")
        (row,) = [words_of(row) for row in page.xpath("//tbody/tr")]
        assert row.startswith("Alfa Ltda NF-e Em contingência pela SEFAZ Virtual de Contingência")
        assert row.endswith("Autorizador com lentidão extrema Forçada")
