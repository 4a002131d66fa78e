"""POST matches a customer by id, then by document, then by e-mail."""

from integration.api.customer_book import JOHN, MARIA, CustomerApi
from support import ABSENT, code_of, data_of


class TestMatching:
    """POST updates the matched customer, or creates one."""

    async def test_id_matches_before_document_and_email(self, customers: CustomerApi) -> None:
        maria = await customers.upsert()
        await customers.upsert(JOHN)
        updated = await customers.upsert(id=maria["id"], email=JOHN["email"], name="Maria Souza")
        assert (updated["id"], updated["name"], updated["email"]) == (
            maria["id"],
            "Maria Souza",
            JOHN["email"],
        )
        assert await customers.total() == 2

    async def test_document_matches_before_the_email(self, customers: CustomerApi) -> None:
        maria = await customers.upsert()
        other = await customers.upsert({"name": "Ana Lima", "email": "ana@example.com"})
        updated = await customers.upsert(document="529.982.247-25", email="ana@example.com")
        assert (updated["id"], updated["email"]) == (maria["id"], "ana@example.com")
        assert data_of(await customers.get(other["id"])) == other

    async def test_foreign_id_matches(self, customers: CustomerApi) -> None:
        john = await customers.upsert(JOHN)
        assert (await customers.upsert(JOHN, email="new@example.com"))["id"] == john["id"]

    async def test_email_matches_in_either_case(self, customers: CustomerApi) -> None:
        maria = await customers.upsert()
        updated = await customers.upsert({"name": "Maria Souza", "email": "MARIA@example.com"})
        assert (updated["id"], updated["email"]) == (maria["id"], "MARIA@example.com")

    async def test_email_matches_a_customer_without_a_document(self, customers: CustomerApi) -> None:
        existing = await customers.upsert({"name": "Maria", "email": "maria@example.com"})
        updated = await customers.upsert()
        assert (updated["id"], updated["document"]) == (existing["id"], "529.982.247-25")

    async def test_same_email_with_another_document_creates_a_customer(self, customers: CustomerApi) -> None:
        maria = await customers.upsert()
        other = await customers.upsert(name="José Souza", document="11144477735")
        assert other["id"] != maria["id"]
        assert data_of(await customers.get(maria["id"])) == maria

    async def test_customer_of_another_company_does_not_match(
        self, customers: CustomerApi, other_customers: CustomerApi
    ) -> None:
        assert (await customers.upsert())["id"] != (await other_customers.upsert())["id"]

    async def test_unknown_id_is_refused_and_named(
        self, customers: CustomerApi, other_customers: CustomerApi
    ) -> None:
        deleted = await customers.upsert(JOHN)
        await customers.delete(deleted["id"])
        for unknown in (ABSENT, deleted["id"], (await other_customers.upsert())["id"]):
            answer = await customers.post(MARIA | {"id": unknown})
            assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
            assert unknown in answer.json()["error"]["message"]
        assert await customers.total() == 0

    async def test_document_of_another_customer_is_refused(self, customers: CustomerApi) -> None:
        maria, john = await customers.upsert(), await customers.upsert(JOHN)
        answer = await customers.post(JOHN | {"id": john["id"], "document": MARIA["document"]})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "document", "existingId": maria["id"]}
        assert [data_of(await customers.get(record["id"])) for record in (maria, john)] == [maria, john]
