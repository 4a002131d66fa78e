"""The pages of imports: upload, templates, progress, refused lines and cancellation."""

from uuid import UUID

import httpx2
import pytest
from lxml import html

from carimbo.service.imports.columns import template_of
from carimbo.service.imports.run import ImportRecord, list_imports
from carimbo.service.listing import PageRequest
from carimbo.service.people.roles import MemberRole
from carimbo.storage import imports
from carimbo.storage.database import Database
from carimbo.storage.imports import ImportKind, ImportProblem, ImportProgress, ImportState
from carimbo.storage.work import WorkKey, WorkKind
from claimed_rows import claim_row
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import ORIGIN, Panel, fields_of, strings_of, text_of, words_of
from integration.dashboard.test_companies_registration import problems_in
from support import ABSENT, Caller

PRODUCTS = b"SKU;Nome;Tipo;Categoria\na;Caneca;Produto;Casa\nb;Jarra;Produto;Casa\n"


@pytest.fixture
async def address(panel: Panel, caller: Caller) -> str:
    """The address of the imports of a new company."""
    return f"{panel.company(await caller.create_company())}/importacoes"


async def upload(
    panel: Panel, address: str, kind: str, content: bytes, name: str = "produtos.csv"
) -> httpx2.Response:
    [form] = (await panel.page(address)).xpath("//form[@enctype='multipart/form-data']")
    files = {"file": (name, content, "text/csv")}
    fields = fields_of(form) | {"kind": kind}
    return await panel.http.post(form.get("action"), data=fields, files=files, headers={"Origin": ORIGIN})


async def uploaded(panel: Panel, address: str, content: bytes = PRODUCTS) -> str:
    """Uploads a file and returns the address of its page."""
    answer = await upload(panel, address, "products", content)
    assert answer.status_code == 303, text_of(html.fromstring(answer.text))
    return answer.headers["location"]


def import_id_of(address: str) -> UUID:
    return UUID(address.rpartition("/")[2])


async def imports_of(database: Database, caller: Caller, address: str) -> list[ImportRecord]:
    company_id = UUID(address.split("/")[-2])
    return (await list_imports(database, caller.subscription_id, company_id, PageRequest())).items


async def refuse_line(database: Database, caller: Caller, address: str, problems: int = 1) -> None:
    """Stores that the next line of an import was refused."""
    key = WorkKey(WorkKind.IMPORT, caller.subscription_id, import_id_of(address))
    async with database.tenant(caller.subscription_id) as tenant:
        row = await tenant.imports.get(key.id)
        lease = await claim_row(tenant.connection, key)
        assert row is not None
        assert lease is not None
        refused = [
            ImportProblem(
                line=2, position=place, field="Nome", message=f"Motivo {place}.", cells=["a", "<b>"]
            )
            for place in range(problems)
        ]
        await tenant.imports.advance(lease, row, ImportProgress(lines=1, refused=1, problems=refused))


class TestUpload:
    async def test_uploaded_file_is_queued_and_its_page_shows_the_progress(
        self, panel: Panel, caller: Caller, database: Database, address: str
    ) -> None:
        page = await panel.page(await uploaded(panel, address))
        text = words_of(page)
        for part in ("produtos.csv", "Em andamento", "0 de 2 linhas", "Produtos e serviços", "por Ana Souza"):
            assert part in text
        [bar] = page.xpath("//progress")
        assert (bar.get("max"), bar.get("value")) == ("2", "0")
        [record] = await imports_of(database, caller, address)
        assert (record.kind, record.lines_total) == (ImportKind.PRODUCTS, 2)
        assert "produtos.csv" in words_of(await panel.page(address))

    async def test_form_that_arrives_twice_stores_one_import(
        self, panel: Panel, caller: Caller, database: Database, address: str
    ) -> None:
        [form] = (await panel.page(address)).xpath("//form[@enctype='multipart/form-data']")
        fields = fields_of(form) | {"kind": "products"}
        places = set()
        for _ in range(2):
            files = {"file": ("produtos.csv", PRODUCTS, "text/csv")}
            answer = await panel.http.post(address, data=fields, files=files, headers={"Origin": ORIGIN})
            places.add(answer.headers["location"])
        assert len(places) == len(await imports_of(database, caller, address)) == 1

    async def test_each_wrong_upload_is_refused_at_its_input_and_stores_nothing(
        self, panel: Panel, caller: Caller, database: Database, address: str
    ) -> None:
        refusals = [
            await upload(panel, address, "products", b"", name=""),
            await upload(panel, address, "products", b"SKU;Cor\na;azul\n"),
            await upload(panel, address, "", PRODUCTS),
            await upload(panel, address, "nada", PRODUCTS),
        ]
        assert [answer.status_code for answer in refusals] == [422] * 4
        problems = [problems_in(answer) for answer in refusals]
        assert [set(each) for each in problems] == [{"file"}, {"file"}, {"kind"}, {"kind"}]
        assert "“Cor”" in str(problems[1])
        assert await imports_of(database, caller, address) == []

    async def test_kind_of_the_address_is_chosen_in_the_form(self, panel: Panel, address: str) -> None:
        page = await panel.page(f"{address}?tipo=sales")
        assert strings_of(page, "//select[@name='kind']/option[@selected]/@value") == ["sales"]

    async def test_templates_are_files_of_each_kind(self, panel: Panel, address: str) -> None:
        links = strings_of(await panel.page(address), "//a[contains(@href, '/modelo/')]/@href")
        assert len(links) == len(ImportKind)
        for link, kind in zip(links, ImportKind, strict=True):
            answer = await panel.http.get(link)
            assert answer.content == template_of(kind)
            assert "attachment" in answer.headers["content-disposition"]
        assert (await panel.http.get(f"{address}/modelo/nada")).status_code == 404


class TestProgress:
    async def test_page_loads_itself_again_while_lines_are_left_and_not_afterwards(
        self, panel: Panel, caller: Caller, database: Database, address: str
    ) -> None:
        location = await uploaded(panel, address)
        page = await panel.page(location)
        assert strings_of(page, "//*[@id='andamento']/@hx-get") == [location]
        assert 'http-equiv="refresh"' in (await panel.http.get(location)).text
        async with database.connection() as connection:
            await connection.execute(
                "update imports set state = 'finished', lines_done = 2, created = 2, finished_at = now()"
                " where id = $1", import_id_of(location),
            )  # fmt: skip
        page = await panel.page(location)
        assert strings_of(page, "//*[@id='andamento']/@hx-get") == []
        assert 'http-equiv="refresh"' not in (await panel.http.get(location)).text
        for part in (
            "Concluída",
            "2 de 2 linhas",
            "Itens cadastrados 2",
            "Todas as linhas foram importadas.",
        ):
            assert part in words_of(page)

    async def test_refused_lines_are_listed_page_by_page_and_can_be_downloaded(
        self, panel: Panel, caller: Caller, database: Database, address: str
    ) -> None:
        location = await uploaded(panel, address)
        await refuse_line(database, caller, location, problems=30)
        first, second = await panel.page(location), await panel.page(f"{location}?pagina=2")
        rows = first.xpath("//tbody/tr")
        assert (len(rows), len(second.xpath("//tbody/tr"))) == (25, 5)
        assert words_of(rows[0]) == "2 a · <b> Nome Motivo 0."
        assert "Linhas recusadas 1" in words_of(first)
        answer = await panel.http.get(f"{location}/recusadas")
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.content.decode("utf-8-sig").splitlines()[1].endswith(";a;Caneca;Produto;Casa")

    async def test_page_says_that_not_all_problems_are_shown(
        self, panel: Panel, caller: Caller, database: Database, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(imports, "MAX_STORED_PROBLEMS", 3)
        location = await uploaded(panel, address)
        await refuse_line(database, caller, location, problems=1002)
        text = words_of(await panel.page(location))
        assert "São 1.002 problemas" in text

    async def test_parked_import_leads_to_those_who_can_resume_it(
        self, panel: Panel, caller: Caller, database: Database, address: str, sign_in_as: NewPanel
    ) -> None:
        location = await uploaded(panel, address)
        async with database.connection() as connection:
            await connection.execute(
                "update imports set parked_reason = 'falhou', next_action_at = null where id = $1",
                import_id_of(location),
            )
        page = await panel.page(location)
        assert "Parada por falhas" in words_of(page)
        assert strings_of(page, "//main//a[contains(@href, '/trabalho')]/@href") == [f"{panel.base}/trabalho"]
        issuer = await sign_in_as(caller.subscription_id, MemberRole.ISSUER)
        page = await issuer.page(location)
        assert strings_of(page, "//main//a[contains(@href, '/trabalho')]/@href") == []


class TestCancel:
    async def test_canceled_import_says_so_and_offers_no_cancellation(
        self, panel: Panel, caller: Caller, database: Database, address: str
    ) -> None:
        location = await uploaded(panel, address)
        question = await panel.page(f"{location}/cancelar")
        assert "O que já foi importado fica." in words_of(question)
        answer = await panel.press(question, "Cancelar a importação")
        page = await panel.page(answer.headers["location"])
        assert "Cancelada" in words_of(page)
        assert strings_of(page, "//a[contains(@href, '/cancelar')]/@href") == []
        [record] = await imports_of(database, caller, address)
        assert record.state == ImportState.CANCELED

    async def test_import_that_has_ended_can_not_be_canceled(
        self, panel: Panel, database: Database, address: str
    ) -> None:
        location = await uploaded(panel, address)
        question = await panel.page(f"{location}/cancelar")
        async with database.connection() as connection:
            await connection.execute(
                "update imports set state = 'finished' where id = $1", import_id_of(location)
            )
        answer = await panel.press(question, "Cancelar a importação")
        assert answer.status_code == 422
        assert "Esta importação já terminou." in answer.text

    async def test_import_of_another_company_is_not_found(
        self, panel: Panel, caller: Caller, address: str
    ) -> None:
        location = await uploaded(panel, address)
        other = panel.company(await caller.create_company("11222333000262"))
        for end in ("", "/recusadas", "/cancelar"):
            answer = await panel.http.get(f"{other}/importacoes/{import_id_of(location)}{end}")
            assert answer.status_code == 404, end
        assert (await panel.http.get(f"{address}/{ABSENT}")).status_code == 404
