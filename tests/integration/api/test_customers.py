"""Customers of a company's catalog: created, updated, read, replaced, deleted."""

from typing import Any
from uuid import UUID

import pytest

from integration.api.customer_book import ABROAD, ADDRESS, JOHN, MARIA, WHOLE, Book, facts_of
from support import ABSENT, code_of, data_of, fields_of

NOTHING_ELSE = {
    "document": None, "foreignId": None, "phone": None, "foreign": False, "address": None,
    "municipalRegistration": None, "stateRegistration": None, "tradeName": None,
}  # fmt: skip


class TestCreate:
    async def test_with_name_and_e_mail_alone(self, book: Book) -> None:
        told = {"name": "Maria da Silva", "email": "maria@example.com"}
        record = await book.tell(told)
        assert facts_of(record) == told | NOTHING_ELSE
        assert record["createdAt"] == record["updatedAt"]

    async def test_with_every_field_normalised_and_shown_with_punctuation(self, book: Book) -> None:
        record = await book.tell(WHOLE)
        assert facts_of(record) == WHOLE | {
            "document": "12.ABC.345/01DE-35",
            "foreignId": None,
            "phone": "11988887777",
            "address": ADDRESS | {"zipcode": "01310-100", "cityCode": "3550308", "countryCode": None},
            "stateRegistration": "110042490114",
        }
        assert data_of(await book.get(record["id"])) == record

    @pytest.mark.parametrize(
        ("told", "shown"),
        [
            ("52998224725", "529.982.247-25"),
            ("529.982.247-25", "529.982.247-25"),
            ("11222333000181", "11.222.333/0001-81"),
            ("12ABC34501DE35", "12.ABC.345/01DE-35"),
        ],
    )
    async def test_returns_a_document_with_punctuation(self, book: Book, told: str, shown: str) -> None:
        assert (await book.tell(document=told))["document"] == shown

    async def test_of_a_customer_abroad(self, book: Book) -> None:
        record = await book.tell(JOHN)
        assert facts_of(record) == NOTHING_ELSE | JOHN | {"address": ABROAD | {"complement": None}}
        assert data_of(await book.get(record["id"])) == record

    @pytest.mark.parametrize(
        ("told", "foreign"),
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
    async def test_knows_who_is_abroad_by_what_is_told(
        self, book: Book, told: dict[str, Any], foreign: bool
    ) -> None:
        assert (await book.tell(MARIA | {"document": None} | told))["foreign"] is foreign

    @pytest.mark.parametrize("length", [3, 64])
    async def test_takes_names_of_3_to_64_characters(self, book: Book, length: int) -> None:
        assert (await book.tell(name="á" * length))["name"] == "á" * length

    @pytest.mark.parametrize(
        ("told", "field"),
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
    async def test_refuses_a_field_by_its_name(self, book: Book, told: dict[str, Any], field: str) -> None:
        assert list(fields_of(await book.post(MARIA | told))) == [field]
        assert await book.total() == 0

    async def test_address_is_stored_as_far_as_it_is_known(self, book: Book) -> None:
        made = await book.tell(address={"zipcode": "01310100", "countryCode": 1058})
        nothing = dict.fromkeys(("street", "number", "complement", "district", "state", "cityCode", "city"))
        assert made["address"] == nothing | {"zipcode": "01310-100", "countryCode": "BR"}
        assert data_of(await book.get(made["id"])) == made

    async def test_country_by_the_central_banks_code_is_shown_by_its_letters(self, book: Book) -> None:
        made = await book.tell(JOHN, address={"countryCode": "2496", "city": "New York"})
        assert (made["address"]["countryCode"], made["address"]["street"]) == ("US", None)

    async def test_demands_name_and_e_mail(self, book: Book) -> None:
        assert fields_of(await book.post({})) == {
            "name": "Campo obrigatório.",
            "email": "Campo obrigatório.",
        }


class TestById:
    async def test_nobody_is_found_who_never_was(self, book: Book) -> None:
        await book.tell()
        answer = await book.get(ABSENT)
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")

    @pytest.mark.parametrize("told", ["1", "maria@example.com", ABSENT[:-1]])
    async def test_what_is_no_id_is_refused(self, book: Book, told: str) -> None:
        assert fields_of(await book.get(told)) == {"id": "Deve ser um UUID."}


class TestUpdate:
    async def test_overwrites_what_is_told_and_keeps_what_is_not(self, book: Book) -> None:
        before = await book.tell(WHOLE)
        changes = {"name": "Açaí do Pará", "email": "novo@acai.example", "phone": "1133334444"}
        after = await book.tell(changes | {"id": before["id"]})
        assert facts_of(after) == facts_of(before) | changes
        assert after["createdAt"] == before["createdAt"] < after["updatedAt"]
        assert data_of(await book.get(before["id"])) == after

    async def test_replaces_an_address_as_a_whole(self, book: Book) -> None:
        await book.tell(address=ADDRESS)
        address = {name: value for name, value in ADDRESS.items() if name != "complement"}
        after = await book.tell(address=address | {"number": "2000"})
        assert (after["address"]["number"], after["address"]["complement"]) == ("2000", None)

    async def test_learns_that_somebody_is_abroad(self, book: Book) -> None:
        known = await book.tell({"name": "John Smith", "email": "john@example.com"})
        told = {name: value for name, value in JOHN.items() if name != "foreign"}
        after = await book.tell(told)
        assert (known["foreign"], after["id"], after["foreign"]) == (False, known["id"], True)

    async def test_keeps_one_with_a_cpf_who_moves_abroad_no_foreigner_unless_told(self, book: Book) -> None:
        await book.tell()
        moved = {"name": MARIA["name"], "email": MARIA["email"], "address": ABROAD}
        assert (await book.tell(moved))["foreign"] is False
        assert (await book.tell(moved | {"foreign": True}))["foreign"] is True
        assert (await book.tell(moved))["foreign"] is True

    @pytest.mark.parametrize(
        "home",
        [{"address": ADDRESS}, {"document": MARIA["document"], "foreignId": None}],
        ids=["address", "CPF"],
    )
    async def test_makes_one_who_comes_home_no_foreigner(self, book: Book, home: dict[str, Any]) -> None:
        told = {"name": "John Doe", "email": "john@example.com", "address": ABROAD}
        assert (await book.tell(told))["foreign"] is True
        assert (await book.tell({"name": "John Doe", "email": "john@example.com"}))["foreign"] is True
        assert (await book.tell(told | {"address": None} | home))["foreign"] is False


class TestUpsert:
    async def test_blanks_change_nothing(self, book: Book) -> None:
        before = await book.tell(WHOLE)
        blanks = dict.fromkeys(("phone", "address", "tradeName"), "") | {"stateRegistration": None}
        after = await book.tell(WHOLE | blanks)
        assert facts_of(after) == facts_of(before)

    async def test_accepts_a_record_as_it_was_read(self, book: Book) -> None:
        record = await book.tell(WHOLE)
        again = await book.tell(record)
        assert again == record | {"updatedAt": again["updatedAt"]}
        assert await book.total() == 1

    @pytest.mark.parametrize("known", [True, False])
    async def test_refuses_another_date_of_creation(self, book: Book, known: bool) -> None:
        if known:
            await book.tell()
        answer = await book.post(MARIA | {"createdAt": "2020-01-01T00:00:00Z"})
        assert list(fields_of(answer)) == ["createdAt"]
        assert await book.total() == known

    async def test_completed_address_gets_its_municipality(self, book: Book) -> None:
        await book.tell(address={"city": "Campinas"})
        after = await book.tell(address={"state": "SP"})
        assert (after["address"]["city"], after["address"]["cityCode"]) == ("Campinas", "3509502")

    async def test_address_that_does_not_fit_the_stored_one_replaces_it(self, book: Book) -> None:
        await book.tell(address={"city": "Campinas", "street": "Rua A"})
        after = await book.tell(address={"state": "RJ"})
        assert {name for name, value in after["address"].items() if value} == {"state"}
        data_of(await book.put(after["id"], after))

    async def test_part_of_an_address_completes_the_stored_one(self, book: Book) -> None:
        before = await book.tell(WHOLE | {"address": ADDRESS | {"number": None}})
        after = await book.tell(WHOLE | {"address": {"number": "1000"}})
        assert after["address"] == before["address"] | {"number": "1000"}


class TestReplace:
    async def test_refuses_the_foreign_id_of_another(self, book: Book) -> None:
        first = await book.tell(WHOLE | {"document": None, "foreignId": "US-1", "email": "a@example.com"})
        other = await book.tell(WHOLE | {"document": None, "foreignId": "US-2", "email": "b@example.com"})
        body = WHOLE | {"document": None, "foreignId": "US-1", "email": "b@example.com"}
        answer = await book.put(other["id"], body)
        assert answer.status_code == 409
        details = answer.json()["error"]["details"]
        assert details == {"field": "foreignId", "existingId": first["id"]}

    async def test_clears_what_is_null(self, book: Book) -> None:
        before = await book.tell(WHOLE)
        told = {"name": "Maria da Silva", "email": "maria@example.com"}
        after = data_of(await book.put(before["id"], told | dict.fromkeys(NOTHING_ELSE)))
        assert facts_of(after) == told | NOTHING_ELSE
        assert (after["id"], after["createdAt"]) == (before["id"], before["createdAt"])
        assert data_of(await book.get(before["id"])) == after

    @pytest.mark.parametrize("told", [MARIA, WHOLE, JOHN], ids=lambda told: told["name"])
    async def test_takes_what_was_read(self, book: Book, told: dict[str, Any]) -> None:
        record = await book.tell(told)
        again = data_of(await book.put(record["id"], facts_of(record)))
        assert facts_of(again) == facts_of(record)

    @pytest.mark.parametrize(
        ("document", "foreign"), [(None, True), (MARIA["document"], False)], ids=["abroad", "with a CPF"]
    )
    async def test_null_derives_again_whether_a_customer_is_foreign(
        self, book: Book, document: str | None, foreign: bool
    ) -> None:
        record = await book.tell(address=ABROAD, document=document, foreign=not foreign)
        assert data_of(await book.put(record["id"], {"foreign": None}))["foreign"] is foreign

    async def test_refuses_all_wrong_fields_at_once(self, book: Book) -> None:
        record = await book.tell()
        wrong = {"name": "ab", "phone": "ramal", "nickname": None}
        assert fields_of(await book.put(record["id"], wrong)).keys() == wrong.keys()
        assert list(fields_of(await book.put(record["id"], []))) == ["body"]

    async def test_refuses_the_document_of_another(self, book: Book) -> None:
        maria, john = await book.tell(), await book.tell(JOHN)
        answer = await book.put(john["id"], MARIA | {"email": "john@example.com"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "document", "existingId": maria["id"]}
        assert data_of(await book.get(john["id"])) == john

    async def test_takes_an_e_mail_that_another_has(self, book: Book) -> None:
        maria, john = await book.tell(), await book.tell(JOHN)
        shared = {"email": john["email"]}
        assert data_of(await book.put(maria["id"], MARIA | shared)).items() >= shared.items()

    async def test_takes_no_other_id(self, book: Book) -> None:
        record = await book.tell()
        assert list(fields_of(await book.put(record["id"], {"id": ABSENT}))) == ["id"]
        assert data_of(await book.get(record["id"])) == record


class TestDelete:
    async def test_answers_the_id_and_that_it_is_deleted(self, book: Book) -> None:
        record = await book.tell()
        assert data_of(await book.delete(record["id"])) == {"id": record["id"], "deleted": True}
        assert await book.total() == 0

    async def test_leaves_nobody_to_be_found(self, book: Book) -> None:
        record = await book.tell()
        await book.delete(record["id"])
        answers = [
            await book.get(record["id"]),
            await book.put(record["id"], MARIA),
            await book.delete(record["id"]),
        ]
        assert [(one.status_code, code_of(one)) for one in answers] == [(404, "NOT_FOUND")] * 3

    async def test_frees_document_and_e_mail(self, book: Book) -> None:
        first = await book.tell()
        await book.delete(first["id"])
        assert (await book.tell())["id"] != first["id"]
        assert await book.total() == 1


class TestAnotherCompany:
    async def test_of_the_same_subscription_has_customers_of_its_own(
        self, book: Book, other_book: Book
    ) -> None:
        record = await book.tell()
        answers = [
            await other_book.get(record["id"]),
            await other_book.put(record["id"], JOHN),
            await other_book.delete(record["id"]),
        ]
        assert [(one.status_code, code_of(one)) for one in answers] == [(404, "NOT_FOUND")] * 3
        assert await other_book.total() == 0
        assert data_of(await book.get(record["id"])) == record

    async def test_may_have_one_with_the_same_document(self, book: Book, other_book: Book) -> None:
        await book.tell()
        john = await other_book.tell(JOHN)
        changed = data_of(await other_book.put(john["id"], MARIA))
        assert UUID(changed["id"]) == UUID(john["id"])
