"""Groups as plain mappings: exact values, by the names of the caller's JSON."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import (
    INLINE,
    attribute,
    child,
    children,
    day,
    decimal,
    group,
    text,
    texts,
    variant,
)
from carimbo.fiscal.layouts.plain import plain


@group("a")
class Leaf:
    """A group with nothing but values."""

    unit_price: Decimal | None = decimal("vUn", 4, default=None)
    due_date: date | None = day("dVenc", default=None)
    name: str | None = text("xNome", 60, default=None)


@group("b")
class Branch:
    """A group of groups."""

    position: int = attribute("n", 3)
    tax_class: str = text("cClass", 6, path="taxClassCode")
    note: str = text("xObs", 60, default="", may_be_empty=True)
    leaf: Leaf | None = child("leaf", default=None)
    inline: Leaf | None = child("inline", path=INLINE, default=None)
    top: Leaf | None = child("top", path="/aboveAll", default=None)
    chosen: Leaf | None = variant("chosen", default=None)
    leaves: tuple[Leaf, ...] = children("leaves", 9, default=())
    marks: tuple[str, ...] = texts("mark", 9, 9, default=())


def branch(**values: object) -> dict[str, object]:
    return plain(Branch(position=1, tax_class="000001", **values))  # type: ignore[arg-type]


class TestPlain:
    def test_has_names_in_camel_case_or_those_of_the_callers_json(self) -> None:
        assert branch() == {"position": 1, "taxClassCode": "000001", "note": ""}

    def test_keeps_numbers_and_dates_as_they_are(self) -> None:
        leaf = Leaf(unit_price=Decimal("0.10"), due_date=date(2026, 11, 14))
        assert plain(leaf) == {"unitPrice": Decimal("0.1"), "dueDate": date(2026, 11, 14)}

    def test_keeps_a_zero(self) -> None:
        assert plain(Leaf(unit_price=Decimal(0))) == {"unitPrice": Decimal(0)}

    def test_has_texts_as_the_document_has_them(self) -> None:
        assert plain(Leaf(name=" Pão  “de  queijo” ")) == {"name": 'Pão "de queijo"'}

    def test_nests_groups_as_the_layout_does(self) -> None:
        named = Leaf(name="A")
        told = branch(leaf=named, chosen=named, leaves=(named, named), marks=("x", "y"))
        assert told["leaf"] == told["chosen"] == {"name": "A"}
        assert told["leaves"] == ({"name": "A"}, {"name": "A"})
        assert told["marks"] == ("x", "y")

    def test_joins_what_has_no_name_in_the_json(self) -> None:
        assert branch(inline=Leaf(name="A"))["name"] == "A"

    def test_names_a_field_from_the_top_where_it_stands(self) -> None:
        assert branch(top=Leaf(name="A"))["aboveAll"] == {"name": "A"}

    def test_leaves_out_groups_that_would_not_be_written(self) -> None:
        assert branch(leaf=Leaf(), inline=Leaf()) == branch()
