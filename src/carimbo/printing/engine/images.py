"""PNG images, which a PDF embeds without recompression (ISO 32000-1, 7.4.4.4), barcodes and QR codes."""

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from zxingcpp import Barcode, BarcodeFormat, create_barcode

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PLAIN = (8, 2, 0, 0, 0)
"""Eight bits each of red, green and blue, not interlaced."""
_ROW_BITS = 8
_AS_DIGITS = bytes(0x31 if value == 0 else 0x30 for value in range(256))


class UnsupportedPng(ValueError):
    """The image is not a PNG of the only supported kind (8-bit RGB, not interlaced)."""


@dataclass(frozen=True, slots=True)
class PlainPng:
    """An image; its data is compressed as in its file."""

    width: int
    height: int
    data: bytes = field(repr=False)

    @classmethod
    def read(cls, file: bytes) -> "PlainPng":
        """Reads a PNG file. Raises `UnsupportedPng` for any other kind of image."""
        if not file.startswith(_SIGNATURE):
            raise UnsupportedPng("not a PNG")
        position, compressed = len(_SIGNATURE), []
        header = struct.unpack_from(">IIBBBBB", file, position + 8)
        if header[2:] != _PLAIN:
            raise UnsupportedPng(f"form {header[2:]} is not {_PLAIN}")
        while position < len(file):
            length, chunk = struct.unpack_from(">I4s", file, position)
            if chunk == b"IDAT":
                compressed.append(file[position + 8 : position + 8 + length])
            position += 12 + length
        return cls(header[0], header[1], b"".join(compressed))


class Bitmap(NamedTuple):
    """The modules of a code, row by row, each row padded to whole bytes; a set bit is dark."""

    width: int
    height: int
    rows: bytes


def code_128(text: str) -> Bitmap:
    """Returns a Code 128: pairs of digits in set C, letters of a CNPJ in set B (MOC 7.0, Anexo II, 2)."""
    return _bitmap(create_barcode(text, BarcodeFormat.Code128), is_one_row=True)


def qr_code(text: str) -> Bitmap:
    """Returns a QR code with error correction level M (Manual do DANFE NFC-e, 3.3)."""
    return _bitmap(create_barcode(text, BarcodeFormat.QRCode, ec_level="M"))


def _bitmap(symbol: Barcode, *, is_one_row: bool = False) -> Bitmap:
    image = symbol.to_image(scale=1, add_hrt=False, add_quiet_zones=False)
    height, width = image.shape
    light = bytes(memoryview(image))  # type: ignore[arg-type] # an image is a buffer, which its stub lacks
    height = 1 if is_one_row else height
    rows = (light[row * width : (row + 1) * width] for row in range(height))
    return Bitmap(width, height, b"".join(map(_packed, rows)))


def _packed(light: bytes) -> bytes:
    """Packs eight modules into a byte; the image has a zero where it is dark."""
    length = -(-len(light) // _ROW_BITS)
    digits = light.translate(_AS_DIGITS).decode().ljust(length * _ROW_BITS, "0")
    return int(digits, 2).to_bytes(length)
