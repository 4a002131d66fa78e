"""When a document can be printed, and who can read the file."""

import pytest

from integration.issuing.actions import cancel, until_sent
from integration.issuing.printer import ask, digits, pdf_of, put_logo
from integration.issuing.shop import NewShop, Shop, error_of
from integration.issuing.system import System
from pdf_reading import text_of
from support import data_of
from toy.codes import REFUSED, UNANSWERED
from toy.shop import KINDS


@pytest.mark.parametrize("document_type", KINDS)
class TestPdf:
    async def test_printout_has_the_key_and_shows_a_cancellation(
        self, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type)
        text = digits(text_of(pdf_of(await ask(shop, record), f'"TOY-{record["accessKey"]}.pdf"')))
        assert record["accessKey"] in text
        assert "CANCELADO" not in text
        data_of(await cancel(shop, record))
        assert "CANCELADO" in digits(text_of(pdf_of(await ask(shop, record))))

    async def test_printout_is_read_by_the_id_of_the_document_alone(
        self, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type)
        file = pdf_of(await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf"))
        assert file == pdf_of(await ask(shop, record))

    async def test_printout_is_missing_before_an_authorization(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create(document_type)
            answers = [
                await ask(shop, document),
                await shop.caller.http.get(f"/v1/invoices/{document['id']}.pdf"),
            ]
        for answer in answers:
            details = error_of(answer, 409, "INVALID_STATE")
            assert details == {"currentStatus": "processing", "allowed": ["authorized", "canceled"]}
            sentence = "Só há PDF depois da autorização; o documento está em processamento."
            assert answer.json()["error"]["message"] == sentence

    async def test_printout_is_missing_while_the_authority_does_not_answer(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await until_sent(shop, await shop.create(document_type, notes=UNANSWERED))
        error_of(await ask(shop, document), 409, "INVALID_STATE")

    async def test_printout_is_missing_after_a_refusal(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type, notes=REFUSED)
        details = error_of(await ask(shop, record), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"

    async def test_printout_is_available_after_the_company_is_deleted(
        self, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type)
        before = pdf_of(await ask(shop, record))
        await put_logo(shop, "red")
        data_of(await shop.caller.http.delete(shop.path()))
        assert pdf_of(await ask(shop, record)) == before

    async def test_printout_is_not_found_by_other_subscriptions(
        self, shop: Shop, new_shop: NewShop, document_type: str
    ) -> None:
        record, other = await shop.issue(document_type), await new_shop()
        pdf_of(await ask(shop, record))
        error_of(await ask(other, record), 404, "NOT_FOUND")
        error_of(await other.caller.http.get(f"/v1/invoices/{record['id']}.pdf"), 404, "NOT_FOUND")
        error_of(
            await other.caller.http.get(shop.path(f"/{document_type}/{record['id']}/pdf")), 404, "NOT_FOUND"
        )

    async def test_printout_is_not_found_under_another_type(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type)
        for other in set(KINDS) - {document_type}:
            error_of(await ask(shop, record | {"type": other}), 404, "NOT_FOUND")
