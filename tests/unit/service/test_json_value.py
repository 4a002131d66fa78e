from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.json_values import json_value

money = st.decimals(min_value=0, max_value=10**13, places=2)
unit_values = st.decimals(min_value=0, max_value=10**9, places=6)


class TestShown:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (Decimal("1.10"), 1.1),
            ("1.10", "1.10"),
            (3, 3),
            (None, None),
            (True, True),
            ((Decimal("0.5"), 1), [0.5, 1]),
            ([{"a": (Decimal(2),)}], [{"a": [2.0]}]),
            (
                MappingProxyType({"total": Decimal("9.90"), "name": "Caneca"}),
                {"total": 9.9, "name": "Caneca"},
            ),
        ],
    )
    def test_decimals_become_numbers_wherever_they_are(self, value: Any, expected: Any) -> None:
        assert json_value(value) == expected

    def test_decimal_becomes_a_float(self) -> None:
        assert type(json_value({"a": [Decimal(1)]})["a"][0]) is float

    @given(money | unit_values)
    def test_no_digit_of_a_document_is_lost(self, value: Decimal) -> None:
        assert Decimal(repr(json_value(value))) == value
