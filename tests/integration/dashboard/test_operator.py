"""The pages of the operator: subscriptions, plans, parked work, versions, tables, calendar, audit."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from carimbo import __version__
from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.service.access import Authenticator
from carimbo.service.exports import csv_files
from carimbo.service.subscriptions import define_plan, set_plan
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.subscriptions import SubscriptionPlan
from carimbo.storage.work import TABLES, WorkKind
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import Neighbours, create_neighbours
from support import CNPJ, OTHER_CNPJ, Caller, NewCaller

ROOT = "/painel/operacao"
_PARKED_KINDS = (
    WorkKind.DOCUMENT,
    WorkKind.EVENT,
    WorkKind.INUTILIZATION,
    WorkKind.SUPERSEDED,
    WorkKind.SALE,
    WorkKind.EMAIL,
    WorkKind.RECEPTION,
    WorkKind.MANIFESTATION,
)


@pytest.fixture
async def operator(sign_in_as: NewPanel) -> Panel:
    """An operator who is no member of any subscription."""
    return await sign_in_as(None, None, is_operator=True)


def rows_of(page: Any) -> list[str]:
    return [words_of(row) for row in page.xpath("//main//tbody/tr")]


@pytest.fixture
async def shop(caller: Caller, database: Database) -> Shop:
    return await open_shop(database, caller.subscription_id)


@pytest.fixture
async def parked(shop: Shop, database: Database) -> AsyncIterator[Document]:
    """A document that was parked before all others of this database."""
    document = await shop.added()
    async with database.connection() as connection:
        await connection.execute(
            "update documents set parked_reason = 'Falhou 8 vezes', next_action_at = null,"
            " queued_at = '1990-01-02 12:00+00' where id = $1", document.id,
        )  # fmt: skip
    yield document
    async with database.connection() as connection:
        await connection.execute("update documents set parked_reason = null where id = $1", document.id)


@pytest.fixture
async def parked_works(database: Database, authenticator: Authenticator) -> AsyncIterator[Neighbours]:
    """Parked work of most kinds, parked before all others of this database."""
    neighbours = await create_neighbours(database, authenticator)
    async with database.connection() as connection:
        for kind in _PARKED_KINDS:
            since = "queued_at" if kind is WorkKind.DOCUMENT else "created_at"
            await connection.execute(
                f"update {TABLES[kind]} set parked_reason = 'Falhou 8 vezes', next_action_at = null,"
                f" {since} = '1980-01-02 12:00+00' where subscription_id = $1", neighbours.owner,
            )  # fmt: skip
    yield neighbours
    async with database.connection() as connection:
        for kind in _PARKED_KINDS:
            await connection.execute(
                f"update {TABLES[kind]} set parked_reason = null where subscription_id = $1", neighbours.owner
            )


class TestSubscriptions:
    async def test_subscription_is_listed_with_its_sizes(
        self, operator: Panel, caller: Caller, database: Database, sign_in_as: NewPanel
    ) -> None:
        await define_plan(database, SubscriptionPlan("five", None, 5, None))
        await set_plan(database, caller.subscription_id, "five")
        await caller.create_company(CNPJ)
        deleted = await caller.create_company(OTHER_CNPJ)
        assert (await caller.http.delete(f"/v1/companies/{deleted}")).status_code == 200
        for _ in range(2):
            await sign_in_as(caller.subscription_id)
        async with database.connection() as connection:
            await connection.execute(
                "insert into allowances (subscription_id, period, used) values ($1, 'total', 3)",
                caller.subscription_id,
            )
        (row,) = rows_of(await operator.page(f"{ROOT}?busca={caller.subscription_id}"))
        assert row.startswith(f"Teste {caller.subscription_id} five CT-e, MDF-e, NFC-e 1 2 3 de 5 ao todo")

    async def test_plan_is_listed_with_its_limits_and_subscriptions(
        self, operator: Panel, caller: Caller, database: Database
    ) -> None:
        await define_plan(database, SubscriptionPlan("ten-thousand", 10_000, None, 600))
        await set_plan(database, caller.subscription_id, "ten-thousand")
        rows = rows_of(await operator.page(f"{ROOT}/planos"))
        assert "ten-thousand 10.000 sem limite 600 1 Alterar ten-thousand" in rows


class TestParkedWork:
    async def test_parked_document_has_its_reason_and_its_subscription(
        self, operator: Panel, parked: Document
    ) -> None:
        page = await operator.page(f"{ROOT}/trabalho")
        first = page.xpath("//ul[@class='tasks']/li")[0]
        assert words_of(first.find("h2")) == "Documento NF-e de Loja Modelo Ltda"
        assert "Falhou 8 vezes Na fila desde 02/01/1990 10:00 · assinatura Teste" in words_of(first)
        assert first.xpath(".//form/@action") == [f"{ROOT}/trabalho/{parked.id}/retomar"]
        assert first.xpath(".//a/@href") == [f"{ROOT}/trabalho/{parked.id}/encerrar"]

    async def test_each_kind_of_work_names_the_documents_that_it_is_about(
        self, operator: Panel, parked_works: Neighbours
    ) -> None:
        page = await operator.page(f"{ROOT}/trabalho")
        works = page.xpath("//ul[@class='tasks']/li/h2")[: len(_PARKED_KINDS)]
        assert {words_of(work).removesuffix(" de Loja Modelo Ltda") for work in works} == {
            "Documento NF-e",
            "Evento NF-e",
            "Inutilização NF-e",
            "Tentativa substituída NF-e",
            "Venda",
            "E-mail",
            "Leitura de recebidos NF-e",
            "Manifestação NF-e",
        }
        file = (await operator.http.get(f"{ROOT}/trabalho?formato=csv")).text.splitlines()
        rows = [line.split(";") for line in file if str(parked_works.owner) in line]
        assert len(rows) == len(_PARKED_KINDS)
        assert {work: document_type for work, document_type, *_ in rows if document_type != "NF-e"} == {
            "Venda": "",
            "E-mail": "",
        }

    async def test_operator_who_is_a_member_gets_a_link_to_the_document(
        self, parked: Document, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        panel = await sign_in_as(caller.subscription_id, is_operator=True)
        page = await panel.page(f"{ROOT}/trabalho")
        (link,) = page.xpath(f"//main//h2/a[contains(@href, '{parked.id}')]/@href")
        await panel.page(link)


class TestDownloads:
    """The files of the lists, which only the operator gets."""

    async def lines(self, operator: Panel, page: str) -> list[str]:
        """Returns the lines of the file that a page links to."""
        (address,) = (await operator.page(ROOT + page)).xpath("//a[.='Baixar CSV']/@href")
        return (await operator.http.get(address)).text.splitlines()

    async def test_subscriptions_of_the_search_have_their_sizes(
        self, operator: Panel, caller: Caller, new_caller: NewCaller
    ) -> None:
        await new_caller()
        await caller.create_company()
        heading, row = await self.lines(operator, f"?busca={caller.subscription_id}")
        shown = dict(zip(heading.lstrip("\ufeff").split(";"), row.split(";"), strict=True))
        assert (shown["Id"], shown["Empresas"], shown["Pessoas"]) == (str(caller.subscription_id), "1", "0")

    @pytest.mark.parametrize("size", [1, 2])
    async def test_all_subscriptions_are_in_the_file_once_in_the_order_of_the_page(
        self, operator: Panel, new_caller: NewCaller, monkeypatch: pytest.MonkeyPatch, size: int
    ) -> None:
        monkeypatch.setattr(csv_files, "_PAGE_SIZE", size)
        callers = [await new_caller() for _ in range(3)]
        ids = [line.rpartition(";")[2] for line in (await self.lines(operator, ""))[1:]]
        assert len(ids) == len(set(ids))
        assert {str(caller.subscription_id) for caller in callers} <= set(ids)

    async def test_plans_are_listed_with_their_limits(self, operator: Panel, database: Database) -> None:
        await define_plan(database, SubscriptionPlan("eight-thousand", 8_000, None, 600))
        assert "eight-thousand;8000;Sem limite;600;0" in await self.lines(operator, "/planos")

    async def test_parked_work_is_listed_with_its_reason(
        self, operator: Panel, parked: Document, caller: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(csv_files, "_PAGE_SIZE", 1)
        _, first, *others = await self.lines(operator, "/trabalho")
        assert first.startswith("Documento;NF-e;Loja Modelo Ltda;Teste;Falhou 8 vezes;Sim;02/01/1990 10:00;")
        assert first.endswith(f"{caller.subscription_id};{parked.company_id};{parked.id}")
        assert not any(str(parked.id) in line for line in others)

    async def test_official_tables_are_listed(self, operator: Panel) -> None:
        assert len(await self.lines(operator, "/tabelas")) == 1 + len(ALL_TABLES)

    async def test_download_is_in_the_audit_of_the_installation(self, operator: Panel) -> None:
        await self.lines(operator, "/planos")
        _, newest, before, *_ = await self.lines(operator, "/registro?assunto=export")
        assert ("Ana Souza;Baixou registro.csv." in newest, "Ana Souza;Baixou planos.csv." in before) == (
            True,
            True,
        )


class TestInstallation:
    async def test_versions_and_all_tables_are_shown(self, operator: Panel) -> None:
        page = await operator.page(f"{ROOT}/tabelas")
        facts = words_of(page.find(".//dl"))
        assert f"carimbo {__version__}" in facts
        assert "nfelib" in facts
        assert len(rows_of(page)) == len(ALL_TABLES)

    async def test_calendar_of_a_day_separates_what_is_in_force_from_what_comes(
        self, operator: Panel
    ) -> None:
        page = await operator.page(f"{ROOT}/calendario?dia=2026-12-31")
        coming = page.xpath("//h2[.='A seguir']/following-sibling::dl[1]")[0]
        in_force = page.xpath("//h2[starts-with(., 'Em vigor')]/following-sibling::dl[1]")[0]
        assert "Alíquota da CBS: 0,9%" in words_of(in_force)
        assert "em 1 dia" in words_of(coming)
        assert "pis_cofins_ended" in words_of(coming)
        later = await operator.page(f"{ROOT}/calendario?dia=2027-01-01")
        in_force = later.xpath("//h2[starts-with(., 'Em vigor')]/following-sibling::dl[1]")[0]
        assert "pis_cofins_ended" in words_of(in_force)

    async def test_changes_of_the_installation_are_listed(self, operator: Panel, database: Database) -> None:
        await define_plan(database, SubscriptionPlan("seven", 7, None, None))
        newest, *_ = rows_of(await operator.page(f"{ROOT}/registro?assunto=plan"))
        assert "Definiu o plano seven. Documentos por mês: 7" in newest
