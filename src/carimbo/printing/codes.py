"""Codes for machines to read: the access key as bars, an address as a square."""

from typing import NamedTuple

from zxingcpp import Barcode, BarcodeFormat, create_barcode

_ROW_BITS = 8


class Bitmap(NamedTuple):
    """Dark and light modules, row by row, each padded to whole bytes; a set bit is dark."""

    width: int
    height: int
    rows: bytes


def bars(text: str) -> Bitmap:
    """Code 128: pairs of digits in set C, letters of a CNPJ in set B (MOC 7.0, Anexo II, 2)."""
    return _bitmap(create_barcode(text, BarcodeFormat.Code128), is_one_row=True)


def square(text: str) -> Bitmap:
    """QR code with error correction of level M (Manual do DANFE NFC-e, 3.3)."""
    return _bitmap(create_barcode(text, BarcodeFormat.QRCode, ec_level="M"))


def _bitmap(symbol: Barcode, *, is_one_row: bool = False) -> Bitmap:
    image = symbol.to_image(scale=1, add_hrt=False, add_quiet_zones=False)
    height, width = image.shape
    light = bytes(memoryview(image))  # type: ignore[arg-type] # an image is a buffer; its stub does not say so
    height = 1 if is_one_row else height
    rows = (light[row * width : (row + 1) * width] for row in range(height))
    return Bitmap(width, height, b"".join(map(_packed, rows)))


def _packed(light: bytes) -> bytes:
    """Eight modules to a byte; the image has a zero where it is dark."""
    length = -(-len(light) // _ROW_BITS)
    digits = light.translate(_AS_DIGITS).decode().ljust(length * _ROW_BITS, "0")
    return int(digits, 2).to_bytes(length)


_AS_DIGITS = bytes(0x31 if value == 0 else 0x30 for value in range(256))
