"""Every value of every example that must be printed is there, in the form of the tables."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import pytest

from nfe_answers import PROTOCOL, alone, note_protocol
from nfe_dialect import authorized_invoice
from unit.golden_documents import ask_all
from unit.printing.extremes import FULL, IDENTITIES, Filling, of_words
from unit.printing.paper import (
    DACTE,
    DACTE_OS,
    DAMDFE,
    DANFE,
    DANFSE,
    LAYOUTS,
    MOC,
    NAMES,
    NT,
    RECEIPT,
    ROLL_80,
    SCANNED,
    Layout,
    Printed,
    example,
    expected_codes,
    numbers_in,
    printed,
    printed_example,
    without_spaces,
)
from unit.printing.paper_values import ABSENT, ExpectedText, Table, leaves_of
from unit.printing.room import room_faults

ITEM = "infNFe/det/"
# The text after the items on the sheet or roll where they end.
AFTER_ITEMS = re.compile("DADOS ADICIONAIS|Qtde. total de itens")
BEGINNING = 6
# 990 items are slow to print. The fifty of other examples take several sheets in both layouts.
CHECKED_IN_THE_OTHER_LAYOUT = {(NT, "most-items")}


class TestTable:
    @pytest.mark.parametrize(
        ("document_type", "table"),
        [
            ("nfe", DANFE),
            ("nfce", RECEIPT),
            ("nfse", DANFSE),
            ("cte", DACTE),
            ("cteOs", DACTE_OS),
            ("mdfe", DAMDFE),
        ],
    )
    def test_table_lists_exactly_the_paths_of_documents(self, document_type: str, table: Table) -> None:
        full = [FULL[document_type](Filling(of_words, identity=identity)) for identity in IDENTITIES]
        documents = [example(document_type, name) for name in NAMES[document_type]] + full
        paths = {leaf.path for xml in documents for leaf in leaves_of(xml)}
        assert {table.row(path).path for path in paths} == {row.path for row in table.rows}

    @pytest.mark.parametrize("table", [DANFE, RECEIPT, DANFSE, DACTE, DACTE_OS, DAMDFE])
    def test_table_gives_a_reason_for_every_value_that_is_not_printed(self, table: Table) -> None:
        for row in table.rows:
            assert bool(row.reason) == (ABSENT in row.cells.values()), row.path


def holds_every_value(paper: Printed) -> None:
    assert paper.lacks(paper.expected) == []


def holds_every_number_as_often_as_the_document_has_it(paper: Printed) -> None:
    assert numbers_of(paper.expected) - paper.numbers == Counter()


def holds_the_numbers_of_each_item_between_it_and_the_next_one(paper: Printed) -> None:
    items = items_of(paper)
    parts = zip(items, item_parts(paper, items), strict=True)
    lacking = [(part, numbers_of(item.expected) - numbers_in(part)) for item, part in parts]
    assert [(part, numbers) for part, numbers in lacking if numbers] == []


def has_room_for_everything(paper: Printed) -> None:
    assert room_faults(paper.pdf) == {}


def takes_no_more_pages_than_it_needs(paper: Printed) -> None:
    """An offline receipt has two copies; a sheet has room for twenty items or fifty documents.

    A CT-e with every block and documents of earlier carriers takes a second sheet, and so does an MDF-e with
    several payments; tickets and the keys of an MDF-e are short.
    """
    copies = 2 if paper.layout.type == "nfce" and b"<tpEmis>9<" in paper.xml else 1
    documents = paper.xml.count(b"<infNFe><chave>") // 50 + paper.xml.count(b"<docAnt>")
    documents += paper.xml.count(b"<infDocRef>") // 120 + paper.xml.count(b"<chCTe>") // 100
    documents += paper.xml.count(b"<infPag>") // 3
    assert copies <= paper.pages <= copies + len(items_of(paper)) // 20 + documents


def has_its_codes_on_every_page(paper: Printed) -> None:
    expected = expected_codes(paper.xml)
    assert {code.text for code in paper.codes} == expected
    assert len(paper.codes) == paper.pages * len(expected)


def has_a_code_of_a_size_that_is_read_from_paper_elsewhere(paper: Printed) -> None:
    sizes = {(code.width, code.height) for code in paper.codes}
    assert sizes <= scanned_sizes(paper.layout)


CHECKS: tuple[Callable[[Printed], None], ...] = (
    holds_every_value,
    holds_every_number_as_often_as_the_document_has_it,
    holds_the_numbers_of_each_item_between_it_and_the_next_one,
    has_room_for_everything,
    takes_no_more_pages_than_it_needs,
    has_its_codes_on_every_page,
    has_a_code_of_a_size_that_is_read_from_paper_elsewhere,
)


@cache
def scanned_sizes(layout: Layout) -> set[tuple[int, int]]:
    """Returns the widths and heights of the codes that `test_paper_codes.py` reads from paper."""
    papers = [printed_example(layout, name) for name in SCANNED[layout.type]]
    return {(code.width, code.height) for paper in papers for code in paper.codes}


def numbers_of(expected: Iterable[ExpectedText]) -> Counter[str]:
    return Counter(text.text for text in expected if text.is_number)


class Item(NamedTuple):
    texts: dict[str, str]
    """Values by the path within the item."""
    expected: list[ExpectedText]


def items_of(paper: Printed) -> list[Item]:
    """Returns the items of a document, none for a document without goods."""
    items: list[Item] = []
    for leaf, expected in paper.values:
        if leaf.path == f"{ITEM}@nItem":
            items.append(Item({}, []))
        if leaf.path.startswith(ITEM):
            items[-1].texts[leaf.path.removeprefix(ITEM)] = leaf.text
            items[-1].expected.extend(expected)
    return items


def item_parts(paper: Printed, items: Iterable[Item]) -> Iterator[str]:
    """Yields the printed text of each item, located by the beginnings of code and description."""
    text, starts = paper.drawn, [0]
    for item in items:
        code, description = (_beginning(item.texts[f"prod/{tag}"]) for tag in ("cProd", "xProd"))
        match = re.compile(f"(?ms)^{code}(?=.{{0,200}}?{description})").search(text, starts[-1])
        assert match, f"item {item.texts['@nItem']} is not below the one before it"
        starts.append(match.end())
    end = AFTER_ITEMS.search(text, starts[-1]) if paper.pages == 1 else None
    ends = [*starts[2:], end.start() if end else len(text)]
    yield from (text[start:stop] for start, stop in zip(starts[1:], ends, strict=False))


def _beginning(text: str) -> str:
    return r"\s*".join(map(re.escape, without_spaces(text)[:BEGINNING]))


class TestPaper:
    @pytest.mark.parametrize(
        ("layout", "name"),
        [
            pytest.param(layout, name, id=f"{layout.name} {name}")
            for layout in LAYOUTS
            for name in NAMES[layout.type]
            if (layout, name) not in CHECKED_IN_THE_OTHER_LAYOUT
        ],
    )
    def test_print_of_every_example_passes_all_checks(self, layout: Layout, name: str) -> None:
        ask_all(f"{layout.name} {name}", printed_example(layout, name), CHECKS)

    @pytest.mark.parametrize("layout", [MOC, NT, ROLL_80])
    def test_print_of_an_authorized_document_has_its_protocol_and_time(self, layout: Layout) -> None:
        protocol = alone(note_protocol("100", "Autorizado o uso da NF-e"))
        signed = example(layout.type, NAMES[layout.type][0])
        text = without_spaces(printed(layout, authorized_invoice(signed, protocol)).drawn)
        assert PROTOCOL in text
        assert "15/11/202609:30:00" in text
        assert "PENDENTE" not in text.upper()
