"""Creating a sale: its customer and its lines."""

from typing import Any

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import ADDRESS
from integration.sales.store import BOOK, JOAO, MARIA, NewStore, Store, rules_of
from support import ABSENT, ABSENT_ITEM, data_of, fields_of, wrong_fields


class TestCustomer:
    async def test_a_customer_given_by_id_is_taken_from_the_catalog(self, store: Store) -> None:
        existing = await store.know(JOAO)
        sale = await store.draft("curso", customer=existing["id"])
        assert sale["customer"] == {name: existing[name] for name in ("id", "name", "email", "document")}
        assert data_of(await store.get(f"/customers/{existing['id']}")) == existing

    async def test_a_customer_given_as_an_object_is_created(self, store: Store) -> None:
        facts = MARIA | {"phone": "11987654321", "tradeName": "Maria Modas", "municipalRegistration": "12345"}
        sale = await store.draft("curso", customer=facts)
        (customer,) = data_of(await store.get("/customers"))
        assert sale["customer"] == {name: customer[name] for name in ("id", "name", "email", "document")}
        assert (customer["name"], customer["email"]) == (MARIA["name"], MARIA["email"])
        assert customer["document"] == "529.982.247-25"
        assert (customer["phone"], customer["tradeName"]) == (facts["phone"], facts["tradeName"])
        assert customer["municipalRegistration"] == facts["municipalRegistration"]
        assert customer["address"]["street"] == ADDRESS["street"]

    async def test_a_customer_object_fills_gaps_and_overwrites_nothing(self, store: Store) -> None:
        existing = await store.know(JOAO)
        facts = {
            "name": "Joãozinho", "email": "outro@example.com", "document": "11144477735",
            "phone": "11987654321", "address": ADDRESS,
        }  # fmt: skip
        sale = await store.draft("curso", customer=facts)
        now = data_of(await store.get(f"/customers/{existing['id']}"))
        assert sale["customer"]["id"] == existing["id"]
        assert (now["name"], now["email"]) == (JOAO["name"], JOAO["email"])
        assert (now["phone"], now["address"]["city"]) == (facts["phone"], "São Paulo")

    async def test_a_customer_without_a_document_is_found_by_e_mail(self, store: Store) -> None:
        existing = await store.know({"name": "João Souza", "email": "joao@example.com"})
        sale = await store.draft("curso", customer=JOAO | {"email": "JOAO@example.com"})
        now = data_of(await store.get(f"/customers/{existing['id']}"))
        assert (sale["customer"]["id"], now["document"]) == (existing["id"], JOAO["document"])

    async def test_an_existing_customer_needs_no_name(self, store: Store) -> None:
        existing = await store.know(JOAO)
        sale = await store.draft("curso", customer={"document": JOAO["document"]})
        assert (sale["customer"]["id"], sale["customer"]["name"]) == (existing["id"], JOAO["name"])

    async def test_a_customer_may_lack_an_e_mail(self, store: Store) -> None:
        sale = await store.draft("curso", customer={"name": "Maria da Silva"})
        assert (sale["customer"]["email"], sale["customer"]["document"]) == (None, None)

    async def test_two_sales_to_the_same_customer_create_one_customer(self, store: Store) -> None:
        sales = [await store.draft("curso"), await store.draft("caneca")]
        assert len({sale["customer"]["id"] for sale in sales}) == len(await store.rows("customers")) == 1

    async def test_an_unknown_customer_is_invalid(self, store: Store, new_store: NewStore) -> None:
        neighbour = await new_store(store.caller)
        foreign, gone = await neighbour.know(JOAO), await store.know(JOAO)
        data_of(await store.caller.http.delete(store.path(f"/customers/{gone['id']}")))
        for customer_id in (ABSENT, foreign["id"], gone["id"]):
            assert set(fields_of(await store.sell("curso", customer=customer_id))) == {"customer"}

    async def test_a_customer_that_is_neither_an_id_nor_an_object_is_invalid(self, store: Store) -> None:
        values = [5, "maria", [], True]
        wrong = await wrong_fields({str(value): store.sell("curso", customer=value) for value in values})
        assert wrong == {str(value): ["customer"] for value in values}

    async def test_wrong_fields_of_a_customer_are_reported_with_their_path(self, store: Store) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"email": "maria@example.com"}, "name"),
            (MARIA | {"name": "M"}, "name"),
            (MARIA | {"document": "529.982.247-26"}, "document"),
            (MARIA | {"email": "maria"}, "email"),
            (MARIA | {"address": ADDRESS | {"state": "XX"}}, "address.state"),
            (MARIA | {"cor": "azul"}, "cor"),
        ]
        wrong = await wrong_fields({str(facts): store.sell("curso", customer=facts) for facts, _ in cases})
        assert wrong == {str(facts): [f"customer.{field}"] for facts, field in cases}


class TestLine:
    async def test_an_item_is_found_by_sku_by_id_and_by_both(self, store: Store) -> None:
        item = await store.stock(BOOK)
        ways = [{"sku": "livro"}, {"id": item["id"]}, {"sku": "livro", "id": item["id"]}]
        sale = await store.draft(*ways)
        assert [line["id"] for line in sale["products"]] == [item["id"]] * 3
        assert [line["sku"] for line in sale["products"]] == ["livro"] * 3
        assert sale["amount"] == 120

    async def test_a_line_shows_the_item_and_its_price(self, store: Store) -> None:
        item = await store.stock(BOOK)
        sale = await store.draft({"sku": "livro", "price": 35.5, "quantity": 1.5})
        assert sale["products"] == [{
            "id": item["id"], "sku": "livro", "name": "Livro", "type": "service", "category": "ebook",
            "price": 35.5, "quantity": 1.5, "total": 53.25,
        }]  # fmt: skip

    async def test_sku_and_id_of_different_items_are_invalid(self, store: Store) -> None:
        item = await store.stock(BOOK)
        wrong = fields_of(await store.sell({"sku": "curso", "id": item["id"]}))
        assert wrong.keys() == {"products[0].sku"}

    async def test_an_unknown_item_id_is_invalid(self, store: Store, new_store: NewStore) -> None:
        foreign = await (await new_store(store.caller)).stock(BOOK)
        lines = [{"id": ABSENT_ITEM}, {"id": foreign["id"]}]
        assert set(fields_of(await store.sell(*lines))) == {"products[0].id", "products[1].id"}

    async def test_a_deleted_item_is_invalid(self, store: Store) -> None:
        item = await store.stock(BOOK)
        data_of(await store.caller.http.delete(store.path(f"/products/{item['id']}")))
        assert fields_of(await store.sell({"id": item["id"]})).keys() == {"products[0].id"}

    async def test_a_new_sku_creates_the_item(self, store: Store) -> None:
        await store.draft(BOOK | {"price": 35})
        (item,) = data_of(await store.get("/products", search="livro"))
        stored = {name: item[name] for name in ("sku", "name", "type", "category", "price")}
        assert stored == BOOK | {"price": 35}
        assert item["fiscalFollowsCompanyDefaults"] is True

    async def test_a_new_sku_may_have_an_ncm(self, store: Store) -> None:
        vase = {"sku": "vaso", "name": "Vaso", "type": "product", "category": "home", "ncm": "6912.00.00"}
        sale = await store.draft(vase | {"price": 50})
        (line,) = sale["products"]
        item = data_of(await store.get(f"/products/{line['id']}"))
        assert (item["sku"], item["ncm"], item["price"]) == ("vaso", "69120000", 50)

    async def test_a_new_sku_may_have_its_codes_as_numbers(self, store: Store) -> None:
        vase = {"sku": "vaso", "name": "Vaso", "type": "product", "category": "home", "ncm": 69120000}
        sale = await store.draft(vase | {"price": 50}, BOOK | {"serviceItemCode": 80201})
        goods, service = [data_of(await store.get(f"/products/{line['id']}")) for line in sale["products"]]
        assert (goods["ncm"], service["serviceItemCode"]) == ("69120000", "080201")

    async def test_a_new_sku_takes_the_company_s_default_ncm(self, store: Store) -> None:
        vase = {"sku": "vaso", "name": "Vaso", "type": "product", "category": "home", "price": 50}
        assert rules_of(await store.sell(vase)) == {"products[0].ncm": "nfe"}
        defaults = {"defaults": {"ncm": "69120000"}}
        data_of(await store.caller.http.put(store.path("/settings"), json=defaults))
        sale = await store.invoiced(vase)
        assert await text_in_xml(store, await store.invoice(sale, "nfe"), "prod/NCM") == "69120000"

    async def test_a_new_sku_is_checked_like_the_catalog(self, store: Store) -> None:
        cases = [
            ({"type": "product", "ncm": "6912"}, "ncm"),
            ({"type": "service", "ncm": "69120000"}, "ncm"),
            ({"type": "service", "serviceItemCode": "curso"}, "serviceItemCode"),
        ]
        line = {"sku": "curso", "quantity": 2}
        wrong = await wrong_fields({str(codes): store.sell(line, BOOK | codes) for codes, _ in cases})
        assert wrong == {str(codes): [f"products[1].{field}"] for codes, field in cases}

    async def test_a_new_sku_given_twice_creates_one_item(self, store: Store) -> None:
        sale = await store.draft(BOOK, BOOK | {"quantity": 2})
        (item,) = data_of(await store.get("/products", search="livro"))
        assert [line["id"] for line in sale["products"]] == [item["id"]] * 2

    async def test_a_new_sku_needs_name_type_and_category(self, store: Store) -> None:
        needed = ["name", "type", "category"]
        lines = {lacking: {name: BOOK[name] for name in BOOK if name != lacking} for lacking in needed}
        wrong = await wrong_fields({lacking: store.sell(line) for lacking, line in lines.items()})
        assert wrong == {lacking: [f"products[0].{lacking}"] for lacking in needed}

    async def test_all_missing_fields_of_a_new_sku_are_reported(self, store: Store) -> None:
        needed = {f"products[0].{name}" for name in ("name", "type", "category")}
        assert fields_of(await store.sell("livro")).keys() == needed

    async def test_a_line_without_a_price_needs_one_in_the_catalog(self, store: Store) -> None:
        await store.stock({name: value for name, value in BOOK.items() if name != "price"})
        assert set(fields_of(await store.sell("curso", "livro"))) == {"products[1].price"}
        assert (await store.draft({"sku": "livro", "price": 12.34}))["amount"] == 12.34

    async def test_a_sale_does_not_change_the_item(self, store: Store) -> None:
        item = await store.stock(BOOK)
        await store.draft({"sku": "livro", "price": 1})
        assert data_of(await store.get(f"/products/{item['id']}")) == item

    async def test_amount_and_product_type_of_a_line_are_refused(self, store: Store) -> None:
        for forbidden, instead in (("amount", "price"), ("productType", "type")):
            wrong = fields_of(await store.sell("curso", {"sku": "caneca", forbidden: 10}))
            assert wrong.keys() == {f"products[1].{forbidden}"}
            assert instead in wrong[f"products[1].{forbidden}"]

    async def test_wrong_fields_of_a_line_are_reported_with_their_path(self, store: Store) -> None:
        cases: list[tuple[str, Any]] = [
            ("quantity", 0), ("quantity", -1), ("quantity", 1.23456), ("quantity", "2"), ("price", -0.01),
            ("type", "split"), ("type", "livro"), ("cor", "azul"),
        ]  # fmt: skip
        wrong = await wrong_fields(
            {f"{name} {value}": store.sell("curso", {"sku": "caneca", name: value}) for name, value in cases}
        )
        assert wrong == {f"{name} {value}": [f"products[1].{name}"] for name, value in cases}

    async def test_a_line_without_item_is_invalid(self, store: Store) -> None:
        assert fields_of(await store.sell({"quantity": 2})).keys() == {"products[0].sku"}

    async def test_no_lines_or_too_many_lines_are_invalid(self, store: Store) -> None:
        for count in (0, 991):
            assert set(fields_of(await store.sell(*["curso"] * count))) == {"products"}, count
