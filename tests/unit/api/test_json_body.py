"""Reading JSON so that nothing later can trip over it."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.api.json_body import read_json
from carimbo.service.errors import Code, Refusal

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


class TestReadJson:
    @given(VALUES)
    def test_gives_back_what_was_written(self, value: Any) -> None:
        assert read_json(json.dumps(value).encode()) == value

    @given(st.binary(max_size=200))
    def test_reads_or_refuses_any_bytes(self, body: bytes) -> None:
        try:
            read_json(body)
        except Refusal as refusal:
            assert refusal.code is Code.MALFORMED_JSON

    @pytest.mark.parametrize("text", ["0.1", "123456789012.34", "1.005", "1E+2", "-0.00"])
    def test_keeps_decimals_exact(self, text: str) -> None:
        assert read_json(text.encode()) == Decimal(text)
        assert isinstance(read_json(text.encode()), Decimal)

    @pytest.mark.parametrize(
        "text", ["1e400", "-1e400", "1e1000000000", "1e99999999999999999999", "9" * 4400]
    )
    def test_makes_infinite_what_no_field_can_hold(self, text: str) -> None:
        assert read_json(text.encode()) in (float("inf"), float("-inf"))

    @pytest.mark.parametrize(
        "text", ["NaN", "Infinity", "-Infinity", "", "{", "{'a': 1}", "[" * 100_000, '"\\ud800"']
    )
    def test_refuses_what_is_not_json(self, text: str) -> None:
        with pytest.raises(Refusal) as refused:
            read_json(text.encode())
        assert refused.value.code is Code.MALFORMED_JSON

    def test_says_where_it_stops_being_json(self) -> None:
        with pytest.raises(Refusal) as refused:
            read_json(b'{\n  "amount": 10,\n}')
        assert refused.value.details == {"line": 3, "column": 1}

    def test_takes_emoji_written_as_escapes(self) -> None:
        assert read_json(b'"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


class TestManyParts:
    MOST = 100_000

    def test_are_read_up_to_a_number(self) -> None:
        assert len(read_json(b"[" + b"1," * self.MOST + b"1]")) == self.MOST + 1

    @pytest.mark.parametrize("part", [b"1", b"{}", b'{"a":1}'])
    def test_beyond_it_are_refused_by_the_body_as_a_whole(self, part: bytes) -> None:
        with pytest.raises(Refusal) as raised:
            read_json(b"[" + (part + b",") * self.MOST + part + b",1]")
        assert raised.value.code is Code.VALIDATION_ERROR
        assert [line["field"] for line in (raised.value.details or {})["fields"]] == ["body"]

    def test_of_what_is_no_json_are_malformed(self) -> None:
        with pytest.raises(Refusal) as raised:
            read_json(b"[" + b"1," * self.MOST * 2)
        assert raised.value.code is Code.MALFORMED_JSON
