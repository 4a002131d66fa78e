"""Formulas of ICMS, with figures computed by hand."""

from decimal import Decimal

import pytest

from carimbo.fiscal.taxes.icms import deferred_icms, destination_amount, interstate_rate, reduced_base


class TestInterstateRate:
    @pytest.mark.parametrize(
        ("seller", "buyer", "rate"),
        [
            ("SP", "RJ", 12),
            ("SP", "BA", 7),
            ("RS", "AM", 7),
            ("MG", "DF", 7),
            ("PR", "ES", 7),
            ("ES", "SP", 12),
            ("ES", "BA", 12),
            ("BA", "SP", 12),
            ("BA", "PE", 12),
            ("SC", "RS", 12),
        ],
    )
    def test_interstate_rate_is_7_from_the_rich_states_to_the_others_and_otherwise_12(
        self, seller: str, buyer: str, rate: int
    ) -> None:
        assert interstate_rate(seller, buyer, "0") == rate

    @pytest.mark.parametrize("origin", ["1", "2", "3", "8"])
    def test_interstate_rate_of_foreign_goods_is_4(self, origin: str) -> None:
        assert interstate_rate("SP", "BA", origin) == interstate_rate("BA", "SP", origin) == 4

    @pytest.mark.parametrize("origin", ["0", "4", "5", "6", "7"])
    def test_interstate_rate_of_other_origins_depends_on_the_states(self, origin: str) -> None:
        assert interstate_rate("SP", "BA", origin) == 7


class TestReducedBase:
    def test_base_without_a_reduction_is_the_value(self) -> None:
        assert reduced_base(Decimal("100.00"), None) == Decimal("100.00")

    def test_reduced_base_is_rounded_half_up_to_the_cent(self) -> None:
        # 99.99 less 33.33 % = 66.663333
        assert reduced_base(Decimal("99.99"), Decimal("33.33")) == Decimal("66.66")
        assert reduced_base(Decimal("0.01"), Decimal(50)) == Decimal("0.01")


class TestDeferred:
    def test_deferral_splits_the_tax_of_the_operation(self) -> None:
        # 18 % of 3000.00 = 540.00; 33.33 % of it = 179.982; 540.00 - 179.98 = 360.02
        parts = deferred_icms(Decimal("3000.00"), Decimal(18), Decimal("33.33"))
        assert (parts.operation_amount, parts.deferral_amount, parts.amount) == (
            Decimal("540.00"),
            Decimal("179.98"),
            Decimal("360.02"),
        )

    def test_nothing_is_due_when_the_whole_tax_is_deferred(self) -> None:
        assert deferred_icms(Decimal("3000.00"), Decimal(18), Decimal(100)).amount == 0


class TestDestinationAmount:
    def test_destination_amount_is_the_difference_of_the_rates(self) -> None:
        assert destination_amount(Decimal("1000.00"), Decimal(20), Decimal(12)) == Decimal("80.00")

    def test_destination_amount_is_zero_where_the_buyers_state_taxes_no_more(self) -> None:
        assert destination_amount(Decimal("1000.00"), Decimal(7), Decimal(12)) == 0
