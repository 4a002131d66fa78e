"""Files of customers, products and sales, imported by a worker."""

from decimal import Decimal
from uuid import UUID

import pytest

from carimbo.service.audit import AuditQuery, list_audit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports.lists import export_customers, export_products
from carimbo.service.imports.columns import template_of
from carimbo.service.listing import PageRequest
from carimbo.storage import imports
from carimbo.storage.imports import ImportKind, ImportState
from carimbo.storage.products import ProductFilter
from integration.exports.exporting import company_of
from integration.imports.files import (
    counts_of,
    customers_of,
    imported,
    problems_of,
    products_of,
    sales_of,
    settled,
    upload,
    upload_bytes,
)
from integration.issuing.shop import Shop
from integration.sales.store import COURSE, MUG, Store
from integration.sales.store import MARIA as MARIA_OF_THE_STORE

CUSTOMERS, PRODUCTS, SALES = ImportKind
CUSTOMER_TITLES = "Nome;E-mail;CPF/CNPJ;CEP;Logradouro;Número;Bairro;Cidade;UF"
MARIA = "Maria da Silva;maria@example.com;529.982.247-25;1310100;Av. Paulista;1000;Bela Vista;São Paulo;SP"


class TestCustomers:
    async def test_customers_are_created_with_their_addresses(self, shop: Shop) -> None:
        record = await imported(shop, CUSTOMERS, CUSTOMER_TITLES, MARIA, encoding="cp1252")
        assert (record.state, counts_of(record)) == (ImportState.FINISHED, (1, 0, 0, 0))
        [maria] = await customers_of(shop)
        assert (maria["document"], maria["address"]["zipcode"]) == ("529.982.247-25", "01310-100")
        assert maria["address"]["cityCode"] == "3550308"

    async def test_existing_customer_is_changed_where_the_file_has_cells(self, shop: Shop) -> None:
        await imported(shop, CUSTOMERS, CUSTOMER_TITLES, MARIA)
        titles = "Nome;E-mail;CPF/CNPJ;Telefone;Bairro"
        record = await imported(shop, CUSTOMERS, titles, "Maria Souza;m@example.com;52998224725;11988887777;")
        assert counts_of(record) == (0, 1, 0, 0)
        [maria] = await customers_of(shop)
        assert (maria["name"], maria["phone"]) == ("Maria Souza", "11988887777")
        assert maria["address"]["district"] == "Bela Vista"

    async def test_same_customer_in_two_lines_is_created_and_changed(self, shop: Shop) -> None:
        record = await imported(shop, CUSTOMERS, CUSTOMER_TITLES, MARIA, MARIA)
        assert counts_of(record) == (1, 1, 0, 0)

    async def test_refused_lines_have_the_titles_of_the_columns_and_the_others_are_imported(
        self, shop: Shop
    ) -> None:
        wrong = "Jo;joao;529.982.247-26;123;Rua;;;Campinas;RJ"
        record = await imported(shop, CUSTOMERS, CUSTOMER_TITLES, wrong, "", MARIA)
        assert (record.lines_done, counts_of(record)) == (2, (1, 0, 0, 1))
        problems = await problems_of(shop, record)
        assert {line for line, _, _ in problems} == {2}
        assert {field for _, field, _ in problems} == {"Nome", "E-mail", "CPF/CNPJ", "CEP", "Cidade"}
        assert "CEP inválido: informe 8 dígitos." in {message for _, _, message in problems}

    async def test_exported_customers_are_imported_again_unchanged(self, shop: Shop) -> None:
        await imported(shop, CUSTOMERS, CUSTOMER_TITLES, MARIA)
        await shop.post(
            "/customers",
            {
                "name": "=John Smith",
                "email": "john@example.com",
                "foreignId": "00123",
                "address": {"city": "New York", "countryCode": "US", "region": "NY", "postalCode": "10118"},
            },
        )
        before = await customers_of(shop)
        file = await export_customers(
            shop.system.database, shop.caller.subscription_id, await company_of(shop), ""
        )
        content = b"".join([chunk async for chunk in file.chunks])
        record = await settled(shop, await upload_bytes(shop, CUSTOMERS, content))
        assert (counts_of(record), await problems_of(shop, record)) == ((0, 2, 0, 0), [])
        after = await customers_of(shop)
        assert [row | {"updatedAt": None} for row in after] == [row | {"updatedAt": None} for row in before]


class TestProducts:
    TITLES = "SKU;Nome;Tipo;Categoria;Preço;NCM"

    async def test_items_are_created_and_then_changed_by_their_sku(self, shop: Shop) -> None:
        first = await imported(
            shop,
            PRODUCTS,
            self.TITLES,
            "caneca;Caneca;Produto;Casa;1.029,90;6912.00.00",
            "00123;Aula;Serviço;X;;",
        )
        assert counts_of(first) == (2, 0, 0, 0)
        second = await imported(shop, PRODUCTS, "SKU;Preço", "caneca;35,5")
        assert counts_of(second) == (0, 1, 0, 0)
        items = await products_of(shop)
        assert (items["caneca"]["price"], items["caneca"]["ncm"]) == (35.5, "69120000")
        assert items["00123"]["type"] == "service"

    async def test_refused_items_are_reported_cell_by_cell(self, shop: Shop) -> None:
        record = await imported(
            shop,
            PRODUCTS,
            self.TITLES,
            "a;Caneca;Prodto;Casa;1.500;",
            "b;;;;;",
            ";Caneca;Produto;Casa;1;",
            "c;d;e;f;1;;g",
        )
        assert counts_of(record) == (0, 0, 0, 4)
        problems = await problems_of(shop, record)
        fields = {(line, field) for line, field, _ in problems}
        assert fields == {
            (2, "Tipo"), (2, "Preço"), (3, "Tipo"), (3, "Nome"), (4, "SKU"), (5, None), (5, "Tipo"),
        }  # fmt: skip
        messages = [message for line, field, message in problems if (line, field) == (2, "Preço")]
        assert messages == [
            "Não se sabe se o ponto de 1.500 separa os milhares ou os centavos: escreva 1500 ou 1,500."
        ]

    async def test_exported_items_are_imported_again_unchanged(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "002", "serviceItemCode": "01.05"})
        await store.stock(MUG | {"sku": "0012", "guarantee": 30})
        before = await products_of(store)
        database, company = store.system.database, await company_of(store)
        file = await export_products(database, store.caller.subscription_id, company, ProductFilter())
        content = b"".join([chunk async for chunk in file.chunks])
        record = await settled(store, await upload_bytes(store, PRODUCTS, content))
        assert (counts_of(record), await problems_of(store, record)) == ((0, len(before), 0, 0), [])
        after = await products_of(store)
        assert {sku: item | {"updatedAt": None} for sku, item in after.items()} == {
            sku: item | {"updatedAt": None} for sku, item in before.items()
        }


class TestSales:
    TITLES = (
        "Número no seu sistema;Data;Cliente;E-mail do cliente;CPF/CNPJ do cliente;SKU;Quantidade;Preço"
        ";Quando emitir"
    )
    BUYER = "Maria da Silva;maria@example.com;529.982.247-25"

    async def test_neighbouring_lines_with_a_number_are_one_sale_with_drafts(self, store: Store) -> None:
        record = await imported(
            store,
            SALES,
            self.TITLES,
            f"p-1;14/11/2026;{self.BUYER};curso;1;1.000,00;",
            "p-1;;;;;curso;2;;",
            f";;{self.BUYER};curso;1;;Manual",
        )
        assert (record.lines_done, counts_of(record)) == (3, (2, 0, 0, 0))
        by_number = {sale["externalId"]: sale for sale in await sales_of(store)}
        sale = by_number["p-1"]
        assert (sale["saleDate"], sale["status"], len(sale["products"])) == ("2026-11-14", "draft", 2)
        assert Decimal(str(sale["amount"])) == 1200
        assert by_number[None]["status"] == "draft"

    async def test_sale_that_is_emitted_at_once_is_authorized(self, store: Store) -> None:
        line = f"p-1;;{self.BUYER};curso;1;;Na hora da venda"
        assert counts_of(await imported(store, SALES, self.TITLES, line)) == (1, 0, 0, 0)
        [sale] = await sales_of(store)
        assert (await store.sale_settled(sale))["status"] == "invoiced"

    async def test_file_that_is_imported_again_makes_no_second_sale(self, store: Store) -> None:
        line = f"p-1;;{self.BUYER};curso;1;;"
        await imported(store, SALES, self.TITLES, line)
        assert counts_of(await imported(store, SALES, self.TITLES, line)) == (0, 0, 1, 0)
        assert len(await sales_of(store)) == 1

    async def test_same_number_with_other_data_is_refused(self, store: Store) -> None:
        line, other = f"p-1;;{self.BUYER};curso;1;;", f"p-1;;{self.BUYER};curso;2;;"
        record = await imported(store, SALES, self.TITLES, line, line.replace("p-1", "p-2"), other)
        assert counts_of(record) == (2, 0, 0, 1)
        [(at, field, message)] = await problems_of(store, record)
        assert (at, field) == (4, "Número no seu sistema")
        assert "com outros dados" in message

    async def test_refused_sale_names_the_line_of_each_problem(self, store: Store) -> None:
        record = await imported(
            store,
            SALES,
            self.TITLES,
            f"p-1;31/02/2026;{self.BUYER};curso;1;;",
            "p-1;;;;;nada;1;;",
            "p-1;;;;;curso;x;;",
        )
        assert (record.lines_done, counts_of(record)) == (3, (0, 0, 0, 3))
        fields = {(line, field) for line, field, _ in await problems_of(store, record)}
        assert fields == {(2, "Data"), (4, "Quantidade")}

    async def test_sale_without_its_item_in_the_catalog_names_the_sku(self, store: Store) -> None:
        record = await imported(store, SALES, "SKU;Quantidade", "nada;1")
        problems = await problems_of(store, record)
        assert problems
        assert {line for line, _, _ in problems} == {2}
        assert any("nada" in message for _, _, message in problems)


class TestStart:
    @pytest.mark.parametrize("kind", ImportKind)
    async def test_template_can_be_imported(self, store: Store, kind: ImportKind) -> None:
        await store.stock(MUG | {"sku": "caneca-300"})
        await store.know(MARIA_OF_THE_STORE)
        record = await settled(store, await upload_bytes(store, kind, template_of(kind)))
        assert (await problems_of(store, record), record.refused, record.lines_done) == ([], 0, 1)

    async def test_file_that_can_not_be_read_is_refused_and_not_stored(self, shop: Shop) -> None:
        with pytest.raises(Refusal) as refusal:
            await upload(shop, CUSTOMERS, "Nome;Apelido", "Maria;Mia")
        assert refusal.value.code is ErrorCode.VALIDATION_ERROR
        assert refusal.value.details is not None
        [problem] = refusal.value.details["fields"]
        assert problem["field"] == "file"
        assert "Apelido" in problem["error"]
        assert await shop.system.fetch("select from imports where company_id = $1", UUID(shop.id)) == []

    async def test_everything_names_the_person_who_uploaded_the_file(self, store: Store) -> None:
        record = await imported(
            store, SALES, "SKU;CPF/CNPJ do cliente;Cliente", "curso;52998224725;Maria da Silva"
        )
        [sale] = await sales_of(store)
        assert sale["createdBy"] == {"kind": "person", "name": "Ana Souza"}
        assert record.created_by is not None
        assert record.created_by.name == "Ana Souza"
        await imported(store, CUSTOMERS, CUSTOMER_TITLES, MARIA)
        page = await list_audit(
            store.system.database, store.caller.subscription_id, AuditQuery(actor_name="Ana"), PageRequest()
        )
        sentences = {entry.sentence for entry in page.items}
        assert {
            "Enviou o arquivo sales.csv para importar vendas.",
            "Alterou o cliente Maria da Silva.",
        } <= sentences

    async def test_only_the_first_problems_are_stored(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(imports, "MAX_STORED_PROBLEMS", 3)
        record = await imported(shop, PRODUCTS, "SKU", "a", "b", "c", "d")
        assert (record.refused, record.problems > 3) == (4, True)
        assert len(await problems_of(shop, record)) == 3
