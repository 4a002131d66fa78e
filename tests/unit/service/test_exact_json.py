import json
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.json_values import merge_patch, read_exact_json, write_json

numbers = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text()
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
objects = st.dictionaries(st.sampled_from("abc"), values, max_size=3)


class TestReadAndWrite:
    @given(values)
    def test_written_value_reads_back(self, value: Any) -> None:
        assert read_exact_json(write_json(value)) == value

    @given(values)
    def test_written_text_is_standard_json(self, value: Any) -> None:
        json.loads(write_json(value))

    @pytest.mark.parametrize(
        "number",
        ["0", "-1", "0.1", "1.10", "29.9000000000", "12345678901234567890.12345678901234567890", "1E-10"],
    )
    def test_a_number_keeps_its_digits(self, number: str) -> None:
        assert write_json(read_exact_json(f'{{"n":{number}}}')) == f'{{"n":{number}}}'

    @pytest.mark.parametrize(("number", "kind"), [("1", int), ("1.0", Decimal), ("1e2", Decimal)])
    def test_no_number_becomes_a_float(self, number: str, kind: type) -> None:
        assert type(read_exact_json(number)) is kind

    @pytest.mark.parametrize("text", ['"ação"', '"\\ud83e\\udd84"', '"a\\"b\\\\c\\n\\u0000"', '""'])
    def test_text_keeps_its_letters(self, text: str) -> None:
        assert read_exact_json(write_json(read_exact_json(text))) == json.loads(text)

    def test_letters_are_not_escaped(self) -> None:
        assert write_json({"ação": "cerâmica"}) == '{"ação":"cerâmica"}'

    def test_names_keep_their_order(self) -> None:
        assert (
            write_json(read_exact_json('{"b": 1, "a": {"d": [], "c": {}}}')) == '{"b":1,"a":{"d":[],"c":{}}}'
        )


class TestMergePatch:
    @pytest.mark.parametrize(
        ("original", "patch", "result"),
        [
            ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
            ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
            ('{"a":"b"}', '{"a":null}', "{}"),
            ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
            ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
            ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
            ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
            ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
            ('["a","b"]', '["c","d"]', '["c","d"]'),
            ('{"a":"b"}', '["c"]', '["c"]'),
            ('{"a":"foo"}', "null", "null"),
            ('{"a":"foo"}', '"bar"', '"bar"'),
            ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
            ("[1,2]", '{"a":"b","c":null}', '{"a":"b"}'),
            ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
        ],
    )
    def test_merge_patch_follows_the_standard(self, original: str, patch: str, result: str) -> None:
        """The cases of RFC 7396, appendix A."""
        assert merge_patch(read_exact_json(original), read_exact_json(patch)) == read_exact_json(result)

    @given(objects, objects)
    def test_merge_patch_changes_neither_argument(self, target: Any, patch: Any) -> None:
        before = deepcopy((target, patch))
        merge_patch(target, patch)
        assert (target, patch) == before

    @given(objects, objects)
    def test_applying_a_patch_twice_is_the_same_as_once(self, target: Any, patch: Any) -> None:
        once = merge_patch(target, patch)
        assert merge_patch(once, patch) == once

    @given(objects)
    def test_an_empty_patch_changes_nothing(self, target: Any) -> None:
        assert merge_patch(target, {}) == target
