"""Issuing NF-e and NFS-e in forms, and correcting rejected documents."""

from typing import Any

import pytest
from lxml import html

from carimbo.service.people.roles import MemberRole
from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.panel import Panel, fields_of, new_panel, text_of
from integration.issuing.shop import REFUSED, Shop
from support import data_of

MARIA = {
    "recipient.taxId": "529.982.247-25",
    "recipient.name": "Maria da Silva",
    "recipient.email": "maria@example.com",
    "recipient.address.zipcode": "20040-002",
    "recipient.address.street": "Avenida Rio Branco",
    "recipient.address.number": "1",
    "recipient.address.district": "Centro",
    "recipient.address.city": "Rio de Janeiro",
    "recipient.address.state": "RJ",
}
ITEM = {
    "items[0].description": "Caneca",
    "items[0].quantity": "2",
    "items[0].unitValue": "1.029,90",
    "items[0].ncm": "69120000",
}
SERVICE = {
    "borrower.taxId": "529.982.247-25",
    "borrower.name": "Maria da Silva",
    "serviceDescription": "Consultoria em novembro",
    "amount": "1.500,00",
    "federalServiceCode": "01.07.01",
    "iss.rate": "2",
}


def problems_of(page: Any) -> dict[str, str]:
    """Returns the problems beside inputs, by the names of the inputs."""
    return {
        each.get("name"): text_of(page.get_element_by_id(f"{each.get('id')}-wrong"))
        for each in page.xpath("//*[@aria-invalid='true']")
    }


def check_of(page: Any) -> str:
    return text_of(page.get_element_by_id("conferencia"))


async def form_of(window: ShopWindow, rest: str) -> Any:
    return await window.page(rest)


def page_in(answer: Any) -> Any:
    """Returns the page that answers a form."""
    return html.fromstring(answer.text)


async def document_after(window: ShopWindow, shop: Shop, answer: Any) -> dict[str, Any]:
    """Returns the settled document to which a form led."""
    assert answer.status_code == 303, text_of(page_in(answer))
    address = answer.headers["location"]
    assert "/documentos/" in address
    document_id = address.rpartition("/")[2]
    return await shop.settled(data_of(await shop.get(f"/invoices/{document_id}")))


@pytest.mark.parametrize(
    ("form", "typed", "amount"), [("nfe", MARIA | ITEM, 2059.8), ("nfse", SERVICE, 1500)]
)
async def test_document_is_issued_from_what_a_person_typed(
    shop: Shop, look_at: OpenWindow, form: str, typed: dict[str, str], amount: float
) -> None:
    window = await look_at(shop)
    page = await form_of(window, f"/emitir/{form}")
    document = await document_after(window, shop, await window.panel.press(page, "Emitir", **typed))
    assert (document["type"], document["status"], document["amount"]) == (form, "authorized", amount)
    assert document["createdBy"]["kind"] == "person"


async def test_form_that_is_sent_twice_issues_one_document(shop: Shop, look_at: OpenWindow) -> None:
    window = await look_at(shop)
    page = await form_of(window, "/emitir/nfse")
    answers = [await window.panel.press(page, "Emitir", **SERVICE) for _ in range(2)]
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert await shop.count() == 1


async def test_problems_are_shown_beside_their_inputs_and_nothing_is_stored(
    shop: Shop, look_at: OpenWindow
) -> None:
    window = await look_at(shop)
    page = await form_of(window, "/emitir/nfe")
    wrong = MARIA | ITEM | {"items[0].quantity": "1.029", "recipient.taxId": "123", "items[0].ncm": "1"}
    answer = await window.panel.press(page, "Emitir", **wrong)
    refused = page_in(answer)
    assert answer.status_code == 422
    assert problems_of(refused).keys() == {"items[0].quantity", "recipient.taxId", "items[0].ncm"}
    assert fields_of(refused.xpath("//form[@class='with-check']")[0])["recipient.taxId"] == "123"
    assert await shop.count() == 0


async def test_broken_rule_is_shown_with_its_hint_in_the_words_of_the_form(
    shop: Shop, look_at: OpenWindow
) -> None:
    window = await look_at(shop)
    page = await form_of(window, "/emitir/nfe")
    answer = await window.panel.press(page, "Emitir", **MARIA | ITEM | {"items[0].ncm": "99999999"})
    problems = problems_of(page_in(answer))
    assert problems.keys() == {"items[0].ncm"}
    assert "NCM" in problems["items[0].ncm"]


async def test_check_shows_totals_warnings_and_problems_and_stores_no_document(
    shop: Shop, look_at: OpenWindow
) -> None:
    window = await look_at(shop)
    page = await form_of(window, "/emitir/nfe")
    empty = page_in(await window.panel.press(page, "Conferir", **{}))
    assert "O que falta antes de emitir" in check_of(empty)
    complete = page_in(await window.panel.press(page, "Conferir", **MARIA | ITEM))
    assert "Tudo certo para emitir" in check_of(complete)
    assert "R$ 2.059,80" in check_of(complete)
    assert await shop.count() == 0


async def test_what_was_typed_is_kept_until_it_is_issued_or_given_up(shop: Shop, look_at: OpenWindow) -> None:
    window = await look_at(shop)
    await window.panel.press(await form_of(window, "/emitir/nfse"), "Conferir", **SERVICE)
    kept = await form_of(window, "/emitir/nfse")
    fields = fields_of(kept.xpath("//form[@class='with-check']")[0])
    assert {name: fields[name] for name in SERVICE} == SERVICE
    # Others do not see it.
    colleague = await look_at(shop)
    other = await form_of(colleague, "/emitir/nfse")
    assert fields_of(other.xpath("//form[@class='with-check']")[0])["amount"] == ""

    await window.panel.press(kept, "Começar de novo")
    fresh = await form_of(window, "/emitir/nfse")
    assert fields_of(fresh.xpath("//form[@class='with-check']")[0])["amount"] == ""


async def test_check_that_arrives_after_its_form_was_sent_brings_no_draft_back(
    shop: Shop, look_at: OpenWindow
) -> None:
    window = await look_at(shop)
    page = await form_of(window, "/emitir/nfse")
    await document_after(window, shop, await window.panel.press(page, "Emitir", **SERVICE))
    await window.panel.press(page, "Conferir", **SERVICE)
    fresh = await form_of(window, "/emitir/nfse")
    assert fields_of(fresh.xpath("//form[@class='with-check']")[0])["amount"] == ""


async def test_customer_and_items_of_the_catalog_fill_the_form(shop: Shop, look_at: OpenWindow) -> None:
    await shop.post(
        "/customers",
        {"name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25",
         "address": {"zipcode": "20040002", "street": "Rua A", "number": "5", "district": "Centro",
                     "city": "Rio de Janeiro", "state": "RJ"}},
    )  # fmt: skip
    await shop.post(
        "/products",
        {
            "name": "Caneca azul",
            "sku": "CAN-1",
            "type": "product",
            "category": "casa",
            "price": 29.9,
            "ncm": "69120000",
        },
    )
    window = await look_at(shop)
    search = "/busca/clientes?busca-cliente=ana&para=/emitir/nfe/preencher"
    results = page_in(await window.answer(search))
    assert [text_of(each) for each in results.xpath("//button/b")] == ["Ana Souza"]

    page = await form_of(window, "/emitir/nfe")
    answer = await window.panel.press(page, "Buscar", **{"busca-cliente": "ana", "busca-produto": "caneca"})
    page = page_in(answer)
    customer = next(text_of(each) for each in page.xpath("//button") if text_of(each).startswith("Ana Souza"))
    page = page_in(await window.panel.press(page, customer))
    page = page_in(await window.panel.press(page, "Buscar", **{"busca-produto": "caneca"}))
    item = next(text_of(each) for each in page.xpath("//button") if text_of(each).startswith("Caneca azul"))
    page = page_in(await window.panel.press(page, item))
    fields = fields_of(page.xpath("//form[@class='with-check']")[0])
    assert (fields["recipient.name"], fields["recipient.address.city"]) == ("Ana Souza", "Rio de Janeiro")
    assert (fields["items[0].sku"], fields["items[0].unitValue"]) == ("CAN-1", "29,90")
    document = await document_after(window, shop, await window.panel.press(page, "Emitir"))
    assert document["status"] == "authorized"


async def test_items_are_added_and_removed_without_a_script(shop: Shop, look_at: OpenWindow) -> None:
    window = await look_at(shop)
    page = await form_of(window, "/emitir/nfe")
    page = page_in(await window.panel.press(page, "Adicionar item", **ITEM))
    assert "items[1].description" in fields_of(page.xpath("//form[@class='with-check']")[0])
    typed = {"items[1].description": "Pires"}
    page = page_in(await window.panel.press(page, "Remover item 1", **typed))
    fields = fields_of(page.xpath("//form[@class='with-check']")[0])
    assert fields["items[0].description"] == "Pires"
    assert "items[1].description" not in fields


class TestCorrection:
    async def test_rejected_document_opens_as_its_form_is_mended_and_authorized_with_its_number(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        refused = await shop.issue("nfe", notes=REFUSED, intermediary=None)
        window = await look_at(shop)
        page = await form_of(window, f"/documentos/{refused['id']}/corrigir")
        fields = fields_of(page.xpath("//form[@class='with-check']")[0])
        assert (fields["recipient.name"], fields["notes"]) == ("Maria da Silva", REFUSED)
        assert refused["rejection"]["code"] in text_of(page)
        answer = await window.panel.press(page, "Corrigir e reenviar", notes="Obrigado pela compra")
        document = await document_after(window, shop, answer)
        assert (document["id"], document["status"]) == (refused["id"], "authorized")
        assert document["number"] == refused["number"]

    async def test_wrong_field_is_marked_with_the_hint_beside_it(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        refused = await shop.issue("nfe", departedAt="2016-01-01T10:00:00-03:00")
        assert refused["rejection"]["field"] == "departedAt"
        window = await look_at(shop)
        page = await form_of(window, f"/documentos/{refused['id']}/corrigir")
        problems = problems_of(page)
        name, problem = next(iter(problems.items()))
        assert len(problems) == 1
        assert name == "departedAt"
        assert "506" in problem
        assert "departedAt" not in problem
        assert "Saída ou entrada da mercadoria" in problem

    async def test_fields_that_the_form_does_not_have_survive_the_correction(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        extra = {"authorizedReaders": [{"taxId": "11222333000181"}]}
        refused = await shop.issue("nfe", notes=REFUSED, **extra)
        window = await look_at(shop)
        page = await form_of(window, f"/documentos/{refused['id']}/corrigir")
        answer = await window.panel.press(page, "Corrigir e reenviar", notes="")
        document = await document_after(window, shop, answer)
        read = data_of(await shop.get(f"/invoices/{document['id']}", include="request"))
        assert read["request"]["authorizedReaders"] == extra["authorizedReaders"]
        assert "notes" not in read["request"]

    async def test_form_of_an_older_version_is_refused_and_shows_the_document_as_it_is(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        refused = await shop.issue("nfe", notes=REFUSED)
        window = await look_at(shop)
        page = await form_of(window, f"/documentos/{refused['id']}/corrigir")
        await shop.patch(refused, notes="Outra pessoa corrigiu")
        answer = await window.panel.press(page, "Corrigir e reenviar", notes="Eu também")
        assert answer.status_code == 422
        assert "alterado por outra" in text_of(page_in(answer))
        assert data_of(await shop.get(f"/invoices/{refused['id']}"))["status"] == "rejected"

    async def test_document_of_a_type_without_a_form_is_not_corrected_here(
        self, shop: Shop, look_at: OpenWindow
    ) -> None:
        refused = await shop.issue("nfce", notes=REFUSED)
        window = await look_at(shop)
        answer = await window.answer(f"/documentos/{refused['id']}/corrigir")
        assert answer.status_code == 409


async def test_note_that_replaces_another_begins_as_its_copy_and_cancels_it(
    shop: Shop, look_at: OpenWindow
) -> None:
    first = await shop.issue("nfse")
    window = await look_at(shop)
    # The draft of a new note is another one.
    await window.panel.press(await form_of(window, "/emitir/nfse"), "Conferir", **SERVICE)
    page = await form_of(window, f"/documentos/{first['id']}/substituir")
    typed = {"serviceDescription": "Assinatura anual", "replaces.reason": "A descrição estava errada"}
    document = await document_after(window, shop, await window.panel.press(page, "Emitir", **typed))
    assert document["status"] == "authorized"
    assert (await shop.read(first))["status"] == "canceled"


async def test_viewer_finds_no_form(shop: Shop, look_at: OpenWindow) -> None:
    viewer: Panel = await new_panel(
        shop.system.app, shop.system.database, shop.caller.subscription_id, MemberRole.VIEWER
    )
    async with viewer.http:
        page = await viewer.page(f"{viewer.company(shop.id)}/documentos")
        assert not page.xpath("//a[contains(@href, '/emitir')]")
        answer = await viewer.http.get(f"{viewer.company(shop.id)}/emitir/nfe")
        assert answer.status_code == 403
