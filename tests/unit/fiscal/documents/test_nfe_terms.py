"""Presence and payment of an NF-e: from the body, from the company's defaults, or assumed with a warning."""

from typing import Any

import pytest

from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from unit.fiscal.goods.support import SOLD_IN_THE_SHOP, buyer, company, composed_nfe, item, nfe, text_at
from unit.fiscal.goods.taxed_sales import ABROAD

WEB_SHOP = company(defaults={"presence": "internet", "paymentMethod": "pix"})


def warned_fields(by: Company | None = None, **changes: Any) -> list[str]:
    """Returns the fields that warnings are about."""
    composition = composed_nfe(by=by, items=[item(approximateTaxes=1)], **changes)
    assert isinstance(composition, Composition)
    return [warning.partition(":")[0] for warning in composition.warnings]


def presence_and_method(by: Company | None = None, **changes: Any) -> tuple[str | None, str | None]:
    document = nfe(by=by, **changes)
    return text_at(document, "ide/indPres"), text_at(document, "pag/detPag/tPag")


class TestAssumedTerms:
    def test_cash_in_person_is_assumed_with_a_warning_for_each(self) -> None:
        assert presence_and_method() == ("1", "01")
        assert warned_fields() == ["presence", "paymentMethod"]

    def test_warnings_name_the_setting_that_replaces_the_assumption(self) -> None:
        composition = composed_nfe()
        assert isinstance(composition, Composition)
        text = " ".join(composition.warnings)
        assert "defaults.presence" in text
        assert "defaults.paymentMethod" in text

    def test_nothing_is_assumed_when_the_body_has_both_fields(self) -> None:
        assert warned_fields(**SOLD_IN_THE_SHOP) == []
        assert warned_fields(presence="phone", payments=[{"method": "pix", "amount": 71.8}]) == []

    def test_no_payment_is_assumed_for_a_return(self) -> None:
        assert "paymentMethod" not in warned_fields(purpose="return")


class TestCompanyDefaults:
    def test_company_defaults_replace_the_assumptions(self) -> None:
        assert presence_and_method(WEB_SHOP) == ("2", "17")
        assert warned_fields(WEB_SHOP) == []

    def test_body_overrides_the_company_defaults(self) -> None:
        assert presence_and_method(WEB_SHOP, **SOLD_IN_THE_SHOP) == ("1", "01")

    def test_company_defaults_do_not_add_a_payment_to_a_return(self) -> None:
        assert presence_and_method(WEB_SHOP, purpose="return") == ("2", "90")

    def test_web_shop_by_default_sells_without_an_intermediary(self) -> None:
        assert text_at(nfe(by=WEB_SHOP), "ide/indIntermed") == "0"

    def test_default_presence_does_not_turn_an_export_into_a_sale_in_the_shop(self) -> None:
        in_person = company(defaults={"presence": "inPerson"})
        assert text_at(nfe(by=in_person, recipient=ABROAD), "ide/idDest") == "3"

    def test_sale_to_a_foreigner_by_a_web_shop_is_an_export(self) -> None:
        sold = nfe(by=WEB_SHOP, recipient=buyer(**ABROAD | {"taxId": None}), cfop="5102")
        assert text_at(sold, "ide/idDest") == "3"

    def test_default_payment_method_keeps_its_name(self) -> None:
        assert WEB_SHOP.defaults.payment_method == "pix"


class TestPaymentsBelowTheTotal:
    def test_payments_below_the_total_are_warned_of_with_both_amounts(self) -> None:
        composition = composed_nfe(
            payments=[{"method": "pix", "amount": 50}, {"method": "cash", "amount": 1.8}]
        )
        assert isinstance(composition, Composition)
        assert (
            "payments: Os pagamentos somam R$ 51,80, menos que o total da nota, R$ 71,80."
            in composition.warnings
        )

    @pytest.mark.parametrize(
        "payments",
        [
            [{"method": "pix", "amount": 71.8}],
            [{"method": "cash", "amount": 80}],
            [{"method": "91", "amount": 0}],
            [{"method": "90", "amount": 0}],
        ],
    )
    def test_no_warning_where_all_is_paid_or_nothing_is_paid_now(self, payments: list[Any]) -> None:
        assert "payments" not in warned_fields(payments=payments)
