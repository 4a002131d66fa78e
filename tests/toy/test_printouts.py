"""When a document can be printed, and by whom."""

import pytest

from integration.issuing.actions import cancel, until_sent
from integration.issuing.floor import Floor
from integration.issuing.printer import ask, digits, pdf_of, put_logo
from integration.issuing.shop import NewShop, Shop, error_of
from pdf_reading import text_of
from support import data_of
from toy.codes import REFUSED, UNANSWERED
from toy.shop import KINDS


@pytest.mark.parametrize("kind", KINDS)
class TestPdf:
    async def test_holds_the_key_and_says_canceled_after_a_cancellation(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        text = digits(text_of(pdf_of(await ask(shop, record), f'"TOY-{record["accessKey"]}.pdf"')))
        assert record["accessKey"] in text
        assert "CANCELADO" not in text
        data_of(await cancel(shop, record))
        assert "CANCELADO" in digits(text_of(pdf_of(await ask(shop, record))))

    async def test_is_read_by_the_id_of_the_document_alone(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        file = pdf_of(await shop.caller.http.get(f"/v1/invoices/{record['id']}.pdf"))
        assert file == pdf_of(await ask(shop, record))

    async def test_is_missing_before_an_authorization(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            made = await shop.create(kind)
            answers = [
                await ask(shop, made),
                await shop.caller.http.get(f"/v1/invoices/{made['id']}.pdf"),
            ]
        for answer in answers:
            details = error_of(answer, 409, "INVALID_STATE")
            assert details == {"currentStatus": "processing", "allowed": ["authorized", "canceled"]}
            sentence = "Só há PDF depois da autorização; o documento está em processamento."
            assert answer.json()["error"]["message"] == sentence

    async def test_is_missing_while_the_authority_does_not_answer(self, shop: Shop, kind: str) -> None:
        made = await until_sent(shop, await shop.create(kind, notes=UNANSWERED))
        error_of(await ask(shop, made), 409, "INVALID_STATE")

    async def test_is_missing_after_a_refusal(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSED)
        details = error_of(await ask(shop, record), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"

    async def test_outlives_the_company(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        before = pdf_of(await ask(shop, record))
        await put_logo(shop, "red")
        data_of(await shop.caller.http.delete(shop.path()))
        assert pdf_of(await ask(shop, record)) == before

    async def test_is_not_found_by_other_subscriptions(
        self, shop: Shop, new_shop: NewShop, kind: str
    ) -> None:
        record, other = await shop.issue(kind), await new_shop()
        pdf_of(await ask(shop, record))
        error_of(await ask(other, record), 404, "NOT_FOUND")
        error_of(await other.caller.http.get(f"/v1/invoices/{record['id']}.pdf"), 404, "NOT_FOUND")
        error_of(await other.caller.http.get(shop.path(f"/{kind}/{record['id']}/pdf")), 404, "NOT_FOUND")

    async def test_is_not_found_under_another_type(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        for other in set(KINDS) - {kind}:
            error_of(await ask(shop, record | {"type": other}), 404, "NOT_FOUND")
