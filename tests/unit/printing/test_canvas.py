"""Drawn pages, read by other programs."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carimbo.printing.engine.canvas import POINT, Align, Canvas, Ink
from carimbo.printing.engine.images import PlainPng, code_128, qr_code
from pdf_reading import (
    Word,
    codes_of,
    fonts_of,
    pages_of,
    pixels_of,
    rules_of,
    sizes_of,
    text_of,
    title_of,
    words_of,
)
from unit.printing.fonts import OWN
from unit.printing.pictures import page_of, png

WIDTH, HEIGHT = 100.0, 60.0
KEY = "35261112ABC34501DE35550010000000011875264375"
DPI = 254
"""Ten dots a millimetre."""
CENTER = int(WIDTH * 5), int(HEIGHT * 5)


@pytest.fixture
def canvas() -> Canvas:
    canvas = Canvas(OWN, "Folha de prova")
    canvas.add_page(WIDTH, HEIGHT)
    return canvas


def word_on(canvas: Canvas) -> Word:
    (word,) = words_of(canvas.finished())
    return word


TEXTS = st.text(max_size=60)
LEGIBLE_TEXTS = st.text(
    st.characters(categories=("L", "N", "P"), max_codepoint=0x17F), min_size=1, max_size=60
)


def assert_any_text_is_drawn(text: str, align: Align, bold: bool) -> None:
    """Checks that a text and a mark make a whole file."""
    canvas = Canvas(OWN, "Prova")
    canvas.add_page(WIDTH, HEIGHT)
    canvas.text(5, 30, text, 9, width=50, align=align, bold=bold)
    canvas.mark(50, 30, text, 30, 35)
    assert canvas.finished().endswith(b"%%EOF\n")


def assert_text_is_read(text: str) -> None:
    """Checks that another program reads a text from the file."""
    canvas = Canvas(OWN, text)
    canvas.add_page(1000, HEIGHT)
    canvas.text(5, 30, text, 9)
    assert "".join(text_of(canvas.finished()).split()) == OWN.regular.legible(text)


class TestText:
    def test_text_is_drawn_on_its_baseline_from_its_left_edge(self, canvas: Canvas) -> None:
        canvas.text(20, 30, "linha", 10)
        word = word_on(canvas)
        assert word.x0 * POINT == pytest.approx(20, abs=0.01)
        assert word.y0 * POINT < 30 < word.y1 * POINT

    @pytest.mark.parametrize(("align", "place"), [(Align.LEFT, 0.0), (Align.CENTER, 0.5), (Align.RIGHT, 1.0)])
    def test_text_is_aligned_within_its_width(self, canvas: Canvas, align: Align, place: float) -> None:
        canvas.text(20, 30, "linha", 10, width=50, align=align)
        word = word_on(canvas)
        free = 50 - (word.x1 - word.x0) * POINT
        assert word.x0 * POINT == pytest.approx(20 + free * place, abs=0.02)

    @pytest.mark.parametrize("bold", [False, True])
    def test_text_is_as_wide_as_measured(self, canvas: Canvas, bold: bool) -> None:
        canvas.text(20, 30, "Ação", 12, bold=bold)
        word = word_on(canvas)
        assert (word.x1 - word.x0) == pytest.approx(canvas.face(bold=bold).width("Ação") * 12, abs=0.05)

    def test_text_can_be_searched_and_copied(self, canvas: Canvas) -> None:
        canvas.text(5, 30, "Pêssego & ½ «aço» <R$ 5> fim Ω Ж", 9)
        assert text_of(canvas.finished()).strip() == "Pêssego & ½ «aço» <R$ 5> fim Ω Ж"

    def test_characters_that_the_font_lacks_are_replaced(self, canvas: Canvas) -> None:
        canvas.text(5, 30, "festa 🎉 日本", 9)
        assert text_of(canvas.finished()).split() == ["festa", "?", "??"]

    @given(TEXTS, st.sampled_from(Align), st.booleans())
    @settings(max_examples=20)
    def test_any_text_can_be_drawn(self, text: str, align: Align, bold: bool) -> None:
        assert_any_text_is_drawn(text, align, bold)

    @given(LEGIBLE_TEXTS)
    @settings(max_examples=6)
    def test_text_is_read_as_written(self, text: str) -> None:
        assert_text_is_read(text)


class TestInk:
    def test_ink_is_black_by_default(self, canvas: Canvas) -> None:
        canvas.text(20, 30, "IIII", 30, bold=True)
        canvas.text(20, 50, "IIII", 30, bold=True, ink=Ink.RED)
        canvas.text(60, 30, "IIII", 30, bold=True)
        colors = {color for _, color in page_of(canvas.finished(), DPI).getcolors(1 << 20) or []}
        assert {(0, 0, 0), (255, 0, 0), (255, 255, 255)} <= colors

    def test_ink_applies_only_to_its_own_text(self, canvas: Canvas) -> None:
        canvas.text(20, 50, "IIII", 30, ink=Ink.RED)
        canvas.text(20, 30, "IIII", 30)
        upper = page_of(canvas.finished(), DPI).crop((0, 0, 1000, 320)).tobytes()
        assert upper[0::3] == upper[1::3] == upper[2::3]
        assert 0 in upper


class TestMark:
    def test_mark_lies_under_everything_drawn_before_and_after(self, canvas: Canvas) -> None:
        canvas.bitmap(qr_code("https://carimbo.example/consulta"), 35, 15, 30, 30)
        canvas.mark(50, 30, "SEM VALOR", 60, 35)
        assert codes_of(canvas.finished()) == {"https://carimbo.example/consulta"}

    def test_mark_lies_over_shades(self, canvas: Canvas) -> None:
        canvas.mark(50, 30, "WWW", 40, 0, gray=0.5)
        canvas.shade(0, 0, WIDTH, HEIGHT, 0.95)
        assert min(_row(canvas, CENTER[1])) == pytest.approx(0.5 * 255, abs=2)

    @pytest.mark.parametrize("bold", [True, False])
    def test_mark_has_the_requested_weight(self, canvas: Canvas, bold: bool) -> None:
        canvas.mark(50, 30, "Marca", 40, 0, bold=bold)
        word = word_on(canvas)
        assert word.x1 - word.x0 == pytest.approx(canvas.face(bold=bold).width("Marca") * 40, abs=0.1)

    def test_mark_is_centered_on_its_point(self, canvas: Canvas) -> None:
        canvas.mark(50, 30, "WWW", 40, 0, gray=0)
        dark = [place for place, gray in enumerate(_row(canvas, CENTER[1])) if gray < 128]
        assert dark
        assert (min(dark) + max(dark)) / 2 == pytest.approx(CENTER[0], abs=20)

    def test_mark_is_rotated_counterclockwise(self, canvas: Canvas) -> None:
        canvas.mark(50, 30, "L......", 40, 90, gray=0)
        rows = pixels_of(canvas.finished(), DPI)
        dark = [sum(gray < 128 for gray in row) for row in rows]
        assert sum(dark[CENTER[1] :]) > sum(dark[: CENTER[1]]) > 0
        assert not any(gray < 128 for row in rows for gray in row[: CENTER[0] - 100])


class TestLines:
    def test_line_is_where_it_was_drawn(self, canvas: Canvas) -> None:
        canvas.rule(10, 20, 30, 20)
        ((x0, y0, x1, y1, _),) = rules_of(canvas.finished(), 0)
        assert [value * POINT for value in (x0, y0, x1, y1)] == pytest.approx([10, 20, 30, 20], abs=0.01)

    def test_box_has_four_lines(self, canvas: Canvas) -> None:
        canvas.box(10, 20, 30, 15)
        rules = rules_of(canvas.finished(), 0)
        assert {round(rule.y0 * POINT) for rule in rules} | {round(rule.y1 * POINT) for rule in rules} == {
            20,
            35,
        }
        assert sum(math.dist(rule[:2], rule[2:4]) * POINT for rule in rules) == pytest.approx(90, abs=0.1)

    def test_frame_lines_have_the_requested_thickness(self, canvas: Canvas) -> None:
        canvas.frame(10, 20, 30, 15, 4)
        column = [row[250] for row in pixels_of(canvas.finished(), DPI)]
        assert sum(gray < 128 for gray in column) * 0.1 == pytest.approx(2 * 4 * POINT, abs=0.4)

    def test_dashed_line_has_gaps(self, canvas: Canvas) -> None:
        canvas.dashes(10, 90, 30)
        row = _row(canvas, CENTER[1])[100:900]
        assert 200 < sum(gray < 128 for gray in row) < 600

    def test_shade_fills_its_area_under_the_text(self, canvas: Canvas) -> None:
        canvas.text(45, 31, "visível", 12)
        canvas.shade(10, 10, 80, 40, 0.9)
        row = _row(canvas, CENTER[1])
        assert row[150] == pytest.approx(0.9 * 255, abs=2)
        assert min(row) < 100


class TestBitmap:
    def test_bitmap_is_read_by_a_scanner(self, canvas: Canvas) -> None:
        canvas.bitmap(code_128(KEY), 5, 20, 90, 11)
        assert codes_of(canvas.finished()) == {KEY}

    def test_bitmap_of_one_row_has_the_requested_height(self, canvas: Canvas) -> None:
        canvas.bitmap(code_128(KEY), 5, 20, 90, 11)
        assert min(_row(canvas, 205)) < 100
        assert min(_row(canvas, 305)) < 100
        assert min(_row(canvas, 195)) > 250
        assert min(_row(canvas, 315)) > 250


class TestImage:
    @pytest.mark.parametrize(("width", "height"), [(400, 100), (100, 400), (1, 1)])
    def test_image_is_centered_and_as_large_as_possible(
        self, canvas: Canvas, width: int, height: int
    ) -> None:
        canvas.image(PlainPng.read(png(width, height)), 20, 10, 60, 40)
        rows = pixels_of(canvas.finished(), DPI)
        row, column = rows[CENTER[1]], [line[CENTER[0]] for line in rows]
        shown = sum(gray < 200 for gray in row) / 10, sum(gray < 200 for gray in column) / 10
        scale = min(60 / width, 40 / height)
        assert shown == pytest.approx((width * scale, height * scale), abs=0.3)
        assert row[CENTER[0]] < 200

    def test_image_on_several_pages_is_stored_once(self) -> None:
        logo = PlainPng.read(png(200, 200))
        sizes = []
        for pages in (1, 3):
            canvas = Canvas(OWN, "Folhas")
            for _ in range(pages):
                canvas.add_page(WIDTH, HEIGHT)
                canvas.image(logo, 10, 10, 20, 20)
            sizes.append(canvas.finished().count(b"/Subtype /Image"))
        assert sizes == [1, 1]


class TestFile:
    def test_pages_have_their_own_sizes(self, canvas: Canvas) -> None:
        canvas.text(10, 10, "primeira", 9)
        canvas.add_page(80, 500)
        canvas.text(10, 10, "segunda", 9)
        canvas.cut_page(123)
        sizes = [(size.width * POINT, size.height * POINT) for size in sizes_of(canvas.finished())]
        assert sizes == [pytest.approx((WIDTH, HEIGHT), abs=0.01), pytest.approx((80, 123), abs=0.01)]

    def test_text_is_drawn_on_the_last_page(self, canvas: Canvas) -> None:
        canvas.text(10, 10, "primeira", 9)
        canvas.add_page(WIDTH, HEIGHT)
        canvas.text(10, 10, "segunda", 9)
        pages = [(word.text, word.page) for word in words_of(canvas.finished())]
        assert pages == [("primeira", 0), ("segunda", 1)]
        assert pages_of(canvas.finished()) == 2

    def test_cut_page_keeps_distances_from_its_upper_edge(self, canvas: Canvas) -> None:
        canvas.text(10, 20, "cabeçalho", 9)
        before = word_on(canvas)
        canvas.cut_page(30)
        assert word_on(canvas).y1 == pytest.approx(before.y1, abs=0.05)

    @pytest.mark.parametrize("title", ["DANFE 3526", "Ação & “reação” (1) \\ 🎉"])
    def test_file_has_its_title(self, title: str) -> None:
        canvas = Canvas(OWN, title)
        canvas.add_page(WIDTH, HEIGHT)
        assert title_of(canvas.finished()) == title

    def test_file_embeds_both_weights_as_searchable_fonts(self, canvas: Canvas) -> None:
        canvas.text(10, 20, "regular", 9)
        canvas.text(10, 30, "negrito Ω", 9, bold=True)
        fonts = fonts_of(canvas.finished())
        assert [font.name for font in fonts] == ["CARIMB+Paper-Regular", "CARIMB+Paper-Bold"]
        assert all(font.is_embedded and font.is_subset and font.is_searchable for font in fonts)

    def test_same_drawing_gives_the_same_bytes(self) -> None:
        assert _drawn() == _drawn()


def _drawn() -> bytes:
    canvas = Canvas(OWN, "Sempre igual")
    canvas.add_page(WIDTH, HEIGHT)
    canvas.text(10, 10, "Ω igual", 9)
    canvas.bitmap(code_128(KEY), 10, 20, 80, 10)
    canvas.image(PlainPng.read(png(20, 20)), 10, 40, 10, 10)
    return canvas.finished()


def _row(canvas: Canvas, y: int) -> bytes:
    """Returns the gray values of a line of dots, ten to a millimetre."""
    return pixels_of(canvas.finished(), DPI)[y]
