"""Lists as CSV files, from the pages that show them."""

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, text_of
from integration.storage.neighbours import create_neighbours
from support import OTHER_CNPJ, Caller, data_of

# Pages of the menu that show something else than a list of rows.
_NOT_LISTS = {
    "Calendário fiscal",
    "Credenciais",
    "Emitir",
    "Exportações",
    "Importações",
    "Início",
    "Uso e plano",
}
_PAGES = (
    "/empresas",
    "/pessoas",
    "/registro",
    "/webhooks",
    "/autoridades",
    "/trabalho",
    "{company}/documentos",
    "{company}/recebidos?tipo=nfe",
    "{company}/vendas",
    "{company}/clientes",
    "{company}/produtos",
    "{company}/numeracao",
    "{company}/numeracao/inutilizacoes",
)


@pytest.mark.parametrize("page", _PAGES)
async def test_list_is_downloaded_by_who_may_export_and_by_nobody_else(
    page: str, caller: Caller, sign_in_as: NewPanel
) -> None:
    company_id = await caller.create_company()
    rest = page.format(company=f"/empresas/{company_id}")
    rest += "&formato=csv" if "?" in rest else "?formato=csv"
    owner, viewer = (
        await sign_in_as(caller.subscription_id),
        await sign_in_as(caller.subscription_id, MemberRole.VIEWER),
    )
    answer = await owner.http.get(owner.base + rest)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert (await viewer.http.get(viewer.base + rest)).status_code == 403


async def test_every_list_of_the_menu_can_be_downloaded(
    database: Database, authenticator: Authenticator, sign_in_as: NewPanel
) -> None:
    neighbours = await create_neighbours(database, authenticator)
    panel = await sign_in_as(neighbours.owner, is_operator=True)
    menu = (await panel.page(f"{panel.company(str(neighbours.company_id))}/documentos")).xpath(
        "//nav[@aria-label='Menu']//li[not(ancestor::details[@class='switcher'])]/a"
    )
    without_file = set()
    for link in menu:
        answer = await panel.http.get(f"{link.get('href')}?formato=csv")
        if answer.headers["content-type"].startswith("text/csv"):
            page = await panel.page(link.get("href"))
            assert page.xpath("//main//a[.='Baixar CSV']"), link.get("href")
        else:
            without_file.add(text_of(link))
    assert without_file == _NOT_LISTS
    async with database.connection() as connection:
        rows = await connection.fetch(
            "select distinct actor ->> 'id' as id from audit_entries where action = 'export.created'"
            " and subscription_id in ($1, $2) and created_at >= $3",
            neighbours.owner, NIL, panel.person.created_at,
        )  # fmt: skip
    assert [row["id"] for row in rows] == [str(panel.person.id)]


async def test_file_has_the_rows_of_the_filtered_page(panel: Panel, caller: Caller) -> None:
    company_id = await caller.create_company()
    path = f"/v1/companies/{company_id}/customers"
    for name in ("Ana", "João"):
        data_of(await caller.http.post(path, json={"name": name, "email": f"{len(name)}@example.com"}))
    page = await panel.page(f"{panel.company(company_id)}/clientes?busca=ana&pagina=1")
    (address,) = page.xpath("//a[.='Baixar CSV']/@href")
    assert "pagina" not in address
    text = (await panel.http.get(address)).content.decode("utf-8-sig")
    assert [line.split(";")[0] for line in text.splitlines()] == ["Nome", "Ana"]


async def test_companies_of_the_file_are_those_of_the_search_that_the_person_may_see(
    caller: Caller, sign_in_as: NewPanel
) -> None:
    await caller.create_company()
    await caller.create_company(OTHER_CNPJ)
    panel = await sign_in_as(caller.subscription_id)
    everything = (await panel.http.get(f"{panel.base}/empresas?formato=csv")).text.splitlines()
    only = (await panel.http.get(f"{panel.base}/empresas?formato=csv&busca={OTHER_CNPJ}")).text.splitlines()
    assert (len(everything), len(only)) == (3, 2)


async def test_viewer_sees_no_link_to_a_file(caller: Caller, sign_in_as: NewPanel) -> None:
    company_id = await caller.create_company()
    viewer = await sign_in_as(caller.subscription_id, MemberRole.VIEWER)
    page = await viewer.page(f"{viewer.company(company_id)}/documentos")
    assert page.xpath("//a[contains(@href, 'formato')]") == []
