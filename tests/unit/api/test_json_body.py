"""Strict reading of JSON bodies."""

import asyncio
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carimbo.api.json_body import read_json_body
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.web.json_body import parse_json_body

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


class TestReadJson:
    @given(VALUES)
    @settings(max_examples=50)
    def test_written_json_reads_back(self, value: Any) -> None:
        assert parse_json_body(json.dumps(value).encode()) == value

    @given(st.binary(max_size=200))
    def test_any_bytes_are_read_or_refused(self, body: bytes) -> None:
        try:
            parse_json_body(body)
        except Refusal as refusal:
            assert refusal.code is ErrorCode.MALFORMED_JSON

    def test_decimals_are_kept_exact(self) -> None:
        for text in ("0.1", "123456789012.34", "1.005", "1E+2", "-0.00"):
            value = parse_json_body(text.encode())
            assert (type(value), value) == (Decimal, Decimal(text))

    def test_number_too_large_for_any_field_becomes_infinite(self) -> None:
        texts = ("1e400", "-1e400", "1e1000000000", "1e99999999999999999999", "9" * 4400)
        values = {text: parse_json_body(text.encode()) for text in texts}
        assert {text: value for text, value in values.items() if abs(value) != float("inf")} == {}

    def test_invalid_json_is_refused(self) -> None:
        for text in ("NaN", "Infinity", "-Infinity", "", "{", "{'a': 1}", "[" * 100_000, '"\\ud800"'):
            with pytest.raises(Refusal) as refused:
                parse_json_body(text.encode())
            assert refused.value.code is ErrorCode.MALFORMED_JSON, text[:20]

    def test_refusal_describes_a_problem_of_the_whole_body(self) -> None:
        messages = {
            b"": "O corpo está vazio: envie um objeto JSON.",
            b" \r\n": "O corpo está vazio: envie um objeto JSON.",
            b'{"a": NaN}': "NaN não é um número de JSON.",
            b"-Infinity": "-Infinity não é um número de JSON.",
            b"[" * 100_000: "O JSON tem níveis demais de objetos e listas.",
            "ação".encode("latin-1"): "O corpo não está em UTF-8.",
            '{"a": 1}'.encode("utf-16"): "O corpo não está em UTF-8.",
            '{"a": 1}'.encode("utf-8-sig"): "O corpo começa com um BOM: envie UTF-8 sem BOM.",
        }
        for body, message in messages.items():
            with pytest.raises(Refusal) as refused:
                parse_json_body(body)
            assert (refused.value.message, refused.value.details) == (message, None), body[:20]

    def test_refusal_has_the_position_of_the_syntax_error(self) -> None:
        with pytest.raises(Refusal) as refused:
            parse_json_body(b'{\n  "amount": 10,\n}')
        assert refused.value.details == {"line": 3, "column": 1}

    def test_escaped_emoji_are_accepted(self) -> None:
        assert parse_json_body(b'"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


class TestManyParts:
    MAX_PARTS = 100_000

    def test_parts_are_read_up_to_a_limit(self) -> None:
        assert len(parse_json_body(b"[" + b"1," * (self.MAX_PARTS - 1) + b"1]")) == self.MAX_PARTS

    def test_too_many_parts_are_refused_as_one_error_of_the_body(self) -> None:
        for part in (b"1", b"{}", b'{"a":1}', b"[[]]"):
            with pytest.raises(Refusal) as raised:
                parse_json_body(b"[" + (part + b",") * self.MAX_PARTS + part + b",1]")
            assert raised.value.code is ErrorCode.VALIDATION_ERROR, part
            assert [line["field"] for line in (raised.value.details or {})["fields"]] == ["body"], part

    def test_too_many_parts_are_refused_before_parsing(self) -> None:
        unfinished = b"[" + b"1," * self.MAX_PARTS * 2
        with pytest.raises(Refusal) as raised:
            parse_json_body(unfinished)
        assert raised.value.code is ErrorCode.VALIDATION_ERROR

    def test_nested_lists_without_commas_count_as_parts(self) -> None:
        with pytest.raises(Refusal) as raised:
            parse_json_body(b"[" + b",".join([b"[" * 40 + b"]" * 40] * 5_000) + b"]")
        assert raised.value.code is ErrorCode.VALIDATION_ERROR


class TestLargeBody:
    NUMBERS = b"[" + b",".join([b"1.5"] * 50_000) + b"]"

    async def test_parsing_a_large_body_does_not_block_the_event_loop(self) -> None:
        parsing = asyncio.create_task(read_json_body(self.NUMBERS))
        turns = 0
        while not parsing.done():
            await asyncio.sleep(0)
            turns += 1
        assert parsing.result() == [Decimal("1.5")] * 50_000
        assert turns > 2

    async def test_malformed_large_body_is_refused(self) -> None:
        with pytest.raises(Refusal) as raised:
            await read_json_body(self.NUMBERS[:-1])
        assert raised.value.code is ErrorCode.MALFORMED_JSON
