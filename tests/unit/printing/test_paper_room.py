"""Everything has room on paper, however much it is: nothing over another text or a line, nothing cut off."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import pytest

from carimbo.printing.canvas import Canvas
from carimbo.printing.typeface import typeface_of
from pdf_reading import Rule, codes_of, drawn_rules_of, rules_of, sizes_of
from unit.printing.extremes import (
    FULL,
    IDENTITIES,
    KEY,
    MARK,
    Filling,
    full_invoice,
    full_note,
    full_receipt,
    in_other_letters,
    of_one_word,
    of_words,
    with_items,
)
from unit.printing.paper import (
    LAYOUTS,
    LETTERS,
    MOC,
    NAMES,
    NT,
    ROLL_58,
    ROLL_80,
    V2,
    Layout,
    Printed,
    codes_told_in,
    example,
    in_production,
    printed,
    printed_example,
)
from unit.printing.pictures import png
from unit.printing.room import crossed, off_the_page, overlapping

# What no program shows is beyond it (ISO 32000-1, C.2).
LONGEST_PAGE = 14_400


class Extreme(NamedTuple):
    """How many of some elements a document has, and how many pages of A4 it may take."""

    counts: dict[str, int]
    least: int
    most: int

    def __str__(self) -> str:
        return " ".join(f"{count} {tag}" for tag, count in self.counts.items())


EXTREMES = [
    Extreme({"dup": 120}, 3, 8),
    Extreme({"rastro": 500}, 10, 30),
    Extreme({"vol": 90}, 4, 10),
    Extreme({"lacres": 150}, 3, 10),
    Extreme({"NFref": 200}, 3, 8),
    Extreme({"procRef": 100, "obsCont": 10, "obsFisco": 10}, 3, 10),
    Extreme({"arma": 100}, 5, 20),
]
on_a4 = pytest.mark.parametrize("layout", [MOC, NT], ids=lambda layout: layout.name)
on_a_roll = pytest.mark.parametrize("layout", [ROLL_80, ROLL_58], ids=lambda layout: layout.name)


def assert_room(paper: Printed) -> None:
    assert off_the_page(paper.pdf) == []
    assert overlapping(paper.pdf) == []
    assert crossed(paper.pdf) == []


def assert_all_of_it(paper: Printed) -> None:
    assert_room(paper)
    assert paper.lacks(paper.layout.wanted(paper.leaves)) == []


class TestDanfe:
    @on_a4
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_has_room_for_the_longest_texts(self, text: Callable[[str, int], str], layout: Layout) -> None:
        paper = printed(layout, full_invoice(Filling(text)))
        assert_all_of_it(paper)
        assert 10 <= paper.pages <= 35

    @pytest.mark.parametrize("extreme", EXTREMES, ids=str)
    def test_has_room_for_all(self, extreme: Extreme) -> None:
        paper = printed(NT, full_invoice(Filling(of_words, {"det": 1, **extreme.counts})))
        assert_all_of_it(paper)
        assert extreme.least <= paper.pages <= extreme.most

    @on_a4
    @pytest.mark.parametrize(("number", "least", "most"), [(1, 1, 1), (2, 1, 1), (3, 1, 1), (50, 2, 3)])
    def test_has_room_for_items(self, number: int, least: int, most: int, layout: Layout) -> None:
        paper = printed(layout, in_production(with_items("nfe", "fifty-items", number)))
        assert_all_of_it(paper)
        assert least <= paper.pages <= most

    def test_has_room_for_the_most_items(self) -> None:
        paper = printed(NT, in_production(with_items("nfe", "fifty-items", 990)))
        assert_room(paper)
        assert 15 <= paper.pages <= 40

    @on_a4
    def test_has_room_for_the_letters_of_the_whole_world(self, layout: Layout) -> None:
        paper = printed(layout, in_other_letters(full_invoice(Filling(of_words))))
        assert_room(paper)
        assert "Ωμέγα Ёлка" in paper.drawn


class TestReceipt:
    @on_a_roll
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_has_room_for_the_longest_texts(self, text: Callable[[str, int], str], layout: Layout) -> None:
        paper = printed(layout, full_receipt(Filling(text)))
        assert_all_of_it(paper)
        assert paper.pages == 1

    @on_a_roll
    def test_has_room_for_all_payments(self, layout: Layout) -> None:
        assert_all_of_it(printed(layout, full_receipt(Filling(of_words, {"detPag": 100}))))

    @on_a_roll
    @pytest.mark.parametrize("number", [1, 2, 3, 50])
    def test_has_room_for_items_on_one_page(self, number: int, layout: Layout) -> None:
        paper = printed(layout, in_production(with_items("nfce", "discount", number)))
        assert_all_of_it(paper)
        assert paper.pages == 1

    @on_a_roll
    def test_of_the_most_items_is_cut_before_it_is_longer_than_a_page_may_be(self, layout: Layout) -> None:
        paper = printed(layout, in_production(with_items("nfce", "discount", 990)))
        assert_room(paper)
        assert max(size.height for size in sizes_of(paper.pdf)) <= LONGEST_PAGE

    @on_a_roll
    def test_has_room_for_the_letters_of_the_whole_world(self, layout: Layout) -> None:
        assert_room(printed(layout, in_other_letters(full_receipt(Filling(of_words)))))


class TestDanfse:
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    @pytest.mark.parametrize("identity", IDENTITIES)
    def test_has_room_for_the_longest_texts(self, text: Callable[[str, int], str], identity: str) -> None:
        paper = printed(V2, full_note(Filling(text, identity=identity)))
        assert_all_of_it(paper)
        assert 2 <= paper.pages <= 4

    def test_has_room_for_all_items_of_an_order(self) -> None:
        paper = printed(V2, full_note(Filling(of_words, {"xItemPed": 99})))
        assert_all_of_it(paper)
        assert 2 <= paper.pages <= 4

    def test_of_every_example_takes_one_sheet(self) -> None:
        longer = {}
        for name in NAMES["nfse"]:
            paper = printed(V2, in_production(example("nfse", name)))
            if paper.pages != 1 or off_the_page(paper.pdf):
                longer[name] = paper.pages
        assert longer == {}

    def test_has_room_for_the_letters_of_the_whole_world(self) -> None:
        paper = printed(V2, in_other_letters(full_note(Filling(of_words))))
        assert_room(paper)
        assert "Ωμέγα Ёлка" in paper.drawn


class TestAnyPaper:
    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_of_every_third_example_has_room_under_its_marks_too(self, layout: Layout) -> None:
        names = sorted(set(NAMES[layout.type]) - {"most-items"})[::3]
        papers = {name: printed(layout, example(layout.type, name), is_canceled=True) for name in names}
        faults = {name: overlapping(paper.pdf) for name, paper in papers.items()}
        assert {name: found for name, found in faults.items() if found} == {}

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    @pytest.mark.parametrize("shape", [(800, 40), (40, 400), (800, 400)])
    def test_with_a_logo_has_room_for_the_longest_texts_beside_it(
        self, shape: tuple[int, int], layout: Layout
    ) -> None:
        xml = FULL[layout.type](Filling(of_one_word, {"det": 1}))
        paper = printed(layout, xml, logo=png(*shape))
        assert_all_of_it(paper)

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    @pytest.mark.parametrize("identity", IDENTITIES[1:])
    def test_has_room_for_whichever_identity_a_party_has(self, identity: str, layout: Layout) -> None:
        filling = Filling(of_words, {"det": 1}, identity)
        assert_all_of_it(printed(layout, FULL[layout.type](filling)))

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_leaves_room_around_its_codes(self, layout: Layout) -> None:
        paper = printed(layout, FULL[layout.type](Filling(of_one_word, {"det": 1})))
        assert codes_of(paper.pdf) == codes_told_in(paper.xml)


class TestRoom:
    """The measures themselves: what is wrong is found."""

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_is_measured_by_the_lines_that_another_program_draws(self, layout: Layout) -> None:
        pdf = printed_example(layout, LETTERS[layout.type]).pdf
        written = [rule for rule in drawn_rules_of(pdf) if rule.page == 0]
        assert rounded(written) == rounded(rules_of(pdf, 0))

    def test_lacks_for_a_word_over_another(self) -> None:
        canvas = _page()
        canvas.text(10, 20, "debaixo", 9)
        canvas.text(15, 21, "acima", 9)
        ((under, over),) = overlapping(canvas.finished())
        assert (under.text, over.text) == ("debaixo", "acima")

    def test_is_enough_for_lines_below_each_other(self) -> None:
        canvas = _page()
        canvas.text(10, 20, "Ç primeira linha", 9)
        canvas.text(10, 23.3, "Á segunda linha", 9)
        assert overlapping(canvas.finished()) == []

    def test_lacks_for_a_word_that_leaves_the_page(self) -> None:
        canvas = _page()
        canvas.text(95, 20, "comprida", 9)
        assert len(off_the_page(canvas.finished())) == 1

    def test_lacks_for_a_word_that_leaves_its_box(self) -> None:
        canvas = _page()
        canvas.box(10, 10, 20, 10)
        canvas.text(12, 15, "dentro", 9)
        canvas.text(25, 15, "fora", 9)
        canvas.text(12, 20.5, "abaixo", 9)
        assert {word.text for word, _ in crossed(canvas.finished())} == {"fora", "abaixo"}


class TestFilling:
    """The extreme documents are as extreme as they are meant to be."""

    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_makes_texts_of_exactly_their_limit(self, text: Callable[[str, int], str]) -> None:
        for limit in (15, 20, 60, 120, 5000):
            assert len(text(f"{MARK}1234]", limit)) == limit

    def test_has_no_place_to_break_a_text_that_is_one_word(self) -> None:
        assert " " not in of_one_word(MARK, 5000)

    def test_has_a_key_with_letters(self) -> None:
        assert not KEY.isdigit()


def rounded(rules: Iterable[Rule]) -> set[tuple[float, ...]]:
    return {tuple(round(place, 2) for place in rule) for rule in rules}


def _page() -> Canvas:
    canvas = Canvas(typeface_of(None), "Medida")
    canvas.add_page(100, 100)
    return canvas
