"""The page of people: the names of the companies that each may see."""

from uuid import UUID

from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import Panel, words_of
from support import CNPJ, OTHER_CNPJ, Caller, data_of


async def test_companies_of_a_person_are_named_among_very_many_and_a_deleted_one_is_called_so(
    panel: Panel, caller: Caller, database: Database, sign_in_as: NewPanel
) -> None:
    last = await caller.create_company(CNPJ, legalName="Zeta Ltda")
    deleted = await caller.create_company(OTHER_CNPJ, legalName="Alfa Ltda")
    await sign_in_as(caller.subscription_id, MemberRole.VIEWER, frozenset({UUID(last), UUID(deleted)}))
    data_of(await caller.http.delete(f"/v1/companies/{deleted}"))
    async with database.connection() as connection:
        await connection.execute(
            "insert into companies (subscription_id, id, tax_id, legal_name, environment)"
            " select $1, gen_random_uuid(), n::text, 'Beta ' || n, 'production'"
            " from generate_series(1, 1000) as n",
            caller.subscription_id,
        )
    page = await panel.page(f"{panel.base}/pessoas")
    (viewer,) = [words_of(row) for row in page.xpath("//tbody/tr") if "Leitor" in words_of(row)]
    assert "Zeta Ltda" in viewer
    assert viewer.count("empresa excluída") == 1
    assert "Contador Lê documentos e empresas" in words_of(page.xpath("//dl")[0])
