"""The calendar of the authorities: built-in dates, moved dates, and rates by date."""

from datetime import date
from decimal import Decimal

import pytest

from carimbo.simulator.calendar import FAKE_CBS_RATE, MILESTONES, Calendar, Milestone, Rates

RATES_OF_2026 = Rates(state=Decimal("0.1"), city=Decimal(0), cbs=Decimal("0.9"))
RATES_OF_2027 = Rates(state=Decimal("0.05"), city=Decimal("0.05"), cbs=FAKE_CBS_RATE)


class TestDates:
    def test_every_milestone_has_an_entry(self) -> None:
        assert set(MILESTONES) == set(Milestone)

    def test_rule_begins_on_its_date(self) -> None:
        rule = Milestone.RECEIPTS_NOT_REFERENCED
        assert not Calendar().is_in_force(rule, date(2026, 12, 13))
        assert Calendar().is_in_force(rule, date(2026, 12, 14))

    def test_rule_without_a_date_begins_only_when_a_date_is_set(self) -> None:
        rule = Milestone.GROUP_REQUIRED_IN_PRODUCTION
        assert not Calendar().is_in_force(rule, date(2030, 1, 1))
        assert Calendar({rule: date(2027, 1, 4)}).is_in_force(rule, date(2027, 1, 4))


class TestRates:
    @pytest.mark.parametrize(
        ("day", "rates"),
        [
            (date(2025, 12, 31), None),
            (date(2026, 1, 1), RATES_OF_2026),
            (date(2026, 12, 31), RATES_OF_2026),
            (date(2027, 1, 1), RATES_OF_2027),
            (date(2028, 12, 31), RATES_OF_2027),
            (date(2029, 1, 1), None),
        ],
    )
    def test_rates_change_with_the_year(self, day: date, rates: Rates | None) -> None:
        assert Calendar().rates_on(day) == rates

    def test_cbs_rate_of_2027_can_be_replaced(self) -> None:
        calendar = Calendar(cbs_rate=Decimal("8.7"))
        rates = (calendar.rates_on(date(2026, 12, 31)), calendar.rates_on(date(2027, 1, 1)))
        assert [rate.cbs for rate in rates if rate] == [Decimal("0.9"), Decimal("8.7")]
