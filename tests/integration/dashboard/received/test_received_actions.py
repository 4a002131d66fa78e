"""Statements about received documents, following a distribution, imports and returns, from their pages."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from carimbo.service.people.roles import MemberRole
from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.issued.event_pages import actions_on, main_button, refusal_of
from integration.dashboard.issued.pages import facts_of, links_of, rows_of
from integration.dashboard.issued.test_issue_forms import problems_of
from integration.dashboard.panel import ORIGIN, fields_of, new_panel, text_of, words_of
from integration.issuing.shop import MUG
from integration.receiving.inbox import Buyer, carried, served, xml_of
from support import TIMEOUT_SECONDS, data_of

REASON = "A mercadoria chegou avariada e foi recusada"


@pytest.fixture(autouse=True)
def ample_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets forms wait for the authority as long as it takes."""
    monkeypatch.setattr("carimbo.dashboard.filings._MAX_WAIT", timedelta(seconds=TIMEOUT_SECONDS))


def rest_of(document: dict[str, Any]) -> str:
    """Returns the address of a received document in the pages of its company."""
    return f"/recebidos/{document['type']}/{document['id']}"


async def state(window: ShopWindow, document: dict[str, Any], kind: str, **typed: str) -> httpx2.Response:
    """Makes a statement from its form."""
    page = await window.page(f"{rest_of(document)}/manifestar/{kind}")
    return await window.panel.press(page, main_button(page), **typed)


async def received_goods(buyer: Buyer, **changes: Any) -> dict[str, Any]:
    """Returns an NF-e that the company received, which is acknowledged."""
    await buyer.buys(**changes)
    await buyer.sync()
    return await buyer.only()


class TestStatements:
    async def test_goods_are_confirmed_and_then_not_any_more(self, buyer: Buyer, look_at: OpenWindow) -> None:
        document, window = await received_goods(buyer), await look_at(buyer.shop)
        page = await window.page(rest_of(document))
        assert actions_on(page) == ["Confirmar a operação", "Não reconhecer", "Operação não realizada"]
        form = await window.page(f"{rest_of(document)}/manifestar/confirmed")
        assert form.xpath("//*[@id='acao']//textarea") == []
        assert facts_of(form)["Prazo"].startswith("até ")
        answer = await state(window, document, "confirmed")
        assert answer.headers["location"].endswith(f"{rest_of(document)}?aviso=registrado")
        page = await window.page(rest_of(document))
        assert "Confirmação da operação" in text_of(page.find(".//h1"))
        assert "Confirmar a operação" not in actions_on(page)

    async def test_justification_is_required_only_where_the_authority_wants_it(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        document, window = await received_goods(buyer), await look_at(buyer.shop)
        page = refusal_of(await state(window, document, "notPerformed"))
        assert set(problems_of(page)) == {"justification"}
        assert (await state(window, document, "notPerformed", justification=REASON)).status_code == 303
        assert (await buyer.only())["status"] == "notPerformed"
        assert (await state(window, document, "unknown")).status_code == 303
        assert (await buyer.only())["status"] == "unknown"
        assert REASON in text_of(await window.page(rest_of(document)))

    async def test_service_of_a_carrier_is_disagreed_with_and_the_disagreement_withdrawn(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        await carried(buyer)
        await buyer.sync("received-ctes")
        document, window = await buyer.only("received-ctes"), await look_at(buyer.shop)
        assert actions_on(await window.page(rest_of(document))) == ["Registrar desacordo"]
        await state(window, document, "disagreed", justification="Valor do frete diferente do combinado")
        assert "Cancelar o desacordo" in actions_on(await window.page(rest_of(document)))
        await state(window, document, "withdrawn")
        assert (await buyer.only("received-ctes"))["status"] == "pending"

    async def test_service_note_is_refused_with_a_reason_in_words(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        await served(buyer)
        await buyer.sync("received-nfses")
        document, window = await buyer.only("received-nfses"), await look_at(buyer.shop)
        assert actions_on(await window.page(rest_of(document))) == ["Confirmar o serviço", "Rejeitar a nota"]
        assert set(problems_of(refusal_of(await state(window, document, "refused")))) == {"reasonCode"}
        page = refusal_of(await state(window, document, "refused", reasonCode="9"))
        assert set(problems_of(page)) == {"justification"}
        await state(window, document, "refused", reasonCode="1")
        page = await window.page(rest_of(document))
        assert "Rejeição do tomador" in text_of(page.find(".//h1"))
        assert "NFS-e em duplicidade" in text_of(page)
        assert actions_on(page) == []

    async def test_late_statement_is_not_offered_and_says_why(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        document, window = await received_goods(buyer), await look_at(buyer.shop)
        aged = "authorized_at = authorized_at - interval '91 days'"
        statement = f"update received_documents set {aged} where id = $1"
        await buyer.shop.system.fetch(statement, UUID(document["id"]))
        page = await window.page(rest_of(document))
        assert actions_on(page) == []
        answer = await window.answer(f"{rest_of(document)}/manifestar/confirmed")
        assert answer.status_code == 409
        assert "A autoridade não aceita mais nenhuma" in answer.text

    async def test_accountant_may_state_but_not_return_and_viewer_neither(self, buyer: Buyer) -> None:
        document, shop = await received_goods(buyer), buyer.shop
        shown = {}
        for role in (MemberRole.ACCOUNTANT, MemberRole.VIEWER):
            panel = await new_panel(shop.system.app, shop.system.database, shop.caller.subscription_id, role)
            async with panel.http:
                page = await panel.page(f"{panel.company(shop.id)}{rest_of(document)}")
                list_page = await panel.page(f"{panel.company(shop.id)}/recebidos")
            shown[role] = (len(actions_on(page)), links_of(page, "/devolucao"), actions_on(list_page))
        assert shown == {
            MemberRole.ACCOUNTANT: (3, [], ["Consultar agora", "Parar de receber", "Importar um XML"]),
            MemberRole.VIEWER: (0, [], []),
        }


class TestFollowing:
    async def test_distribution_is_followed_and_stopped(self, buyer: Buyer, look_at: OpenWindow) -> None:
        await buyer.buys()
        window = await look_at(buyer.shop)
        assert actions_on(await window.page("/recebidos")) == ["Começar a receber", "Importar um XML"]
        page = await window.page("/recebidos/nfe/acompanhar")
        answer = await window.panel.press(page, "Consultar")
        assert answer.headers["location"].endswith("/recebidos?tipo=nfe&aviso=na-fila")
        await buyer.quiet()
        assert len(await buyer.inbox()) == 1
        page = await window.page("/recebidos/nfe/parar")
        await window.panel.press(page, "Parar")
        page = await window.page("/recebidos")
        assert "Não acompanha" in text_of(page)
        assert "Começar a receber" in actions_on(page)

    async def test_form_says_what_a_company_lacks_to_receive(self, buyer: Buyer, look_at: OpenWindow) -> None:
        data_of(await buyer.shop.caller.http.delete(buyer.shop.path("/certificate")))
        window = await look_at(buyer.shop)
        page = await window.page("/recebidos/nfe/acompanhar")
        page = refusal_of(await window.panel.press(page, "Consultar"))
        assert "A empresa não tem certificado digital" in text_of(page.get_element_by_id("problemas"))


class TestImporting:
    async def upload(
        self, window: ShopWindow, document_type: str, file: tuple[str, bytes] | None
    ) -> httpx2.Response:
        page = await window.page(f"/recebidos/{document_type}/importar")
        form = page.xpath("//*[@id='acao']//form")[0]
        assert form.get("enctype") == "multipart/form-data"
        fields = {name: text for name, text in fields_of(form).items() if name != "file"}
        files = {"file": (*(file or ("", b"")), "application/xml")}
        return await window.panel.http.post(
            form.get("action"), data=fields, files=files, headers={"Origin": ORIGIN}
        )

    async def test_document_of_a_file_is_put_into_the_inbox(self, buyer: Buyer, look_at: OpenWindow) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        window = await look_at(buyer.shop)
        answer = await self.upload(window, "nfe", ("nota.xml", xml))
        assert answer.status_code == 303
        page = await window.panel.page(answer.headers["location"])
        assert facts_of(page)["Chegou em"].endswith(", importado")

    async def test_what_is_wrong_with_a_file_is_said_beside_it(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        window = await look_at(buyer.shop)
        problems = {}
        for name, document_type, file in (
            ("none", "nfe", None),
            ("pdf", "nfe", ("nota.pdf", b"%PDF-1.7")),
            ("other type", "cte", ("nota.xml", xml)),
        ):
            page = refusal_of(await self.upload(window, document_type, file))
            problems[name] = problems_of(page)["file"]
        assert problems["none"] == "Escolha o arquivo XML."
        assert problems["pdf"].startswith("O arquivo é um PDF")
        assert problems["other type"].startswith("O arquivo é uma NF-e")
        assert await buyer.inbox() == []


class TestReturns:
    async def test_whole_document_is_returned_by_a_draft(self, buyer: Buyer, look_at: OpenWindow) -> None:
        document, window = await received_goods(buyer), await look_at(buyer.shop)
        (address,) = links_of(await window.page(rest_of(document)), "/devolucao")
        form = await window.panel.page(address)
        assert rows_of(form, "Itens da nota")[0][:3] == ["1", "Caneca", "2 UN"]
        answer = await window.panel.press(form, "Fazer o rascunho")
        draft = await window.panel.page(answer.headers["location"])
        assert text_of(draft.find(".//h1")).startswith("NF-e Rascunho")
        assert [row[1].split()[0] for row in rows_of(draft, "Itens")] == ["Caneca"]
        assert links_of(draft, "/corrigir")

    async def test_quantities_of_some_items_are_returned(self, buyer: Buyer, look_at: OpenWindow) -> None:
        items = [MUG, MUG | {"description": "Prato"}]
        document = await received_goods(buyer, items=items, payments=[{"method": "pix", "amount": 119.6}])
        window = await look_at(buyer.shop)
        address = f"{rest_of(document)}/devolucao"
        part = {"parte": "itens"}
        page = refusal_of(await self._press(window, address, part))
        assert "Informe a quantidade que volta" in text_of(page.get_element_by_id("problemas"))
        page = refusal_of(await self._press(window, address, part | {"quantidade-2": "3"}))
        (wrong,) = page.xpath("//input[@aria-invalid='true']")
        assert (wrong.get("name"), wrong.get("value")) == ("quantidade-2", "3")
        assert "Não pode passar da quantidade do item na nota: 2" in words_of(page)
        answer = await self._press(window, address, part | {"quantidade-2": "1,5"})
        draft = await window.panel.page(answer.headers["location"])
        ((_, description, quantity, *_),) = rows_of(draft, "Itens")
        assert (description.split()[0], quantity.split()[0]) == ("Prato", "1,5")

    async def test_same_form_sent_twice_at_once_makes_one_draft(
        self, buyer: Buyer, look_at: OpenWindow
    ) -> None:
        document, window = await received_goods(buyer), await look_at(buyer.shop)
        form = (await window.page(f"{rest_of(document)}/devolucao")).xpath("//*[@id='acao']//form")[0]
        sending = [
            window.panel.http.post(form.get("action"), data=fields_of(form), headers={"Origin": ORIGIN})
            for _ in range(3)
        ]
        answers = await asyncio.gather(*sending)
        assert len({answer.headers["location"] for answer in answers}) == 1
        assert await buyer.shop.count() == 1

    async def _press(self, window: ShopWindow, rest: str, typed: dict[str, str]) -> httpx2.Response:
        return await window.panel.press(await window.page(rest), "Fazer o rascunho", **typed)
