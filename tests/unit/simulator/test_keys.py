"""Check digits of access keys, against keys that are published."""

import pytest

from carimbo.simulator.keys import has_right_digit

PUBLISHED = [
    "35200159594315000157550010000000012062777161",
    "35261111222333000181550010000000011123456806",
    "35261112ABC34501DE35550010000000071123456860",
    "35261111222333000181650010000000109123456897",
]


class TestCheckDigit:
    @pytest.mark.parametrize("key", PUBLISHED)
    def test_published_keys_are_right(self, key: str) -> None:
        assert has_right_digit(key)

    @pytest.mark.parametrize("key", PUBLISHED)
    def test_every_other_digit_is_wrong(self, key: str) -> None:
        others = set("0123456789") - {key[-1]}
        assert not any(has_right_digit(key[:-1] + digit) for digit in others)

    def test_of_nothing_there_is_none(self) -> None:
        assert not has_right_digit("")
