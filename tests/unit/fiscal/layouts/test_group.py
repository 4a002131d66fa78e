"""Declared groups: what they write, what they refuse, and the way back from an element to a field."""

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.field_messages import in_portuguese, json_path
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.group import (
    INLINE,
    attribute,
    attributes,
    child,
    children,
    content,
    day,
    decimal,
    fields_among,
    group,
    integer,
    layout_of,
    moment,
    text,
    texts,
    variant,
    with_kept_text,
    written,
)
from carimbo.fiscal.layouts.paths import groups_in, locate, problems


@group("porCanal")
class BySlot:
    """One way to ship."""

    slot: str = text("canal", 5)


@group("porPeso")
class ByWeight:
    """Another way to ship."""

    weight: Decimal = decimal("peso", 3)


@group("linha")
class Line:
    """A line of an order."""

    position: int = attribute("n", 3, path=INLINE)
    flavour: str = attribute("aroma", 10, default="puro")
    name: str = text("nome", 10)
    price: Decimal | None = decimal("preco", path="unitPrice", default=None)


@group("endereco")
class Address:
    """Where an order goes."""

    street: str = text("rua", 20, path="address.street")
    phone: str | None = text("fone", 14, default=None)


@group("desejo")
class Wish:
    """What may be said, or not at all."""

    colour: str | None = text("cor", 10, default=None)
    words: tuple[str, ...] = texts("palavra", 10, 5, default=())


@group("gorjeta")
class Tip:
    """What the buyer gives at the top of the JSON, and the layout writes further down."""

    amount: Decimal = decimal("valor")


@group("soma")
class Sums:
    """What an order amounts to."""

    tip: Tip | None = child("gorjeta", path="/tip", default=None)


@group("pedido")
class Order:
    """An order, with every kind of element."""

    id: str = attribute("Id", 47)
    version: str = attribute("versao", 4, default="1.00")
    count: int | None = integer("quantos", default=None)
    placed_at: datetime | None = moment("dhPedido", default=None)
    due_date: date | None = day("dPrazo", default=None)
    notes: tuple[str, ...] = texts("nota", 10, 5, default=())
    buyer: Address | None = child("dest", default=None)
    wish: Wish | None = child("desejo", default=None)
    lines: tuple[Line, ...] = children("linha", 3, default=())
    wishes: tuple[Wish, ...] = children("outro", 2, default=())
    sums: Sums | None = child("soma", default=None)
    shipping: BySlot | ByWeight | None = variant("envio", default=None)
    packing: BySlot | ByWeight | None = variant(path=INLINE, default=None)


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
    def test_takes_the_names_that_paths_tell(self) -> None:
        made = TypeAdapter(Order).validate_python(ORDER_JSON)
        assert made.lines == (Line(position=1, flavour="mel", name="Chá", price=Decimal("2.5")),)
        assert made.placed_at == datetime(2026, 11, 14, 13, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("count", "3", "Deve ser um número inteiro."),
            ("count", 3.5, "Deve ser um número inteiro."),
            ("count", True, "Deve ser um número inteiro."),
            ("placedAt", 1_700_000_000, "Deve ser um texto com a data no formato ISO 8601."),
            ("placedAt", "2026-11-14T10:00:00", "A data e hora deve trazer o fuso horário."),
            ("dueDate", 20_000, "Deve ser um texto com a data no formato ISO 8601."),
            ("dueDate", "01/12/2026", "Deve ser uma data no formato AAAA-MM-DD."),
            ("id", 7, "Deve ser um texto."),
            ("colour", "azul", "Campo desconhecido."),
            ("lines", "Chá", "Deve ser uma lista."),
        ],
    )
    def test_refuses_another_json_type_in_portuguese(self, field: str, value: Any, message: str) -> None:
        assert errors(**{field: value}) == {field: message}

    @pytest.mark.parametrize("value", ["2.5", True, [2.5]])
    def test_takes_only_a_number_for_a_number(self, value: Any) -> None:
        assert errors(lines=[{"position": 1, "name": "Chá", "unitPrice": value}]) == {
            "lines[0].unitPrice": "Deve ser um número."
        }

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("-Infinity")])
    def test_takes_only_finite_numbers(self, value: Any) -> None:
        assert errors(lines=[{"position": 1, "name": "Chá", "unitPrice": value}]) == {
            "lines[0].unitPrice": "Deve ser um número finito."
        }

    def test_refuses_the_official_and_the_python_name(self) -> None:
        found = errors(lines=[{"position": 1, "nome": "Chá", "price": 2, "name": "Chá"}])
        assert found == {"lines[0].nome": "Campo desconhecido.", "lines[0].price": "Campo desconhecido."}

    @pytest.mark.parametrize(
        ("field", "value", "most"),
        [
            ("lines", [{"position": 1, "name": "Chá"}] * 4, 3),
            ("wishes", [{"colour": "azul"}] * 3, 2),
            ("notes", ["a"] * 6, 5),
        ],
    )
    def test_refuses_more_than_the_layout_has_places_for(self, field: str, value: Any, most: int) -> None:
        assert errors(**{field: value}) == {field: f"Deve ter no máximo {most} itens."}
        full = TypeAdapter(Order).validate_python(ORDER_JSON | {field: value[:most]})
        assert len(getattr(full, field)) == most

    def test_asks_for_what_must_be_there(self) -> None:
        assert errors(lines=[{"position": 1}]) == {"lines[0].name": "Campo obrigatório."}

    def test_refuses_what_is_no_object(self) -> None:
        assert errors(buyer="Rua 1") == {"buyer": "Deve ser um objeto JSON."}
