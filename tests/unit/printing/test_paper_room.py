"""Extreme documents fit on paper: no text overlaps another one or a line, and nothing is cut off."""

from collections.abc import Callable, Iterable

import pytest

from carimbo.fiscal.layouts.cte_v4.air import Air
from carimbo.fiscal.layouts.cte_v4.multimodal import Multimodal
from carimbo.fiscal.layouts.cte_v4.pipeline import Pipeline
from carimbo.fiscal.layouts.cte_v4.rail import Rail
from carimbo.fiscal.layouts.cte_v4.water import Water
from carimbo.fiscal.layouts.mdfe_v3.modes import ManifestAir, ManifestRail, ManifestWater
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.fiscal.printout import PaperSize
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.typeface import typeface_of
from pdf_reading import Rule, Word, codes_of, drawn_rules_of, rules_of, words_of
from unit.printing.extremes import (
    FULL,
    IDENTITIES,
    KEY,
    MARK,
    Filling,
    full_invoice,
    full_manifest,
    full_note,
    full_os_waybill,
    full_receipt,
    full_waybill,
    in_other_letters,
    of_one_word,
    of_words,
    with_items,
)
from unit.printing.paper import (
    LAYOUTS,
    LETTERS,
    MANIFEST,
    MOC,
    NT,
    OTHER_SERVICES,
    ROAD,
    ROLL_58,
    ROLL_80,
    V2,
    Layout,
    Printed,
    expected_codes,
    in_production,
    printed,
    printed_example,
)
from unit.printing.pictures import png
from unit.printing.room import crossed, off_the_page, overlapping, room_faults

# Groups that may be repeated many times, and the most A4 pages that they may take.
MANY = [
    ({"dup": 120, "rastro": 500, "vol": 90, "NFref": 200}, 45),
    ({"lacres": 150, "procRef": 100, "obsCont": 10, "obsFisco": 10, "arma": 100}, 35),
]
MANY_OF_A_WAYBILL = {
    "Comp": 60, "infQ": 40, "pass": 90, "ObsCont": 10, "ObsFisco": 10, "occ": 10, "veicNovos": 50,
    "infNFe": 100, "infUnidTransp": 4, "lacUnidTransp": 30, "emiDocAnt": 20, "idDocAntEle": 15,
}  # fmt: skip
MANY_OF_AN_OS_WAYBILL = {
    "Comp": 60, "infPercurso": 25, "ObsCont": 10, "ObsFisco": 10, "infDocRef": 200, "seg": 60, "infGTVe": 40,
}  # fmt: skip
MANY_OF_A_MANIFEST = {
    "infMunCarrega": 50, "infPercurso": 25, "infCIOT": 60, "disp": 60, "infContratante": 40, "infPag": 10,
    "Comp": 8, "infPrazo": 40, "condutor": 10, "lacRodo": 100, "infMunDescarga": 3, "infCTe": 12,
    "infUnidTransp": 2, "lacUnidTransp": 30, "peri": 5, "infNFe": 6, "seg": 6, "nAver": 60, "lacres": 90,
}  # fmt: skip
SHAPES = [(800, 40), (40, 400), (800, 400)]
# The printable width of a thermal roll in millimetres; the rest is cut off.
PRINTABLE = {PaperSize.ROLL_80: (80, 72), PaperSize.ROLL_58: (58, 48)}
WORLD_SAMPLE = "Ωμέγα Ёлка"
on_a4 = pytest.mark.parametrize("layout", [MOC, NT], ids=lambda layout: layout.name)
on_a_roll = pytest.mark.parametrize("layout", [ROLL_80, ROLL_58], ids=lambda layout: layout.name)


def assert_everything_is_printed_and_fits(paper: Printed) -> None:
    assert room_faults(paper.pdf) == {}
    assert paper.lacks(paper.expected) == []


def outside_of_the_printable_width(paper: Printed) -> list[Word]:
    width, printable = PRINTABLE[paper.layout.paper]
    left, right = (width - printable) / 2 / POINT - 0.1, (width + printable) / 2 / POINT + 0.1
    return [word for word in words_of(paper.pdf) if word.x0 < left or word.x1 > right]


class TestDanfe:
    @on_a4
    def test_danfe_has_room_for_the_longest_texts_in_items_of_all_kinds(self, layout: Layout) -> None:
        paper = printed(layout, full_invoice(Filling(of_words)))
        assert_everything_is_printed_and_fits(paper)
        assert 10 <= paper.pages <= 35
        assert f"FOLHA {paper.pages}/{paper.pages}" in paper.drawn

    @on_a4
    def test_danfe_has_room_for_the_longest_words(self, layout: Layout) -> None:
        paper = printed(layout, full_invoice(Filling(of_one_word, {"det": 3})))
        assert_everything_is_printed_and_fits(paper)
        assert 4 <= paper.pages <= 10
        # All sheets after the first begin with the same head.
        assert codes_of(paper.pdf, last_page=2) == expected_codes(paper.xml)

    @pytest.mark.parametrize(("counts", "most_pages"), MANY)
    def test_danfe_has_room_for_many_groups_of_each_kind(
        self, counts: dict[str, int], most_pages: int
    ) -> None:
        paper = printed(NT, full_invoice(Filling(of_words, {"det": 1, **counts})))
        assert_everything_is_printed_and_fits(paper)
        assert 3 <= paper.pages <= most_pages


class TestReceipt:
    @on_a_roll
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_receipt_has_room_for_the_longest_texts(
        self, text: Callable[[str, int], str], layout: Layout
    ) -> None:
        paper = printed(layout, full_receipt(Filling(text, {"detPag": 100})))
        assert_everything_is_printed_and_fits(paper)
        assert outside_of_the_printable_width(paper) == []
        assert paper.pages == 1
        assert codes_of(paper.pdf) == expected_codes(paper.xml)

    @on_a_roll
    def test_receipt_of_fifty_items_takes_one_page(self, layout: Layout) -> None:
        paper = printed(layout, in_production(with_items("nfce", "discount", 50)))
        assert_everything_is_printed_and_fits(paper)
        assert paper.pages == 1


class TestDanfse:
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    @pytest.mark.parametrize("identity", IDENTITIES)
    def test_danfse_has_room_for_the_longest_texts(
        self, text: Callable[[str, int], str], identity: str
    ) -> None:
        paper = printed(V2, full_note(Filling(text, {"xItemPed": 99}, identity)))
        assert_everything_is_printed_and_fits(paper)
        assert 2 <= paper.pages <= 5

    def test_danfse_has_room_around_its_code_and_under_its_marks(self) -> None:
        paper = printed(V2, full_note(Filling(of_one_word)), is_canceled=True)
        assert room_faults(paper.pdf) == {}
        assert codes_of(paper.pdf) == expected_codes(paper.xml)


class TestDacte:
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    @pytest.mark.parametrize("identity", ["cnpj", "cpf"])
    def test_dacte_has_room_for_the_longest_texts(
        self, text: Callable[[str, int], str], identity: str
    ) -> None:
        paper = printed(ROAD, full_waybill(Filling(text, identity=identity)))
        assert_everything_is_printed_and_fits(paper)
        assert 2 <= paper.pages <= 5
        assert codes_of(paper.pdf) == expected_codes(paper.xml)

    @pytest.mark.parametrize("text", [of_words, of_one_word])
    @pytest.mark.parametrize("mode", [Air, Water, Rail, Pipeline, Multimodal])
    def test_dacte_has_room_for_the_longest_texts_of_each_mode(
        self, text: Callable[[str, int], str], mode: type
    ) -> None:
        assert_everything_is_printed_and_fits(printed(ROAD, full_waybill(Filling(text), mode)))

    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_dacte_has_room_for_many_groups_of_each_kind(self, text: Callable[[str, int], str]) -> None:
        paper = printed(ROAD, full_waybill(Filling(text, MANY_OF_A_WAYBILL)))
        assert_everything_is_printed_and_fits(paper)
        assert 10 <= paper.pages <= 75


class TestDacteOs:
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    @pytest.mark.parametrize("identity", ["cnpj", "cpf"])
    def test_dacte_os_has_room_for_the_longest_texts(
        self, text: Callable[[str, int], str], identity: str
    ) -> None:
        paper = printed(OTHER_SERVICES, full_os_waybill(Filling(text, identity=identity)))
        assert_everything_is_printed_and_fits(paper)
        assert 2 <= paper.pages <= 4
        assert codes_of(paper.pdf) == expected_codes(paper.xml)

    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_dacte_os_has_room_for_many_groups_of_each_kind(self, text: Callable[[str, int], str]) -> None:
        paper = printed(OTHER_SERVICES, full_os_waybill(Filling(text, MANY_OF_AN_OS_WAYBILL)))
        assert_everything_is_printed_and_fits(paper)
        assert 4 <= paper.pages <= 30


class TestDamdfe:
    @pytest.mark.parametrize("text", [of_words, of_one_word])
    @pytest.mark.parametrize("mode", [ManifestRoad, ManifestAir, ManifestWater, ManifestRail])
    def test_damdfe_has_room_for_the_longest_texts(self, text: Callable[[str, int], str], mode: type) -> None:
        paper = printed(MANIFEST, full_manifest(Filling(text), mode))
        assert_everything_is_printed_and_fits(paper)
        assert 2 <= paper.pages <= 6
        assert codes_of(paper.pdf) == expected_codes(paper.xml)

    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_damdfe_has_room_for_many_groups_of_each_kind(self, text: Callable[[str, int], str]) -> None:
        paper = printed(MANIFEST, full_manifest(Filling(text, MANY_OF_A_MANIFEST)))
        assert_everything_is_printed_and_fits(paper)
        assert 10 <= paper.pages <= 75


class TestAnyPaper:
    @pytest.mark.parametrize(
        "layout", [MOC, NT, ROLL_80, ROLL_58, ROAD, OTHER_SERVICES, MANIFEST], ids=lambda layout: layout.name
    )
    @pytest.mark.parametrize(("identity", "shape"), list(zip(IDENTITIES[1:], SHAPES, strict=True)))
    def test_canceled_document_has_room_for_any_identity_and_logo(
        self, identity: str, shape: tuple[int, int], layout: Layout
    ) -> None:
        xml = FULL[layout.type](Filling(of_one_word, {"det": 1}, identity))
        assert_everything_is_printed_and_fits(printed(layout, xml, is_canceled=True, logo=png(*shape)))

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_document_has_room_for_letters_of_the_whole_world(self, layout: Layout) -> None:
        paper = printed(layout, in_other_letters(FULL[layout.type](Filling(of_words, {"det": 2}))))
        assert room_faults(paper.pdf) == {}
        assert WORLD_SAMPLE in " ".join(paper.drawn.split())


class TestRoom:
    """The checks of this module find what they look for."""

    @pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
    def test_drawn_lines_are_those_that_another_program_sees(self, layout: Layout) -> None:
        pdf = printed_example(layout, LETTERS[layout.type]).pdf
        written = [rule for rule in drawn_rules_of(pdf) if rule.page == 0]
        assert rounded(written) == rounded(rules_of(pdf, 0))

    def test_overlapping_words_are_detected(self) -> None:
        canvas = _page()
        canvas.text(10, 20, "debaixo", 9)
        canvas.text(15, 21, "acima", 9)
        ((under, over),) = overlapping(canvas.finished())
        assert (under.text, over.text) == ("debaixo", "acima")

    def test_close_lines_of_text_do_not_count_as_overlapping(self) -> None:
        canvas = _page()
        canvas.text(10, 20, "Ç primeira linha", 9)
        canvas.text(10, 23.3, "Á segunda linha", 9)
        assert overlapping(canvas.finished()) == []

    def test_word_off_the_page_is_detected(self) -> None:
        canvas = _page()
        canvas.text(95, 20, "comprida", 9)
        assert len(off_the_page(canvas.finished())) == 1

    def test_word_outside_of_its_box_is_detected(self) -> None:
        canvas = _page()
        canvas.box(10, 10, 20, 10)
        canvas.text(12, 15, "dentro", 9)
        canvas.text(25, 15, "fora", 9)
        canvas.text(12, 20.5, "abaixo", 9)
        assert {word.text for word, _ in crossed(canvas.finished())} == {"fora", "abaixo"}


class TestFilling:
    """The extreme documents are as extreme as intended."""

    @pytest.mark.parametrize("text", [of_words, of_one_word])
    def test_filled_text_has_exactly_its_limit(self, text: Callable[[str, int], str]) -> None:
        for limit in (15, 20, 60, 120, 5000):
            assert len(text(f"{MARK}1234]", limit)) == limit

    def test_text_of_one_word_has_no_spaces(self) -> None:
        assert " " not in of_one_word(MARK, 5000)

    def test_extreme_key_has_letters(self) -> None:
        assert not KEY.isdigit()


def rounded(rules: Iterable[Rule]) -> set[tuple[float, ...]]:
    return {tuple(round(place, 2) for place in rule) for rule in rules}


def _page() -> Canvas:
    canvas = Canvas(typeface_of(None), "Medida")
    canvas.add_page(100, 100)
    return canvas
