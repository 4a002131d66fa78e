"""Forms of a company's settings and of its contingency."""

from typing import Any

import httpx2

from carimbo.service.companies.settings_forms import SETTINGS_FORMS
from integration.dashboard.company_rows import ADDRESS
from integration.dashboard.issued.pages import facts_of
from integration.dashboard.panel import Panel, strings_of, words_of
from integration.dashboard.test_companies_registration import problems_in
from support import Caller, data_of

CSC = "0123456789ABCDEF0123456789ABCDEF"


async def change(panel: Panel, company_id: str, slug: str, **typed: str) -> httpx2.Response:
    page = await panel.page(f"{panel.company(company_id)}/configuracoes/{slug}")
    return await panel.press(page, "Guardar", **typed)


async def settings_of(caller: Caller, company_id: str) -> Any:
    return data_of(await caller.http.get(f"/v1/companies/{company_id}/settings"))


async def store(caller: Caller, company_id: str, settings: dict[str, Any]) -> None:
    data_of(await caller.http.put(f"/v1/companies/{company_id}/settings", json=settings))


class TestSettings:
    async def test_form_that_is_saved_as_it_was_opened_changes_nothing(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        await store(
            caller,
            company_id,
            {
                "nfe": {"series": 2, "number": 43},
                "nfce": {
                    "active": True,
                    "cscId": "1",
                    "csc": CSC,
                    "homologation": {"csc": CSC},
                    "paper": "58mm",
                },
                "nfse": {"issRate": 2.5, "federalServiceCode": "17.01.01", "specialRegime": "6"},
                "cte": {"rntrc": "12345678", "environment": "homologation"},
                "mdfe": {"closeAfterDays": 20},
                "defaults": {
                    "approximateTaxRates": {"federal": 13.45},
                    "paymentMethod": "pix",
                    "origin": "0",
                },
                "numbering": {"inutilizeGaps": "automatic"},
                "received": {"autoAcknowledge": False},
            },
        )
        before = await settings_of(caller, company_id)
        for form in SETTINGS_FORMS:
            page = await panel.page(f"{panel.company(company_id)}/configuracoes/{form.slug}")
            # Everything has an input: nothing is left for the JSON of unknown fields.
            assert page.xpath("//textarea[@name='outros']") == [], form.slug
            answer = await panel.press(page, "Guardar")
            assert answer.status_code == 303, (form.slug, words_of(page))
        assert await settings_of(caller, company_id) == before

    async def test_values_of_every_kind_are_stored_and_blank_ones_cleared(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        await store(
            caller, company_id, {"nfse": {"nbs": "101011100", "issRate": 2}, "cte": {"rntrc": "12345678"}}
        )
        typed = {"nfse.issRate": "2,75", "nfse.nbs": "", "nfse.sendMunicipalRegistration": "false"}
        await change(panel, company_id, "nfse", **typed, **{"nfse.specialRegime": "3"})
        typed = {"nfce.active": "true", "nfce.qrVersion": "3", "nfce.environment": "homologation"}
        await change(panel, company_id, "nfce", **typed)
        settings = await settings_of(caller, company_id)
        assert {name: settings["nfse"][name] for name in ("issRate", "nbs", "specialRegime")} == {
            "issRate": 2.75, "nbs": None, "specialRegime": "3",
        }  # fmt: skip
        assert settings["nfse"]["sendMunicipalRegistration"] is False
        assert (settings["nfce"]["active"], settings["nfce"]["qrVersion"]) == (True, 3)
        assert settings["cte"]["rntrc"] == "12345678"
        await change(panel, company_id, "nfce", **{"nfce.environment": ""})
        assert (await settings_of(caller, company_id))["nfce"]["environment"] is None

    async def test_secret_is_never_shown_and_stays_when_its_input_is_blank(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        await change(panel, company_id, "nfce", **{"nfce.cscId": "1", "nfce.csc": CSC})
        page = await panel.page(f"{panel.company(company_id)}/configuracoes/nfce")
        assert strings_of(page, "//input[@type='password']/@value") == ["", ""]
        assert facts_of(page)["CSC da NFC-e"] == "Informado"
        assert facts_of(page)["CSC de homologação"] == "Não informado"
        await change(panel, company_id, "nfce", **{"nfce.cscId": "2", "nfce.homologation.cscId": "7"})
        stored = (await settings_of(caller, company_id))["nfce"]
        assert (stored["cscId"], stored["csc"]) == ("2", f"********{CSC[-4:]}")
        assert stored["homologation"]["cscId"] == "7"
        refused = await change(panel, company_id, "nfce", **{"nfce.series": "", "nfce.csc": "SEGREDO-NOVO"})
        assert problems_in(refused).keys() == {"nfce.series"}
        assert "SEGREDO-NOVO" not in refused.text

    async def test_blank_number_goes_on_with_the_sequence_and_a_used_one_is_refused(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        await change(panel, company_id, "nfe", **{"nfe.number": "43"})
        page = await panel.page(f"{panel.company(company_id)}/configuracoes/nfe")
        assert facts_of(page)["Próximo número da série 1"] == "43"
        assert strings_of(page, "//input[@name='nfe.number']/@value") == [""]
        await store(caller, company_id, {"nfe": {"number": 50}})
        await panel.press(page, "Guardar")
        assert (await settings_of(caller, company_id))["nfe"]["number"] == 50
        typed = {"nfe.series": "900", "nfe.number": "0"}
        assert problems_in(await change(panel, company_id, "nfe", **typed)).keys() == typed.keys()
        problems = problems_in(await change(panel, company_id, "nfe", **{"nfe.series": ""}))
        assert problems == {"nfe.series": "Campo obrigatório."}

    async def test_unknown_module_has_no_form(self, panel: Panel, caller: Caller) -> None:
        address = f"{panel.company(await caller.create_company())}/configuracoes/outra"
        assert (await panel.http.get(address)).status_code == 404


class TestContingency:
    async def test_forced_contingency_is_set_with_its_reason_and_ended(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company(address=ADDRESS)
        address = f"{panel.company(company_id)}/contingencia"
        reason = "Autorizador da UF com lentidão extrema"
        await panel.press(await panel.page(address), "Guardar", mode="forced", reason=reason)
        path = f"/v1/companies/{company_id}/contingency"
        assert data_of(await caller.http.get(path))["reason"] == reason
        await panel.press(await panel.page(address), "Guardar", mode="automatic", reason="")
        record = data_of(await caller.http.get(path))
        assert (record["mode"], record["reason"]) == ("automatic", None)

    async def test_short_reason_is_refused_at_its_input(self, panel: Panel, caller: Caller) -> None:
        address = f"{panel.company(await caller.create_company())}/contingencia"
        answer = await panel.press(await panel.page(address), "Guardar", mode="forced", reason="lento")
        assert problems_in(answer) == {"reason": "Deve ter pelo menos 15 caracteres."}
