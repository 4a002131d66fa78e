"""The PDF renderer: a page for every issued type, and the same bytes for the same document."""

from collections import Counter
from pathlib import Path

import pytest

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.printing.engine.truetype import FontUnusable
from carimbo.printing.registry import DOCUMENT_PAGES, EVENT_PAGES, PdfRenderer
from pdf_reading import fonts_of, sizes_of, text_of
from unit.printing.fonts import serif_folder
from unit.printing.paper import LAYOUTS, NAMES, RENDERER, Layout, example
from unit.printing.pictures import png
from unit.printing.room import room_faults

POINT = 25.4 / 72
WIDTHS = {PaperSize.A4: 210.0, PaperSize.ROLL_80: 80.0, PaperSize.ROLL_58: 58.0}
ISSUED = list(DOCUMENT_TYPES)
of_every_issued_type = pytest.mark.parametrize(
    "document_type", ISSUED, ids=lambda document_type: document_type.name
)
of_every_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


def order(layout: Layout, logo: bytes | None = None) -> DocumentPrint:
    xml = layout.dated(example(layout.type, NAMES[layout.type][0]))
    return DocumentPrint(layout.type, xml, layout.paper, logo=logo)


def letters_of(pdf: bytes) -> Counter[str]:
    """Counts each letter of a print."""
    return Counter("".join(text_of(pdf).split()))


class TestRegistry:
    @of_every_issued_type
    def test_every_issued_type_has_a_page(self, document_type: DocumentType) -> None:
        assert document_type.name in DOCUMENT_PAGES

    def test_events_of_every_type_have_a_page(self) -> None:
        assert EVENT_PAGES.keys() == {
            document_type.name for document_type in DOCUMENT_TYPES if document_type.events
        }

    def test_type_that_is_not_issued_has_no_page(self) -> None:
        assert DOCUMENT_PAGES.keys() == {document_type.name for document_type in ISSUED}

    @of_every_issued_type
    def test_every_type_is_printed_on_each_of_its_papers(self, document_type: DocumentType) -> None:
        xml = example(document_type.name, NAMES[document_type.name][0])
        for paper in document_type.issuing.papers:
            (size, *_) = sizes_of(RENDERER.document(DocumentPrint(document_type.name, xml, paper)))
            assert size.width * POINT == pytest.approx(WIDTHS[paper], abs=0.05)

    @of_every_issued_type
    def test_every_type_has_its_own_file_name(self, document_type: DocumentType) -> None:
        names = [other.issuing.print_name for other in ISSUED]
        assert names.count(document_type.issuing.print_name) == 1


class TestPress:
    @of_every_layout
    def test_same_document_gives_the_same_bytes(self, layout: Layout) -> None:
        logo = png(300, 120)
        assert RENDERER.document(order(layout, logo)) == PdfRenderer().document(order(layout, logo))

    @of_every_layout
    def test_every_font_is_embedded(self, layout: Layout) -> None:
        fonts = fonts_of(RENDERER.document(order(layout)))
        assert fonts
        assert all(font.is_embedded and font.is_searchable for font in fonts)

    @of_every_layout
    def test_font_of_a_folder_is_used(self, layout: Layout, tmp_path: Path) -> None:
        other = PdfRenderer(serif_folder(tmp_path)).document(order(layout))
        own = RENDERER.document(order(layout))
        assert letters_of(other) == letters_of(own)
        assert all(font.is_embedded for font in fonts_of(other))
        assert other != own
        assert room_faults(other) == {}

    def test_unusable_font_is_reported_before_anything_is_printed(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable):
            PdfRenderer(tmp_path)

    @of_every_layout
    def test_logo_of_any_shape_removes_no_text(self, layout: Layout) -> None:
        without = letters_of(RENDERER.document(order(layout)))
        shapes = ((800, 40), (40, 400), (1, 1), (800, 400))
        shown = {shape: letters_of(RENDERER.document(order(layout, png(*shape)))) for shape in shapes}
        assert [shape for shape, letters in shown.items() if letters != without] == []
