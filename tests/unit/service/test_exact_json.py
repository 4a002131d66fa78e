import json
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.exact_json import merge_patch, read, write

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
    def test_what_is_written_reads_back(self, value: Any) -> None:
        assert read(write(value)) == value

    @given(values)
    def test_what_is_written_is_json_for_everybody(self, value: Any) -> None:
        json.loads(write(value))

    @pytest.mark.parametrize(
        "number",
        ["0", "-1", "0.1", "1.10", "29.9000000000", "12345678901234567890.12345678901234567890", "1E-10"],
    )
    def test_a_number_keeps_its_digits(self, number: str) -> None:
        assert write(read(f'{{"n":{number}}}')) == f'{{"n":{number}}}'

    @pytest.mark.parametrize(("number", "kind"), [("1", int), ("1.0", Decimal), ("1e2", Decimal)])
    def test_no_number_becomes_a_float(self, number: str, kind: type) -> None:
        assert type(read(number)) is kind

    @pytest.mark.parametrize("text", ['"ação"', '"\\ud83e\\udd84"', '"a\\"b\\\\c\\n\\u0000"', '""'])
    def test_a_text_keeps_its_letters(self, text: str) -> None:
        assert read(write(read(text))) == json.loads(text)

    def test_letters_are_written_as_they_are(self) -> None:
        assert write({"ação": "cerâmica"}) == '{"ação":"cerâmica"}'

    def test_names_keep_their_order(self) -> None:
        assert write(read('{"b": 1, "a": {"d": [], "c": {}}}')) == '{"b":1,"a":{"d":[],"c":{}}}'


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
    def test_it_does_what_the_standard_says(self, original: str, patch: str, result: str) -> None:
        """The cases of RFC 7396, appendix A."""
        assert merge_patch(read(original), read(patch)) == read(result)

    @given(objects, objects)
    def test_neither_side_is_changed(self, target: Any, patch: Any) -> None:
        before = deepcopy((target, patch))
        merge_patch(target, patch)
        assert (target, patch) == before

    @given(objects, objects)
    def test_the_same_patch_twice_changes_nothing_more(self, target: Any, patch: Any) -> None:
        once = merge_patch(target, patch)
        assert merge_patch(once, patch) == once

    @given(objects)
    def test_an_empty_patch_changes_nothing(self, target: Any) -> None:
        assert merge_patch(target, {}) == target
