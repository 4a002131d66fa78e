"""The pages of companies: what each lacks, its certificate, and which of them a person sees."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from integration.dashboard.company_rows import ADDRESS, DAMAGES, DAY, certify, damage, ready_company
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from integration.storage.neighbours import SUMMARY
from support import CNPJ, OTHER_CNPJ, Caller, NewCaller, data_of

CSC = "0123456789ABCDEF0123456789ABCDEF"


def rows_of(page: Any) -> list[str]:
    return [words_of(row) for row in page.xpath("//main//tbody/tr")]


def section_of(page: Any, heading: str) -> str:
    """Returns the text from a heading of second order to the next one."""
    [start] = [each for each in page.xpath("//main//h2") if words_of(each) == heading]
    texts = []
    for element in start.itersiblings():
        if element.tag == "h2":
            break
        texts.append(words_of(element))
    return " ".join(texts)


def checks_of(page: Any, title: str) -> dict[str, bool]:
    """Returns the checks of a card, and whether each is missing."""
    [card] = page.xpath("//*[@class='card'][starts-with(h3, $title)]", title=f"{title} ")
    return {words_of(item): item.get("class") == "missing" for item in card.xpath(".//li")}


class TestList:
    async def test_readiness_and_certificate_of_each_company_are_shown(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        await ready_company(caller, database, legalName="Alfa Comércio Ltda")
        await caller.create_company(OTHER_CNPJ, legalName="Beta Comércio Ltda")
        ready, bare = rows_of(await panel.page(f"{panel.base}/empresas"))
        assert "Alfa Comércio Ltda 11.222.333/0001-81 Pronta para emitir NF-e Produção Em vigor" in ready
        assert "Beta Comércio Ltda" in bare
        assert "Falta configurar Nenhum ainda Produção Sem certificado" in bare

    async def test_search_finds_names_without_accents_and_parts_of_the_cnpj(
        self, panel: Panel, caller: Caller
    ) -> None:
        await caller.create_company(CNPJ, legalName="Alfa Ltda", tradeName="Pão de Açúcar")
        await caller.create_company(OTHER_CNPJ, legalName="Beta Ltda")
        for search in ("acucar pao", "11.222.333/0001"):
            (row,) = rows_of(await panel.page(f"{panel.base}/empresas?busca={search}"))
            assert "Pão de Açúcar" in row
        page = await panel.page(f"{panel.base}/empresas?busca=gama")
        assert "Nenhuma empresa com este nome ou CNPJ." in words_of(page)

    async def test_companies_that_the_person_may_not_see_are_absent(
        self, caller: Caller, new_caller: NewCaller, sign_in_as: NewPanel
    ) -> None:
        mine = await caller.create_company(CNPJ, legalName="Alfa Ltda")
        await caller.create_company(OTHER_CNPJ, legalName="Beta Ltda")
        await (await new_caller()).create_company(CNPJ, legalName="Gama Ltda")
        panel = await sign_in_as(caller.subscription_id, MemberRole.VIEWER, frozenset({UUID(mine)}))
        for search in ("", "?busca=ltda"):
            (row,) = rows_of(await panel.page(f"{panel.base}/empresas{search}"))
            assert "Alfa Ltda" in row

    @pytest.mark.parametrize("name", DAMAGES)
    async def test_company_that_can_not_be_read_is_named_and_hides_no_other_company(
        self, panel: Panel, caller: Caller, database: Database, name: str
    ) -> None:
        damaged = await ready_company(caller, database, legalName="Alfa Ltda")
        await ready_company(caller, database, OTHER_CNPJ, legalName="Beta Ltda")
        await damage(database, caller.subscription_id, UUID(damaged), name)
        alfa, beta = rows_of(await panel.page(f"{panel.base}/empresas"))
        assert alfa.startswith("Alfa Ltda")
        assert "Não pôde ser conferida Parte dos dados guardados desta empresa não pôde ser lida" in alfa
        assert "Pronta para emitir NF-e Produção" in beta
        text = words_of(await panel.page(panel.company(damaged)))
        assert "Parte dos dados guardados desta empresa não pôde ser lida" in text
        assert "excluída" not in text
        file = await panel.http.get(f"{panel.base}/empresas?formato=csv")
        assert [name in file.text for name in ("Alfa Ltda", "Beta Ltda")] == [True, True]


class TestDetail:
    async def test_bare_company_sees_what_it_lacks_with_links_to_the_forms(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        page = await panel.page(panel.company(company_id))
        common, nfce = checks_of(page, "Todos os"), checks_of(page, "NFC-e")
        assert all((common | nfce).values())
        lines = " ".join(common | nfce)
        for part in (
            "Falta: Endereço Informar",
            "Falta: Inscrição estadual na UF da empresa (as NFS-e não precisam dela) Informar",
            "Falta: O módulo da NFC-e, que está desligado Informar",
        ):
            assert part in lines
        links = {words_of(link): link.get("href") for link in page.xpath("//*[@class='checklist']//a")}
        base = panel.company(company_id)
        assert links["Informar : Endereço"] == f"{base}/cadastro"
        assert links["Informar : Certificado A1 em vigor"] == f"{base}/certificado"
        assert links["Informar : O CSC"] == f"{base}/configuracoes/nfce"
        assert checks_of(page, "MDF-e") == {"Falta: O que está em “Todos os documentos”": True}

    async def test_only_types_in_use_are_listed_first_and_decide_whether_the_company_is_ready(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await ready_company(caller, database)
        page = await panel.page(panel.company(company_id))
        assert words_of(page.find(".//h1")).endswith("Pronta para emitir")
        assert not any(checks_of(page, "NF-e").values())
        titles = page.xpath("//main/div[contains(@class, 'cards')]//h3")
        assert [words_of(title) for title in titles] == ["Todos os documentos", "NF-e Pronta para emitir"]

    async def test_certificate_that_ends_soon_shows_the_days_left(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await ready_company(caller, database)
        await certify(database, caller, company_id, datetime.now(UTC) + 4 * DAY + timedelta(hours=1))
        section = section_of(await panel.page(panel.company(company_id)), "Certificado digital")
        assert "Vence em breve" in section
        assert "faltam 5 dias" in section
        assert SUMMARY.subject_name in section

    async def test_rates_and_numbers_of_the_registration_are_formatted(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company(
            address=ADDRESS, taxRegime="simples", simplesRate=6, cnaeCode="4751201", phone="1133334444"
        )
        settings = {"nfse": {"issRate": 2}, "defaults": {"icmsRate": 17.5}}
        data_of(await caller.http.put(f"/v1/companies/{company_id}/settings", json=settings))
        page = await panel.page(panel.company(company_id))
        registration, chosen = section_of(page, "Cadastro"), section_of(page, "Configurações")
        for part in ("CEP 78005-000", "Alíquota do Simples 6%", "CNAE 4751-2/01", "Telefone (11) 3333-4444"):
            assert part in registration
        assert "Alíquota usual do ISS 2%" in chosen
        assert "Alíquota interna do ICMS 17,5%" in chosen

    async def test_secrets_in_the_settings_are_not_shown(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company()
        settings = {
            "nfce": {"active": True, "cscId": "1", "csc": CSC},
            "numbering": {"inutilizeGaps": "automatic"},
        }
        data_of(await caller.http.put(f"/v1/companies/{company_id}/settings", json=settings))
        page = await panel.page(panel.company(company_id))
        section = section_of(page, "Configurações")
        assert "CSC da NFC-e Informado" in section
        assert "Inutilização de números sem uso Automática" in section
        assert CSC[-4:] not in words_of(page)

    async def test_reception_of_each_type_can_be_started_and_stopped(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await ready_company(caller, database)
        answer = await caller.http.post(f"/v1/companies/{company_id}/received-nfes/sync")
        assert answer.status_code == 202
        page = await panel.page(panel.company(company_id))
        links = page.xpath("//main//a[contains(@href, '/recebidos/')]")
        assert {words_of(link): link.get("href").rpartition("/recebidos/")[2] for link in links} == {
            "Parar de receber NF-e": "nfe/parar",
            "Receber NFS-e": "nfse/acompanhar",
            "Receber CT-e": "cte/acompanhar",
        }

    async def test_page_of_a_deleted_company_says_so(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company()
        data_of(await caller.http.delete(f"/v1/companies/{company_id}"))
        assert "Esta empresa foi excluída" in words_of(await panel.page(panel.company(company_id)))
