"""The typeface of printed documents: regular and bold, embedded in every PDF.

Embedding makes a page look the same everywhere. Nearly every document needs the same characters, so the font
subset with these is made once. A character that the font lacks is replaced; it is never an error.
"""

import unicodedata
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from carimbo.printing.engine.truetype import Font

_ACCENTED = "ÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑáàâãäéèêëíìîïóòôõöúùûüçñ"
_USUAL = (*map(chr, range(0x20, 0x7F)), *_ACCENTED, *"ªº°§²³½¼¾±–—•·…“”‘’€×®©™")
_REPLACEMENT = "?"
_INVISIBLE = ("Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn")
_MAX_LIST_LENGTH = 100


@dataclass(frozen=True)
class EmbeddedFont:
    """A font subset as a PDF embeds it."""

    file: bytes
    """Compressed."""
    length: int
    widths: str
    to_unicode: bytes
    """Compressed."""


class Face:
    """One weight of the typeface, with a prepared subset of the characters that most documents need."""

    def __init__(self, font: Font) -> None:
        self.font = font
        # Number 0 is the glyph for missing characters.
        usual = [ord(character) for character in _USUAL if ord(character) in font.glyphs]
        self._usual = frozenset(map(chr, usual))
        self.usual_codes = {character: f"{number:04X}" for number, character in enumerate(usual, 1)}
        self.usual = embed_font(font, usual)
        """The subset with the usual characters."""

    def width(self, text: str) -> float:
        """Returns the width of a legible text, in units of the font size."""
        return sum(map(self.font.widths.__getitem__, map(ord, text)))

    def legible(self, text: str) -> str:
        """Returns the text with every character that the font lacks replaced."""
        if self._usual.issuperset(text):
            return text
        glyphs = self.font.glyphs
        composed = unicodedata.normalize("NFC", text)
        return "".join(char if ord(char) in glyphs else self._substitute(char) for char in composed)

    def _substitute(self, character: str) -> str:
        """Returns the nearest text in the font: a letter without its accent, the letters of a ligature."""
        if character.isspace():
            return " "
        plain = unicodedata.normalize("NFKD", character)
        available = "".join(char for char in plain if ord(char) in self.font.glyphs)
        if available:
            return available
        return "" if unicodedata.category(character) in _INVISIBLE else _REPLACEMENT


@dataclass(frozen=True)
class Typeface:
    """The two weights of a typeface."""

    regular: Face
    bold: Face


class CharacterCodes(dict[int, str]):
    """Character codes of a face in one document: the usual characters, then others as they occur."""

    def __init__(self, face: Face) -> None:
        super().__init__(face.usual_codes)
        self.face = face

    def __missing__(self, character: int) -> str:
        self[character] = code = f"{len(self) + 1:04X}"
        return code

    def encoded(self, text: str) -> str:
        """Returns the text as hexadecimal character codes."""
        return text.translate(self)

    def embedded(self) -> EmbeddedFont:
        """Returns the subset with the characters that were used."""
        face = self.face
        return face.usual if len(self) == len(face.usual_codes) else embed_font(face.font, list(self))


def embed_font(font: Font, characters: list[int]) -> EmbeddedFont:
    """Returns the subset with these characters, numbered from one in their order."""
    glyphs = [0, *(font.glyphs[character] for character in characters)]
    content = font.subset(glyphs)
    widths = " ".join(f"{font.width(glyph) * 1000:.0f}" for glyph in glyphs)
    return EmbeddedFont(
        zlib.compress(content), len(content), f"[0 [{widths}]]", zlib.compress(_to_unicode(characters))
    )


@lru_cache
def typeface_of(folder: Path | None) -> Typeface:
    """Loads `regular.ttf` and `bold.ttf` from a folder, or the bundled fonts."""
    regular, bold = (folder / "regular.ttf", folder / "bold.ttf") if folder else _own_fonts()
    return Typeface(Face(Font.of_file(regular)), Face(Font.of_file(bold)))


def _own_fonts() -> tuple[Path, Path]:
    """Returns the files of Source Sans Pro, by Adobe, under the SIL Open Font License 1.1."""
    import font_source_sans_pro  # noqa: PLC0415 - it lists its folder when imported

    files = font_source_sans_pro.font_files_ttf
    return Path(files["SourceSansPro"]), Path(files["SourceSansProBold"])


def _to_unicode(characters: list[int]) -> bytes:
    """Returns the text of each code, so that viewers can search and copy it (ISO 32000-1, 9.10.3)."""
    pairs = [
        f"<{number:04X}> <{chr(character).encode('utf-16-be').hex().upper()}>"
        for number, character in enumerate(characters, 1)
    ]
    lists = [pairs[start : start + _MAX_LIST_LENGTH] for start in range(0, len(pairs), _MAX_LIST_LENGTH)]
    blocks = (f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in lists)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
        + "\n".join(blocks)
        + "\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    ).encode()
