"""Forms of a company's registration: a new company, its data, and its registrations in states."""

from typing import Any

import httpx2
from lxml import html

from carimbo.service.people.roles import MemberRole
from integration.dashboard.company_rows import ADDRESS
from integration.dashboard.conftest import NewPanel
from integration.dashboard.issued.pages import problems_of
from integration.dashboard.panel import Panel, strings_of, words_of
from support import CNPJ, OTHER_CNPJ, Caller, data_of

ADDRESS_INPUTS = {f"address.{name}": value for name, value in ADDRESS.items()}
REGISTERED = {"state": "MT", "number": "130000019"}


async def new_company(panel: Panel, **typed: str) -> httpx2.Response:
    page = await panel.page(f"{panel.base}/empresas/nova")
    return await panel.press(page, "Cadastrar empresa", **typed)


async def change(panel: Panel, company_id: str, **typed: str) -> httpx2.Response:
    page = await panel.page(f"{panel.company(company_id)}/cadastro")
    return await panel.press(page, "Guardar", **typed)


async def record_of(caller: Caller, company_id: str) -> Any:
    return data_of(await caller.http.get(f"/v1/companies/{company_id}"))


def problems_in(answer: httpx2.Response) -> dict[str, str]:
    """Returns the problems of a refused form, by the names of the inputs."""
    assert answer.status_code == 422, (answer.status_code, answer.headers.get("location"))
    return problems_of(html.fromstring(answer.text))


class TestNewCompany:
    async def test_new_company_begins_in_homologation_and_leads_to_its_first_steps(
        self, panel: Panel, caller: Caller
    ) -> None:
        answer = await new_company(
            panel,
            taxId="11.222.333/0001-81",
            legalName="Loja Modelo Ltda",
            taxRegime="simples",
            simplesRate="6,5",
            simplesIssRegime="1",
            cnaeCode="4751-2/01",
            phone="(65) 3333-4444",
            **ADDRESS_INPUTS,
        )
        [company] = data_of(await caller.http.get("/v1/companies"))
        assert answer.headers["location"].startswith(f"{panel.company(company['id'])}/inicio?")
        assert {name: company[name] for name in ("taxId", "environment", "taxRegime", "cnaeCode")} == {
            "taxId": CNPJ, "environment": "homologation", "taxRegime": "simples", "cnaeCode": "4751201",
        }  # fmt: skip
        assert (company["simplesRate"], company["simplesIssRegime"]) == (6.5, 1)
        assert company["address"]["cityCode"] == "5103403"
        page = await panel.page(answer.headers["location"])
        assert "Empresa cadastrada, em homologação." in words_of(page)

    async def test_every_invalid_field_is_refused_at_its_input_with_what_was_typed(
        self, panel: Panel
    ) -> None:
        answer = await new_company(
            panel,
            taxId="11.222.333/0001-82",
            simplesRate="seis",
            email="ana",
            **(ADDRESS_INPUTS | {"address.zipcode": "", "address.city": "Cuiaba do Sul"}),
        )
        problems = problems_in(answer)
        assert problems.keys() == {
            "taxId", "legalName", "simplesRate", "email", "address.zipcode", "address.city",
        }  # fmt: skip
        assert problems["legalName"] == "Campo obrigatório."
        assert "“Código IBGE do município”" in problems["address.city"]
        assert strings_of(answer.text, "//input[@name='simplesRate']/@value") == ["seis"]

    async def test_cnpj_that_the_subscription_has_already_is_refused_at_its_input(
        self, panel: Panel, caller: Caller
    ) -> None:
        await caller.create_company()
        answer = await new_company(panel, taxId=CNPJ, legalName="Loja Modelo Ltda")
        assert problems_in(answer) == {"taxId": "Já existe uma empresa com este CNPJ."}

    async def test_first_page_of_an_empty_subscription_leads_to_the_form_for_those_who_may(
        self, panel: Panel, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        viewer = await sign_in_as(caller.subscription_id, MemberRole.VIEWER)
        for address in (panel.base, f"{panel.base}/empresas"):
            for person, links in ((panel, 1), (viewer, 0)):
                page = await person.page(address)
                assert len(page.xpath("//main//p/a[contains(@href, '/empresas/nova')]")) == links, address


class TestRegistration:
    async def test_blank_inputs_clear_their_fields_and_all_others_stay(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company(
            tradeName="Loja", address=ADDRESS | {"complement": "Sala 2"}, taxRegime="simples",
            email="fiscal@example.com", ibsCbsRegime=[{"halfYear": "2027-1", "regime": "regular"}],
        )  # fmt: skip
        answer = await change(
            panel, company_id, tradeName="", email="", **{"address.complement": "", "legalName": "Loja SA"}
        )
        assert answer.headers["location"].startswith(f"{panel.company(company_id)}?")
        record = await record_of(caller, company_id)
        assert (record["tradeName"], record["email"], record["address"].get("complement")) == (
            None,
            None,
            None,
        )
        assert (record["legalName"], record["taxRegime"]) == ("Loja SA", "simples")
        assert record["address"]["cityCode"] == "5103403"
        assert record["ibsCbsRegime"] == [{"halfYear": "2027-1", "regime": "regular"}]

    async def test_address_without_anything_in_it_is_removed(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        await change(panel, company_id, **dict.fromkeys(ADDRESS_INPUTS, ""))
        assert (await record_of(caller, company_id))["address"] is None

    async def test_city_can_be_changed_by_its_name_alone(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        await change(panel, company_id, **{"address.city": "Rondonópolis"})
        assert (await record_of(caller, company_id))["address"]["cityCode"] == "5107602"

    async def test_options_for_ibs_and_cbs_are_added_and_removed_as_rows(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company(
            taxRegime="simples", ibsCbsRegime=[{"halfYear": "2027-1", "regime": "regular"}]
        )
        await change(
            panel, company_id,
            **{"ibsCbsRegime[1].halfYear": "2027-2", "ibsCbsRegime[1].regime": "regular"},
        )  # fmt: skip
        options = (await record_of(caller, company_id))["ibsCbsRegime"]
        assert [option["halfYear"] for option in options] == ["2027-1", "2027-2"]
        blank = {f"ibsCbsRegime[{row}].{name}": "" for row in (0, 1) for name in ("halfYear", "regime")}
        await change(panel, company_id, **blank)
        assert (await record_of(caller, company_id))["ibsCbsRegime"] == []

    async def test_invalid_and_blank_fields_are_refused_together(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        answer = await change(panel, company_id, legalName="", phone="x")
        assert problems_in(answer).keys() == {"legalName", "phone"}
        assert (await record_of(caller, company_id))["legalName"] == "Loja Modelo Ltda"

    async def test_options_that_the_tax_regime_does_not_allow_are_refused_at_their_rows(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company(taxRegime="normal")
        answer = await change(
            panel, company_id,
            **{"ibsCbsRegime[0].halfYear": "2027-1", "ibsCbsRegime[0].regime": "regular"},
        )  # fmt: skip
        assert answer.status_code == 422
        assert "Só empresas do Simples Nacional" in answer.text

    async def test_deleted_company_has_no_forms(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company()
        data_of(await caller.http.delete(f"/v1/companies/{company_id}"))
        for path in ("/cadastro", "/inicio", "/certificado", "/ambiente", "/configuracoes/nfe"):
            assert (await panel.http.get(panel.company(company_id) + path)).status_code == 404, path
        links = (await panel.page(panel.company(company_id))).xpath("//main//a/@href")
        assert links == [f"{panel.base}/empresas"]


class TestStateRegistrations:
    async def test_registration_is_added_made_default_and_removed(self, panel: Panel, caller: Caller) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        address = panel.company(company_id)
        form = await panel.page(f"{address}/inscricoes/nova")
        assert strings_of(form, "//select[@name='state']/option[@selected]/@value") == ["MT"]
        await panel.press(form, "Acrescentar", number="13.000.001-9")
        form = await panel.page(f"{address}/inscricoes/nova")
        await panel.press(form, "Acrescentar", state="SP", number="110.042.490.114")

        page = await panel.page(address)
        await panel.press(page, "Tornar padrão a de SP")
        path = f"/v1/companies/{company_id}/state-registrations"
        rows = {each["state"]: each for each in data_of(await caller.http.get(path))}
        assert {state: row["isDefault"] for state, row in rows.items()} == {"MT": False, "SP": True}

        removal = await panel.page(f"{address}/inscricoes/{rows['SP']['id']}/remover")
        assert "110042490114" in words_of(removal)
        await panel.press(removal, "Remover")
        [left] = data_of(await caller.http.get(path))
        assert (left["state"], left["isDefault"]) == ("MT", True)

    async def test_wrong_number_and_second_registration_of_a_state_are_refused_at_their_inputs(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        form = await panel.page(f"{panel.company(company_id)}/inscricoes/nova")
        problems = problems_in(await panel.press(form, "Acrescentar", number="130000018"))
        assert problems.keys() == {"number"}
        await panel.press(form, "Acrescentar", number=REGISTERED["number"])
        again = await panel.page(f"{panel.company(company_id)}/inscricoes/nova")
        problems = problems_in(await panel.press(again, "Acrescentar", number=REGISTERED["number"]))
        assert problems == {"state": "A empresa já tem inscrição estadual em MT."}


class TestRoles:
    async def test_people_who_may_only_read_see_no_way_to_change_anything(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        await caller.create_company(OTHER_CNPJ)
        path = f"/v1/companies/{company_id}/state-registrations"
        for registration in (REGISTERED, {"state": "SP", "number": "110042490114"}):
            data_of(await caller.http.post(path, json=registration))
        shown = {}
        for role in (MemberRole.VIEWER, MemberRole.ADMIN):
            panel = await sign_in_as(caller.subscription_id, role)
            page = await panel.page(panel.company(company_id))
            paths = {
                address.removeprefix(panel.company(company_id)) for address in page.xpath("//main//@href")
            }
            forms = page.xpath("//main//form")
            shown[role] = (paths & {"/cadastro", "/certificado", "/ambiente", "/excluir"}, len(forms))
        assert shown == {
            MemberRole.VIEWER: (set(), 0),
            MemberRole.ADMIN: ({"/cadastro", "/certificado", "/ambiente", "/excluir"}, 1),
        }
