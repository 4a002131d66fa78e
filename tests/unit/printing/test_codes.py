"""Codes are read by a scanner directly from their bitmaps."""

from hypothesis import given, settings
from hypothesis import strategies as st
from zxingcpp import BarcodeFormat, read_barcode

from carimbo.printing.engine.images import Bitmap, code_128, qr_code

SCALE, QUIET, TALL = 4, 10, 40
DIGITS, LETTERS = "0123456789", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEYS = st.builds(
    "".join,
    st.tuples(
        st.text(DIGITS, min_size=6, max_size=6),
        st.text(LETTERS, min_size=12, max_size=12),
        st.text(DIGITS, min_size=26, max_size=26),
    ),
)
ADDRESS = "https://www.homologacao.nfce.fazenda.sp.gov.br/NFCeConsultaPublica/Paginas/ConsultaQRCode.aspx?p="


def image_of(bitmap: Bitmap, *, tall: bool = False) -> memoryview:
    """Returns the code in black on white, with a quiet zone around it."""
    bytes_of_row = len(bitmap.rows) // bitmap.height
    rows = [bitmap.rows[start : start + bytes_of_row] for start in range(0, len(bitmap.rows), bytes_of_row)]
    lines = [_line(row, bitmap.width) for row in (rows * TALL if tall else rows)]
    blank = b"\xff" * len(lines[0])
    pixels = (
        [blank] * QUIET * SCALE + [line for line in lines for _ in range(SCALE)] + [blank] * QUIET * SCALE
    )
    return memoryview(b"".join(pixels)).cast("B", (len(pixels), len(blank)))


def _line(row: bytes, width: int) -> bytes:
    bits = "".join(f"{byte:08b}" for byte in row)
    assert "1" not in bits[width:], "a row is padded with light"
    quiet = b"\xff" * QUIET * SCALE
    return quiet + b"".join((b"\0" if bit == "1" else b"\xff") * SCALE for bit in bits[:width]) + quiet


def read(image: memoryview, barcode_format: BarcodeFormat) -> str:
    code = read_barcode(image)
    assert code is not None
    assert code.format == barcode_format
    return code.text


RESTS = st.text(LETTERS + "|?=&/.-%+", max_size=400)


def assert_bars_are_read(key: str) -> None:
    """Checks that a scanner reads a key from its bars."""
    assert read(image_of(code_128(key), tall=True), BarcodeFormat.Code128) == key


def assert_square_is_read(key: str, rest: str) -> None:
    """Checks that a scanner reads an address from its square."""
    address = f"{ADDRESS}{key}|{rest}"
    assert read(image_of(qr_code(address)), BarcodeFormat.QRCode) == address


class TestBars:
    @given(KEYS)
    @settings(max_examples=12)
    def test_bar_code_is_read_as_the_key(self, key: str) -> None:
        assert_bars_are_read(key)

    def test_bar_code_of_digits_takes_half_the_symbols(self) -> None:
        """Start, 22 pairs and check digit of 11 modules each, and a stop of 13."""
        assert code_128("35261111222333000181550010000000011123456806").width == 24 * 11 + 13

    def test_bar_code_of_letters_is_wider(self) -> None:
        assert code_128("35261112ABC34501DE35550010000000011875264375").width > 24 * 11 + 13

    def test_bar_code_has_one_row(self) -> None:
        assert code_128("35261111222333000181550010000000011123456806").height == 1


class TestSquare:
    @given(KEYS, RESTS)
    @settings(max_examples=10)
    def test_qr_code_is_read_as_the_address(self, key: str, rest: str) -> None:
        assert_square_is_read(key, rest)

    def test_qr_code_is_as_high_as_wide(self) -> None:
        code = qr_code(ADDRESS)
        assert code.width == code.height

    def test_qr_code_has_the_error_correction_of_the_manual(self) -> None:
        code = read_barcode(image_of(qr_code(ADDRESS)))
        assert code is not None
        assert code.ec_level == "M"
