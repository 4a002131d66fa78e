"""A PDF document to draw on, page by page; coordinates are millimetres from the upper left corner."""

import math
import zlib
from collections.abc import Iterable
from enum import Enum

from carimbo.printing.engine.images import Bitmap, PlainPng
from carimbo.printing.engine.typeface import CharacterCodes, Face, Typeface

POINT = 25.4 / 72
"""Millimetres in one typographic point."""
_SCALE = 72 / 25.4
_REGULAR, _BOLD = "R", "B"
_RULE = 0.5
# Binary bytes in the second line keep transfer programs from treating the file as text.
_HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
# Level 3 has most of the gain for a third of the time.
_LEVEL = 3


class Align(Enum):
    """Horizontal alignment of a text within its width."""

    LEFT = 0.0
    CENTER = 0.5
    RIGHT = 1.0


class Ink(Enum):
    """Color of a text; the value is the PDF operator that sets it."""

    BLACK = ""
    RED = "1 0 0 rg"


class Canvas:
    """A PDF document; every drawing method draws on the last page."""

    def __init__(self, typeface: Typeface, title: str) -> None:
        self._title = title
        self._regular, self._bold = CharacterCodes(typeface.regular), CharacterCodes(typeface.bold)
        self._pages: list[_Page] = []

    @property
    def _page(self) -> "_Page":
        return self._pages[-1]

    def face(self, *, bold: bool = False) -> Face:
        """Returns the font face, to measure texts with."""
        return (self._bold if bold else self._regular).face

    def add_page(self, width: float, height: float) -> None:
        """Adds a page."""
        self._pages.append(_Page(width, height))

    def cut_page(self, height: float) -> None:
        """Sets the final height of the last page, for receipts, whose length is known only at the end."""
        self._page.height = height

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        width: float = 0,
        align: Align = Align.LEFT,
        bold: bool = False,
        ink: Ink = Ink.BLACK,
    ) -> None:
        """Writes one line with its baseline at y, aligned within the width."""
        lettering = self._bold if bold else self._regular
        text = lettering.face.legible(text)
        if align is not Align.LEFT:
            x += (width - lettering.face.width(text) * size * POINT) * align.value
        name = _BOLD if bold else _REGULAR
        line = (
            f"BT /{name} {size:g} Tf {x * _SCALE:.2f} {-y * _SCALE:.2f} Td <{lettering.encoded(text)}> Tj ET"
        )
        self._page.drawn.append(line if ink is Ink.BLACK else f"q {ink.value} {line} Q")

    def mark(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        angle: float,
        gray: float = 0.89,
        *,
        bold: bool = True,
    ) -> None:
        """Writes a watermark centred on a point, above shades and below everything else."""
        lettering, name = (self._bold, _BOLD) if bold else (self._regular, _REGULAR)
        text = lettering.face.legible(text)
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        half = lettering.face.width(text) * size / 2
        # Capitals look centred if the baseline is a third of the size below the middle.
        left = x * _SCALE - half * cosine + size / 3 * sine
        bottom = -y * _SCALE - half * sine - size / 3 * cosine
        self._page.marks.append(
            f"q {gray} g BT /{name} {size:g} Tf {cosine:.4f} {sine:.4f} {-sine:.4f} {cosine:.4f} {left:.2f}"
            f" {bottom:.2f} Tm <{lettering.encoded(text)}> Tj ET Q"
        )

    def rule(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draws a thin line."""
        self._page.rules.append(
            f"{x1 * _SCALE:.2f} {-y1 * _SCALE:.2f} m {x2 * _SCALE:.2f} {-y2 * _SCALE:.2f} l"
        )

    def box(self, x: float, y: float, width: float, height: float) -> None:
        """Draws the border of a rectangle."""
        self._page.rules.append(_area(x, y, width, height))

    def frame(self, x: float, y: float, width: float, height: float, weight: float) -> None:
        """Draws the border of a rectangle with a line of the given weight, in points."""
        self._page.drawn.append(f"q {weight:g} w {_area(x, y, width, height)} S Q")

    def dashes(self, x1: float, x2: float, y: float) -> None:
        """Draws a dashed horizontal line, to cut or fold along."""
        line = f"{x1 * _SCALE:.2f} {-y * _SCALE:.2f} m {x2 * _SCALE:.2f} {-y * _SCALE:.2f} l"
        self._page.drawn.append(f"q {_RULE} w [2 2] 0 d {line} S Q")

    def shade(self, x: float, y: float, width: float, height: float, gray: float) -> None:
        """Fills a rectangle below everything else."""
        self._page.shades.append(f"q {gray} g {_area(x, y, width, height)} f Q")

    def bitmap(self, bitmap: Bitmap, x: float, y: float, width: float, height: float) -> None:
        """Draws a barcode or QR code on a white background."""
        matrix = (
            f"{width * _SCALE:.3f} 0 0 {height * _SCALE:.3f} {x * _SCALE:.2f} {-(y + height) * _SCALE:.2f}"
        )
        self._page.drawn.append(f"q 1 g {_area(x, y, width, height)} f Q")
        self._page.drawn.append(
            f"q {matrix} cm BI /W {bitmap.width} /H {bitmap.height} /IM true /BPC 1 /D [1 0] /F /AHx ID"
            f" {bitmap.rows.hex()}> EI Q"
        )

    def image(self, image: PlainPng, x: float, y: float, width: float, height: float) -> None:
        """Draws an image centred in a rectangle, as large as fits."""
        scale = min(width / image.width, height / image.height)
        shown_width, shown_height = image.width * scale, image.height * scale
        left, bottom = x + (width - shown_width) / 2, y + (height + shown_height) / 2
        name = f"I{len(self._page.images)}"
        self._page.images[name] = image
        matrix = f"{shown_width * _SCALE:.3f} 0 0 {shown_height * _SCALE:.3f} {left * _SCALE:.2f}"
        self._page.drawn.append(f"q {matrix} {-bottom * _SCALE:.2f} cm /{name} Do Q")

    def finished(self) -> bytes:
        """Returns the PDF file."""
        file = _PdfFile()
        tree = file.reserve()
        fonts = (
            f"/{_REGULAR} {_add_font(file, self._regular, 'Regular')} 0 R"
            f" /{_BOLD} {_add_font(file, self._bold, 'Bold')} 0 R"
        )
        images: dict[int, int] = {}
        pages = [page.added(file, tree, fonts, images) for page in self._pages]
        kids = " ".join(f"{page} 0 R" for page in pages)
        file.put(tree, f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>")
        root = file.add(
            f"<< /Type /Catalog /Pages {tree} 0 R /Lang (pt-BR)"
            " /ViewerPreferences << /DisplayDocTitle true >> >>"
        )
        return file.finished(root, file.add(f"<< /Title {_text_string(self._title)} /Producer (carimbo) >>"))


class _PdfFile:
    """A PDF file built object by object; the same objects give the same bytes.

    It has numbered objects and the table of their positions (ISO 32000-1, 7.5).
    """

    def __init__(self) -> None:
        self._objects: list[bytes] = []

    def reserve(self) -> int:
        """Reserves the number of an object that others refer to before its content exists."""
        self._objects.append(b"")
        return len(self._objects)

    def put(self, number: int, content: str) -> None:
        """Sets the content of a reserved object."""
        self._objects[number - 1] = content.encode("latin-1")

    def add(self, content: str) -> int:
        """Adds an object and returns its number."""
        self._objects.append(content.encode("latin-1"))
        return len(self._objects)

    def add_stream(self, data: bytes, entries: str = "") -> int:
        """Compresses bytes and adds them as a stream."""
        return self.add_compressed(zlib.compress(data, _LEVEL), entries)

    def add_compressed(self, data: bytes, entries: str = "") -> int:
        """Adds bytes that are already compressed as a stream."""
        head = f"<< /Filter /FlateDecode /Length {len(data)} {entries} >>\nstream\n".encode("latin-1")
        self._objects.append(b"".join((head, data, b"\nendstream")))
        return len(self._objects)

    def finished(self, root: int, information: int) -> bytes:
        """Returns the whole file."""
        parts, offsets, offset = [_HEADER], [], len(_HEADER)
        for number, content in enumerate(self._objects, 1):
            part = b"%d 0 obj\n%b\nendobj\n" % (number, content)
            offsets.append(offset)
            parts.append(part)
            offset += len(part)

        size = len(offsets) + 1
        rows = "".join(f"{position:010} 00000 n \n" for position in offsets)
        table = f"xref\n0 {size}\n0000000000 65535 f \n{rows}"
        trailer = f"<< /Size {size} /Root {root} 0 R /Info {information} 0 R >>"
        return b"".join((*parts, f"{table}trailer\n{trailer}\nstartxref\n{offset}\n%%EOF\n".encode()))


def _text_string(text: str) -> str:
    """Returns a text outside of pages, such as the title, as a PDF string."""
    return f"<FEFF{text.encode('utf-16-be').hex()}>"


class _Page:
    """The drawing operators of one page, in layers: shades, watermarks, lines, then the rest."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.shades: list[str] = []
        self.marks: list[str] = []
        self.rules: list[str] = []
        self.drawn: list[str] = []
        self.images: dict[str, PlainPng] = {}

    def added(self, file: _PdfFile, tree: int, fonts: str, images: dict[int, int]) -> int:
        """Adds the page to a file and returns its object number; a shared image is added once."""
        content = file.add_stream("\n".join(self._content()).encode("latin-1"))
        pictures = " ".join(
            f"/{name} {_add_image(file, image, images)} 0 R" for name, image in self.images.items()
        )
        return file.add(
            f"<< /Type /Page /Parent {tree} 0 R /Contents {content} 0 R"
            f" /MediaBox [0 0 {self.width * _SCALE:.2f} {self.height * _SCALE:.2f}]"
            f" /Resources << /Font << {fonts} >> /XObject << {pictures} >> >> >>"
        )

    def _content(self) -> Iterable[str]:
        yield f"1 0 0 1 0 {self.height * _SCALE:.2f} cm {_RULE} w"
        yield from self.shades
        yield from self.marks
        if self.rules:
            yield from self.rules
            yield "S"
        yield from self.drawn


def _area(x: float, y: float, width: float, height: float) -> str:
    """Returns the PDF operator of a rectangle, which begins with its lower left corner."""
    return f"{x * _SCALE:.2f} {-(y + height) * _SCALE:.2f} {width * _SCALE:.2f} {height * _SCALE:.2f} re"


def _add_font(file: _PdfFile, lettering: CharacterCodes, weight: str) -> int:
    embedded, shape = lettering.embedded(), lettering.face.font.shape
    # A prefix of six letters marks a font subset (ISO 32000-1, 9.6.4).
    name = f"CARIMB+Paper-{weight}"
    data = file.add_compressed(embedded.file, f"/Length1 {embedded.length}")
    unicode = file.add_compressed(embedded.to_unicode)
    bounds = " ".join(map(str, shape.bounds))
    descriptor = file.add(
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [{bounds}] /ItalicAngle 0"
        f" /Ascent {shape.ascent} /Descent {shape.descent} /CapHeight {shape.ascent} /StemV 80"
        f" /FontFile2 {data} 0 R >>"
    )
    descendant = file.add(
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDToGIDMap /Identity"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        f" /FontDescriptor {descriptor} 0 R /W {embedded.widths} >>"
    )
    return file.add(
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H"
        f" /DescendantFonts [{descendant} 0 R] /ToUnicode {unicode} 0 R >>"
    )


def _add_image(file: _PdfFile, image: PlainPng, images: dict[int, int]) -> int:
    if id(image) not in images:
        images[id(image)] = file.add_compressed(
            image.data,
            f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height}"
            " /ColorSpace /DeviceRGB /BitsPerComponent 8"
            f" /DecodeParms << /Predictor 15 /Colors 3 /Columns {image.width} >>",
        )
    return images[id(image)]
