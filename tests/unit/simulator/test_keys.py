"""Check digits of published access keys."""

import pytest

from carimbo.simulator.identifiers import has_valid_check_digit

PUBLISHED = [
    "35200159594315000157550010000000012062777161",
    "35261111222333000181550010000000011123456806",
    "35261112ABC34501DE35550010000000071123456860",
    "35261111222333000181650010000000109123456897",
]


class TestCheckDigit:
    @pytest.mark.parametrize("key", PUBLISHED)
    def test_check_digits_of_published_keys_are_valid(self, key: str) -> None:
        assert has_valid_check_digit(key)

    @pytest.mark.parametrize("key", PUBLISHED)
    def test_every_other_check_digit_is_invalid(self, key: str) -> None:
        others = set("0123456789") - {key[-1]}
        assert not any(has_valid_check_digit(key[:-1] + digit) for digit in others)

    def test_empty_key_is_invalid(self) -> None:
        assert not has_valid_check_digit("")
