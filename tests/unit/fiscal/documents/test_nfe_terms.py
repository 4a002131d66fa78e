"""Presence and payment of an NF-e: the body's, the company's defaults, or an assumption with a warning."""

from typing import Any

import pytest

from carimbo.fiscal.company import Company
from carimbo.fiscal.making import Composition
from unit.fiscal.goods.support import SOLD_IN_THE_SHOP, buyer, company, composed_nfe, item, nfe, said
from unit.fiscal.goods.taxed_sales import ABROAD

WEB_SHOP = company(defaults={"presence": "internet", "paymentMethod": "pix"})


def warned_fields(by: Company | None = None, **changes: Any) -> list[str]:
    """The fields that warnings are about."""
    made = composed_nfe(by=by, items=[item(approximateTaxes=1)], **changes)
    assert isinstance(made, Composition)
    return [warning.partition(":")[0] for warning in made.warnings]


def presence_and_method(by: Company | None = None, **changes: Any) -> tuple[str | None, str | None]:
    made = nfe(by=by, **changes)
    return said(made, "ide/indPres"), said(made, "pag/detPag/tPag")


class TestAssumedTerms:
    def test_are_cash_in_person_with_a_warning_for_each(self) -> None:
        assert presence_and_method() == ("1", "01")
        assert warned_fields() == ["presence", "paymentMethod"]

    def test_name_the_setting_that_answers_for_them(self) -> None:
        made = composed_nfe()
        assert isinstance(made, Composition)
        text = " ".join(made.warnings)
        assert "defaults.presence" in text
        assert "defaults.paymentMethod" in text

    def test_are_not_needed_when_the_body_says_them(self) -> None:
        assert warned_fields(**SOLD_IN_THE_SHOP) == []
        assert warned_fields(presence="phone", payments=[{"method": "pix", "amount": 71.8}]) == []

    def test_are_not_needed_for_the_payment_of_a_return(self) -> None:
        assert "paymentMethod" not in warned_fields(purpose="return")


class TestCompanyDefaults:
    def test_replace_the_assumptions(self) -> None:
        assert presence_and_method(WEB_SHOP) == ("2", "17")
        assert warned_fields(WEB_SHOP) == []

    def test_give_way_to_the_body(self) -> None:
        assert presence_and_method(WEB_SHOP, **SOLD_IN_THE_SHOP) == ("1", "01")

    def test_make_no_return_a_paid_one(self) -> None:
        assert presence_and_method(WEB_SHOP, purpose="return") == ("2", "90")

    def test_of_a_web_shop_say_that_nobody_stands_between(self) -> None:
        assert said(nfe(by=WEB_SHOP), "ide/indIntermed") == "0"

    def test_of_presence_do_not_turn_an_export_into_a_sale_in_the_shop(self) -> None:
        in_person = company(defaults={"presence": "inPerson"})
        assert said(nfe(by=in_person, recipient=ABROAD), "ide/idDest") == "3"

    def test_of_a_web_shop_keep_a_foreigner_from_buying_in_the_shop(self) -> None:
        sold = nfe(by=WEB_SHOP, recipient=buyer(**ABROAD | {"taxId": None}), cfop="5102")
        assert said(sold, "ide/idDest") == "3"

    def test_keep_the_word_that_names_the_payment(self) -> None:
        assert WEB_SHOP.defaults.payment_method == "pix"


class TestPaymentsBelowTheTotal:
    def test_are_warned_of_with_both_amounts(self) -> None:
        made = composed_nfe(payments=[{"method": "pix", "amount": 50}, {"method": "cash", "amount": 1.8}])
        assert isinstance(made, Composition)
        assert "payments: Os pagamentos somam R$ 51,80, menos que o total da nota, R$ 71,80." in made.warnings

    @pytest.mark.parametrize(
        "payments",
        [
            [{"method": "pix", "amount": 71.8}],
            [{"method": "cash", "amount": 80}],
            [{"method": "91", "amount": 0}],
            [{"method": "90", "amount": 0}],
        ],
    )
    def test_are_not_seen_where_all_is_paid_or_nothing_is_paid_now(self, payments: list[Any]) -> None:
        assert "payments" not in warned_fields(payments=payments)
