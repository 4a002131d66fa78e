"""Barcode numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.identity.gtin import check_digit, is_gtin, is_internal_gtin

DIGITS = st.text("0123456789", min_size=1, max_size=13)


class TestIsGtin:
    @pytest.mark.parametrize("code", ["7891000315507", "4006381333931", "036000291452", "96385074"])
    def test_valid_codes_of_every_length_are_accepted(self, code: str) -> None:
        assert is_gtin(code)

    def test_package_has_the_code_of_its_product_with_another_check_digit(self) -> None:
        assert is_gtin("1789100031550" + check_digit("1789100031550"))

    @pytest.mark.parametrize(
        "code", ["7891000315508", "", "SEM GTIN", "0", "789100031550", "78910003155O7", "٧891000315507"]
    )
    def test_invalid_codes_are_refused(self, code: str) -> None:
        assert not is_gtin(code)


class TestCheckDigit:
    @given(DIGITS)
    def test_leading_zeros_do_not_change_the_check_digit(self, body: str) -> None:
        assert check_digit("0" + body) == check_digit(body)

    @given(DIGITS, st.data())
    def test_one_wrong_digit_changes_the_check_digit(self, body: str, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(body) - 1))
        other = data.draw(st.sampled_from("0123456789").filter(lambda digit: digit != body[at]))
        assert check_digit(body[:at] + other + body[at + 1 :]) != check_digit(body)


class TestIsInternalGtin:
    @pytest.mark.parametrize("code", ["2000000000015", "200000000004", "20000004", "12000000000012"])
    def test_codes_that_begin_with_2_belong_to_a_shop(self, code: str) -> None:
        assert is_internal_gtin(code)

    @pytest.mark.parametrize("code", ["7891000315507", "27891000315501"])
    def test_digit_of_a_package_is_no_prefix(self, code: str) -> None:
        assert not is_internal_gtin(code)
