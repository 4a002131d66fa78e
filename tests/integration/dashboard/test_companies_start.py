"""The first steps of a company, and the changes that a person confirms by typing."""

from datetime import UTC, datetime

import pytest

from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from integration.dashboard.company_rows import ADDRESS, DAY, certify, ready_company
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from integration.dashboard.test_companies_registration import REGISTERED, problems_in
from support import CNPJ, Caller, code_of, data_of


async def steps_of(panel: Panel, company_id: str) -> dict[str, str]:
    """Returns the steps with their states."""
    page = await panel.page(f"{panel.company(company_id)}/inicio")
    titles = page.xpath("//main//ol/li/h2")
    return {" ".join(each.text.split()): words_of(each.find("span")) for each in titles}


class TestFirstSteps:
    async def test_steps_are_done_one_after_another(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await caller.create_company(environment="homologation")
        path = f"/v1/companies/{company_id}"
        steps = await steps_of(panel, company_id)
        assert [title for title, state in steps.items() if state == "Falta"] == [
            "Cadastro e endereço", "Certificado digital A1",
        ]  # fmt: skip
        optional = ("Inscrição estadual", "NFC-e", "NFS-e", "CT-e e CT-e OS")
        assert {steps[name] for name in optional} == {"Se precisar"}

        data_of(await caller.http.put(path, json={"address": ADDRESS, "taxRegime": "mei"}))
        await certify(database, caller, company_id, datetime.now(UTC) + 300 * DAY)
        steps = await steps_of(panel, company_id)
        assert "Falta" not in steps.values()

        # Who issues goods needs the state registration.
        data_of(
            await caller.http.put(f"{path}/settings", json={"nfe": {"number": 7}, "nfse": {"issRate": 2}})
        )
        assert (await steps_of(panel, company_id))["Inscrição estadual"] == "Falta"
        data_of(await caller.http.post(f"{path}/state-registrations", json=REGISTERED))
        steps = await steps_of(panel, company_id)
        assert (steps["Inscrição estadual"], steps["NFS-e"]) == ("Feito", "Se precisar")

    async def test_authorized_test_document_takes_its_step(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await caller.create_company(environment="homologation")
        states = []
        for environment in ("production", "homologation"):
            async with database.connection() as connection:
                await connection.execute(
                    "insert into document_days (subscription_id, company_id, day, environment, type,"
                    " status, shard, documents, amount)"
                    " values ($1, $2, '2026-11-10', $3, 'nfe', 'authorized', 0, 1, 9)",
                    caller.subscription_id, company_id, environment,
                )  # fmt: skip
            states.append((await steps_of(panel, company_id))["Primeiro documento em homologação"])
        assert states == ["Recomendado", "Feito"]

    async def test_form_leads_back_to_the_steps_that_it_was_opened_from(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        start = f"{panel.company(company_id)}/inicio"
        [address] = (await panel.page(start)).xpath("//main//a[contains(@href, '/cadastro')]/@href")
        refused = await panel.press(await panel.page(address), "Guardar", legalName="")
        assert problems_in(refused).keys() == {"legalName"}
        answer = await panel.press(await panel.page(address), "Guardar", taxRegime="mei")
        assert answer.headers["location"] == f"{start}?aviso=guardado"
        page = await panel.page(f"{panel.company(company_id)}/cadastro")
        answer = await panel.press(page, "Guardar", taxRegime="simples")
        assert answer.headers["location"] == f"{panel.company(company_id)}?aviso=guardado"

    async def test_reader_sees_the_steps_without_links_to_forms(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company()
        viewer = await sign_in_as(caller.subscription_id, MemberRole.VIEWER)
        page = await viewer.page(f"{viewer.company(company_id)}/inicio")
        assert page.xpath("//main//ol//a") == []
        assert len(page.xpath("//main//ol/li")) > 5


class TestEnvironment:
    @pytest.mark.parametrize("word", ["PRODUÇÃO", "producao", " Produção "])
    async def test_company_goes_to_production_when_the_word_is_typed(
        self, panel: Panel, caller: Caller, word: str
    ) -> None:
        company_id = await caller.create_company(environment="homologation")
        page = await panel.page(f"{panel.company(company_id)}/ambiente")
        assert "A numeração é contada em cada ambiente." in words_of(page)
        assert "Ainda falta: Certificado digital A1." in words_of(page)
        answer = await panel.press(page, "Passar para produção", confirmation=word)
        assert answer.status_code == 303
        record = data_of(await caller.http.get(f"/v1/companies/{company_id}"))
        assert record["environment"] == "production"

    async def test_any_other_word_is_refused_at_the_input(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company()
        page = await panel.page(f"{panel.company(company_id)}/ambiente")
        for word in ("", "PRODUÇÃO", "sim"):
            answer = await panel.press(page, "Passar para homologação", confirmation=word)
            assert problems_in(answer) == {"confirmation": "Escreva HOMOLOGAÇÃO para confirmar."}
        record = data_of(await caller.http.get(f"/v1/companies/{company_id}"))
        assert record["environment"] == "production"


class TestDeletion:
    async def test_company_is_deleted_when_its_cnpj_is_typed(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await ready_company(caller, database)
        page = await panel.page(f"{panel.company(company_id)}/excluir")
        for typed in ("", "11.222.333/0001-82"):
            answer = await panel.press(page, "Excluir a empresa", confirmation=typed)
            assert problems_in(answer).keys() == {"confirmation"}
        answer = await panel.press(page, "Excluir a empresa", confirmation=f" {CNPJ} ")
        assert "Empresa excluída." in words_of(await panel.page(answer.headers["location"]))
        assert code_of(await caller.http.get(f"/v1/companies/{company_id}")) == "NOT_FOUND"

    async def test_company_with_a_document_in_processing_stays(
        self, panel: Panel, caller: Caller, database: Database
    ) -> None:
        company_id = await ready_company(caller, database)
        async with database.connection() as connection:
            await connection.execute(
                "insert into document_counts (subscription_id, company_id, type, status, shard, documents)"
                " values ($1, $2, 'nfe', 'processing', 0, 1)",
                caller.subscription_id, company_id,
            )  # fmt: skip
        page = await panel.page(f"{panel.company(company_id)}/excluir")
        answer = await panel.press(page, "Excluir a empresa", confirmation=CNPJ)
        assert answer.status_code == 422
        assert "1 documento e 0 eventos ou inutilizações em processamento" in answer.text
