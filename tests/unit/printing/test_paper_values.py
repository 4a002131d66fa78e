"""Every value of every example that belongs on paper is there, in the form that the tables say."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from carimbo.fiscal.layouts.nfe_v4.messages import authorized_invoice
from nfe_answers import PROTOCOL, alone, note_protocol
from unit.printing.extremes import FULL, IDENTITIES, Filling, of_words
from unit.printing.paper import (
    DANFE,
    DANFSE,
    LAYOUTS,
    MOC,
    NAMES,
    NT,
    RECEIPT,
    ROLL_80,
    V2,
    Layout,
    Printed,
    example,
    numbers_in,
    printed,
    printed_example,
    without_spaces,
)
from unit.printing.paper_values import ABSENT, Leaf, Table, Wanted, leaves_of

ITEM = "infNFe/det/"
# What follows the items on the sheet or roll where they end.
AFTER_ITEMS = re.compile("DADOS ADICIONAIS|Qtde. total de itens")
BEGINNING = 6


def of_every_print(layouts: Sequence[Layout] = LAYOUTS) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("layout", "name"),
        [
            pytest.param(layout, name, id=f"{layout.name} {name}")
            for layout in layouts
            for name in NAMES[layout.type]
        ],
    )


class TestTable:
    @pytest.mark.parametrize(("kind", "table"), [("nfe", DANFE), ("nfce", RECEIPT), ("nfse", DANFSE)])
    def test_knows_every_path_that_documents_have_and_no_other(self, kind: str, table: Table) -> None:
        full = [FULL[kind](Filling(of_words, identity=identity)) for identity in IDENTITIES]
        documents = [example(kind, name) for name in NAMES[kind]] + full
        paths = {leaf.path for xml in documents for leaf in leaves_of(xml)}
        assert {table.row(path).path for path in paths} == {row.path for row in table.rows}

    @pytest.mark.parametrize("table", [DANFE, RECEIPT, DANFSE])
    def test_tells_of_every_value_that_is_not_on_paper_why(self, table: Table) -> None:
        for row in table.rows:
            assert bool(row.reason) == (ABSENT in row.cells.values()), row.path


class TestPaper:
    @of_every_print()
    def test_holds_every_value(self, layout: Layout, name: str) -> None:
        paper = printed_example(layout, name)
        assert paper.lacks(layout.wanted(paper.leaves)) == []

    @of_every_print()
    def test_holds_every_number_as_often_as_the_document_has_it(self, layout: Layout, name: str) -> None:
        paper = printed_example(layout, name)
        assert numbers_of(layout.wanted(paper.leaves)) - paper.numbers == Counter()

    @of_every_print([layout for layout in LAYOUTS if layout is not V2])
    def test_holds_the_numbers_of_each_item_between_it_and_the_next_one(
        self, layout: Layout, name: str
    ) -> None:
        paper = printed_example(layout, name)
        for leaves, part in zip(items_of(paper), item_parts(paper), strict=True):
            lacking = numbers_of(layout.wanted(leaves)) - numbers_in(part)
            assert lacking == Counter(), part

    @pytest.mark.parametrize("layout", [MOC, NT, ROLL_80])
    def test_of_an_authorized_document_holds_its_protocol_and_moment(self, layout: Layout) -> None:
        protocol = alone(note_protocol("100", "Autorizado o uso da NF-e"))
        signed = example(layout.type, NAMES[layout.type][0])
        text = without_spaces(printed(layout, authorized_invoice(signed, protocol)).drawn)
        assert PROTOCOL in text
        assert "15/11/202609:30:00" in text
        assert "PENDENTE" not in text.upper()


def numbers_of(wanted: Iterator[Wanted]) -> Counter[str]:
    return Counter(one.text for one in wanted if one.is_number)


def items_of(paper: Printed) -> list[list[Leaf]]:
    """The values of each item."""
    items: list[list[Leaf]] = []
    for leaf in paper.leaves:
        if leaf.path == f"{ITEM}@nItem":
            items.append([])
        if leaf.path.startswith(ITEM):
            items[-1].append(leaf)
    return items


def item_parts(paper: Printed) -> Iterator[str]:
    """The text of each item; they are found in their order, by the beginnings of code and description."""
    text, starts = paper.drawn, [0]
    for leaves in items_of(paper):
        told = {leaf.path.removeprefix(ITEM): leaf.text for leaf in leaves}
        code, description = (_beginning(told[f"prod/{tag}"]) for tag in ("cProd", "xProd"))
        found = re.compile(f"(?ms)^{code}(?=.{{0,200}}?{description})").search(text, starts[-1])
        assert found, f"item {told['@nItem']} is not below the one before it"
        starts.append(found.end())
    end = AFTER_ITEMS.search(text, starts[-1]) if paper.pages == 1 else None
    ends = [*starts[2:], end.start() if end else len(text)]
    yield from (text[start:stop] for start, stop in zip(starts[1:], ends, strict=True))


def _beginning(told: str) -> str:
    return r"\s*".join(map(re.escape, without_spaces(told)[:BEGINNING]))
