"""Customers of a company's catalog: created, updated, read, replaced, deleted."""

from typing import Any
from uuid import UUID

import pytest

from integration.api.customer_book import ABROAD, ADDRESS, JOHN, MARIA, WHOLE, CustomerApi, facts_of
from support import ABSENT, code_of, data_of, fields_of

NOTHING_ELSE = {
    "document": None, "foreignId": None, "phone": None, "foreign": False, "address": None,
    "municipalRegistration": None, "stateRegistration": None, "tradeName": None,
}  # fmt: skip


class TestCreate:
    async def test_customer_is_created_with_name_and_email_alone(self, customers: CustomerApi) -> None:
        body = {"name": "Maria da Silva", "email": "maria@example.com"}
        record = await customers.upsert(body)
        assert facts_of(record) == body | NOTHING_ELSE
        assert record["createdAt"] == record["updatedAt"]

    async def test_every_field_is_normalised_and_shown_with_punctuation(self, customers: CustomerApi) -> None:
        record = await customers.upsert(WHOLE)
        assert facts_of(record) == WHOLE | {
            "document": "12.ABC.345/01DE-35",
            "foreignId": None,
            "phone": "11988887777",
            "address": ADDRESS | {"zipcode": "01310-100", "cityCode": "3550308", "countryCode": None},
            "stateRegistration": "110042490114",
        }
        assert data_of(await customers.get(record["id"])) == record

    @pytest.mark.parametrize(
        ("sent", "shown"),
        [
            ("52998224725", "529.982.247-25"),
            ("529.982.247-25", "529.982.247-25"),
            ("11222333000181", "11.222.333/0001-81"),
            ("12ABC34501DE35", "12.ABC.345/01DE-35"),
        ],
    )
    async def test_document_is_shown_with_punctuation(
        self, customers: CustomerApi, sent: str, shown: str
    ) -> None:
        assert (await customers.upsert(document=sent))["document"] == shown

    async def test_customer_abroad_is_created(self, customers: CustomerApi) -> None:
        record = await customers.upsert(JOHN)
        assert facts_of(record) == NOTHING_ELSE | JOHN | {"address": ABROAD | {"complement": None}}
        assert data_of(await customers.get(record["id"])) == record

    @pytest.mark.parametrize(
        ("fields", "foreign"),
        [
            ({}, False),
            ({"foreignId": "AB-123"}, True),
            ({"address": ABROAD}, True),
            ({"address": ABROAD, "document": "52998224725"}, False),
            ({"address": ABROAD, "foreign": False}, False),
            ({"document": "52998224725", "foreign": True}, True),
            ({"foreignId": "AB-123", "foreign": None}, True),
        ],
    )
    async def test_foreign_is_derived_from_the_other_fields(
        self, customers: CustomerApi, fields: dict[str, Any], foreign: bool
    ) -> None:
        assert (await customers.upsert(MARIA | {"document": None} | fields))["foreign"] is foreign

    @pytest.mark.parametrize("length", [3, 64])
    async def test_names_of_3_to_64_characters_are_accepted(
        self, customers: CustomerApi, length: int
    ) -> None:
        assert (await customers.upsert(name="á" * length))["name"] == "á" * length

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"name": "ab"}, "name"),
            ({"name": "  ab  "}, "name"),
            ({"name": "a" * 65}, "name"),
            ({"name": None}, "name"),
            ({"email": None}, "email"),
            ({"email": "maria"}, "email"),
            ({"email": ""}, "email"),
            ({"document": "52998224724"}, "document"),
            ({"document": "12ABC34501DE36"}, "document"),
            ({"document": 52998224724}, "document"),
            ({"foreignId": "a" * 41}, "foreignId"),
            ({"phone": "ramal"}, "phone"),
            ({"foreign": "sim"}, "foreign"),
            ({"is_foreign": True}, "is_foreign"),
            ({"isForeign": True}, "isForeign"),
            ({"stateRegistration": "ABC"}, "stateRegistration"),
            ({"address": ADDRESS | {"zipcode": "0131010"}}, "address.zipcode"),
            ({"address": ADDRESS | {"city": "Curitiba"}}, "address.city"),
            ({"address": ADDRESS | {"state": "XX"}}, "address.state"),
            ({"address": ABROAD | {"countryCode": "USA"}}, "address.countryCode"),
            ({"address": ABROAD | {"countryCode": "XX"}}, "address.countryCode"),
            ({"address": ABROAD | {"state": "NY"}}, "address.state"),
            ({"id": "7"}, "id"),
            ({"nickname": "Mari"}, "nickname"),
        ],
    )
    async def test_wrong_field_is_refused_by_its_name(
        self, customers: CustomerApi, fields: dict[str, Any], field: str
    ) -> None:
        assert list(fields_of(await customers.post(MARIA | fields))) == [field]
        assert await customers.total() == 0

    async def test_incomplete_address_is_stored(self, customers: CustomerApi) -> None:
        created = await customers.upsert(address={"zipcode": "01310100", "countryCode": 1058})
        nothing = dict.fromkeys(("street", "number", "complement", "district", "state", "cityCode", "city"))
        assert created["address"] == nothing | {"zipcode": "01310-100", "countryCode": "BR"}
        assert data_of(await customers.get(created["id"])) == created

    async def test_country_by_the_central_banks_code_is_shown_by_its_letters(
        self, customers: CustomerApi
    ) -> None:
        created = await customers.upsert(JOHN, address={"countryCode": "2496", "city": "New York"})
        assert (created["address"]["countryCode"], created["address"]["street"]) == ("US", None)

    async def test_name_and_email_are_required(self, customers: CustomerApi) -> None:
        assert fields_of(await customers.post({})) == {
            "name": "Campo obrigatório.",
            "email": "Campo obrigatório.",
        }


class TestById:
    async def test_unknown_customer_is_not_found(self, customers: CustomerApi) -> None:
        await customers.upsert()
        answer = await customers.get(ABSENT)
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")

    @pytest.mark.parametrize("customer_id", ["1", "maria@example.com", ABSENT[:-1]])
    async def test_malformed_id_is_refused(self, customers: CustomerApi, customer_id: str) -> None:
        assert fields_of(await customers.get(customer_id)) == {"id": "Deve ser um UUID."}


class TestUpdate:
    async def test_upsert_changes_the_sent_fields_and_keeps_the_others(self, customers: CustomerApi) -> None:
        before = await customers.upsert(WHOLE)
        changes = {"name": "Açaí do Pará", "email": "novo@acai.example", "phone": "1133334444"}
        after = await customers.upsert(changes | {"id": before["id"]})
        assert facts_of(after) == facts_of(before) | changes
        assert after["createdAt"] == before["createdAt"] < after["updatedAt"]
        assert data_of(await customers.get(before["id"])) == after

    async def test_complete_address_replaces_the_stored_one(self, customers: CustomerApi) -> None:
        await customers.upsert(address=ADDRESS)
        address = {name: value for name, value in ADDRESS.items() if name != "complement"}
        after = await customers.upsert(address=address | {"number": "2000"})
        assert (after["address"]["number"], after["address"]["complement"]) == ("2000", None)

    async def test_upsert_with_an_address_abroad_makes_a_customer_foreign(
        self, customers: CustomerApi
    ) -> None:
        before = await customers.upsert({"name": "John Smith", "email": "john@example.com"})
        body = {name: value for name, value in JOHN.items() if name != "foreign"}
        after = await customers.upsert(body)
        assert (before["foreign"], after["id"], after["foreign"]) == (False, before["id"], True)

    async def test_customer_with_a_cpf_who_moves_abroad_is_foreign_only_if_sent(
        self, customers: CustomerApi
    ) -> None:
        await customers.upsert()
        moved = {"name": MARIA["name"], "email": MARIA["email"], "address": ABROAD}
        assert (await customers.upsert(moved))["foreign"] is False
        assert (await customers.upsert(moved | {"foreign": True}))["foreign"] is True
        assert (await customers.upsert(moved))["foreign"] is True

    @pytest.mark.parametrize(
        "home",
        [{"address": ADDRESS}, {"document": MARIA["document"], "foreignId": None}],
        ids=["address", "CPF"],
    )
    async def test_foreign_customer_with_a_brazilian_address_or_cpf_is_no_longer_foreign(
        self, customers: CustomerApi, home: dict[str, Any]
    ) -> None:
        body = {"name": "John Doe", "email": "john@example.com", "address": ABROAD}
        assert (await customers.upsert(body))["foreign"] is True
        assert (await customers.upsert({"name": "John Doe", "email": "john@example.com"}))["foreign"] is True
        assert (await customers.upsert(body | {"address": None} | home))["foreign"] is False


class TestUpsert:
    async def test_upsert_with_blanks_changes_nothing(self, customers: CustomerApi) -> None:
        before = await customers.upsert(WHOLE)
        blanks = dict.fromkeys(("phone", "address", "tradeName"), "") | {"stateRegistration": None}
        after = await customers.upsert(WHOLE | blanks)
        assert facts_of(after) == facts_of(before)

    async def test_upsert_accepts_a_record_as_it_was_read(self, customers: CustomerApi) -> None:
        record = await customers.upsert(WHOLE)
        again = await customers.upsert(record)
        assert again == record | {"updatedAt": again["updatedAt"]}
        assert await customers.total() == 1

    @pytest.mark.parametrize("exists", [True, False])
    async def test_upsert_refuses_another_creation_date(self, customers: CustomerApi, exists: bool) -> None:
        if exists:
            await customers.upsert()
        answer = await customers.post(MARIA | {"createdAt": "2020-01-01T00:00:00Z"})
        assert list(fields_of(answer)) == ["createdAt"]
        assert await customers.total() == exists

    async def test_completed_address_gets_its_municipality(self, customers: CustomerApi) -> None:
        await customers.upsert(address={"city": "Campinas"})
        after = await customers.upsert(address={"state": "SP"})
        assert (after["address"]["city"], after["address"]["cityCode"]) == ("Campinas", "3509502")

    async def test_address_that_does_not_fit_the_stored_one_replaces_it(self, customers: CustomerApi) -> None:
        await customers.upsert(address={"city": "Campinas", "street": "Rua A"})
        after = await customers.upsert(address={"state": "RJ"})
        assert {name for name, value in after["address"].items() if value} == {"state"}
        data_of(await customers.put(after["id"], after))

    async def test_part_of_an_address_completes_the_stored_one(self, customers: CustomerApi) -> None:
        before = await customers.upsert(WHOLE | {"address": ADDRESS | {"number": None}})
        after = await customers.upsert(WHOLE | {"address": {"number": "1000"}})
        assert after["address"] == before["address"] | {"number": "1000"}


class TestReplace:
    async def test_put_refuses_the_foreign_id_of_another_customer(self, customers: CustomerApi) -> None:
        first = await customers.upsert(
            WHOLE | {"document": None, "foreignId": "US-1", "email": "a@example.com"}
        )
        other = await customers.upsert(
            WHOLE | {"document": None, "foreignId": "US-2", "email": "b@example.com"}
        )
        body = WHOLE | {"document": None, "foreignId": "US-1", "email": "b@example.com"}
        answer = await customers.put(other["id"], body)
        assert answer.status_code == 409
        details = answer.json()["error"]["details"]
        assert details == {"field": "foreignId", "existingId": first["id"]}

    async def test_put_clears_null_fields(self, customers: CustomerApi) -> None:
        before = await customers.upsert(WHOLE)
        body = {"name": "Maria da Silva", "email": "maria@example.com"}
        after = data_of(await customers.put(before["id"], body | dict.fromkeys(NOTHING_ELSE)))
        assert facts_of(after) == body | NOTHING_ELSE
        assert (after["id"], after["createdAt"]) == (before["id"], before["createdAt"])
        assert data_of(await customers.get(before["id"])) == after

    @pytest.mark.parametrize("body", [MARIA, WHOLE, JOHN], ids=lambda body: body["name"])
    async def test_put_accepts_a_record_as_it_was_read(
        self, customers: CustomerApi, body: dict[str, Any]
    ) -> None:
        record = await customers.upsert(body)
        again = data_of(await customers.put(record["id"], facts_of(record)))
        assert facts_of(again) == facts_of(record)

    @pytest.mark.parametrize(
        ("document", "foreign"), [(None, True), (MARIA["document"], False)], ids=["abroad", "with a CPF"]
    )
    async def test_null_derives_again_whether_a_customer_is_foreign(
        self, customers: CustomerApi, document: str | None, foreign: bool
    ) -> None:
        record = await customers.upsert(address=ABROAD, document=document, foreign=not foreign)
        assert data_of(await customers.put(record["id"], {"foreign": None}))["foreign"] is foreign

    async def test_put_refuses_all_wrong_fields_at_once(self, customers: CustomerApi) -> None:
        record = await customers.upsert()
        wrong = {"name": "ab", "phone": "ramal", "nickname": None}
        assert fields_of(await customers.put(record["id"], wrong)).keys() == wrong.keys()
        assert list(fields_of(await customers.put(record["id"], []))) == ["body"]

    async def test_put_refuses_the_document_of_another_customer(self, customers: CustomerApi) -> None:
        maria, john = await customers.upsert(), await customers.upsert(JOHN)
        answer = await customers.put(john["id"], MARIA | {"email": "john@example.com"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "document", "existingId": maria["id"]}
        assert data_of(await customers.get(john["id"])) == john

    async def test_put_accepts_an_email_of_another_customer(self, customers: CustomerApi) -> None:
        maria, john = await customers.upsert(), await customers.upsert(JOHN)
        shared = {"email": john["email"]}
        assert data_of(await customers.put(maria["id"], MARIA | shared)).items() >= shared.items()

    async def test_put_refuses_another_id(self, customers: CustomerApi) -> None:
        record = await customers.upsert()
        assert list(fields_of(await customers.put(record["id"], {"id": ABSENT}))) == ["id"]
        assert data_of(await customers.get(record["id"])) == record


class TestDelete:
    async def test_deletion_answers_with_the_id(self, customers: CustomerApi) -> None:
        record = await customers.upsert()
        assert data_of(await customers.delete(record["id"])) == {"id": record["id"], "deleted": True}
        assert await customers.total() == 0

    async def test_deleted_customer_is_not_found(self, customers: CustomerApi) -> None:
        record = await customers.upsert()
        await customers.delete(record["id"])
        answers = [
            await customers.get(record["id"]),
            await customers.put(record["id"], MARIA),
            await customers.delete(record["id"]),
        ]
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3

    async def test_deletion_frees_document_and_email(self, customers: CustomerApi) -> None:
        first = await customers.upsert()
        await customers.delete(first["id"])
        assert (await customers.upsert())["id"] != first["id"]
        assert await customers.total() == 1


class TestAnotherCompany:
    async def test_customer_of_another_company_is_not_found(
        self, customers: CustomerApi, other_customers: CustomerApi
    ) -> None:
        record = await customers.upsert()
        answers = [
            await other_customers.get(record["id"]),
            await other_customers.put(record["id"], JOHN),
            await other_customers.delete(record["id"]),
        ]
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3
        assert await other_customers.total() == 0
        assert data_of(await customers.get(record["id"])) == record

    async def test_two_companies_may_have_customers_with_the_same_document(
        self, customers: CustomerApi, other_customers: CustomerApi
    ) -> None:
        await customers.upsert()
        john = await other_customers.upsert(JOHN)
        changed = data_of(await other_customers.put(john["id"], MARIA))
        assert UUID(changed["id"]) == UUID(john["id"])
