"""The forms that register and change sales, and the actions on a sale."""

from typing import Any

import pytest

from carimbo.service.people.roles import MemberRole
from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.issued.pages import facts_of, links_of, page_of, problems_of, values_of
from integration.dashboard.panel import new_panel, text_of
from integration.sales.store import FAR, MARIA, MUG, REFUSED_COURSE, UNANSWERED_MUG, Store
from support import data_of

NEW = "/vendas/nova"
COURSE = {"products[0].sku": "curso"}
UNKNOWN_ITEM = "Não há item com este SKU no catálogo: confira o SKU, ou cadastre o item antes."


@pytest.fixture
async def window(store: Store, look_at: OpenWindow) -> ShopWindow:
    return await look_at(store)


async def register(window: ShopWindow, **fields: str) -> Any:
    """Sends the form of a new sale, which is not emitted unless the fields say so."""
    address = window.base + NEW
    return await window.panel.submit(address, address, **{"emitWhen": "manual"} | fields)


async def change(window: ShopWindow, sale: dict[str, Any], **fields: str) -> Any:
    """Opens the form of a sale, changes some inputs and sends all of them, as a browser does."""
    address = f"{window.base}/vendas/{sale['id']}/alterar"
    values = values_of(await window.panel.page(address), address)
    return await window.panel.submit(address, address, **values | fields)


async def press(window: ShopWindow, button: str = "preencher", page: str = NEW, **fields: str) -> Any:
    """Presses a button that shows the form again, and returns the page."""
    answer = await window.panel.send(window.base + page, f"{window.base}{page}/{button}", **fields)
    assert answer.status_code == 200, answer.text
    return page_of(answer)


async def sales_of(store: Store) -> list[dict[str, Any]]:
    return list(data_of(await store.get("/sales")))


class TestNew:
    async def test_sale_to_a_customer_of_the_catalog_is_registered_and_emitted(
        self, store: Store, window: ShopWindow
    ) -> None:
        maria = await store.know(MARIA)
        answer = await register(
            window,
            customer=maria["id"],
            emitWhen="immediately",
            paymentMethod="17",
            discount="1.234,50",
            shipping="8,5",
            **{"products[0].sku": "curso", "products[0].price": "2.000", "products[0].quantity": "1,5"},
            **{"products[1].sku": "caneca"},
        )
        page = page_of(answer)
        assert problems_of(page) == {"products[0].price": "Deve ser um número."}
        answer = await register(
            window,
            customer=maria["id"],
            emitWhen="immediately",
            paymentMethod="17",
            discount="1.234,50",
            shipping="8,5",
            **{"products[0].sku": "curso", "products[0].price": "2000", "products[0].quantity": "1,5"},
            **{"products[1].sku": "caneca"},
        )
        (sale,) = await sales_of(store)
        assert answer.headers["location"] == f"{window.base}/vendas/{sale['id']}?aviso=na-fila"
        sale = await store.sale_settled(sale)
        assert (sale["status"], sale["amount"], sale["customer"]["id"]) == ("invoiced", 1803.9, maria["id"])
        assert (sale["paymentMethod"], sale["discount"], sale["shipping"]) == ("17", 1234.5, 8.5)

    async def test_form_that_arrives_twice_registers_one_sale(self, store: Store, window: ShopWindow) -> None:
        address = window.base + NEW
        values = values_of(await window.panel.page(address), address)
        values |= COURSE | {"customer.name": "João Souza", "emitWhen": "manual"}
        first, second = [
            await window.panel.http.post(address, data=values, headers={"Origin": "http://localhost"})
            for _ in range(2)
        ]
        assert first.headers["location"] == second.headers["location"]
        (sale,) = await sales_of(store)
        assert sale["customer"]["name"] == "João Souza"

    async def test_number_of_another_sale_is_refused_beside_its_input(
        self, store: Store, window: ShopWindow
    ) -> None:
        await store.draft("curso", externalId="pedido-7")
        answer = await register(window, externalId="pedido-7", **COURSE, **{"customer.name": "João Souza"})
        assert problems_of(page_of(answer)) == {
            "externalId": "Já existe outra venda com este número: nada foi registrado."
        }
        assert len(await sales_of(store)) == 1

    async def test_problems_of_customer_and_items_are_where_the_form_names_them(
        self, store: Store, window: ShopWindow
    ) -> None:
        incomplete = await store.know({"name": "Ana Lima", "email": "ana@example.com"})
        lines = {"products[0].sku": "caneca", "products[1].sku": "desconhecido", "discount": "x"}
        unreadable = page_of(await register(window, customer=incomplete["id"], **lines))
        assert problems_of(unreadable).keys() == {"discount"}
        refused = page_of(await register(window, customer=incomplete["id"], **lines | {"discount": ""}))
        assert problems_of(refused) == {"products[1].sku": UNKNOWN_ITEM}
        (customer,) = refused.xpath("//section[@id='campo-customer']")
        assert "Campo obrigatório na NF-e: complete o cadastro do cliente" in text_of(customer)
        assert "Ana Lima" in text_of(customer)
        # The draft of the refused form has the customer: another one is described here.
        other = {"customer": "", "customer.name": "Rui Costa"}
        described = await register(window, **{"products[0].sku": "caneca"}, **other)
        assert problems_of(page_of(described)).keys() == {
            "customer.document",
            "customer.address.zipcode",
        }

    async def test_text_that_the_database_can_not_store_is_refused(self, window: ShopWindow) -> None:
        sent = {**COURSE, "customer.name": "Jo\0ão"}
        answers = [
            await register(window, **sent),
            await window.panel.send(window.base + NEW, f"{window.base}{NEW}/preencher", **sent),
        ]
        assert [answer.status_code for answer in answers] == [400, 400]

    async def test_sale_without_items_is_refused(self, store: Store, window: ShopWindow) -> None:
        answer = await register(window, **{"customer.name": "João Souza"})
        assert (answer.status_code, await sales_of(store)) == (422, [])


class TestFilling:
    async def test_customer_is_searched_chosen_and_changed_without_a_script(
        self, store: Store, window: ShopWindow
    ) -> None:
        maria = await store.know(MARIA)
        results = await press(window, **COURSE, **{"busca-cliente": "maria"})
        (button,) = results.xpath("//button[@name='usar-cliente']")
        chosen = await press(window, **COURSE, **{"usar-cliente": button.get("value")})
        values = values_of(chosen, window.base + NEW)
        assert (values["customer"], values["products[0].sku"]) == (maria["id"], "curso")
        assert not [name for name in values if name.startswith("customer.")]
        other = await press(
            window,
            **{name: values[name] for name in ("customer", "products[0].sku")},
            **{"outro-cliente": "1"},
        )
        assert "customer.name" in values_of(other, window.base + NEW)

    async def test_items_are_searched_chosen_added_and_removed_without_a_script(
        self, store: Store, window: ShopWindow
    ) -> None:
        results = await press(window, **{"busca-produto": "cane"})
        (button,) = results.xpath("//button[@name='usar-produto']")
        chosen = await press(window, **COURSE, **{"usar-produto": button.get("value")})
        values = values_of(chosen, window.base + NEW)
        assert [values[f"products[1].{name}"] for name in ("sku", "name", "quantity", "price")] == [
            "caneca",
            "Caneca",
            "1",
            "29,90",
        ]
        more = await press(window, **COURSE, adicionar="products")
        assert values_of(more, window.base + NEW)["products[1].sku"] == ""
        pay = {"payments[0].method": "17", "payments[0].amount": "60", "payments[1].method": "01"}
        less = await press(window, **COURSE, **pay, remover="payments[0]")
        values = values_of(less, window.base + NEW)
        assert (values["products[0].sku"], values["payments[0].method"]) == ("curso", "01")
        assert "payments[1].method" not in values

    async def test_check_computes_the_total_and_lists_what_is_missing_and_stores_nothing(
        self, store: Store, window: ShopWindow
    ) -> None:
        lines = COURSE | {"products[1].sku": "caneca", "discount": "9,90"}
        incomplete = await press(window, "conferir", **lines, emitWhen="manual")
        checked = incomplete.get_element_by_id("conferencia")
        assert "Campo obrigatório na NF-e" in text_of(checked)
        assert facts_of(incomplete)["Total da venda"] == "R$ 120,00"
        maria = await store.know(MARIA)
        whole = await press(window, "conferir", **lines, customer=maria["id"], emitWhen="manual")
        assert "Tudo certo para emitir." in text_of(whole)
        facts = facts_of(whole)
        assert (facts["Total da venda"], facts["NFS-e"], facts["NF-e"]) == (
            "R$ 120,00",
            "R$ 92,38",
            "R$ 27,62",
        )
        assert await sales_of(store) == []

    async def test_check_names_the_fields_of_items_as_the_catalog_does(
        self, store: Store, window: ShopWindow
    ) -> None:
        await store.stock(MUG | {"sku": "sem-ncm", "ncm": None})
        await store.stock(MUG | {"sku": "substituida", "icms": {"csosn": "201"}})
        lines = {"products[0].sku": "sem-ncm", "products[1].sku": "substituida"}
        customer = (await store.know(MARIA))["id"]
        page = await press(window, "conferir", **lines, customer=customer, emitWhen="manual")
        checked = text_of(page.get_element_by_id("conferencia"))
        assert "Informe em “NCM” do item no catálogo os oito dígitos" in checked
        assert "Informe “Alíquota da substituição, em %” do item no catálogo" in checked
        large = await press(window, "conferir", **COURSE, discount="100,01", emitWhen="manual")
        assert "Total da venda" not in facts_of(large)

    async def test_check_for_a_script_is_a_part_of_the_page(self, window: ShopWindow) -> None:
        token = (await window.page(NEW)).xpath("//input[@name='form_token']/@value")[0]
        answer = await window.panel.http.post(
            f"{window.base}{NEW}/conferir",
            data={"form_token": token, **COURSE},
            headers={"Origin": "http://localhost", "HX-Request": "true"},
        )
        assert (answer.status_code, "<html" in answer.text, "Total da venda" in answer.text) == (
            200,
            False,
            True,
        )

    async def test_form_that_was_left_comes_back_until_it_is_sent_or_discarded(
        self, store: Store, window: ShopWindow
    ) -> None:
        address, typed = window.base + NEW, COURSE | {"customer.name": "João Souza"}
        await press(window, "conferir", **values_of(await window.page(NEW), address))
        assert "Você tinha começado" not in text_of(await window.page(NEW))
        await press(window, **typed)
        values = values_of(await window.page(NEW), address)
        assert values["customer.name"] == "João Souza"
        await window.panel.submit(address, f"{address}/descartar")
        assert values_of(await window.page(NEW), address)["customer.name"] == ""
        await press(window, **typed)
        await register(window, **typed)
        assert values_of(await window.page(NEW), address)["customer.name"] == ""


class TestChange:
    async def test_form_that_is_sent_unchanged_keeps_the_sale_as_it_is(
        self, store: Store, window: ShopWindow
    ) -> None:
        sale = await store.draft(
            {"sku": "curso", "name": "Curso de verão", "price": 120.5},
            {"sku": "caneca", "quantity": 2.5},
            discount=10,
            shipping=8.5,
            sendEmail=False,
            payments=[{"method": "pix", "amount": 193.75, "term": "cash"}],
            notes="Entregar à tarde\nPortão azul",
            saleDate="2026-11-03",
            externalId="pedido-7",
            nfse={"discrimination": "Curso de férias", "serviceLocation": "1"},
        )
        answer = await change(window, sale, notes="Entregar à tarde\r\nPortão azul")
        assert answer.headers["location"] == f"{window.base}/vendas/{sale['id']}?aviso=guardado"
        changing = ("invoices", "updatedAt")
        after = await store.read_sale(sale)
        assert {name: value for name, value in after.items() if name not in changing} == {
            name: value for name, value in sale.items() if name not in changing
        }
        assert [each["amount"] for each in after["invoices"]] == [each["amount"] for each in sale["invoices"]]

    async def test_scheduled_sale_keeps_its_day(self, store: Store, window: ShopWindow) -> None:
        sale = await store.sold("curso", emitWhen="after_guarantee", guaranteeDate=FAR)
        await change(window, sale, notes="Outra observação")
        after = await store.read_sale(sale)
        assert (after["status"], after["scheduledEmitAt"]) == ("scheduled", sale["scheduledEmitAt"])
        assert after["notes"] == "Outra observação"

    async def test_blank_inputs_clear_their_fields_and_lines_change(
        self, store: Store, window: ShopWindow
    ) -> None:
        sale = await store.draft("curso", "caneca", notes="Fora", discount=5)
        blank = {
            "notes": "",
            "discount": "",
            "products[1].sku": "",
            "products[1].price": "",
            "products[1].name": "",
        }
        await change(window, sale, **blank, **{"products[1].quantity": "", "products[0].quantity": "3"})
        after = await store.read_sale(sale)
        assert (after["notes"], after["discount"], after["amount"]) == (None, 0, 300)
        assert [line["quantity"] for line in after["products"]] == [3]

    async def test_sale_without_items_or_with_an_unnamed_buyer_is_refused(
        self, store: Store, window: ShopWindow
    ) -> None:
        sale = await store.draft("curso")
        empty = await change(
            window, sale, **{f"products[0].{name}": "" for name in ("sku", "name", "price", "quantity")}
        )
        assert (empty.status_code, "Campo obrigatório." in empty.text) == (422, True)
        address = f"{window.base}/vendas/{sale['id']}/alterar"
        nobody = await window.panel.submit(
            address, address, customer="", emitWhen="manual", **COURSE, **{"customer.email": "x@example.com"}
        )
        assert problems_of(page_of(nobody)) == {"customer.name": "Informe o nome, o CPF ou o CNPJ."}
        after = await store.read_sale(sale)
        assert after["customer"]["name"] == "Maria da Silva"

    async def test_deleted_item_stays_in_its_sale(self, store: Store, window: ShopWindow) -> None:
        sale = await store.draft("curso")
        (line,) = sale["products"]
        data_of(await store.caller.http.delete(store.path(f"/products/{line['id']}")))
        await change(window, sale, notes="Mais uma")
        after = await store.read_sale(sale)
        assert (after["products"][0]["id"], after["notes"]) == (line["id"], "Mais uma")

    async def test_rejected_sale_is_corrected_and_emitted_at_once(
        self, store: Store, window: ShopWindow
    ) -> None:
        await store.stock(REFUSED_COURSE)
        sale = await store.invoiced("curso-recusado")
        assert sale["status"] == "failed"
        await change(window, sale, emitWhen="immediately", **{"products[0].name": "Curso de canto"})
        after = await store.sale_settled(sale)
        assert after["status"] == "invoiced"

    async def test_issued_sale_has_no_form(self, store: Store, window: ShopWindow) -> None:
        sale = await store.invoiced("curso")
        assert (await window.answer(f"/vendas/{sale['id']}/alterar")).status_code == 409


class TestActions:
    async def test_draft_is_emitted_and_then_cancelled(self, store: Store, window: ShopWindow) -> None:
        sale = await store.draft("curso", "caneca")
        address = f"{window.base}/vendas/{sale['id']}"
        page = await window.panel.page(f"{address}/emitir")
        assert facts_of(page) == {"NFS-e": "R$ 100,00", "NF-e": "R$ 29,90"}
        answer = await window.panel.submit(f"{address}/emitir", f"{address}/emitir")
        assert answer.headers["location"] == f"{address}?aviso=na-fila"
        assert (await store.sale_settled(sale))["status"] == "invoiced"

        short = await window.panel.submit(f"{address}/cancelar", f"{address}/cancelar", justification="Erro")
        assert problems_of(page_of(short)).keys() == {"justification"}
        facts = facts_of(await window.panel.page(f"{address}/cancelar"))
        assert facts["NFS-e 1"] == "R$ 100,00."
        assert facts["NF-e 1"].startswith("R$ 29,90. Prazo: até ")
        await window.panel.submit(
            f"{address}/cancelar",
            f"{address}/cancelar",
            justification="O cliente desistiu da compra",
            reasonCode="2",
        )
        await store.system.until(
            f"not exists (select from documents where sale_id = '{sale['id']}' and status <> 'canceled')"
        )

    async def test_refused_emission_says_why(self, store: Store, window: ShopWindow) -> None:
        sale = await store.draft("curso")
        address = f"{window.base}/vendas/{sale['id']}"
        data_of(await store.caller.http.delete(store.path("/certificate")))
        answer = await window.panel.submit(f"{address}/emitir", f"{address}/emitir")
        assert (answer.status_code, "certificado" in answer.text) == (422, True)

    async def test_draft_is_deleted_and_an_issued_sale_is_not(self, store: Store, window: ShopWindow) -> None:
        draft, issued = await store.draft("curso"), await store.invoiced("curso")
        for sale in (draft, issued):
            address = f"{window.base}/vendas/{sale['id']}/excluir"
            answer = await window.panel.submit(address, address)
        assert answer.status_code == 422
        assert [sale["id"] for sale in await sales_of(store)] == [issued["id"]]

    async def test_buttons_follow_the_state_of_the_sale_and_the_role(
        self, store: Store, window: ShopWindow
    ) -> None:
        await store.stock(UNANSWERED_MUG)
        sales = {
            "draft": await store.draft("curso"),
            "invoiced": await store.invoiced("curso"),
            "processing": await store.sold("caneca-parada"),
        }
        shown = {}
        for role in (MemberRole.ISSUER, MemberRole.VIEWER):
            panel = await new_panel(
                store.system.app, store.system.database, store.caller.subscription_id, role
            )
            async with panel.http:
                for state, sale in sales.items():
                    address = f"{window.base}/vendas/{sale['id']}"
                    links = links_of(await panel.page(address), f"{address}/")
                    shown[role, state] = [link.rpartition("/")[2] for link in links]
                new = links_of(await panel.page(f"{window.base}/vendas"), "/vendas/nova")
                shown[role, "list"] = [link.rpartition("/")[2] for link in new]
        issuer, viewer = MemberRole.ISSUER, MemberRole.VIEWER
        assert shown == {
            (issuer, "draft"): ["emitir", "alterar", "excluir"],
            (issuer, "invoiced"): ["cancelar"],
            (issuer, "processing"): [],
            (issuer, "list"): ["nova"],
            **{(viewer, state): [] for state in (*sales, "list")},
        }
