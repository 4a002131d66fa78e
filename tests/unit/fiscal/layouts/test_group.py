"""Declared groups: written XML, refused values, and the field that belongs to an element."""

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.json_form import groups_in, path_of_tags, unwritable_values
from carimbo.fiscal.layouts.layout import (
    attributes_xml,
    content_xml,
    fields_among,
    layout_of,
    to_xml,
)
from unit.fiscal.layouts.orders import Address, BySlot, ByWeight, Line, Order, Sums, Tip, Wish

LINE = Line(position=1, name="Café")
WHOLE = Order(
    id="P1",
    count=3,
    placed_at=datetime(2026, 11, 14, 10, tzinfo=timezone(timedelta(hours=-3))),
    due_date=date(2026, 12, 1),
    notes=("frágil", "a & b"),
    buyer=Address(street="Rua 1", phone="1133334444"),
    lines=(LINE, Line(position=2, flavour='"x"', name="Chá", price=Decimal("2.5"))),
    shipping=ByWeight(weight=Decimal("1.5")),
    packing=BySlot(slot="A"),
)


class TestWriting:
    def test_elements_are_written_in_the_declared_order(self) -> None:
        assert to_xml(WHOLE) == (
            '<pedido Id="P1" versao="1.00"><quantos>3</quantos><dhPedido>2026-11-14T10:00:00-03:00</dhPedido>'
            "<dPrazo>2026-12-01</dPrazo><nota>frágil</nota><nota>a &amp; b</nota>"
            "<dest><rua>Rua 1</rua><fone>1133334444</fone></dest>"
            '<linha aroma="puro" n="1"><nome>Café</nome></linha>'
            '<linha aroma="&quot;x&quot;" n="2"><nome>Chá</nome><preco>2.50</preco></linha>'
            "<envio><porPeso><peso>1.500</peso></porPeso></envio><porCanal><canal>A</canal></porCanal></pedido>"
        )

    def test_fields_without_a_value_are_left_out(self) -> None:
        assert to_xml(LINE) == '<linha aroma="puro" n="1"><nome>Café</nome></linha>'

    def test_empty_groups_are_left_out(self) -> None:
        assert to_xml(Wish()) == ""
        assert to_xml(Order(id="P1", wish=Wish(), count=1)) == (
            '<pedido Id="P1" versao="1.00"><quantos>1</quantos></pedido>'
        )

    def test_empty_group_in_a_list_is_refused(self) -> None:
        with pytest.raises(Unwritable, match="está vazio"):
            to_xml(Order(id="P1", wishes=(Wish(colour="azul"), Wish())))

    def test_group_may_be_written_under_another_tag(self) -> None:
        assert to_xml(Address(street="Rua 1"), "emit") == "<emit><rua>Rua 1</rua></emit>"

    def test_attributes_are_sorted_as_in_c14n(self) -> None:
        assert attributes_xml(Line(position=2, flavour="mel", name="Chá")) == ' aroma="mel" n="2"'

    def test_content_is_written_without_the_tags_around_it(self) -> None:
        assert content_xml(LINE) == "<nome>Café</nome>"

    def test_equal_moments_keep_their_own_zones(self) -> None:
        here = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=-3)))
        there = here.astimezone(UTC)
        assert here == there
        assert content_xml(Order(id="P1", placed_at=here)) == "<dhPedido>2026-11-30T23:30:00-03:00</dhPedido>"
        assert (
            content_xml(Order(id="P1", placed_at=there)) == "<dhPedido>2026-12-01T02:30:00+00:00</dhPedido>"
        )

    def test_equal_numbers_are_written_alike(self) -> None:
        for value in ("2.5", "2.50", "25E-1", "2.5000"):
            assert content_xml(ByWeight(weight=Decimal(value))) == "<peso>2.500</peso>"

    def test_group_is_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            LINE.name = "Chá"  # type: ignore[misc]

    def test_group_takes_no_positional_values(self) -> None:
        with pytest.raises(TypeError):
            Line(1, "mel", "Chá")  # type: ignore[call-arg]


class TestProblems:
    def test_writable_group_has_no_problems(self) -> None:
        assert list(unwritable_values(WHOLE)) == []

    def test_all_problems_are_reported_with_the_path_of_the_field(self) -> None:
        wrong = dataclasses.replace(
            WHOLE,
            notes=("frágil", "longa demais", " "),
            buyer=Address(street=" ", phone="1133334444"),
            lines=(LINE, Line(position=2, name="🎉", price=Decimal("0.001"))),
            shipping=ByWeight(weight=Decimal("NaN")),
            packing=BySlot(slot="comprido"),
        )
        assert {problem.path: problem.message for problem in unwritable_values(wrong)} == {
            "notes[1]": "O campo tem mais de 10 caracteres.",
            "notes[2]": "O campo está vazio.",
            "buyer.address.street": "O campo está vazio.",
            "lines[1].name": "O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389).",
            "lines[1].unitPrice": "O campo tem mais casas decimais do que as 2 permitidas: “0.001”.",
            "shipping.weight": "O campo não é um número.",
            "slot": "O campo tem mais de 5 caracteres.",
        }

    def test_problems_have_the_path_of_the_group_before_their_own(self) -> None:
        (problem,) = unwritable_values(Line(position=1, name=""), "items[7]")
        assert (problem.code, problem.path, problem.source) == ("225", "items[7].name", "XSD, elemento nome")

    def test_empty_group_in_a_list_is_reported_at_its_place(self) -> None:
        (problem,) = unwritable_values(Order(id="P1", wishes=(Wish(colour="azul"), Wish(words=()))), "order")
        assert (problem.code, problem.path) == ("225", "order.wishes[1]")
        assert (problem.message, problem.source) == ("O campo está vazio.", "XSD, elemento outro")

    def test_empty_group_outside_a_list_is_no_problem(self) -> None:
        assert list(unwritable_values(Order(id="P1", wish=Wish()))) == []

    def test_problem_of_a_text_in_nested_lists_has_both_positions(self) -> None:
        wishes = (Wish(words=("a",)), Wish(words=("a", "b", "longa demais")))
        (problem,) = unwritable_values(Order(id="P1", wishes=wishes))
        assert problem.path == "wishes[1].words[2]"

    @pytest.mark.parametrize("path", ["", "items[7]"])
    def test_problem_may_be_at_the_top_of_the_callers_json(self, path: str) -> None:
        order = Order(id="P1", sums=Sums(tip=Tip(amount=Decimal("0.001"))))
        assert [problem.path for problem in unwritable_values(order, path)] == ["tip.amount"]

    @pytest.mark.parametrize("flavour", ["", "\x00", "a & b longe", "x" * 11])
    def test_problem_of_an_attribute_is_reported(self, flavour: str) -> None:
        (problem,) = unwritable_values(Line(position=1, flavour=flavour, name="Chá"))
        assert problem.path == "flavour"

    def test_moment_without_zone_is_reported(self) -> None:
        naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the value to be refused
        (problem,) = unwritable_values(Order(id="P1", placed_at=naive))
        assert (problem.path, problem.message) == ("placedAt", "O campo não tem fuso horário.")


class TestLocating:
    @pytest.mark.parametrize(
        ("steps", "path"),
        [
            ([], ""),
            ([("quantos", 0)], "count"),
            ([("nota", 1)], "notes[1]"),
            ([("dest", 0)], "buyer"),
            ([("dest", 0), ("rua", 0)], "buyer.address.street"),
            ([("linha", 4), ("preco", 0)], "lines[4].unitPrice"),
            ([("linha", 4), ("n", 0)], "lines[4]"),
            ([("envio", 0), ("porPeso", 0), ("peso", 0)], "shipping.weight"),
            ([("porCanal", 0), ("canal", 0)], "slot"),
            ([("linha", 2), ("desconhecido", 0), ("mais", 0)], "lines[2]"),
            ([("desconhecido", 0)], ""),
            ([("outro", 1), ("palavra", 2)], "wishes[1].words[2]"),
            ([("soma", 0)], "sums"),
            ([("soma", 0), ("gorjeta", 0)], "tip"),
            ([("soma", 0), ("gorjeta", 0), ("valor", 0)], "tip.amount"),
        ],
    )
    def test_path_follows_the_elements_down_to_the_field(
        self, steps: list[tuple[str, int]], path: str
    ) -> None:
        assert path_of_tags(Order, steps) == path

    def test_groups_of_a_field_are_listed(self) -> None:
        groups = groups_in(Order)
        assert groups["shipping"] == (BySlot, ByWeight)
        assert groups["lines"] == (Line,)
        assert groups["count"] == ()

    def test_fields_of_a_group_are_selected_by_name(self) -> None:
        line: Any = Line
        nothing: Any = type(None)
        assert fields_among(line, ("price", "weight", "name")) == ("price", "name")
        assert fields_among(nothing, ("price",)) == ()

    def test_layout_has_the_longest_text_and_the_decimals_of_a_number(self) -> None:
        elements = layout_of(Line).elements
        assert (elements["name"].limit, elements["price"].limit) == (10, 2)
