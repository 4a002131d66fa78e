"""Payments that the rules accept."""

from typing import Any

import pytest

from unit.fiscal.goods.support import BUYER_CNPJ
from unit.fiscal.rules.breaking import Breaking, judge
from unit.fiscal.rules.breakings_parties import refusals


def paid(*payments: tuple[str, float], **others: Any) -> dict[str, Any]:
    """Returns the changes of a body with these payments."""
    return {"payments": [{"method": method, "amount": amount} for method, amount in payments]} | others


class TestAmount:
    def test_amount_may_be_paid_by_several_methods(self) -> None:
        assert refusals("receipt", body=paid(("cash", 50), ("pix", 21.8))) == []

    def test_amount_may_be_paid_in_part_now_and_the_rest_later(self) -> None:
        assert refusals("receipt", body=paid(("cash", 50), ("91", 0))) == []

    def test_amount_of_an_invoice_may_be_paid_in_part(self) -> None:
        assert refusals(body=paid(("cash", 50))) == []

    def test_amount_of_an_invoice_may_stay_unpaid(self) -> None:
        assert refusals(body=paid(("90", 0))) == []

    def test_message_states_the_missing_payment(self) -> None:
        [problem] = judge(Breaking("", "", "receipt", paid(("cash", 50)))).problems
        assert problem.message.endswith("Esperado: 71.80 ou mais.")


class TestChange:
    def test_change_is_the_excess_of_the_payments(self) -> None:
        assert refusals("receipt", body=paid(("cash", 100), change=28.2)) == []

    def test_change_may_be_zero(self) -> None:
        assert refusals("receipt", body=paid(("cash", 71.8), change=0)) == []

    def test_message_states_the_missing_change(self) -> None:
        [problem] = judge(Breaking("", "", "receipt", paid(("cash", 100)))).problems
        assert problem.message.endswith("Esperado: 28.20.")

    def test_change_without_excess_is_refused(self) -> None:
        assert refusals(body=paid(("cash", 50), change=5)) == ["869"]


class TestReturns:
    @pytest.mark.parametrize("purpose", ["2", "5", "6"])
    def test_only_returns_and_adjustments_have_no_payment(self, purpose: str) -> None:
        assert "871" not in refusals(document={"identification.purpose": purpose})

    def test_return_is_composed_without_payment(self) -> None:
        assert refusals("return") == []


class TestPaymentMethod:
    @pytest.mark.parametrize("method", ["creditCard", "debitCard", "pix", "pixStatic", "cash", "boleto"])
    def test_payment_method_alone_is_enough(self, method: str) -> None:
        assert refusals("receipt", body={"paymentMethod": method}) == []

    @pytest.mark.parametrize("method", ["10", "11", "12", "13", "15", "18", "23", "24"])
    def test_electronic_payment_may_have_a_transaction(self, method: str) -> None:
        payment = {"method": method, "amount": 71.8, "card": {"integration": "2"}}
        assert "963" not in refusals("receipt", body={"payments": [payment]})

    def test_other_payment_has_a_description(self) -> None:
        payment = {"method": "other", "amount": 71.8, "description": "Permuta"}
        assert refusals("receipt", body={"payments": [payment]}) == []

    def test_payment_of_an_invoice_may_be_a_trade_note(self) -> None:
        assert "857" not in refusals(body=paid(("14", 71.8)))

    def test_card_payment_of_an_invoice_needs_no_card(self) -> None:
        document = {"payment.payments[0].card": None}
        assert "391" not in refusals(body=paid(("creditCard", 71.8)), document=document)


class TestCard:
    def test_card_of_an_integrated_terminal_has_every_field(self) -> None:
        card = {"integration": "1", "institutionTaxId": BUYER_CNPJ, "authorization": "123456"}
        payment = {"method": "creditCard", "amount": 71.8, "card": card}
        assert refusals(body={"payments": [payment]}) == []
