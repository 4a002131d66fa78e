"""The letters that paper is printed with.

They are embedded, so that a page looks the same everywhere. Nearly every document needs the same letters: the
font of these is made once. A character that the font does not have is replaced, never an error.
"""

import unicodedata
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from carimbo.printing.truetype import Font

_ACCENTED = "ÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑáàâãäéèêëíìîïóòôõöúùûüçñ"
_USUAL = (*map(chr, range(0x20, 0x7F)), *_ACCENTED, *"ªº°§²³½¼¾±–—•·…“”‘’€×®©™")
_REPLACEMENT = "?"
_INVISIBLE = ("Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn")


@dataclass(frozen=True)
class Embedded:
    """What a PDF holds of a font."""

    file: bytes
    """Compressed."""
    length: int
    widths: str
    to_unicode: bytes
    """Compressed."""


class Face:
    """One weight of the typeface, with the letters that nearly every document needs."""

    def __init__(self, font: Font) -> None:
        self.font = font
        # Number 0 is the glyph of what is missing.
        usual = [ord(character) for character in _USUAL if ord(character) in font.glyphs]
        self._usual = frozenset(map(chr, usual))
        self.usual_codes = {character: f"{number:04X}" for number, character in enumerate(usual, 1)}
        self.usual = embedded(font, usual)
        """The font of the usual letters."""

    def width(self, text: str) -> float:
        """How wide a text is, in sizes of the font; its characters are ones that the font has."""
        return sum(map(self.font.widths.__getitem__, map(ord, text)))

    def legible(self, text: str) -> str:
        """The text in characters that the font has."""
        if self._usual.issuperset(text):
            return text
        glyphs = self.font.glyphs
        composed = unicodedata.normalize("NFC", text)
        return "".join(one if ord(one) in glyphs else self._instead(one) for one in composed)

    def _instead(self, character: str) -> str:
        """The nearest that the font has: a letter without its accent, the letters of a ligature."""
        if character.isspace():
            return " "
        plain = unicodedata.normalize("NFKD", character)
        known = "".join(one for one in plain if ord(one) in self.font.glyphs)
        if known:
            return known
        return "" if unicodedata.category(character) in _INVISIBLE else _REPLACEMENT


@dataclass(frozen=True)
class Typeface:
    """Regular and bold."""

    regular: Face
    bold: Face


class Lettering(dict[int, str]):
    """The numbers of a face's letters in one document: the usual ones, then others as they are met."""

    def __init__(self, face: Face) -> None:
        super().__init__(face.usual_codes)
        self.face = face

    def __missing__(self, character: int) -> str:
        self[character] = code = f"{len(self) + 1:04X}"
        return code

    def encoded(self, text: str) -> str:
        """The text as the numbers of its letters."""
        return text.translate(self)

    def embedded(self) -> Embedded:
        """The font of the letters that were used."""
        face = self.face
        return face.usual if len(self) == len(face.usual_codes) else embedded(face.font, list(self))


def embedded(font: Font, characters: list[int]) -> Embedded:
    """Make the font of these characters, numbered from one in their order."""
    glyphs = [0, *(font.glyphs[character] for character in characters)]
    content = font.subset(glyphs)
    widths = " ".join(f"{font.width(glyph) * 1000:.0f}" for glyph in glyphs)
    return Embedded(
        zlib.compress(content), len(content), f"[0 [{widths}]]", zlib.compress(_to_unicode(characters))
    )


@lru_cache
def typeface_of(folder: Path | None) -> Typeface:
    """Load `regular.ttf` and `bold.ttf` of a folder, or the fonts that come along."""
    regular, bold = (folder / "regular.ttf", folder / "bold.ttf") if folder else _own_fonts()
    return Typeface(Face(Font.of_file(regular)), Face(Font.of_file(bold)))


def _own_fonts() -> tuple[Path, Path]:
    """Source Sans Pro, of Adobe, under the SIL Open Font License 1.1."""
    import font_source_sans_pro  # noqa: PLC0415 - it lists its folder when imported

    files = font_source_sans_pro.font_files_ttf
    return Path(files["SourceSansPro"]), Path(files["SourceSansProBold"])


_LONGEST_LIST = 100


def _to_unicode(characters: list[int]) -> bytes:
    """Which text each number stands for, so that it can be searched and copied (ISO 32000-1, 9.10.3)."""
    pairs = [
        f"<{number:04X}> <{chr(character).encode('utf-16-be').hex().upper()}>"
        for number, character in enumerate(characters, 1)
    ]
    lists = [pairs[start : start + _LONGEST_LIST] for start in range(0, len(pairs), _LONGEST_LIST)]
    blocks = (f"{len(one)} beginbfchar\n" + "\n".join(one) + "\nendbfchar" for one in lists)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
        + "\n".join(blocks)
        + "\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    ).encode()
