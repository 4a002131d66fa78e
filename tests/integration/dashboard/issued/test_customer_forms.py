"""The forms that add, change and delete customers of the catalog."""

from typing import Any

import pytest

from carimbo.service.people.roles import MemberRole
from integration.api.customer_book import JOHN, WHOLE, CustomerApi, facts_of, new_customer_api
from integration.dashboard.conftest import NewPanel
from integration.dashboard.issued.pages import links_of, page_of, problems_of, values_of
from integration.dashboard.panel import ORIGIN, Panel, text_of
from support import Caller, data_of

LINA: dict[str, str] = {
    "name": "Lina Prado",
    "document": "111.444.777-35",
    "email": "lina@example.com",
    "phone": "11 97777-6666",
    "address.street": "Rua Direita",
    "address.number": "7",
    "address.district": "Centro",
    "address.city": "Campinas",
    "address.state": "SP",
    "address.zipcode": "13010-111",
}

JOANA = {"name": "Joana Dias", "email": "joana@example.com", "document": "111.444.777-35"}


@pytest.fixture
async def book(caller: Caller) -> CustomerApi:
    return await new_customer_api(caller)


def list_of(panel: Panel, book: CustomerApi) -> str:
    return f"{panel.company(book.company_id)}/clientes"


async def add(panel: Panel, book: CustomerApi, **fields: str) -> Any:
    address = list_of(panel, book)
    return await panel.submit(f"{address}/novo", address, **fields)


async def change(panel: Panel, book: CustomerApi, customer: dict[str, Any], **fields: str) -> Any:
    """Opens the form of a customer, changes some inputs and sends all of them, as a browser does."""
    address = f"{list_of(panel, book)}/{customer['id']}/alterar"
    values = values_of(await panel.page(address), address)
    return await panel.submit(address, address, **values | fields)


class TestNew:
    async def test_form_adds_a_customer_and_leads_to_its_page(self, panel: Panel, book: CustomerApi) -> None:
        answer = await add(panel, book, **LINA)
        page = await panel.page(answer.headers["location"])
        assert text_of(page.xpath("//h1")[0]) == "Lina Prado"
        (listed,) = data_of(await book.listed())
        assert facts_of(listed)["address"] == {
            "zipcode": "13010-111", "street": "Rua Direita", "number": "7", "complement": None,
            "district": "Centro", "state": "SP", "cityCode": "3509502", "city": "Campinas",
            "countryCode": None,
        }  # fmt: skip
        assert (listed["document"], listed["foreign"]) == ("111.444.777-35", False)

    async def test_customer_abroad_is_added_with_country_and_own_id(
        self, panel: Panel, book: CustomerApi
    ) -> None:
        await add(
            panel,
            book,
            name="John Smith",
            email="john@example.com",
            foreignId="AB-123",
            **{"address.street": "5th Avenue", "address.city": "New York", "address.countryCode": "US"},
        )
        (listed,) = data_of(await book.listed())
        assert (listed["foreign"], listed["foreignId"]) == (True, "AB-123")
        assert listed["address"]["countryCode"] == "US"

    async def test_problems_are_beside_their_inputs_and_the_typed_texts_stay(
        self, panel: Panel, book: CustomerApi
    ) -> None:
        answer = await add(panel, book, **LINA | {"document": "1", "address.city": "Recife", "email": ""})
        assert answer.status_code == 422
        page = page_of(answer)
        assert problems_of(page).keys() == {"document", "email", "address.city"}
        assert values_of(page, list_of(panel, book))["address.city"] == "Recife"
        assert data_of(await book.listed()) == []

    @pytest.mark.parametrize(
        ("fields", "name"),
        [({}, "document"), ({"document": "", "email": "maria@example.com"}, "email")],
        ids=["document", "email"],
    )
    async def test_customer_of_the_catalog_is_not_overwritten_but_linked(
        self, panel: Panel, book: CustomerApi, fields: dict[str, str], name: str
    ) -> None:
        existing = await book.upsert(
            name="Maria da Silva", document=LINA["document"], email="maria@example.com"
        )
        answer = await add(panel, book, **LINA | fields)
        page = page_of(answer)
        assert (answer.status_code, problems_of(page)) == (
            422,
            {name: "O catálogo já tem este cliente: Maria da Silva."},
        )
        assert f"{list_of(panel, book)}/{existing['id']}" in links_of(page, "/clientes/")
        assert facts_of(data_of(await book.get(existing["id"]))) == facts_of(existing)


class TestChange:
    @pytest.mark.parametrize("customer", [WHOLE, JOHN], ids=["in Brazil", "abroad"])
    async def test_form_that_is_sent_unchanged_changes_nothing(
        self, panel: Panel, book: CustomerApi, customer: dict[str, Any]
    ) -> None:
        before = await book.upsert(customer)
        answer = await change(panel, book, before)
        assert answer.headers["location"] == f"{list_of(panel, book)}/{before['id']}?aviso=guardado"
        assert facts_of(data_of(await book.get(before["id"]))) == facts_of(before)

    async def test_typed_fields_change_and_blank_ones_are_cleared(
        self, panel: Panel, book: CustomerApi
    ) -> None:
        before = await book.upsert(WHOLE)
        lines = [name for name in LINA if name.startswith("address.")]
        await change(
            panel, book, before, name="Açaí Ltda", tradeName="", phone="", **dict.fromkeys(lines, "")
        )
        # The complement alone is an address too.
        await change(panel, book, before, **{"address.complement": ""})
        after = facts_of(data_of(await book.get(before["id"])))
        assert after == facts_of(before) | {
            "name": "Açaí Ltda", "tradeName": None, "phone": None, "address": None,
        }  # fmt: skip

    async def test_customer_moves_to_another_city_without_its_code(
        self, panel: Panel, book: CustomerApi
    ) -> None:
        before = await book.upsert(WHOLE)
        await change(panel, book, before, **{"address.city": "Campinas"})
        assert data_of(await book.get(before["id"]))["address"]["cityCode"] == "3509502"

    async def test_form_shows_abroad_only_what_does_not_follow_from_the_address(
        self, panel: Panel, book: CustomerApi
    ) -> None:
        before = await book.upsert(JOHN)
        home = {"address.countryCode": "", "address.region": "", "address.postalCode": "", "foreignId": ""}
        await change(panel, book, before, **home | {"address.city": "Campinas", "address.state": "SP"})
        after = data_of(await book.get(before["id"]))
        assert (after["foreign"], after["address"]["cityCode"]) == (False, "3509502")

    async def test_blank_name_and_the_document_of_another_customer_are_refused_beside_their_inputs(
        self, panel: Panel, book: CustomerApi
    ) -> None:
        maria, joana = await book.upsert(), await book.upsert(JOANA)
        nameless = await change(panel, book, joana, name="")
        taken = await change(panel, book, joana, document=maria["document"])
        assert problems_of(page_of(nameless)) == {"name": "Campo obrigatório."}
        assert problems_of(page_of(taken)) == {"document": "Já existe um cliente com este documento."}
        assert "Abrir o cliente que já existe" in taken.text
        assert facts_of(data_of(await book.get(joana["id"]))) == facts_of(joana)


class TestDelete:
    async def test_confirmed_customer_leaves_the_catalog(self, panel: Panel, book: CustomerApi) -> None:
        customer = await book.upsert()
        address = f"{list_of(panel, book)}/{customer['id']}/excluir"
        assert "Maria da Silva sai do catálogo." in text_of(await panel.page(address))
        answer = await panel.submit(address, address)
        page = await panel.page(answer.headers["location"])
        assert "Removido." in text_of(page)
        assert await book.total() == 0


class TestDeletedCompany:
    async def test_catalog_of_a_deleted_company_is_only_read(
        self, panel: Panel, caller: Caller, book: CustomerApi
    ) -> None:
        form, address = f"{list_of(panel, book)}/novo", list_of(panel, book)
        values = values_of(await panel.page(form), address)
        customer = await book.upsert()
        data_of(await caller.http.delete(f"/v1/companies/{book.company_id}"))
        headers = {"Origin": ORIGIN}
        answer = await panel.http.post(address, data=values | LINA, headers=headers)
        assert (answer.status_code, (await panel.http.get(form)).status_code) == (404, 404)
        pages = [await panel.page(address), await panel.page(f"{address}/{customer['id']}")]
        links = [link for page in pages for link in links_of(page, f"{address}/")]
        assert [link.rpartition("/")[2] for link in links] == [customer["id"]]


class TestRoles:
    async def test_only_who_may_change_the_catalog_sees_its_buttons(
        self, caller: Caller, book: CustomerApi, sign_in_as: NewPanel
    ) -> None:
        customer = await book.upsert()
        shown = {}
        for role in (MemberRole.ISSUER, MemberRole.ACCOUNTANT, MemberRole.VIEWER):
            panel = await sign_in_as(caller.subscription_id, role)
            base = list_of(panel, book)
            pages = [await panel.page(base), await panel.page(f"{base}/{customer['id']}")]
            shown[role] = [link.rpartition("/")[2] for page in pages for link in links_of(page, f"{base}/")]
        assert shown[MemberRole.ISSUER] == ["novo", customer["id"], "alterar", "excluir", "alterar"]
        assert shown[MemberRole.ACCOUNTANT] == shown[MemberRole.VIEWER] == [customer["id"]]
