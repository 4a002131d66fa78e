"""Amounts in reais."""

from decimal import ROUND_DOWN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.money import ZERO, cents, percent, split_amount, total

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
    def test_cents_are_rounded_half_up(self, value: str, rounded: str) -> None:
        assert str(cents(Decimal(value))) == rounded

    @given(AMOUNTS)
    def test_cents_differ_by_half_a_cent_at_most(self, value: Decimal) -> None:
        assert abs(cents(value) - value) <= Decimal("0.005")

    def test_cents_of_the_largest_quantity_and_price_are_exact(self) -> None:
        largest = Decimal("99999999999.9999") * Decimal("99999999999.9999999999")
        assert cents(largest).as_tuple().exponent == -2


class TestTotal:
    def test_total_of_nothing_is_zero_with_cents(self) -> None:
        assert str(total([])) == str(ZERO) == "0.00"

    def test_total_counts_missing_amounts_as_zero(self) -> None:
        assert total([Decimal("1.10"), None, Decimal("2.20")]) == Decimal("3.30")

    @given(st.lists(st.decimals(min_value=0, max_value=10**10, places=2), max_size=50))
    def test_total_loses_no_cent(self, amounts: list[Decimal]) -> None:
        assert total(amounts) * 100 == sum(int(amount * 100) for amount in amounts)


class TestPercent:
    @pytest.mark.parametrize(
        ("amount", "rate", "expected"),
        [("82.00", "1.65", "1.35"), ("82.00", "7.6", "6.23"), ("0.50", "1", "0.01"), ("0.49", "1", "0.00")],
    )
    def test_percent_is_rounded_half_up(self, amount: str, rate: str, expected: str) -> None:
        assert percent(Decimal(amount), Decimal(rate)) == Decimal(expected)


CENTS = st.decimals(min_value=0, max_value=1_000_000, places=2)


class TestShares:
    def test_shares_of_a_third_each_leave_the_odd_cent_to_one(self) -> None:
        assert split_amount(Decimal("10.00"), [Decimal(1)] * 3) == (
            Decimal("3.33"),
            Decimal("3.34"),
            Decimal("3.33"),
        )

    def test_shares_follow_the_weights(self) -> None:
        assert split_amount(Decimal("10.00"), [Decimal(30), Decimal(0), Decimal(70)]) == (
            Decimal("3.00"),
            Decimal("0.00"),
            Decimal("7.00"),
        )

    def test_shares_are_even_without_weights(self) -> None:
        assert split_amount(Decimal("1.00"), [Decimal(0)] * 2) == (Decimal("0.50"), Decimal("0.50"))

    @given(whole=CENTS, weights=st.lists(CENTS, min_size=1, max_size=60))
    def test_shares_add_up_to_the_whole(self, whole: Decimal, weights: list[Decimal]) -> None:
        assert sum(split_amount(whole, weights)) == whole

    @given(whole=CENTS, weights=st.lists(CENTS, min_size=1, max_size=60))
    def test_shares_are_within_a_cent_of_their_proportion(
        self, whole: Decimal, weights: list[Decimal]
    ) -> None:
        heavy = weights if any(weights) else [Decimal(1)] * len(weights)
        for share, weight in zip(split_amount(whole, weights), heavy, strict=True):
            assert abs(share - whole * weight / sum(heavy)) <= Decimal("0.01")

    @given(weights=st.lists(CENTS, min_size=1, max_size=60), part=st.decimals(0, 1, places=4))
    def test_shares_never_exceed_their_weights_if_the_whole_does_not(
        self, weights: list[Decimal], part: Decimal
    ) -> None:
        if any(weights):
            whole = (sum(weights, Decimal(0)) * part).quantize(Decimal("0.01"), ROUND_DOWN)
            assert all(
                0 <= share <= most for share, most in zip(split_amount(whole, weights), weights, strict=True)
            )
