"""Events from the page of a document: which are possible, their forms, and the authority's answer."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from lxml import html

from carimbo.service.people.roles import MemberRole
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.issued.event_pages import (
    actions_on,
    open_form,
    refusal_of,
    register,
    until_settled,
)
from integration.dashboard.issued.pages import facts_of, links_of
from integration.dashboard.issued.test_issue_forms import problems_of
from integration.dashboard.panel import ORIGIN, fields_of, new_panel, strings_of, text_of, words_of
from integration.issuing import manifests
from integration.issuing.actions import filings
from integration.issuing.shop import CTE_OS, MDFE, Shop, accepted
from integration.issuing.test_cte_delivery import deliver
from support import TIMEOUT_SECONDS, data_of

REASON = "Pedido cancelado pelo cliente"
USUAL = "Cancelamento solicitado pelo emitente"
AGE = "update emissions set authorized_at = authorized_at - $2::interval where document_id = $1"


async def issued(shop: Shop, document_type: str) -> dict[str, Any]:
    """Returns an authorized document of any type."""
    if document_type == "mdfe":
        return await manifests.issue(shop)
    if document_type == "cteOs":
        return await shop.settled(accepted(await shop.post("/cte-os", CTE_OS)))
    return await shop.issue(document_type)


async def page_of(shop: Shop, look_at: OpenWindow, document: dict[str, Any]) -> Any:
    return await (await look_at(shop)).page(f"/documentos/{document['id']}")


@pytest.fixture
def ample_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets forms wait for the authority as long as it takes."""
    monkeypatch.setattr("carimbo.dashboard.filings._MAX_WAIT", timedelta(seconds=TIMEOUT_SECONDS))


class TestCancellation:
    @pytest.mark.parametrize("document_type", ["nfe", "nfce", "nfse", "cte", "cteOs", "mdfe"])
    async def test_document_of_each_type_is_canceled_with_its_reason(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None, document_type: str
    ) -> None:
        document = await issued(shop, document_type)
        page = await page_of(shop, look_at, document)
        assert "Cancelar" in actions_on(page)
        form = await open_form(await look_at(shop), document, "cancellation")
        has_usual_text = document_type != "mdfe"
        assert text_of(form.xpath("//textarea")[0]) == (USUAL if has_usual_text else "")
        if document_type != "nfse":
            assert facts_of(form)["Prazo"].startswith("até ")

        answer = await register(shop, look_at, document, "cancellation", justification=REASON)
        assert answer.headers["location"].endswith(f"/documentos/{document['id']}?aviso=registrado")
        page = await page_of(shop, look_at, document)
        assert text_of(page.find(".//h1")).endswith("Cancelado")
        (filing,) = await shop.system.fetch(
            "select request from event_filings where document_id = $1", UUID(document["id"])
        )
        assert REASON in filing["request"]

    async def test_reason_of_a_service_note_is_chosen_in_words(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await shop.issue("nfse")
        form = await open_form(await look_at(shop), document, "cancellation")
        options = [(each.get("value"), text_of(each)) for each in form.xpath("//select/option")]
        assert options == [("1", "Erro na emissão"), ("2", "Serviço não prestado"), ("9", "Outros")]
        assert form.xpath("//option[@selected]/@value") == ["9"]
        await register(shop, look_at, document, "cancellation", reasonCode="2")
        (filing,) = await shop.system.fetch(
            "select request from event_filings where document_id = $1", UUID(document["id"])
        )
        assert '"reasonCode":"2"' in filing["request"].replace(" ", "")

    async def test_text_that_is_too_short_is_refused_beside_its_input(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("nfe")
        answer = await register(shop, look_at, document, "cancellation", justification="Erro")
        page = refusal_of(answer)
        assert "15" in problems_of(page)["justification"]
        assert text_of(page.xpath("//textarea")[0]) == "Erro"
        assert await filings(shop, document) == []

    async def test_manifest_needs_a_reason(self, shop: Shop, look_at: OpenWindow) -> None:
        document = await manifests.issue(shop)
        page = refusal_of(await register(shop, look_at, document, "cancellation"))
        assert "diga por que o MDF-e é cancelado" in problems_of(page)["justification"]
        assert page.xpath("//textarea[@name='justification']/@aria-required") == ["true"]

    async def test_refusal_of_the_authority_is_shown_in_the_form_with_what_to_do(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await shop.issue("nfe")
        protocol = "update emissions set protocol = '135260000009999' where document_id = $1"
        await shop.system.fetch(protocol, UUID(document["id"]))
        page = refusal_of(await register(shop, look_at, document, "cancellation"))
        problems = text_of(page.get_element_by_id("problemas"))
        assert "A autoridade recusou. 222" in problems
        assert "O que fazer:" in problems
        page = await page_of(shop, look_at, document)
        (refused,) = page.xpath("//section[@aria-label='Pedido recusado']")
        assert "Cancelamento: a autoridade não registrou. 222" in text_of(refused)
        assert "O que fazer:" in text_of(refused)
        assert "Cancelar" in actions_on(page)

    async def test_same_form_sent_twice_at_once_registers_one_event(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await shop.issue("nfe")
        window = await look_at(shop)
        form = (await open_form(window, document, "correction")).xpath("//*[@id='acao']//form")[0]
        fields = fields_of(form) | {"correction": "O endereço de entrega é Rua das Flores, 10"}
        answers = await asyncio.gather(
            *(
                window.panel.http.post(form.get("action"), data=fields, headers={"Origin": ORIGIN})
                for _ in range(3)
            )
        )
        assert {answer.status_code for answer in answers} == {303}
        assert await filings(shop, document) == ["registered"]


class TestWaiting:
    async def test_document_says_that_it_waits_and_asks_for_itself_until_the_authority_answers(
        self, shop: Shop, look_at: OpenWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("carimbo.dashboard.filings._MAX_WAIT", timedelta(seconds=0.1))
        document = await shop.issue("nfe")
        page = await page_of(shop, look_at, document)
        assert page.xpath("//*[@hx-get] | //noscript/meta") == []
        async with shop.system.worker_stopped():
            answer = await register(shop, look_at, document, "cancellation")
            assert answer.headers["location"].endswith("?aviso=na-fila")
            page = await page_of(shop, look_at, document)
            assert "Cancelamento: espera a resposta da autoridade." in text_of(page)
            (live,) = page.xpath("//*[@hx-get]")
            assert live.get("hx-get").endswith(f"/documentos/{document['id']}/estado")
            assert page.xpath("//noscript/meta[@http-equiv='refresh']")
            assert "Cancelar" not in actions_on(page)
            assert "O pedido anterior espera a resposta da autoridade." in text_of(page)
        await until_settled(shop, document)
        page = await page_of(shop, look_at, document)
        assert text_of(page.find(".//h1")).endswith("Cancelado")
        assert page.xpath("//*[@hx-get] | //noscript/meta") == []


class TestPossibleEvents:
    async def test_event_after_its_deadline_is_not_offered_and_says_what_to_do_instead(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("nfe")
        await shop.system.fetch(AGE, UUID(document["id"]), timedelta(days=60))
        window = await look_at(shop)
        page = await window.page(f"/documentos/{document['id']}")
        assert actions_on(page) == ["Enviar por e-mail"]
        shown = words_of(page.xpath("//details[contains(., 'Outros registros')]")[0])
        assert "Emita uma NF-e de devolução ou de estorno que referencie esta." in shown
        assert "A carta de correção só é aceita até 720 horas após a autorização." in shown
        answer = await window.answer(f"/documentos/{document['id']}/registrar/cancellation")
        assert answer.status_code == 409
        assert "Emita uma NF-e de devolução" in answer.text

    async def test_late_cancellation_that_the_state_still_accepts_says_so(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("nfe")
        await shop.system.fetch(AGE, UUID(document["id"]), timedelta(days=2))
        form = await open_form(await look_at(shop), document, "cancellation")
        assert facts_of(form)["Prazo"].startswith("o prazo terminou em")
        assert "com atraso, a autoridade ainda aceita até" in facts_of(form)["Prazo"]

    async def test_receipt_can_be_canceled_by_substitution_after_its_usual_term(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("nfce")
        await shop.system.fetch(AGE, UUID(document["id"]), timedelta(days=3))
        window = await look_at(shop)
        assert "Cancelar" in actions_on(await window.page(f"/documentos/{document['id']}"))
        form = await open_form(window, document, "cancellation")
        page = refusal_of(await window.panel.press(form, "Cancelar"))
        advice = text_of(page.get_element_by_id("problemas"))
        # The label of the input stands for its name in the API.
        assert "informe “Chave da NFC-e que substitui esta”" in advice
        await shop.system.fetch(AGE, UUID(document["id"]), timedelta(days=30))
        assert "Cancelar" not in actions_on(await window.page(f"/documentos/{document['id']}"))

    async def test_corrected_waybill_can_not_be_canceled(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await shop.issue("cte")
        window = await look_at(shop)
        form = await open_form(window, document, "correction")
        answer = await window.panel.press(
            form, "Adicionar campo", **{"corrections[0].group": "compl", "corrections[0].field": "xObs"}
        )
        assert answer.status_code == 200
        form = html.fromstring(answer.text)
        assert strings_of(form, "//fieldset[@class='row']/legend/text()") == ["Campo 1", "Campo 2"]
        texts = {"corrections[0].value": "Entrega na doca 4", "corrections[1].group": "toma"}
        page = refusal_of(await window.panel.press(form, "Corrigir por carta", **texts))
        assert set(problems_of(page)) == {"corrections[1].field", "corrections[1].value"}
        answer = await window.panel.press(page, "Remover campo 2")
        answer = await window.panel.press(html.fromstring(answer.text), "Corrigir por carta")
        assert answer.headers["location"].endswith("?aviso=registrado")
        page = await window.page(f"/documentos/{document['id']}")
        assert "Cancelar" not in actions_on(page)
        assert "O CT-e tem carta de correção, e a SEFAZ não cancela CT-e corrigido (523)." in text_of(page)

    async def test_event_that_only_the_api_registers_is_named_with_its_call(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("cte")
        window = await look_at(shop)
        page = await window.page(f"/documentos/{document['id']}")
        assert "Comprovante de entrega: pela API" in text_of(page)
        (address,) = links_of(page, "/pela-api/delivery")
        command = text_of(await window.panel.page(address))
        assert (
            f"curl -X POST 'http://localhost/v1/companies/{shop.id}/cte/{document['id']}/delivery'" in command
        )
        assert '"recipientName"' in command
        for event in ("delivery", "nothing"):
            answer = await window.answer(f"/documentos/{document['id']}/registrar/{event}")
            assert answer.status_code == 404, event

    async def test_role_decides_which_buttons_a_person_sees(self, shop: Shop) -> None:
        document = await shop.issue("nfse")
        shown = {}
        for role in (MemberRole.ISSUER, MemberRole.ACCOUNTANT, MemberRole.VIEWER):
            panel = await new_panel(shop.system.app, shop.system.database, shop.caller.subscription_id, role)
            async with panel.http:
                page = await panel.page(f"{panel.company(shop.id)}/documentos/{document['id']}")
            shown[role] = [*actions_on(page), *(["Substituir"] if links_of(page, "/substituir") else [])]
        assert shown == {
            MemberRole.ISSUER: ["Enviar por e-mail", "Cancelar", "Substituir"],
            MemberRole.ACCOUNTANT: ["Enviar por e-mail"],
            MemberRole.VIEWER: [],
        }

    async def test_replacement_begins_with_the_note_that_it_replaces(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document = await shop.issue("nfse")
        (address,) = links_of(await page_of(shop, look_at, document), "/substituir")
        form = await (await look_at(shop)).panel.page(address)
        assert any("Assinatura mensal" in text_of(each) for each in form.xpath("//textarea"))


class TestCorrection:
    async def test_letters_follow_each_other(self, shop: Shop, look_at: OpenWindow, ample_wait: None) -> None:
        document = await shop.issue("nfe")
        for number in ("1", "2"):
            text = f"O endereço de entrega é Rua das Flores, {number}"
            await register(shop, look_at, document, "correction", correction=text)
        page = await page_of(shop, look_at, document)
        entries = [text_of(entry) for entry in page.xpath("//ol[@class='timeline']/li/b")]
        assert entries[-2:] == ["Carta de correção nº 1", "Carta de correção nº 2"]


class TestManifests:
    async def test_closing_begins_with_today_and_the_last_stop(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await manifests.issue(shop)
        form = await open_form(await look_at(shop), document, "close")
        fields = fields_of(form.xpath("//*[@id='acao']//form")[0])
        assert (fields["cityCode"], fields["state"]) == ("Rio de Janeiro", "RJ")
        assert len(fields["closedAt"]) == len("2026-11-26")
        assert facts_of(form)["Prazo"].startswith("até ")
        await register(shop, look_at, document, "close")
        page = await page_of(shop, look_at, document)
        assert "Encerrado em" in facts_of(page)
        assert "Encerrar" not in actions_on(page)

    async def test_city_is_given_by_its_name_and_its_state_tells_equal_names_apart(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await manifests.issue(shop)
        wrong = {}
        for city, state in (("Bom Jesus", ""), ("Atlântida", ""), ("Campinas", "RJ")):
            answer = await register(shop, look_at, document, "close", cityCode=city, state=state)
            wrong[city] = problems_of(refusal_of(answer))["cityCode"]
        assert "Bom Jesus/PI (2201903)" in wrong["Bom Jesus"]
        assert wrong["Atlântida"].startswith("Nenhum município tem este nome")
        assert "Campinas/SP (3509502)" in wrong["Campinas"]
        await register(shop, look_at, document, "close", cityCode="bom jesus", state="PI")
        (filing,) = await shop.system.fetch(
            "select request from event_filings where document_id = $1", UUID(document["id"])
        )
        assert "2201903" in filing["request"]

    async def test_driver_is_included(self, shop: Shop, look_at: OpenWindow, ample_wait: None) -> None:
        document = await manifests.issue(shop)
        page = refusal_of(
            await register(
                shop, look_at, document, "driverInclusion", name="João", taxId=MDFE["drivers"][0]["taxId"]
            )
        )
        assert "já está no MDF-e" in problems_of(page)["taxId"]
        answer = await register(shop, look_at, document, "driverInclusion", **manifests.DRIVER)
        assert answer.headers["location"].endswith("?aviso=registrado")


class TestUndoing:
    async def test_proof_of_delivery_is_undone_by_its_number(
        self, shop: Shop, look_at: OpenWindow, ample_wait: None
    ) -> None:
        document = await shop.issue("cte")
        page = await page_of(shop, look_at, document)
        assert "O CT-e não tem comprovante de entrega a cancelar." in text_of(page)
        proof = data_of(await deliver(shop, document))
        page = await page_of(shop, look_at, document)
        assert "Cancelar comprovante de entrega" in actions_on(page)
        form = await open_form(await look_at(shop), document, "deliveryCancellation")
        (chosen,) = form.xpath("//option[@selected]")
        assert (chosen.get("value"), text_of(chosen)[:5]) == (proof["id"], "nº 1,")
        await register(shop, look_at, document, "deliveryCancellation")
        assert (await shop.read(document))["deliveredAt"] is None
