"""Refusals of a sale: all problems at once, with the sale's own field names, and company readiness."""

from typing import Any

import pytest

from carimbo.service.subscriptions import set_features
from integration.issuing.actions import TRIAL, spend
from integration.issuing.shop import error_of
from integration.issuing.system import System
from integration.sales.store import BOOK, COURSE, JOAO, MARIA, MUG, NewStore, Store, rules_of
from support import ABSENT, ABSENT_ITEM, data_of, fields_of


class TestRefusal:
    async def test_all_invalid_fields_are_reported_at_once(self, store: Store) -> None:
        lines = [{"sku": "curso", "amount": 5}, {"sku": "", "quantity": 0}]
        answer = await store.sell(*lines, customer={"name": "M"}, emitWhen="nunca", discount=-1)
        assert fields_of(answer).keys() == {
            "products[0].amount", "products[1].quantity", "products[1].sku", "customer.name", "emitWhen",
            "discount",
        }  # fmt: skip

    async def test_everything_missing_in_the_catalog_is_reported_at_once(self, store: Store) -> None:
        answer = await store.sell({"id": ABSENT_ITEM}, BOOK | {"type": None}, customer=ABSENT)
        assert fields_of(answer).keys() == {"products[0].id", "products[1].type", "customer"}

    @pytest.mark.parametrize("item_type", ["product", "split"])
    async def test_a_type_that_differs_from_the_catalog_is_reported(
        self, store: Store, item_type: str
    ) -> None:
        answer = await store.sell({"sku": "curso", "type": item_type})
        assert fields_of(answer) == {"products[0].type": "No catálogo o item é do tipo service."}

    async def test_a_new_split_item_is_refused(self, store: Store) -> None:
        answer = await store.sell(BOOK | {"type": "split"})
        assert fields_of(answer).keys() == {"products[0].type"}

    async def test_a_violated_rule_names_the_field_of_the_sale_and_the_document_type(
        self, store: Store
    ) -> None:
        await store.stock(MUG | {"sku": "sem-ncm", "ncm": None})
        assert rules_of(await store.sell("curso", "sem-ncm")) == {"products[1].ncm": "nfe"}

    async def test_the_message_of_a_violated_rule_uses_the_sale_s_field_names(self, store: Store) -> None:
        await store.stock(MUG | {"sku": "sem-ncm", "ncm": None})
        (rule,) = (await store.sell("sem-ncm")).json()["error"]["details"]["rules"]
        assert "items" not in f"{rule['message']} {rule['hint']}"
        assert "products[].ncm (se o item já está no catálogo, nele," in rule["hint"]

    async def test_a_code_given_only_in_the_line_is_reported_with_the_item(self, store: Store) -> None:
        item = await store.stock(MUG | {"sku": "sem-ncm", "ncm": None})
        answer = await store.sell({"sku": "sem-ncm", "ncm": "69120000"})
        assert item["id"] in fields_of(answer)["products[0].ncm"]

    async def test_a_missing_iss_rate_is_reported_with_the_setting(self, store: Store) -> None:
        await store.put_settings(nfse={"issRate": None, "federalServiceCode": None})
        await store.stock(COURSE | {"sku": "aula", "serviceItemCode": "08.02"})
        (rule,) = (await store.sell("aula")).json()["error"]["details"]["rules"]
        assert (rule["field"], rule["code"]) == ("products[0].iss", "MISSING")
        assert "nfse.issRate" in rule["hint"]

    async def test_an_ambiguous_service_code_is_reported_with_the_candidates(self, store: Store) -> None:
        await store.stock(COURSE | {"sku": "consultoria", "serviceItemCode": "17.01"})
        (rule,) = (await store.sell("consultoria")).json()["error"]["details"]["rules"]
        assert (rule["field"], rule["code"]) == ("products[0].serviceItemCode", "AMBIGUOUS")
        assert rule["candidates"] == ["17.01.01", "17.01.02"]
        assert "17.01.02 Análise, exame" in rule["message"]

    async def test_hints_for_a_new_service_name_fields_of_the_sale(self, store: Store) -> None:
        await store.put_settings(nfse={"issRate": None, "federalServiceCode": None})
        rules = (await store.sell(BOOK)).json()["error"]["details"]["rules"]
        assert {rule["hint"] for rule in rules} == {
            "Informe products[0].serviceItemCode (se o item já está no catálogo, nele, com PUT"
            " …/products/{id}), como 01.05, ou configure nfse.federalServiceCode da empresa"
            " em PUT /v1/companies/{companyId}/settings.",
            "Informe iss.rate do item no catálogo, como 2, ou configure nfse.issRate da empresa em"
            " PUT /v1/companies/{companyId}/settings.",
        }

    async def test_a_service_without_charge_is_reported_at_its_price(self, store: Store) -> None:
        assert rules_of(await store.sell({"sku": "curso", "price": 0})) == {"products[0].price": "nfse"}

    async def test_violated_rules_of_two_documents_are_both_reported(self, store: Store) -> None:
        await store.stock(MUG | {"sku": "sem-ncm", "ncm": None})
        answer = await store.sell("sem-ncm", "curso", nfse={"competenceDate": "2999-01-01"})
        assert rules_of(answer) == {"products[0].ncm": "nfe", "nfse.competenceDate": "nfse"}

    async def test_all_missing_customer_fields_are_reported(self, store: Store) -> None:
        answer = await store.sell("caneca", {"id": ABSENT_ITEM}, customer={"name": "Ana Lima"})
        assert fields_of(answer) == {
            "customer.document": "Campo obrigatório na NF-e: informe o CPF ou CNPJ, ou foreignId de um"
            " estrangeiro.",
            "customer.address": "Campo obrigatório na NF-e.",
            "products[1].id": "Não há item com este id no catálogo.",
        }

    async def test_a_missing_customer_name_is_reported_with_all_other_problems(self, store: Store) -> None:
        values: dict[str, Any] = {
            "customer": {"email": "ana@example.com"}, "payments": [{"method": "pix", "amount": 29.9}],
            "discount": 1000, "paymentMethod": "boleto", "emitWhen": "after_guarantee",
        }  # fmt: skip
        answer = await store.sell("caneca", **values)
        assert fields_of(answer).keys() == {
            "customer.name", "customer.document", "customer.address", "discount", "paymentMethod",
            "guaranteeDate",
        }  # fmt: skip

    async def test_an_incomplete_existing_customer_is_to_be_completed_in_the_catalog(
        self, store: Store
    ) -> None:
        existing = await store.know(JOAO)
        answer = await store.sell("caneca", customer=existing["id"])
        message = "Campo obrigatório na NF-e: complete o cadastro do cliente."
        assert fields_of(answer) == {"customer.address": message}

    @pytest.mark.parametrize(
        ("sku", "fields"),
        [
            ("curso", {"customer", "customer.name"}),
            ("caneca", {"customer", "customer.name", "customer.document", "customer.address"}),
        ],
    )
    async def test_all_fields_of_a_missing_customer_are_reported(
        self, store: Store, sku: str, fields: set[str]
    ) -> None:
        assert fields_of(await store.sell(sku, customer=None)).keys() == fields

    async def test_every_missing_line_of_the_customer_s_address_is_reported(self, store: Store) -> None:
        partly = JOAO | {"address": {"zipcode": "01310-100", "state": "SP", "street": "Avenida Paulista"}}
        missing = ("number", "district", "city")
        assert rules_of(await store.sell("caneca", customer=partly)) == {
            f"customer.address.{name}": "nfe" for name in missing
        }

    async def test_address_of_the_sale_completes_the_one_in_the_catalog(self, store: Store) -> None:
        partly = MARIA | {"address": {"zipcode": MARIA["address"]["zipcode"]}}
        data_of(await store.post("/customers", partly))
        sale = await store.draft("caneca", customer=MARIA)
        assert [invoice["type"] for invoice in sale["invoices"]] == ["nfe"]

    async def test_services_are_sold_to_a_customer_with_a_partial_address(self, store: Store) -> None:
        sale = await store.invoiced("curso", customer=JOAO | {"address": {"zipcode": "01310-100"}})
        assert sale["status"] == "invoiced", sale["invoices"]
        (invoice,) = sale["invoices"]
        record = data_of(await store.get(f"/invoices/{invoice['id']}"))
        assert any(warning.startswith("borrower.address: ") for warning in record["warnings"])

    async def test_missing_document_of_the_customer_is_a_missing_field(self, store: Store) -> None:
        nobody = {"name": MARIA["name"], "email": MARIA["email"], "address": MARIA["address"]}
        answer = await store.sell("caneca", customer=nobody)
        message = "Campo obrigatório na NF-e: informe o CPF ou CNPJ, ou foreignId de um estrangeiro."
        assert fields_of(answer) == {"customer.document": message}

    @pytest.mark.parametrize(
        ("sku", "values", "field"),
        [
            ("caneca", {"customer": MARIA | {"stateRegistration": "ISENTO"}}, "customer.stateRegistration"),
            ("curso", {"nfse": {"cityIbge": "9999999"}}, "nfse.cityIbge"),
            ("curso", {"nfse": {"serviceLocation": "2"}, "customer": JOAO}, "customer.address"),
            ("curso", {"discount": 100}, "discount"),
        ],
        ids=["stateRegistration", "cityIbge", "serviceLocation", "discount"],
    )
    async def test_a_violated_rule_names_only_fields_of_the_sale(
        self, store: Store, sku: str, values: dict[str, Any], field: str
    ) -> None:
        assert rules_of(await store.sell(sku, **values)).keys() == {field}

    async def test_an_invalid_property_of_the_nfs_e_is_reported_in_the_sale(self, store: Store) -> None:
        answer = await store.sell("curso", nfse={"property": {"cibCode": "1A2B3C45", "cor": "azul"}})
        assert set(fields_of(answer)) == {"nfse.property.cor"}

    @pytest.mark.parametrize("when", ["immediately", "manual"])
    async def test_a_refused_sale_stores_nothing(self, store: Store, when: str) -> None:
        before = await store.stored()
        note = {"competenceDate": "2999-01-01"}
        rules_of(await store.sell(BOOK, customer=JOAO, nfse=note, emitWhen=when))
        assert await store.stored() == before

    async def test_the_second_of_services_that_cannot_share_an_nfs_e_is_reported(self, store: Store) -> None:
        for sku, code in (("aula", "08.02"), ("suporte", "01.07")):
            await store.stock(COURSE | {"sku": sku, "serviceItemCode": code})
        assert rules_of(await store.sell("aula", "suporte"))["products[1].serviceItemCode"] == "nfse"


class TestReadiness:
    async def test_a_sale_issued_immediately_needs_a_certificate(self, store: Store) -> None:
        data_of(await store.caller.http.delete(store.path("/certificate")))
        before = await store.stored()
        error_of(await store.sell(BOOK), 422, "CERTIFICATE_MISSING")
        assert await store.stored() == before

    async def test_a_draft_needs_no_certificate(self, store: Store) -> None:
        data_of(await store.caller.http.delete(store.path("/certificate")))
        assert (await store.draft("curso", "caneca"))["status"] == "draft"

    async def test_a_receipt_needs_the_active_module(self, store: Store) -> None:
        await store.put_settings(nfce={"active": False})
        details = error_of(await store.sell("caneca", productInvoiceType="nfce"), 422, "COMPANY_NOT_READY")
        assert details["missing"] == ["nfce.active"]

    async def test_a_receipt_needs_the_feature(self, system: System, store: Store) -> None:
        await set_features(system.database, store.caller.subscription_id, [])
        answer = await store.sell("caneca", productInvoiceType="nfce")
        assert error_of(answer, 403, "FEATURE_NOT_ENABLED") == {"feature": "nfceEmission"}

    async def test_the_plan_must_allow_all_documents_of_a_sale(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        await spend(store, TRIAL - 1)
        before = await store.stored()
        details = error_of(await store.sell("curso", "caneca"), 402, "DOCUMENT_LIMIT_REACHED")
        assert (details["used"], details["limit"]) == (TRIAL - 1, TRIAL)
        assert await store.stored() == before
        assert (await store.invoiced("curso"))["status"] == "invoiced"

    async def test_a_draft_does_not_use_the_plan(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        await spend(store)
        draft = await store.draft("curso")
        error_of(await store.emit_sale(draft), 402, "DOCUMENT_LIMIT_REACHED")
