"""Declared groups: what they write, what they refuse, and the way back from an element to a field."""

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.paths import groups_in, locate, problems
from carimbo.fiscal.layouts.records import attributes, content, fields_among, with_kept_text, written
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
    def test_puts_everything_in_the_declared_order(self) -> None:
        assert written(WHOLE) == (
            '<pedido Id="P1" versao="1.00"><quantos>3</quantos><dhPedido>2026-11-14T10:00:00-03:00</dhPedido>'
            "<dPrazo>2026-12-01</dPrazo><nota>frágil</nota><nota>a &amp; b</nota>"
            "<dest><rua>Rua 1</rua><fone>1133334444</fone></dest>"
            '<linha aroma="puro" n="1"><nome>Café</nome></linha>'
            '<linha aroma="&quot;x&quot;" n="2"><nome>Chá</nome><preco>2.50</preco></linha>'
            "<envio><porPeso><peso>1.500</peso></porPeso></envio><porCanal><canal>A</canal></porCanal></pedido>"
        )

    def test_leaves_out_what_has_no_value(self) -> None:
        assert written(LINE) == '<linha aroma="puro" n="1"><nome>Café</nome></linha>'

    def test_makes_no_empty_element(self) -> None:
        assert written(Wish()) == ""
        assert written(Order(id="P1", wish=Wish(), count=1)) == (
            '<pedido Id="P1" versao="1.00"><quantos>1</quantos></pedido>'
        )

    def test_refuses_an_empty_group_in_a_list(self) -> None:
        with pytest.raises(Unwritable, match="está vazio"):
            written(Order(id="P1", wishes=(Wish(colour="azul"), Wish())))

    def test_takes_the_tag_of_the_place(self) -> None:
        assert written(Address(street="Rua 1"), "emit") == "<emit><rua>Rua 1</rua></emit>"

    def test_sorts_attributes_as_c14n_does(self) -> None:
        assert attributes(Line(position=2, flavour="mel", name="Chá")) == ' aroma="mel" n="2"'

    def test_gives_the_content_without_tags(self) -> None:
        assert content(LINE) == "<nome>Café</nome>"

    def test_keeps_the_zone_of_each_of_two_equal_moments(self) -> None:
        here = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=-3)))
        there = here.astimezone(UTC)
        assert here == there
        assert content(Order(id="P1", placed_at=here)) == "<dhPedido>2026-11-30T23:30:00-03:00</dhPedido>"
        assert content(Order(id="P1", placed_at=there)) == "<dhPedido>2026-12-01T02:30:00+00:00</dhPedido>"

    def test_writes_the_same_number_alike_however_it_was_given(self) -> None:
        for value in ("2.5", "2.50", "25E-1", "2.5000"):
            assert content(ByWeight(weight=Decimal(value))) == "<peso>2.500</peso>"

    def test_writes_a_group_whose_text_is_kept_as_any_other(self) -> None:
        kept = with_kept_text(Line(position=1, name="Café"))
        assert kept == LINE
        assert content(Order(id="P1", lines=(kept,))) == content(Order(id="P1", lines=(LINE,)))
        assert written(kept, "brinde") == written(LINE, "brinde")
        changed = dataclasses.replace(kept, name="Chá")
        assert written(changed) == written(Line(position=1, name="Chá"))

    def test_is_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            LINE.name = "Chá"  # type: ignore[misc]

    def test_takes_no_positional_values(self) -> None:
        with pytest.raises(TypeError):
            Line(1, "mel", "Chá")  # type: ignore[call-arg]


class TestProblems:
    def test_are_none_when_all_can_be_written(self) -> None:
        assert list(problems(WHOLE)) == []

    def test_are_all_told_with_the_path_of_the_field(self) -> None:
        wrong = dataclasses.replace(
            WHOLE,
            notes=("frágil", "longa demais", " "),
            buyer=Address(street=" ", phone="1133334444"),
            lines=(LINE, Line(position=2, name="🎉", price=Decimal("0.001"))),
            shipping=ByWeight(weight=Decimal("NaN")),
            packing=BySlot(slot="comprido"),
        )
        assert {problem.path: problem.message for problem in problems(wrong)} == {
            "notes[1]": "O campo tem mais de 10 caracteres.",
            "notes[2]": "O campo está vazio.",
            "buyer.address.street": "O campo está vazio.",
            "lines[1].name": "O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389).",
            "lines[1].unitPrice": "O campo tem mais casas decimais do que as 2 permitidas: “0.001”.",
            "shipping.weight": "O campo não é um número.",
            "slot": "O campo tem mais de 5 caracteres.",
        }

    def test_stand_under_the_path_that_leads_to_the_group(self) -> None:
        (problem,) = problems(Line(position=1, name=""), "items[7]")
        assert (problem.code, problem.path, problem.source) == ("225", "items[7].name", "XSD, elemento nome")

    def test_of_an_empty_group_in_a_list_are_told_at_its_place(self) -> None:
        (problem,) = problems(Order(id="P1", wishes=(Wish(colour="azul"), Wish(words=()))), "order")
        assert (problem.code, problem.path) == ("225", "order.wishes[1]")
        assert (problem.message, problem.source) == ("O campo está vazio.", "XSD, elemento outro")

    def test_are_none_for_an_empty_group_that_is_not_in_a_list(self) -> None:
        assert list(problems(Order(id="P1", wish=Wish()))) == []

    def test_of_texts_in_a_list_are_told_at_both_places(self) -> None:
        wishes = (Wish(words=("a",)), Wish(words=("a", "b", "longa demais")))
        (problem,) = problems(Order(id="P1", wishes=wishes))
        assert problem.path == "wishes[1].words[2]"

    @pytest.mark.parametrize("path", ["", "items[7]"])
    def test_may_stand_at_the_top_of_the_callers_json(self, path: str) -> None:
        order = Order(id="P1", sums=Sums(tip=Tip(amount=Decimal("0.001"))))
        assert [problem.path for problem in problems(order, path)] == ["tip.amount"]

    @pytest.mark.parametrize("flavour", ["", "\x00", "a & b longe", "x" * 11])
    def test_of_an_attribute_are_told_too(self, flavour: str) -> None:
        (problem,) = problems(Line(position=1, flavour=flavour, name="Chá"))
        assert problem.path == "flavour"

    def test_of_a_moment_without_zone_are_told(self) -> None:
        naive = datetime(2026, 1, 1)  # noqa: DTZ001 - what is to be refused
        (problem,) = problems(Order(id="P1", placed_at=naive))
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
    def test_follows_the_elements_down_to_the_field(self, steps: list[tuple[str, int]], path: str) -> None:
        assert locate(Order, steps) == path

    def test_knows_the_groups_that_a_field_may_hold(self) -> None:
        found = groups_in(Order)
        assert found["shipping"] == (BySlot, ByWeight)
        assert found["lines"] == (Line,)
        assert found["count"] == ()

    def test_knows_which_of_some_names_a_group_has(self) -> None:
        line: Any = Line
        nothing: Any = type(None)
        assert fields_among(line, ("price", "weight", "name")) == ("price", "name")
        assert fields_among(nothing, ("price",)) == ()

    def test_knows_the_longest_text_and_the_places_of_a_number(self) -> None:
        elements = layout_of(Line).elements
        assert (elements["name"].limit, elements["price"].limit) == (10, 2)
