"""A request as lines of JSON, with the line of a field marked."""

import json
from decimal import Decimal

import pytest

from carimbo.dashboard.json_lines import json_text
from carimbo.service.json_values import read_exact_json

REQUEST = {
    "recipient": {"name": "Maria", "address": {}},
    "items": [{"ncm": "1", "quantity": Decimal("1.50")}, {"ncm": "2", "tags": ["a", "b"]}],
    "note": None,
}


def marked(field: str) -> list[str]:
    return [line.text.strip(" ,") for line in json_text(REQUEST, field).lines if line.is_marked]


def test_lines_are_the_json_with_its_exact_numbers() -> None:
    text = "\n".join(line.text for line in json_text(REQUEST).lines)
    assert read_exact_json(text) == REQUEST
    assert text == json.dumps(json.loads(text), indent=2).replace("1.5", "1.50")


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("items[1].ncm", ['"ncm": "2"']),
        ("items[].ncm", ['"ncm": "1"', '"ncm": "2"']),
        ("items[1].tags[0]", ['"a"']),
        ("recipient", ['"recipient": {']),
        ("recipient.address.zipcode", ['"address": {}']),
        ("items[7].ncm", ['"items": [']),
        ("unknown", []),
    ],
)
def test_field_or_else_the_object_that_it_belongs_in_is_marked(field: str, lines: list[str]) -> None:
    assert marked(field) == lines


def test_long_request_is_cut_around_its_marked_field() -> None:
    text = json_text({"items": [{"ncm": str(position)} for position in range(990)]}, "items[900].ncm")
    assert (text.is_cut, text.total) == (True, 990 * 3 + 4)
    assert len(text.lines) == 300
    assert [line.text.strip() for line in text.lines if line.is_marked] == ['"ncm": "900"']
