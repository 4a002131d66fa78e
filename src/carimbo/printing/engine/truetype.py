"""Reads TrueType fonts: the glyph and the width of each character, and subsets with only some glyphs.

Follows the OpenType specification; keeps only what a PDF needs, without the hints for screens.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_THOUSANDTHS = 1000
# The tables that an embedded font must have (ISO 32000-1, 9.9).
_KEPT = ("glyf", "head", "hhea", "hmtx", "loca", "maxp")
_REQUIRED = (*_KEPT, "cmap")
_LONG_OFFSETS = 1
# Flags of a part of a composite glyph.
_WORD_ARGUMENTS, _SCALE, _MORE, _TWO_SCALES, _MATRIX, _INSTRUCTIONS = 0x01, 0x08, 0x20, 0x40, 0x80, 0x100
_HEADER = 10
_REQUIRED_CHARACTERS = frozenset(range(0x20, 0x7F))


class FontUnusable(ValueError):
    """A file is not a TrueType font that can be embedded."""


class FontMeasures(NamedTuple):
    """Measures of a font that a PDF declares, in thousandths of its size."""

    ascent: int
    descent: int
    bounds: tuple[int, ...]


class Font:
    """One face of a typeface."""

    def __init__(self, data: bytes) -> None:
        try:
            self._read(data)
        except (struct.error, IndexError, KeyError, ZeroDivisionError) as error:
            raise FontUnusable("Não é uma fonte TrueType com contornos.") from error
        if not self.glyphs.keys() >= _REQUIRED_CHARACTERS:
            raise FontUnusable("Faltam letras, algarismos ou sinais do ASCII.")

    @classmethod
    def of_file(cls, path: Path) -> "Font":
        """Reads a font file. Raises `FontUnusable` if it cannot be read or embedded."""
        try:
            return cls(path.read_bytes())
        except (OSError, FontUnusable) as error:
            raise FontUnusable(f"A fonte {path} não pode ser usada: {error}") from error

    def _read(self, data: bytes) -> None:
        self._tables = _tables(data)
        head, maxp = self._tables["head"], self._tables["maxp"]
        self._units: int = struct.unpack_from(">H", head, 18)[0]
        self._count: int = struct.unpack_from(">H", maxp, 4)[0]
        is_long = struct.unpack_from(">h", head, 50)[0] == _LONG_OFFSETS
        form, factor = (f">{self._count + 1}I", 1) if is_long else (f">{self._count + 1}H", 2)
        self._offsets = [offset * factor for offset in struct.unpack_from(form, self._tables["loca"])]
        full_entries: int = struct.unpack_from(">H", self._tables["hhea"], 34)[0]
        self._advances: tuple[int, ...] = tuple(
            struct.unpack_from(">H", self._tables["hmtx"], 4 * index)[0] for index in range(full_entries)
        )
        self.glyphs: Mapping[int, int] = _characters(self._tables["cmap"])
        """The glyph of each character that the font has."""
        self.widths: Mapping[int, float] = {
            character: self.width(glyph) for character, glyph in self.glyphs.items()
        }
        """The width of each character, in units of the font size."""
        measures = (*struct.unpack_from(">hh", self._tables["hhea"], 4), *struct.unpack_from(">4h", head, 36))
        ascent, descent, *bounds = (round(value * _THOUSANDTHS / self._units) for value in measures)
        self.shape = FontMeasures(ascent, descent, tuple(bounds))

    def width(self, glyph: int) -> float:
        """Returns the advance width of a glyph, in units of the font size."""
        return self._advance(glyph) / self._units

    def subset(self, glyphs: Sequence[int]) -> bytes:
        """Returns a font with only these glyphs, numbered in order, then the parts of composite glyphs."""
        numbers = {glyph: number for number, glyph in enumerate(glyphs)}
        outlines = []
        for glyph in (order := list(glyphs)):
            for part in _parts(self._outline(glyph)):
                if part.glyph not in numbers:
                    numbers[part.glyph] = len(order)
                    order.append(part.glyph)
            outlines.append(_renumbered(self._outline(glyph), numbers))
        return _file(self._smaller(order, outlines))

    def _smaller(self, order: Sequence[int], outlines: Sequence[bytes]) -> dict[str, bytes]:
        places = [0]
        for outline in outlines:
            places.append(places[-1] + len(outline))
        pens = b"".join(struct.pack(">Hh", self._advance(glyph), self._bearing(glyph)) for glyph in order)
        head, hhea, maxp = (bytearray(self._tables[name]) for name in ("head", "hhea", "maxp"))
        struct.pack_into(">I", head, 8, 0)
        struct.pack_into(">h", head, 50, _LONG_OFFSETS)
        struct.pack_into(">H", hhea, 34, len(order))
        struct.pack_into(">H", maxp, 4, len(order))
        return {
            "glyf": b"".join(outlines), "head": bytes(head), "hhea": bytes(hhea), "hmtx": pens,
            "loca": struct.pack(f">{len(places)}I", *places), "maxp": bytes(maxp),
        }  # fmt: skip

    @cache  # noqa: B019 - a font lives as long as the process
    def _outline(self, glyph: int) -> bytes:
        start, end = self._offsets[glyph], self._offsets[glyph + 1]
        return _without_hints(self._tables["glyf"][start:end])

    def _advance(self, glyph: int) -> int:
        return self._advances[min(glyph, len(self._advances) - 1)]

    def _bearing(self, glyph: int) -> int:
        """Returns the left side bearing; after the last full entry the table has bearings only."""
        full = len(self._advances)
        offset = 4 * glyph + 2 if glyph < full else 4 * full + 2 * (glyph - full)
        bearing: int = struct.unpack_from(">h", self._tables["hmtx"], offset)[0]
        return bearing


class _Part(NamedTuple):
    """A component of a composite glyph."""

    offset: int
    glyph: int
    flags: int
    end: int


def _tables(data: bytes) -> dict[str, bytes]:
    count = struct.unpack_from(">H", data, 4)[0]
    tables = {}
    for index in range(count):
        tag, _, start, length = struct.unpack_from(">4sIII", data, 12 + 16 * index)
        if start + length > len(data):
            raise KeyError(tag)
        tables[tag.decode("latin-1")] = data[start : start + length]
    missing = [name for name in _REQUIRED if not tables.get(name)]
    if missing:
        raise KeyError(*missing)
    return tables


def _characters(cmap: bytes) -> dict[int, int]:
    """Returns the glyph of each character, from the largest table in a supported format."""
    readers = {4: _segments, 12: _groups}
    best: dict[int, int] = {}
    for index in range(struct.unpack_from(">H", cmap, 2)[0]):
        platform, _, start = struct.unpack_from(">HHI", cmap, 4 + 8 * index)
        reader = readers.get(struct.unpack_from(">H", cmap, start)[0])
        if reader and platform in (0, 3):
            best = max(best, dict(reader(cmap[start:])), key=len)
    return best


def _segments(table: bytes) -> Iterator[tuple[int, int]]:
    count = struct.unpack_from(">H", table, 6)[0] // 2
    lasts = struct.unpack_from(f">{count}H", table, 14)
    firsts = struct.unpack_from(f">{count}H", table, 16 + 2 * count)
    deltas = struct.unpack_from(f">{count}H", table, 16 + 4 * count)
    ranges = struct.unpack_from(f">{count}H", table, 16 + 6 * count)
    for index, (first, last, delta, offset) in enumerate(zip(firsts, lasts, deltas, ranges, strict=True)):
        for character in range(first, min(last, 0xFFFE) + 1):
            glyph = character
            if offset:
                position = 16 + 6 * count + 2 * index + offset + 2 * (character - first)
                glyph = struct.unpack_from(">H", table, position)[0]
            if glyph:
                yield character, (glyph + delta) & 0xFFFF


def _groups(table: bytes) -> Iterator[tuple[int, int]]:
    for index in range(struct.unpack_from(">I", table, 12)[0]):
        first, last, glyph = struct.unpack_from(">III", table, 16 + 12 * index)
        yield from ((character, glyph + character - first) for character in range(first, last + 1))


def _is_composite(outline: bytes) -> bool:
    return bool(outline) and struct.unpack_from(">h", outline)[0] < 0


def _parts(outline: bytes) -> Iterator[_Part]:
    if not _is_composite(outline):
        return
    offset, flags = _HEADER, _MORE
    while flags & _MORE:
        flags, glyph = struct.unpack_from(">HH", outline, offset)
        length = 4 + (4 if flags & _WORD_ARGUMENTS else 2)
        length += 2 if flags & _SCALE else 4 if flags & _TWO_SCALES else 8 if flags & _MATRIX else 0
        yield _Part(offset, glyph, flags, offset + length)
        offset += length


def _renumbered(outline: bytes, numbers: Mapping[int, int]) -> bytes:
    changed = bytearray(outline)
    for part in _parts(outline):
        struct.pack_into(">H", changed, part.offset + 2, numbers[part.glyph])
    return bytes(changed)


def _without_hints(outline: bytes) -> bytes:
    """Removes the instructions: PDF viewers ignore them, and they refer to tables that a subset lacks."""
    if not outline:
        return outline
    if _is_composite(outline):
        parts = list(_parts(outline))
        changed = bytearray(outline[: parts[-1].end])
        for part in parts:
            struct.pack_into(">H", changed, part.offset, part.flags & ~_INSTRUCTIONS)
        return _padded(bytes(changed))
    contours = struct.unpack_from(">h", outline)[0]
    offset = _HEADER + 2 * contours
    length = struct.unpack_from(">H", outline, offset)[0]
    return _padded(outline[:offset] + b"\0\0" + outline[offset + 2 + length :])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _file(tables: Mapping[str, bytes]) -> bytes:
    """Returns a font file made of these tables."""
    power = len(tables).bit_length() - 1
    header = struct.pack(
        ">IHHHH", 0x00010000, len(tables), 16 << power, power, 16 * len(tables) - (16 << power)
    )
    offset, directory = len(header) + 16 * len(tables), []
    for tag, content in sorted(tables.items()):
        directory.append(struct.pack(">4sIII", tag.encode(), _checksum(content), offset, len(content)))
        offset += len(_padded(content))
    return b"".join((header, *directory, *(_padded(content) for _, content in sorted(tables.items()))))


def _checksum(content: bytes) -> int:
    words: Iterable[int] = struct.unpack(f">{len(_padded(content)) // 4}I", _padded(content))
    return sum(words) & 0xFFFFFFFF
