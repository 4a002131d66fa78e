"""Barcodes, QR codes and texts with any content are readable by scanners and other programs."""

from hypothesis import given
from hypothesis import strategies as st

from carimbo.printing.engine.canvas import Align
from unit.printing import test_canvas as canvas
from unit.printing import test_codes as codes


@given(codes.KEYS)
def test_barcode_is_read_as_the_key(key: str) -> None:
    codes.assert_bars_are_read(key)


@given(codes.KEYS, codes.RESTS)
def test_qr_code_is_read_as_the_address(key: str, rest: str) -> None:
    codes.assert_square_is_read(key, rest)


@given(canvas.TEXTS, st.sampled_from(Align), st.booleans())
def test_any_text_is_drawn(text: str, align: Align, bold: bool) -> None:
    canvas.assert_any_text_is_drawn(text, align, bold)


@given(canvas.LEGIBLE_TEXTS)
def test_a_text_is_read_as_it_was_written(text: str) -> None:
    canvas.assert_text_is_read(text)
