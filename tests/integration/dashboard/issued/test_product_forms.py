"""The forms that add, change and delete items of the catalog."""

from typing import Any

import pytest

from carimbo.service.people.roles import MemberRole
from integration.dashboard.conftest import NewPanel
from integration.dashboard.issued.pages import links_of, page_of, problems_of, values_of
from integration.dashboard.panel import Panel, text_of
from support import Caller, data_of

COURSE = {"name": "Curso de violão", "category": "online_course", "price": "100", "guarantee": "7"}
MUG = {"name": "Caneca", "category": "utensílio", "sku": "caneca", "price": "1.234,56", "ncm": "6912.00.00"}
TAXED: dict[str, Any] = {
    "type": "product",
    "sku": "caneca",
    "name": "Caneca",
    "category": "utensílio",
    "price": 0.0333,
    "ncm": "69120000",
    "origin": "2",
    "icms": {"csosn": "101", "creditRate": 1.25},
    "pis": {"cst": "49", "unitRate": 0.5},
    "ipi": {"cst": "50", "frameworkCode": "301", "rate": 10},
    "ibsCbs": {"taxClassCode": "000001", "state": {"rate": 0.1, "reduction": {"rate": 60}}},
}
WITHHELD: dict[str, Any] = {
    "type": "service",
    "sku": "curso",
    "name": "Curso de violão",
    "category": "online_course",
    "serviceItemCode": "08.02",
    "iss": {"rate": 2.5, "isWithheld": True},
    "taxes": {"ir": {"rate": 1.5, "isWithheld": True}, "pisCofinsCst": "01"},
    "ibsCbs": {"cst": "000", "taxClassCode": "000001", "referencedKeys": []},
    "fiscalFollowsCompanyDefaults": False,
}


class Catalog:
    """The items of a company, over the API and over the pages."""

    def __init__(self, caller: Caller, panel: Panel, company_id: str) -> None:
        self._caller = caller
        self._panel = panel
        self._api = f"/v1/companies/{company_id}/products"
        self.base = f"{panel.company(company_id)}/produtos"

    async def stock(self, item: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self._caller.http.post(self._api, json=item)))

    async def items(self) -> list[dict[str, Any]]:
        return list(data_of(await self._caller.http.get(self._api)))

    async def read(self, item: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self._caller.http.get(f"{self._api}/{item['id']}")))

    async def add(self, item_type: str, **fields: str) -> Any:
        return await self._panel.submit(f"{self.base}/novo?tipo={item_type}", self.base, **fields)

    async def change(self, item: dict[str, Any], **fields: str) -> Any:
        """Opens the form of an item, changes some inputs and sends all of them, as a browser does."""
        address = f"{self.base}/{item['id']}/alterar"
        values = values_of(await self._panel.page(address), address)
        return await self._panel.submit(address, address, **values | fields)


def without_dates(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in ("createdAt", "updatedAt")}


@pytest.fixture
async def catalog(caller: Caller, panel: Panel) -> Catalog:
    return Catalog(caller, panel, await caller.create_company())


class TestNew:
    async def test_first_the_type_is_chosen(self, panel: Panel, catalog: Catalog) -> None:
        page = await panel.page(f"{catalog.base}/novo")
        types = [link.partition("?tipo=")[2] for link in links_of(page, "?tipo=")]
        assert types == ["service", "product", "split"]
        titles = [
            text_of((await panel.page(f"{catalog.base}/novo?tipo={each}")).find(".//h1")) for each in types
        ]
        assert titles == ["Novo serviço", "Novo produto", "Novo item dividido"]

    async def test_form_adds_an_item_and_leads_to_its_page(self, panel: Panel, catalog: Catalog) -> None:
        answer = await catalog.add(
            "product", **MUG, **{"icms.csosn": "102", "fiscalFollowsCompanyDefaults": "true"}
        )
        (item,) = await catalog.items()
        assert answer.headers["location"] == f"{catalog.base}/{item['id']}?aviso=criado"
        assert (item["price"], item["ncm"], item["icms"]) == (1234.56, "69120000", {"csosn": "102"})
        assert text_of((await panel.page(answer.headers["location"])).find(".//h1")) == "Caneca"
        await catalog.add("service", **COURSE)
        assert {each["type"] for each in await catalog.items()} == {"product", "service"}

    async def test_problems_are_beside_their_inputs_in_the_words_of_the_form(self, catalog: Catalog) -> None:
        wrong = {"name": "", "price": "1.234", "ncm": "123", "fiscalFollowsCompanyDefaults": "false"}
        refused = page_of(await catalog.add("product", **MUG | wrong))
        assert problems_of(refused).keys() == {"name", "price", "ncm"}
        incomplete = await catalog.add("product", **MUG, fiscalFollowsCompanyDefaults="false")
        page = page_of(incomplete)
        assert (incomplete.status_code, problems_of(page)) == (
            422,
            dict.fromkeys(
                ["cfop", "icms.cst"], "Obrigatório quando “Usa as configurações da empresa” é “Não”."
            ),
        )
        # The section with the problem is open.
        assert [text_of(each) for each in page.xpath("//section/h2")] == ["Item", "Códigos", "ICMS"]
        assert await catalog.items() == []

    async def test_item_with_the_same_sku_is_linked(self, catalog: Catalog) -> None:
        existing = await catalog.stock(TAXED)
        page = page_of(await catalog.add("product", **MUG))
        assert problems_of(page) == {"sku": "Já existe um item com este SKU no catálogo."}
        assert f"{catalog.base}/{existing['id']}" in links_of(page, existing["id"])

    async def test_form_without_a_type_is_refused(self, panel: Panel, catalog: Catalog) -> None:
        answer = await catalog.add("product", **MUG, tipo="absurdo")
        assert (answer.status_code, await catalog.items()) == (422, [])


class TestChange:
    @pytest.mark.parametrize("item", [TAXED, WITHHELD], ids=["product", "service"])
    async def test_form_that_is_sent_unchanged_changes_nothing(
        self, catalog: Catalog, item: dict[str, Any]
    ) -> None:
        before = await catalog.stock(item)
        answer = await catalog.change(before)
        assert answer.headers["location"] == f"{catalog.base}/{before['id']}?aviso=guardado"
        assert without_dates(await catalog.read(before)) == without_dates(before)

    async def test_typed_fields_change_and_blank_ones_are_cleared(self, catalog: Catalog) -> None:
        before = await catalog.stock(TAXED)
        changes = {
            "name": "Caneca azul",
            "price": "",
            "pis.cst": "",
            "pis.unitRate": "",
            "icms.creditRate": "2,5",
        }
        await catalog.change(before, **changes)
        after = await catalog.read(before)
        assert without_dates(after) == without_dates(before) | {
            "name": "Caneca azul",
            "price": None,
            "pis": None,
            "icms": {"csosn": "101", "creditRate": 2.5},
        }

    async def test_blank_name_and_category_are_refused_and_a_blank_sku_stays(self, catalog: Catalog) -> None:
        item = await catalog.stock(TAXED)
        refused = await catalog.change(item, name="", category="")
        assert problems_of(page_of(refused)).keys() == {"name", "category"}
        await catalog.change(item, sku="")
        assert (await catalog.read(item))["sku"] == "caneca"


class TestSplit:
    async def test_parts_are_searched_added_and_removed_before_the_item_is_stored(
        self, panel: Panel, catalog: Catalog
    ) -> None:
        course, _ = await catalog.stock(WITHHELD), await catalog.stock(TAXED)
        page, fill = f"{catalog.base}/novo?tipo=split", f"{catalog.base}/preencher"
        typed = {
            "tipo": "split",
            "name": "Curso com caneca",
            "components[0].sku": "x",
            "components[2].sku": "caneca",
        }
        search = await panel.send(page, fill, **typed, **{"busca-produto": "violão"})
        (button,) = page_of(search).xpath("//button[@name='usar-produto']")
        assert button.get("value") == course["id"]
        chosen = await panel.send(page, fill, **typed, **{"usar-produto": course["id"]})
        values = values_of(page_of(chosen), catalog.base)
        assert [values[f"components[{row}].sku"] for row in range(3)] == ["x", "caneca", "curso"]

        # The second entry on the page is blank: the number of the button is that on the page.
        removed = await panel.send(
            page, fill, **typed, **{"components[1].sku": "", "remover": "components[2]"}
        )
        values = values_of(page_of(removed), catalog.base)
        assert [name for name in values if name.endswith(".sku")] == ["components[0].sku"]
        assert values["components[0].sku"] == "x"
        more = await panel.send(page, fill, **typed, adicionar="components")
        values = values_of(page_of(more), catalog.base)
        assert [values[f"components[{row}].sku"] for row in range(3)] == ["x", "caneca", ""]

    async def test_split_item_is_added_changed_and_deletes_no_part(
        self, panel: Panel, catalog: Catalog
    ) -> None:
        mug = await catalog.stock(TAXED)
        await catalog.stock(WITHHELD)
        parts = {"components[0].sku": "curso", "components[1].sku": "caneca"}
        shares = {"components[0].percentage": "62,5", "components[1].percentage": "30"}
        refused = await catalog.add("split", name="Curso com caneca", **parts, **shares)
        assert "Os percentuais devem somar 100, e somam 92.5." in refused.text
        shares["components[1].percentage"] = "37,5"
        await catalog.add("split", name="Curso com caneca", **parts, **shares)
        split = next(each for each in await catalog.items() if each["type"] == "split")
        await catalog.change(split, price="150")
        after = await catalog.read(split)
        assert without_dates(after) == without_dates(split) | {"price": 150}

        address = f"{catalog.base}/{mug['id']}/excluir"
        kept = await panel.submit(address, address)
        assert (kept.status_code, "retire-o de lá primeiro" in kept.text) == (422, True)
        await catalog.change(split, **{"components[1].sku": "", "components[1].percentage": ""})
        assert (await catalog.read(split))["components"] == split["components"]


class TestDelete:
    async def test_confirmed_item_leaves_the_catalog(self, panel: Panel, catalog: Catalog) -> None:
        item = await catalog.stock(TAXED)
        address = f"{catalog.base}/{item['id']}/excluir"
        answer = await panel.submit(address, address)
        assert "Removido." in text_of(await panel.page(answer.headers["location"]))
        assert await catalog.items() == []


class TestRoles:
    async def test_only_who_may_change_the_catalog_sees_its_buttons(
        self, caller: Caller, catalog: Catalog, sign_in_as: NewPanel
    ) -> None:
        item = await catalog.stock(TAXED)
        shown = {}
        for role in (MemberRole.ISSUER, MemberRole.VIEWER):
            panel = await sign_in_as(caller.subscription_id, role)
            pages = [await panel.page(catalog.base), await panel.page(f"{catalog.base}/{item['id']}")]
            links = [link for page in pages for link in links_of(page, f"{catalog.base}/")]
            shown[role] = [link.rpartition("/")[2] for link in links]
        assert shown == {
            MemberRole.ISSUER: ["novo", item["id"], "alterar", "excluir"],
            MemberRole.VIEWER: [item["id"]],
        }
