"""Declared groups that are part of a request body."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.body.messages import in_portuguese, json_path
from unit.fiscal.layouts.orders import Line, Order

DATE_EXPECTED = "Deve ser uma data (AAAA-MM-DD) ou data e hora no formato ISO 8601."
ORDER_JSON: dict[str, Any] = {
    "id": "P1",
    "count": 3,
    "placedAt": "2026-11-14T10:00:00-03:00",
    "dueDate": "2026-12-01",
    "notes": ["frágil"],
    "lines": [{"flavour": "mel", "name": "Chá", "unitPrice": Decimal("2.5"), "position": 1}],
}


def errors(**changes: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(Order).validate_python(ORDER_JSON | changes)
    return {json_path(error["loc"]): in_portuguese(error) for error in raised.value.errors()}


class TestInRequestBodies:
    def test_group_is_read_by_its_json_names(self) -> None:
        order = TypeAdapter(Order).validate_python(ORDER_JSON)
        assert order.lines == (Line(position=1, flavour="mel", name="Chá", price=Decimal("2.5")),)
        assert order.placed_at == datetime(2026, 11, 14, 13, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("count", "3", "Deve ser um número inteiro."),
            ("count", 3.5, "Deve ser um número inteiro."),
            ("count", True, "Deve ser um número inteiro."),
            ("placedAt", 1_700_000_000, "Deve ser um texto com a data no formato ISO 8601."),
            ("placedAt", "2026-11-14T10:00:00", "A data e hora deve trazer o fuso horário."),
            ("dueDate", 20_000, "Deve ser um texto com a data no formato ISO 8601."),
            ("dueDate", "01/12/2026", DATE_EXPECTED),
            ("dueDate", "2026-02-30", "Esta data não existe: “2026-02-30”."),
            ("id", True, "Deve ser um texto."),
            ("colour", "azul", "Campo desconhecido."),
            ("lines", "Chá", "Deve ser uma lista."),
        ],
    )
    def test_other_json_type_is_refused_in_portuguese(self, field: str, value: Any, message: str) -> None:
        assert errors(**{field: value}) == {field: message}

    @pytest.mark.parametrize(
        "value", ["2026-11-18", "2026-11-18T10:00:00", "2026-11-18T23:30:00-03:00", "2026-11-18T00:30:00Z"]
    )
    def test_day_of_a_moment_is_kept_as_written(self, value: str) -> None:
        order = TypeAdapter(Order).validate_python(ORDER_JSON | {"dueDate": value})
        assert order.due_date == date(2026, 11, 18)

    @pytest.mark.parametrize("value", ["2.5", True, [2.5]])
    def test_number_must_be_a_json_number(self, value: Any) -> None:
        assert errors(lines=[{"position": 1, "name": "Chá", "unitPrice": value}]) == {
            "lines[0].unitPrice": "Deve ser um número."
        }

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("-Infinity")])
    def test_number_must_be_finite(self, value: Any) -> None:
        assert errors(lines=[{"position": 1, "name": "Chá", "unitPrice": value}]) == {
            "lines[0].unitPrice": "Número pequeno ou grande demais."
        }

    def test_official_name_and_python_name_are_refused(self) -> None:
        problems = errors(lines=[{"position": 1, "nome": "Chá", "price": 2, "name": "Chá"}])
        assert problems == {"lines[0].nome": "Campo desconhecido.", "lines[0].price": "Campo desconhecido."}

    @pytest.mark.parametrize(
        ("field", "value", "most"),
        [
            ("lines", [{"position": 1, "name": "Chá"}] * 4, 3),
            ("wishes", [{"colour": "azul"}] * 3, 2),
            ("notes", ["a"] * 6, 5),
        ],
    )
    def test_list_longer_than_in_the_layout_is_refused(self, field: str, value: Any, most: int) -> None:
        assert errors(**{field: value}) == {field: f"Deve ter no máximo {most} itens."}
        full = TypeAdapter(Order).validate_python(ORDER_JSON | {field: value[:most]})
        assert len(getattr(full, field)) == most

    def test_missing_required_field_is_reported(self) -> None:
        assert errors(lines=[{"position": 1}]) == {"lines[0].name": "Campo obrigatório."}

    def test_value_that_is_no_object_is_refused(self) -> None:
        assert errors(buyer="Rua 1") == {"buyer": "Deve ser um objeto JSON."}
