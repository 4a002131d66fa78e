"""Forms for request bodies: what was typed becomes a body, and problems go beside their inputs."""

from decimal import Decimal

import pytest
from pydantic import Field

from carimbo.dashboard.body_form import REST, TypedForm, cleared_body, read_number
from carimbo.dashboard.form_view import FormInput, FormProblem, FormRows, problems_of, view_form, with_labels
from carimbo.dashboard.forms import checked_changes
from carimbo.fiscal.body.fields import Body, Changes, Flag, Integer, Money, Quantity, Text
from carimbo.fiscal.body.form_layout import (
    FieldKind,
    FormField,
    FormLayout,
    FormList,
    FormSection,
    field_facts,
)
from carimbo.service.errors import Refusal


class _Address(Body):
    street: Text
    zipcode: Text | None = None


class _Line(Body):
    description: Text = Field(max_length=120)
    quantity: Quantity
    unit_value: Money | None = None
    taxes: dict[str, int] | None = None


class _Order(Body):
    name: Text
    address: _Address | None = None
    lines: list[_Line] = Field(min_length=1)
    days: Integer | None = None
    is_final: Flag | None = None
    notes: Text | None = Field(default=None, max_length=2000)
    reason_code: Text | None = None
    extra: dict[str, str] | None = None


_LINES = FormList(
    path="lines",
    title="Itens",
    singular="item",
    fields=(
        FormField(path="description", label="Descrição"),
        FormField(path="quantity", label="Quantidade"),
        FormField(path="unitValue", label="Preço"),
    ),
)
LAYOUT = FormLayout(
    body=_Order,
    sections=(
        FormSection(
            title="Pedido",
            parts=(
                FormField(path="name", label="Nome"),
                FormField(path="days", label="Dias"),
                FormField(path="isFinal", label="Consumidor final"),
                FormField(path="notes", label="Observações"),
                FormField(path="reasonCode", label="Motivo", options=(("1", "Erro"), ("2", "Desistência"))),
                _LINES,
            ),
        ),
        FormSection(
            title="Endereço",
            parts=(
                FormField(path="address.street", label="Rua"),
                FormField(path="address.zipcode", label="CEP"),
            ),
            is_open=False,
        ),
    ),
)


def _inputs(typed: TypedForm, *problems: FormProblem) -> dict[str, FormInput]:
    inputs: dict[str, FormInput] = {}
    view = view_form(typed, problems)
    for section in view.sections:
        for part in section.parts:
            if isinstance(part, FormRows):
                inputs |= {each.name: each for row in part.rows for each in (*row.inputs, row.rest)}
            else:
                inputs[part.name] = part
    return inputs | {REST: view.rest}


class TestNumbers:
    @pytest.mark.parametrize(
        ("text", "number"),
        [
            ("12", "12"),
            ("12,5", "12.5"),
            ("1.234,56", "1234.56"),
            ("1.234.567", "1234567"),
            ("1234.56", "1234.56"),
            ("0.500", "0.500"),
            ("-3,2", "-3.2"),
        ],
    )
    def test_brazilian_and_plain_numbers_are_read(self, text: str, number: str) -> None:
        assert read_number(text) == Decimal(number)

    @pytest.mark.parametrize("text", ["1.234", "12a", "1,2,3", "1.23,4", ",5", "١٢", "1e5", "R$ 5"])
    def test_text_that_is_no_number_or_could_be_two_stays_as_it_is(self, text: str) -> None:
        assert read_number(text) == text


class TestBody:
    def test_posted_texts_become_a_body_without_blank_fields(self) -> None:
        posted = {
            "form_token": "x",
            "name": " Ana ",
            "days": "3",
            "isFinal": "true",
            "notes": "",
            "lines[0].description": "",
            "lines[4].description": "Caneca",
            "lines[4].quantity": "1,5",
            "lines[9].quantity": "2",
            "address.street": "Rua A",
        }
        assert TypedForm.posted(LAYOUT, posted).body == {
            "name": "Ana",
            "days": 3,
            "isFinal": True,
            "lines": [{"description": "Caneca", "quantity": Decimal("1.5")}, {"quantity": Decimal(2)}],
            "address": {"street": "Rua A"},
        }

    def test_body_survives_its_form_with_all_fields_that_the_form_does_not_have(self) -> None:
        body = {
            "name": "Ana",
            "days": 3,
            "isFinal": False,
            "lines": [
                {"description": "Caneca", "quantity": Decimal("1.50"), "taxes": {"icms": 1}},
                {"quantity": 2},
            ],
            "address": {"street": "Rua A", "city": "Recife"},
            "extra": {"a": "b"},
        }
        typed = TypedForm.of_body(LAYOUT, body)
        assert TypedForm.posted(LAYOUT, typed.texts).body == body
        assert typed.texts["lines[0].quantity"] == "1,50"

    def test_value_that_an_input_can_not_show_stays_in_the_body(self) -> None:
        body = {"name": {"first": "Ana"}, "lines": []}
        assert TypedForm.of_body(LAYOUT, body).body == {"name": {"first": "Ana"}}

    def test_unreadable_number_stays_a_text_for_the_body_to_refuse(self) -> None:
        assert TypedForm.posted(LAYOUT, {"days": "três", "lines[0].quantity": "1.234"}).body == {
            "days": "três",
            "lines": [{"quantity": "1.234"}],
        }

    @pytest.mark.parametrize("name", [REST, f"lines[0].{REST}"])
    @pytest.mark.parametrize("text", ["{", "[1]", '"a"'])
    def test_other_fields_that_are_no_object_are_refused_at_their_input(self, name: str, text: str) -> None:
        with pytest.raises(Refusal) as refused:
            _ = TypedForm.posted(LAYOUT, {name: text}).body
        assert [problem.path for problem in problems_of(refused.value)] == [name]

    def test_entry_is_added_and_removed_with_what_it_has_besides(self) -> None:
        typed = TypedForm.of_body(
            LAYOUT, {"lines": [{"description": "A", "taxes": {"x": 1}}, {"description": "B"}]}
        )
        assert typed.with_row(_LINES, {"description": "C"}).body["lines"][2] == {"description": "C"}
        assert typed.without_row(_LINES, 0).body["lines"] == [{"description": "B"}]
        assert typed.without_row(_LINES, 1).body["lines"] == [{"description": "A", "taxes": {"x": 1}}]


class TestKinds:
    def test_kind_of_an_input_follows_the_body(self) -> None:
        kinds = {name: each.kind for name, each in _inputs(TypedForm(LAYOUT, {})).items()}
        assert kinds == {
            "name": FieldKind.TEXT,
            "days": FieldKind.INTEGER,
            "isFinal": FieldKind.FLAG,
            "notes": FieldKind.LONG_TEXT,
            "reasonCode": FieldKind.CHOICE,
            "lines[0].description": FieldKind.TEXT,
            "lines[0].quantity": FieldKind.NUMBER,
            "lines[0].unitValue": FieldKind.NUMBER,
            f"lines[0].{REST}": FieldKind.LONG_TEXT,
            "address.street": FieldKind.TEXT,
            "address.zipcode": FieldKind.TEXT,
            REST: FieldKind.LONG_TEXT,
        }

    def test_field_of_an_optional_group_is_optional(self) -> None:
        assert field_facts(_Order, "name").is_required
        assert field_facts(_Order, "lines.description").is_required
        assert not field_facts(_Order, "address.street").is_required

    def test_path_that_the_body_lacks_is_an_error(self) -> None:
        with pytest.raises(LookupError):
            field_facts(_Order, "address.number")


class TestProblems:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("name", "name"),
            ("lines[1].quantity", "lines[1].quantity"),
            ("address", "address.street"),
            ("lines[1].taxes.icms", f"lines[1].{REST}"),
            ("extra.a", REST),
        ],
    )
    def test_problem_is_shown_at_its_input_or_the_nearest_place(self, path: str, name: str) -> None:
        typed = TypedForm.of_body(LAYOUT, {"lines": [{"description": "A"}, {"description": "B"}]})
        inputs = _inputs(typed, FormProblem(path, "Errado."))
        assert {each.name for each in inputs.values() if each.problems} == {name}

    def test_problem_of_all_entries_is_shown_at_each(self) -> None:
        typed = TypedForm.of_body(LAYOUT, {"lines": [{"description": "A"}, {"description": "B"}]})
        inputs = _inputs(typed, FormProblem("lines[].quantity", "Errado."))
        assert {each.name for each in inputs.values() if each.problems} == {
            "lines[0].quantity",
            "lines[1].quantity",
        }

    def test_problem_of_no_field_is_shown_above_the_form(self) -> None:
        view = view_form(TypedForm(LAYOUT, {}), [FormProblem("company", "Falta algo.")])
        assert [problem.text for problem in view.problems] == ["Falta algo."]
        assert view.marked == ()

    def test_problem_opens_its_section(self) -> None:
        def is_open(*problems: FormProblem) -> bool:
            return view_form(TypedForm(LAYOUT, {}), problems).sections[1].is_open

        assert not is_open()
        assert is_open(FormProblem("address.zipcode", "Errado."))

    def test_names_of_json_become_labels(self) -> None:
        assert (
            with_labels("Informe lines[0].unitValue ou address.zipcode.", LAYOUT)
            == "Informe “Preço” ou “CEP”."
        )
        assert with_labels("Falta days: o nome e a rua estão certos", LAYOUT) == (
            "Falta “Dias”: o nome e a rua estão certos"
        )
        assert with_labels("Veja outraCoisa e reasonCode", LAYOUT) == "Veja outraCoisa e “Motivo”"


class _Rates(Changes):
    federal: Money = Decimal(0)
    state: Money = Decimal(0)


class _Keys(Changes):
    number: Text | None = None
    secret: Text | None = None


class _Settings(Changes):
    name: Text = ""
    series: Integer = 1
    is_active: Flag = False
    notes: Text | None = None
    address: _Address | None = None
    rates: _Rates | None = None
    keys: _Keys | None = None
    lines: list[_Line] | None = None


CHANGES = FormLayout(
    body=_Settings,
    sections=(
        FormSection(
            title="Ajustes",
            parts=(
                FormField(path="name", label="Nome", is_required=True),
                FormField(path="series", label="Série", options=(("1", "Um"), ("2", "Dois"))),
                FormField(
                    path="isActive", label="Módulo", options=(("true", "Ligado"), ("false", "Desligado"))
                ),
                FormField(path="notes", label="Observações"),
                FormField(path="address.street", label="Rua"),
                FormField(path="address.zipcode", label="CEP"),
                FormField(path="rates.federal", label="Federais"),
                FormField(path="rates.state", label="Estaduais"),
                FormField(path="keys.number", label="Número"),
                FormField(path="keys.secret", label="Segredo", kind=FieldKind.SECRET),
                _LINES,
            ),
        ),
    ),
)


class TestChanges:
    def test_blank_inputs_clear_their_fields_and_groups_but_no_secret(self) -> None:
        assert cleared_body(TypedForm.posted(CHANGES, {"name": "Ana"})) == {
            "name": "Ana",
            "series": 1,
            "isActive": False,
            "notes": None,
            "address": None,
            "rates": None,
            "keys": {"number": None},
            "lines": None,
        }

    def test_blank_input_in_a_group_that_is_not_blank_clears_only_its_field(self) -> None:
        typed = {"address.street": "Rua A", "rates.state": "18", "keys.secret": "x", "lines[0].quantity": "1"}
        body = cleared_body(TypedForm.posted(CHANGES, typed))
        assert body["address"] == {"street": "Rua A", "zipcode": None}
        assert body["rates"] == {"federal": 0, "state": 18}
        assert body["keys"] == {"number": None, "secret": "x"}
        assert body["lines"] == [{"quantity": 1}]

    def test_choice_between_numbers_or_yes_and_no_keeps_the_type_of_the_body(self) -> None:
        typed = TypedForm.posted(CHANGES, {"series": "2", "isActive": "true"})
        assert (typed.body["series"], typed.body["isActive"]) == (2, True)
        assert TypedForm.of_body(CHANGES, typed.body).texts == typed.texts

    def test_field_that_must_not_be_blank_is_refused_beside_the_invalid_ones(self) -> None:
        with pytest.raises(Refusal) as refused:
            checked_changes(_Settings, TypedForm.posted(CHANGES, {"name": "", "rates.state": "x"}))
        assert {problem.path for problem in problems_of(refused.value)} == {"name", "rates.state"}
        with pytest.raises(Refusal) as refused:
            checked_changes(_Settings, TypedForm.posted(CHANGES, {}))
        assert [problem.path for problem in problems_of(refused.value)] == ["name"]


class TestHostileForms:
    @pytest.mark.parametrize(
        "text",
        [
            '{"a":' * 5000 + "1" + "}" * 5000,
            '{"a":' * 30 + "1" + "}" * 30,
            '{"a": NaN}',
            '{"a": "' + "x" * 70_000 + '"}',
        ],
        ids=["deep", "deeper than any body", "no JSON number", "long"],
    )
    def test_other_fields_that_would_harm_are_refused_at_their_input(self, text: str) -> None:
        with pytest.raises(Refusal) as refused:
            _ = TypedForm.posted(LAYOUT, {REST: text}).body
        assert [problem.path for problem in problems_of(refused.value)] == [REST]

    def test_endless_numbers_stay_texts(self) -> None:
        assert TypedForm.posted(LAYOUT, {"days": "1" * 5000}).body == {"days": "1" * 5000}
