"""Bills and installments that the rules accept."""

from datetime import datetime
from typing import Any

import pytest

from unit.fiscal.goods.support import emission
from unit.fiscal.rules.breaking import GONE, Breaking, judge
from unit.fiscal.rules.breakings_parties import refusals

BY_INSTALLMENTS = "sale by installments"
FIRST, SECOND = "billing.installments[0].dueDate", "billing.installments[1].dueDate"


def at_once(day: str, **others: Any) -> dict[str, Any]:
    """Changes that leave one installment, due on the day."""
    return {"billing.installments": [{"number": "001", "dueDate": day, "amount": 71.8}]} | others


def refused(**changes: Any) -> list[str]:
    """Returns the codes of the rules that refuse a sale by installments after changes."""
    return refusals(BY_INSTALLMENTS, **changes)


def warned_of(body: dict[str, Any]) -> list[str]:
    """Returns the paths of the warnings after changes that no rule refuses."""
    judgement = judge(Breaking("", "", BY_INSTALLMENTS, body))
    assert judgement.problems == ()
    return [warning.partition(":")[0] for warning in judgement.warnings]


class TestBill:
    def test_bill_may_have_no_discount(self) -> None:
        whole = {"billing.bill": {"number": "118", "originalAmount": 71.8, "netAmount": 71.8}}
        assert refused(body=whole) == []

    def test_bill_may_be_without_installments(self) -> None:
        assert refused(body={"billing.installments": []}) == []

    def test_bill_may_cover_a_part_of_the_sale(self) -> None:
        half = {"billing.bill.originalAmount": 44.1, "billing.bill.netAmount": 35.9}
        assert refused(body=half | {"billing.installments[1]": GONE}) == []

    @pytest.mark.parametrize("field", ["number", "originalAmount", "netAmount"])
    def test_bill_without_number_or_amounts_causes_a_warning(self, field: str) -> None:
        bill = {"number": "118", "originalAmount": 71.8, "netAmount": 71.8}
        lacking = {name: value for name, value in bill.items() if name != field}
        assert warned_of({"billing.bill": lacking}) == [f"billing.bill.{field}"]

    def test_installments_without_a_bill_cause_a_warning(self) -> None:
        assert warned_of({"billing.bill": GONE}) == ["billing.bill.number"]

    def test_bill_is_checked_beside_payments(self) -> None:
        paid = {"payments": [{"method": "boleto", "amount": 71.8}]}
        assert refused(body=paid) == []
        assert refused(body=paid | {"billing.bill.discount": 8}) == ["902"]


class TestDueDate:
    @pytest.mark.parametrize(("day", "paths"), [("2026-11-13", [FIRST]), ("2026-11-14", [])])
    def test_due_date_before_the_issue_causes_a_warning(self, day: str, paths: list[str]) -> None:
        assert warned_of({FIRST: day}) == paths

    def test_two_installments_may_have_the_same_due_date(self) -> None:
        assert warned_of({SECOND: "2026-12-14"}) == []

    def test_missing_due_date_is_not_taken_for_a_wrong_order(self) -> None:
        assert warned_of({FIRST: GONE}) == [FIRST]

    @pytest.mark.parametrize(("day", "codes"), [("2026-11-15", []), ("2026-11-14", ["853"])])
    def test_due_date_of_a_single_installment_is_later_than_the_issue(
        self, day: str, codes: list[str]
    ) -> None:
        assert refused(body=at_once(day)) == codes

    def test_due_date_of_the_first_of_several_installments_may_be_the_day_of_issue(self) -> None:
        assert refused(body={FIRST: "2026-11-14"}) == []

    def test_due_date_of_a_single_installment_may_be_the_day_of_an_issue_at_night(self) -> None:
        night = emission(issued_at=datetime.fromisoformat("2026-11-14T22:00:00-03:00"))
        assert refused(body=at_once("2026-11-14"), under=night) == []

    def test_due_date_may_be_ten_years_away(self) -> None:
        assert refused(body={SECOND: "2036-11-14"}) == []
