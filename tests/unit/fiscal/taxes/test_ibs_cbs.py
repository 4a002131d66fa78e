"""Formulas of IBS and CBS, with figures computed by hand."""

from decimal import Decimal

import pytest

from carimbo.fiscal.taxes.ibs_cbs import deferred_share, due_share, effective_rate, reform_base


class TestBase:
    def test_base_excludes_other_taxes(self) -> None:
        # fiscal facts 2.2: 100.00 - 18.00 - 1.35 - 6.23
        assert reform_base(Decimal("100.00"), Decimal("25.58")) == Decimal("74.42")

    def test_base_is_never_negative(self) -> None:
        assert reform_base(Decimal("10.00"), Decimal("10.01")) == 0


class TestEffectiveRate:
    @pytest.mark.parametrize(
        ("rate", "reductions", "left"),
        [
            ("0.1", ["60"], "0.0400"),
            ("0.9", ["60"], "0.3600"),
            ("0.9", ["100"], "0.0000"),
            ("0.9", ["30"], "0.6300"),
            ("0", ["60"], "0.0000"),
            ("0.9", ["60", "50"], "0.1800"),
            ("0.0999", ["33.33"], "0.0666"),
        ],
    )
    def test_effective_rate_is_reduced_and_has_four_decimals(
        self, rate: str, reductions: list[str], left: str
    ) -> None:
        effective = effective_rate(Decimal(rate), *map(Decimal, reductions))
        assert str(effective) == left


class TestShare:
    def test_share_is_the_rate_on_the_base(self) -> None:
        assert due_share(Decimal("74.42"), Decimal("0.1"), Decimal(0), Decimal(0)) == Decimal("0.07")
        assert due_share(Decimal("74.42"), Decimal("0.9"), Decimal(0), Decimal(0)) == Decimal("0.67")

    def test_share_is_reduced_by_deferral_and_refund(self) -> None:
        # 0.9 % of 1000.00 = 9.00; half deferred; 1.50 given back
        deferred = deferred_share(Decimal("1000.00"), Decimal("0.9"), Decimal(50))
        assert deferred == Decimal("4.50")
        assert due_share(Decimal("1000.00"), Decimal("0.9"), deferred, Decimal("1.50")) == Decimal("3.00")

    def test_deferred_share_is_rounded_once(self) -> None:
        # 2639.98 x 0.04 % x 100 % = 1.055992
        assert deferred_share(Decimal("2639.98"), Decimal("0.04"), Decimal(100)) == Decimal("1.06")
