"""Customers are known by their ids, then by their documents, then by their e-mails."""

from integration.api.customer_book import JOHN, MARIA, Book
from support import ABSENT, code_of, data_of


class TestMatching:
    """POST updates the customer that it finds by id, then by document, then by e-mail."""

    async def test_by_id_before_all(self, book: Book) -> None:
        maria = await book.tell()
        await book.tell(JOHN)
        told = await book.tell(id=maria["id"], email=JOHN["email"], name="Maria Souza")
        assert (told["id"], told["name"], told["email"]) == (maria["id"], "Maria Souza", JOHN["email"])
        assert await book.total() == 2

    async def test_by_document_before_the_e_mail(self, book: Book) -> None:
        maria = await book.tell()
        other = await book.tell({"name": "Ana Lima", "email": "ana@example.com"})
        told = await book.tell(document="529.982.247-25", email="ana@example.com")
        assert (told["id"], told["email"]) == (maria["id"], "ana@example.com")
        assert data_of(await book.get(other["id"])) == other

    async def test_by_the_id_abroad(self, book: Book) -> None:
        john = await book.tell(JOHN)
        assert (await book.tell(JOHN, email="new@example.com"))["id"] == john["id"]

    async def test_by_e_mail_in_either_case(self, book: Book) -> None:
        maria = await book.tell()
        told = await book.tell({"name": "Maria Souza", "email": "MARIA@example.com"})
        assert (told["id"], told["email"]) == (maria["id"], "MARIA@example.com")

    async def test_by_e_mail_of_one_whose_document_was_not_known(self, book: Book) -> None:
        known = await book.tell({"name": "Maria", "email": "maria@example.com"})
        told = await book.tell()
        assert (told["id"], told["document"]) == (known["id"], "529.982.247-25")

    async def test_makes_another_of_one_who_shares_the_e_mail_and_has_another_document(
        self, book: Book
    ) -> None:
        maria = await book.tell()
        other = await book.tell(name="José Souza", document="11144477735")
        assert other["id"] != maria["id"]
        assert data_of(await book.get(maria["id"])) == maria

    async def test_makes_another_in_another_company(self, book: Book, other_book: Book) -> None:
        assert (await book.tell())["id"] != (await other_book.tell())["id"]

    async def test_refuses_an_id_that_nobody_has_and_names_it(self, book: Book, other_book: Book) -> None:
        deleted = await book.tell(JOHN)
        await book.delete(deleted["id"])
        for unknown in (ABSENT, deleted["id"], (await other_book.tell())["id"]):
            answer = await book.post(MARIA | {"id": unknown})
            assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
            assert unknown in answer.json()["error"]["message"]
        assert await book.total() == 0

    async def test_refuses_to_give_one_the_document_of_another(self, book: Book) -> None:
        maria, john = await book.tell(), await book.tell(JOHN)
        answer = await book.post(JOHN | {"id": john["id"], "document": MARIA["document"]})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "document", "existingId": maria["id"]}
        assert [data_of(await book.get(one["id"])) for one in (maria, john)] == [maria, john]
