"""Emitting, discarding and sending a document from its page, and the calls of the API for other types."""

import json
import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.people.roles import MemberRole
from carimbo.service.services import Services
from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.issued.event_pages import actions_on, main_button, refusal_of
from integration.dashboard.issued.pages import links_of, rows_of
from integration.dashboard.issued.test_issue_forms import problems_of
from integration.dashboard.panel import new_panel, text_of
from integration.issuing.shop import REFUSALS, REFUSED, Shop
from support import data_of


async def press_on(window: ShopWindow, document: dict[str, Any], path: str, **typed: str) -> Any:
    """Opens the page of an action and presses its button."""
    page = await window.page(f"/documentos/{document['id']}/{path}")
    return await window.panel.press(page, main_button(page), **typed)


async def draft(shop: Shop) -> dict[str, Any]:
    """Returns a receipt that waits for a person."""
    return await shop.create("nfce", transmit="later")


class TestEmitting:
    async def test_draft_is_emitted(self, shop: Shop, look_at: OpenWindow) -> None:
        document, window = await draft(shop), await look_at(shop)
        assert actions_on(await window.page(f"/documentos/{document['id']}")) == ["Emitir", "Descartar"]
        answer = await press_on(window, document, "emitir")
        assert answer.headers["location"].endswith(f"/documentos/{document['id']}?aviso=na-fila")
        assert (await shop.settled(document))["status"] == "authorized"
        assert (await window.answer(f"/documentos/{document['id']}/emitir")).status_code == 409

    async def test_rejected_document_is_emitted_again_with_its_number(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document, window = await shop.issue("nfe", notes=REFUSED), await look_at(shop)
        assert actions_on(await window.page(f"/documentos/{document['id']}")) == ["Emitir de novo"]
        await press_on(window, document, "emitir")
        again = await shop.settled(document)
        assert (again["status"], again["number"]) == ("rejected", document["number"])
        assert [event["type"] for event in await shop.events(document)].count("queued") == 2

    async def test_what_prevents_the_emission_is_said_and_nothing_is_queued(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document, window = await draft(shop), await look_at(shop)
        delete = "delete from certificates where company_id = $1"
        await shop.system.fetch(delete, UUID(shop.id))
        await shop.system.fetch("update companies set revision = revision + 1 where id = $1", UUID(shop.id))
        page = refusal_of(await press_on(window, document, "emitir"))
        assert "A empresa não tem certificado digital" in text_of(page.get_element_by_id("problemas"))
        assert (await shop.read(document))["status"] == "pending"


class TestDiscarding:
    async def test_draft_is_discarded(self, shop: Shop, look_at: OpenWindow) -> None:
        document, window = await draft(shop), await look_at(shop)
        answer = await press_on(window, document, "descartar")
        assert answer.headers["location"].endswith("/documentos?aviso=removido")
        assert await shop.count() == 0
        assert (await window.answer(f"/documentos/{document['id']}")).status_code == 404

    async def test_document_with_a_number_is_not_discarded(self, shop: Shop, look_at: OpenWindow) -> None:
        document, window = await shop.issue("nfse", notes=REFUSALS["nfse"]), await look_at(shop)
        page = await window.page(f"/documentos/{document['id']}")
        assert "Descartar" not in actions_on(page)
        page = refusal_of(await press_on(window, document, "descartar"))
        assert "já tem número e não se descarta" in text_of(page.get_element_by_id("problemas"))
        assert await shop.count() == 1


class TestEmails:
    @pytest.fixture
    def open_outbox(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """Accepts e-mails, as with a server for them; nothing sends them."""
        services: Services = shop.system.app.state.services
        outbox = replace(services.outbox, is_open=True)
        monkeypatch.setattr(shop.system.app.state, "services", replace(services, outbox=outbox))

    async def test_document_is_sent_to_several_addresses(
        self, shop: Shop, look_at: OpenWindow, open_outbox: None
    ) -> None:
        document, window = await shop.issue("nfe"), await look_at(shop)
        async with shop.system.worker_stopped():
            to = "ana@example.com, rui@example.com"
            answer = await press_on(window, document, "email", to=to)
            assert answer.headers["location"].endswith("?aviso=email-na-fila#emails")
            page = await window.page(f"/documentos/{document['id']}")
            ((recipients, status, *_),) = rows_of(page, "E-mails")
            assert (recipients, status) == (to, "Na fila")
            await shop.system.fetch("delete from emails where document_id = $1", UUID(document["id"]))

    async def test_wrong_and_missing_addresses_are_named_beside_the_input(
        self, shop: Shop, look_at: OpenWindow, open_outbox: None
    ) -> None:
        document, window = await shop.issue("nfe"), await look_at(shop)
        page = refusal_of(await press_on(window, document, "email", to="ana@example.com, rui"))
        assert "E-mail inválido" in problems_of(page)["to"]
        page = refusal_of(await press_on(window, document, "email"))
        assert "o e-mail do destinatário do documento não é conhecido" in problems_of(page)["to"]

    async def test_installation_without_a_mail_server_says_so(self, shop: Shop, look_at: OpenWindow) -> None:
        document, window = await shop.issue("nfe"), await look_at(shop)
        page = refusal_of(await press_on(window, document, "email", to="ana@example.com"))
        assert "O envio de e-mails não está configurado" in text_of(page.get_element_by_id("problemas"))


class TestByApi:
    async def test_calls_of_a_type_without_a_form_correct_and_emit_the_document(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document, window = await shop.issue("nfce", notes=REFUSED), await look_at(shop)
        page = await window.page(f"/documentos/{document['id']}")
        (address,) = links_of(page, "/pela-api")
        page = await window.panel.page(address)
        assert document["rejection"]["hint"] in text_of(page)
        change, emit = (each.text_content() for each in page.xpath("//pre[contains(@class, 'copyable')]"))
        assert '-H "X-Api-Secret: $CARIMBO_API_SECRET"' in change
        assert f"-H 'X-Api-Key: {shop.caller.subscription_id}'" in change

        body = json.loads(change.partition("<<'JSON'\n")[2].removesuffix("\nJSON"))
        assert body["version"] == document["version"]
        answer = await shop.caller.http.patch(_path_in(change), json=body | {"notes": "Obrigado"})
        assert data_of(answer)["version"] == document["version"] + 1
        assert (await shop.caller.http.post(_path_in(emit))).status_code == 202
        assert (await shop.settled(document))["status"] == "authorized"
        assert (await window.answer(f"/documentos/{document['id']}/pela-api")).status_code == 409

    async def test_type_with_a_form_is_corrected_in_it_or_by_the_same_calls(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        document, window = await shop.issue("nfe", notes=REFUSED), await look_at(shop)
        page = await window.page(f"/documentos/{document['id']}")
        assert links_of(page, "/corrigir")
        (address,) = links_of(page, "/pela-api")
        assert "só pela API" not in text_of(await window.panel.page(address))


class TestRoles:
    async def test_viewer_sees_no_action(self, shop: Shop) -> None:
        document = await draft(shop)
        system, owner = shop.system, shop.caller.subscription_id
        panel = await new_panel(system.app, system.database, owner, MemberRole.VIEWER)
        async with panel.http:
            page = await panel.page(f"{panel.company(shop.id)}/documentos/{document['id']}")
        assert actions_on(page) == []
        assert links_of(page, "/pela-api") == []


def _path_in(command: str) -> str:
    """Returns the path of the address in a command."""
    match = re.search(r"curl -X [A-Z]+ '[a-z]+://[^/']+(/[^']*)'", command)
    assert match, command
    return match[1]
