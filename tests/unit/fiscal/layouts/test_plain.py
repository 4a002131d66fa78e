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
from carimbo.fiscal.layouts.json_form import to_plain


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
    return to_plain(Branch(position=1, tax_class="000001", **values))  # type: ignore[arg-type]


class TestPlain:
    def test_plain_group_has_names_in_camel_case_or_those_of_the_callers_json(self) -> None:
        assert branch() == {"position": 1, "taxClassCode": "000001", "note": ""}

    def test_plain_group_keeps_numbers_and_dates(self) -> None:
        leaf = Leaf(unit_price=Decimal("0.10"), due_date=date(2026, 11, 14))
        assert to_plain(leaf) == {"unitPrice": Decimal("0.1"), "dueDate": date(2026, 11, 14)}

    def test_plain_group_keeps_a_zero(self) -> None:
        assert to_plain(Leaf(unit_price=Decimal(0))) == {"unitPrice": Decimal(0)}

    def test_plain_group_has_texts_as_in_the_document(self) -> None:
        assert to_plain(Leaf(name=" Pão  “de  queijo” ")) == {"name": 'Pão "de queijo"'}

    def test_plain_group_nests_groups_as_the_layout_does(self) -> None:
        named = Leaf(name="A")
        plain = branch(leaf=named, chosen=named, leaves=(named, named), marks=("x", "y"))
        assert plain["leaf"] == plain["chosen"] == {"name": "A"}
        assert plain["leaves"] == ({"name": "A"}, {"name": "A"})
        assert plain["marks"] == ("x", "y")

    def test_plain_group_includes_the_fields_of_inline_groups(self) -> None:
        assert branch(inline=Leaf(name="A"))["name"] == "A"

    def test_plain_group_names_a_field_at_the_top_of_the_json(self) -> None:
        assert branch(top=Leaf(name="A"))["aboveAll"] == {"name": "A"}

    def test_plain_group_leaves_out_groups_that_would_not_be_written(self) -> None:
        assert branch(leaf=Leaf(), inline=Leaf()) == branch()
