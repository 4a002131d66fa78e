"""Pages to draw on, in millimetres from their upper left corner."""

import math
from collections.abc import Iterable
from enum import Enum

from carimbo.printing.codes import Bitmap
from carimbo.printing.pdf import PdfFile, text_string
from carimbo.printing.png import PlainPng
from carimbo.printing.typeface import Face, Lettering, Typeface

POINT = 25.4 / 72
"""Millimetres of a point."""
_SCALE = 72 / 25.4
_REGULAR, _BOLD = "R", "B"
_RULE = 0.5


class Align(Enum):
    """Where a text stands in the width that it is given."""

    LEFT = 0.0
    CENTER = 0.5
    RIGHT = 1.0


class Ink(Enum):
    """What a text is written with; the value sets it."""

    BLACK = ""
    RED = "1 0 0 rg"


class Canvas:
    """A document of pages; whatever is drawn goes to the last one."""

    def __init__(self, typeface: Typeface, title: str) -> None:
        self._title = title
        self._regular, self._bold = Lettering(typeface.regular), Lettering(typeface.bold)
        self._pages: list[_Page] = []

    @property
    def _page(self) -> "_Page":
        return self._pages[-1]

    def face(self, *, bold: bool = False) -> Face:
        """The letters, to measure with."""
        return (self._bold if bold else self._regular).face

    def add_page(self, width: float, height: float) -> None:
        """Begin a page."""
        self._pages.append(_Page(width, height))

    def cut_page(self, height: float) -> None:
        """Say how long a page has become that was drawn on a roll."""
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
        """Write a line whose baseline is at y; aligned within the width."""
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
        """Write large and pale around a middle point, over shades and under all else: nothing is covered."""
        lettering, name = (self._bold, _BOLD) if bold else (self._regular, _REGULAR)
        text = lettering.face.legible(text)
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        half = lettering.face.width(text) * size / 2
        # A third of the size below the middle: capitals stand centred on the line.
        left = x * _SCALE - half * cosine + size / 3 * sine
        bottom = -y * _SCALE - half * sine - size / 3 * cosine
        self._page.marks.append(
            f"q {gray} g BT /{name} {size:g} Tf {cosine:.4f} {sine:.4f} {-sine:.4f} {cosine:.4f} {left:.2f}"
            f" {bottom:.2f} Tm <{lettering.encoded(text)}> Tj ET Q"
        )

    def rule(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a thin line."""
        self._page.rules.append(
            f"{x1 * _SCALE:.2f} {-y1 * _SCALE:.2f} m {x2 * _SCALE:.2f} {-y2 * _SCALE:.2f} l"
        )

    def box(self, x: float, y: float, width: float, height: float) -> None:
        """Draw the border of a rectangle."""
        self._page.rules.append(_area(x, y, width, height))

    def frame(self, x: float, y: float, width: float, height: float, weight: float) -> None:
        """Draw the border of a rectangle with a line of so many points."""
        self._page.drawn.append(f"q {weight:g} w {_area(x, y, width, height)} S Q")

    def dashes(self, x1: float, x2: float, y: float) -> None:
        """Draw a line of dashes, to cut or fold along."""
        line = f"{x1 * _SCALE:.2f} {-y * _SCALE:.2f} m {x2 * _SCALE:.2f} {-y * _SCALE:.2f} l"
        self._page.drawn.append(f"q {_RULE} w [2 2] 0 d {line} S Q")

    def shade(self, x: float, y: float, width: float, height: float, gray: float) -> None:
        """Fill a rectangle under everything else."""
        self._page.shades.append(f"q {gray} g {_area(x, y, width, height)} f Q")

    def bitmap(self, bitmap: Bitmap, x: float, y: float, width: float, height: float) -> None:
        """Draw a code on white ground."""
        place = (
            f"{width * _SCALE:.3f} 0 0 {height * _SCALE:.3f} {x * _SCALE:.2f} {-(y + height) * _SCALE:.2f}"
        )
        self._page.drawn.append(f"q 1 g {_area(x, y, width, height)} f Q")
        self._page.drawn.append(
            f"q {place} cm BI /W {bitmap.width} /H {bitmap.height} /IM true /BPC 1 /D [1 0] /F /AHx ID"
            f" {bitmap.rows.hex()}> EI Q"
        )

    def image(self, image: PlainPng, x: float, y: float, width: float, height: float) -> None:
        """Draw a picture as large as it can be in the middle of a rectangle."""
        scale = min(width / image.width, height / image.height)
        shown_width, shown_height = image.width * scale, image.height * scale
        left, bottom = x + (width - shown_width) / 2, y + (height + shown_height) / 2
        name = f"I{len(self._page.images)}"
        self._page.images[name] = image
        place = f"{shown_width * _SCALE:.3f} 0 0 {shown_height * _SCALE:.3f} {left * _SCALE:.2f}"
        self._page.drawn.append(f"q {place} {-bottom * _SCALE:.2f} cm /{name} Do Q")

    def finished(self) -> bytes:
        """The file."""
        file = PdfFile()
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
        return file.finished(root, file.add(f"<< /Title {text_string(self._title)} /Producer (carimbo) >>"))


class _Page:
    """What was drawn on one page: first what lies beneath, then lines, then the rest."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.shades: list[str] = []
        self.marks: list[str] = []
        self.rules: list[str] = []
        self.drawn: list[str] = []
        self.images: dict[str, PlainPng] = {}

    def added(self, file: PdfFile, tree: int, fonts: str, images: dict[int, int]) -> int:
        """Add the page to a file; a picture that is on several is added once."""
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
    """A rectangle, whose lower left corner is told first."""
    return f"{x * _SCALE:.2f} {-(y + height) * _SCALE:.2f} {width * _SCALE:.2f} {height * _SCALE:.2f} re"


def _add_font(file: PdfFile, lettering: Lettering, weight: str) -> int:
    embedded, shape = lettering.embedded(), lettering.face.font.shape
    # Six letters before the name say that this is only a part of the font (ISO 32000-1, 9.6.4).
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


def _add_image(file: PdfFile, image: PlainPng, images: dict[int, int]) -> int:
    if id(image) not in images:
        images[id(image)] = file.add_compressed(
            image.data,
            f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height}"
            " /ColorSpace /DeviceRGB /BitsPerComponent 8"
            f" /DecodeParms << /Predictor 15 /Colors 3 /Columns {image.width} >>",
        )
    return images[id(image)]
