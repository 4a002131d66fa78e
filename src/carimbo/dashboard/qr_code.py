"""QR codes for pages, as the path of an SVG: the content security policy allows no inline image."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from zxingcpp import BarcodeFormat, create_barcode

_DARK = 0


@dataclass(frozen=True)
class QrDrawing:
    """A QR code with the light margin that readers need. The unit is a module."""

    size: int
    """The width and the height."""
    path: str
    """The dark modules."""


def qr_code(text: str) -> QrDrawing:
    """Returns a text as a QR code."""
    image = create_barcode(text, BarcodeFormat.QRCode, ec_level="M").to_image(
        scale=1, add_hrt=False, add_quiet_zones=True
    )
    height, width = image.shape
    modules = bytes(memoryview(image))  # type: ignore[arg-type] # an image is a buffer, which its stub lacks
    rows = (modules[row * width : (row + 1) * width] for row in range(height))
    return QrDrawing(width, "".join(part for y, row in enumerate(rows) for part in _bars(y, row)))


def _bars(y: int, row: bytes) -> Iterator[str]:
    """Yields the dark modules of a row; neighbours are one rectangle."""
    x = 0
    for value, modules in groupby(row):
        length = len(list(modules))
        if value == _DARK:
            yield f"M{x} {y}h{length}v1h-{length}z"
        x += length
