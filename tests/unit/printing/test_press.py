"""The printer: a page for every type that is issued, and the same file for the same order."""

from collections import Counter
from pathlib import Path

import pytest

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.printout import DocumentPrint, Paper
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.printing.press import Press
from carimbo.printing.registry import DOCUMENT_PAGES, EVENT_PAGES
from carimbo.printing.truetype import FontUnusable
from pdf_reading import fonts_of, sizes_of, text_of
from unit.printing.fonts import serif_folder
from unit.printing.paper import LAYOUTS, NAMES, PRESS, Layout, example
from unit.printing.pictures import png
from unit.printing.room import room_faults

POINT = 25.4 / 72
WIDTHS = {Paper.A4: 210.0, Paper.ROLL_80: 80.0, Paper.ROLL_58: 58.0}
ISSUED = list(DOCUMENT_TYPES)
of_every_issued_type = pytest.mark.parametrize("kind", ISSUED, ids=lambda kind: kind.name)
of_every_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


def order(layout: Layout, logo: bytes | None = None) -> DocumentPrint:
    xml = layout.dated(example(layout.type, NAMES[layout.type][0]))
    return DocumentPrint(layout.type, xml, layout.paper, logo=logo)


def letters_of(pdf: bytes) -> Counter[str]:
    """Returns how often each letter is on paper, wherever it is."""
    return Counter("".join(text_of(pdf).split()))


class TestRegistry:
    @of_every_issued_type
    def test_has_a_page_for_every_type_that_is_issued(self, kind: DocumentType) -> None:
        assert kind.name in DOCUMENT_PAGES

    def test_has_a_page_for_the_events_of_every_type_that_has_any(self) -> None:
        assert EVENT_PAGES.keys() == {kind.name for kind in DOCUMENT_TYPES if kind.events}

    def test_has_no_page_for_a_type_that_is_not_issued(self) -> None:
        assert DOCUMENT_PAGES.keys() == {kind.name for kind in ISSUED}

    @of_every_issued_type
    def test_prints_every_type_on_each_of_its_papers(self, kind: DocumentType) -> None:
        xml = example(kind.name, NAMES[kind.name][0])
        for paper in kind.issuing.papers:
            (size, *_) = sizes_of(PRESS.document(DocumentPrint(kind.name, xml, paper)))
            assert size.width * POINT == pytest.approx(WIDTHS[paper], abs=0.05)

    @of_every_issued_type
    def test_tells_the_files_of_a_type_by_their_names(self, kind: DocumentType) -> None:
        names = [other.issuing.print_name for other in ISSUED]
        assert names.count(kind.issuing.print_name) == 1


class TestPress:
    @of_every_layout
    def test_gives_the_same_bytes_for_the_same_order(self, layout: Layout) -> None:
        logo = png(300, 120)
        assert PRESS.document(order(layout, logo)) == Press().document(order(layout, logo))

    @of_every_layout
    def test_embeds_every_font(self, layout: Layout) -> None:
        fonts = fonts_of(PRESS.document(order(layout)))
        assert fonts
        assert all(font.is_embedded and font.is_searchable for font in fonts)

    @of_every_layout
    def test_prints_in_the_font_of_a_folder(self, layout: Layout, tmp_path: Path) -> None:
        other = Press(serif_folder(tmp_path)).document(order(layout))
        own = PRESS.document(order(layout))
        assert letters_of(other) == letters_of(own)
        assert all(font.is_embedded for font in fonts_of(other))
        assert other != own
        assert room_faults(other) == {}

    def test_tells_of_a_font_that_cannot_be_used_before_anything_is_printed(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable):
            Press(tmp_path)

    @of_every_layout
    def test_prints_a_logo_of_any_shape_without_losing_a_word(self, layout: Layout) -> None:
        without = letters_of(PRESS.document(order(layout)))
        shapes = ((800, 40), (40, 400), (1, 1), (800, 400))
        shown = {shape: letters_of(PRESS.document(order(layout, png(*shape)))) for shape in shapes}
        assert [shape for shape, letters in shown.items() if letters != without] == []
