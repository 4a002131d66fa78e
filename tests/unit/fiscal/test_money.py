"""Amounts in reais."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.money import ZERO, cents, total

AMOUNTS = st.decimals(min_value=0, max_value=10**12, allow_nan=False, allow_infinity=False, places=14)


class TestCents:
    @pytest.mark.parametrize(
        ("value", "rounded"),
        [
            ("0.005", "0.01"),
            ("0.015", "0.02"),
            ("0.025", "0.03"),
            ("0.0049999999", "0.00"),
            ("1.995", "2.00"),
            ("-0.005", "-0.01"),
            ("7", "7.00"),
        ],
    )
    def test_are_rounded_half_up(self, value: str, rounded: str) -> None:
        assert str(cents(Decimal(value))) == rounded

    @given(AMOUNTS)
    def test_are_never_further_away_than_half_a_cent(self, value: Decimal) -> None:
        assert abs(cents(value) - value) <= Decimal("0.005")

    def test_of_the_largest_quantity_and_price_are_exact(self) -> None:
        largest = Decimal("99999999999.9999") * Decimal("99999999999.9999999999")
        assert cents(largest).as_tuple().exponent == -2


class TestTotal:
    def test_of_nothing_is_zero_with_cents(self) -> None:
        assert str(total([])) == str(ZERO) == "0.00"

    def test_counts_what_is_not_there_as_nothing(self) -> None:
        assert total([Decimal("1.10"), None, Decimal("2.20")]) == Decimal("3.30")

    @given(st.lists(st.decimals(min_value=0, max_value=10**10, places=2), max_size=50))
    def test_loses_no_cent(self, amounts: list[Decimal]) -> None:
        assert total(amounts) * 100 == sum(int(amount * 100) for amount in amounts)
