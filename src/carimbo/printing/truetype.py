"""A TrueType font: which glyph stands for a character, how wide it is, and a smaller font of a few of them.

Read by the OpenType specification; only what a PDF needs is kept, and hints for screens are left out.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_THOUSANDTHS = 1000
# The tables without which the format does not work (ISO 32000-1, 9.9).
_KEPT = ("glyf", "head", "hhea", "hmtx", "loca", "maxp")
_REQUIRED = (*_KEPT, "cmap")
_LONG_OFFSETS = 1
# Flags of a part of a composite glyph.
_WORD_ARGUMENTS, _SCALE, _MORE, _TWO_SCALES, _MATRIX, _INSTRUCTIONS = 0x01, 0x08, 0x20, 0x40, 0x80, 0x100
_HEADER = 10
_LEAST_CHARACTERS = frozenset(range(0x20, 0x7F))


class FontUnusable(ValueError):
    """A file is not a TrueType font that could be embedded."""


class Shape(NamedTuple):
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
        if not self.glyphs.keys() >= _LEAST_CHARACTERS:
            raise FontUnusable("Faltam letras, algarismos ou sinais do ASCII.")

    @classmethod
    def of_file(cls, path: Path) -> "Font":
        """Read a file, or tell that it can't be used."""
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
        self._places = [place * factor for place in struct.unpack_from(form, self._tables["loca"])]
        self._advances: tuple[int, ...] = tuple(
            self._advances_of(struct.unpack_from(">H", self._tables["hhea"], 34)[0])
        )
        self.glyphs: Mapping[int, int] = _characters(self._tables["cmap"])
        """The glyph of each character that the font has."""
        self.widths: Mapping[int, float] = {
            character: self.width(glyph) for character, glyph in self.glyphs.items()
        }
        """How wide each character is, in sizes of the font."""
        measures = (*struct.unpack_from(">hh", self._tables["hhea"], 4), *struct.unpack_from(">4h", head, 36))
        ascent, descent, *bounds = (round(value * _THOUSANDTHS / self._units) for value in measures)
        self.shape = Shape(ascent, descent, tuple(bounds))

    def width(self, glyph: int) -> float:
        """How far a glyph moves the pen, in sizes of the font."""
        return self._advance(glyph) / self._units

    def subset(self, glyphs: Sequence[int]) -> bytes:
        """A font of these glyphs alone, numbered in their order; the parts of accented letters follow."""
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
        start, end = self._places[glyph], self._places[glyph + 1]
        return _without_hints(self._tables["glyf"][start:end])

    def _advances_of(self, count: int) -> Iterator[int]:
        for index in range(count):
            yield struct.unpack_from(">H", self._tables["hmtx"], 4 * index)[0]

    def _advance(self, glyph: int) -> int:
        return self._advances[min(glyph, len(self._advances) - 1)]

    def _bearing(self, glyph: int) -> int:
        """Where the outline begins; past the last full entry only these are listed."""
        full = len(self._advances)
        place = 4 * glyph + 2 if glyph < full else 4 * full + 2 * (glyph - full)
        bearing: int = struct.unpack_from(">h", self._tables["hmtx"], place)[0]
        return bearing


class _Part(NamedTuple):
    """One of the glyphs that a composite glyph is put together from."""

    place: int
    glyph: int
    flags: int
    end: int


def _tables(data: bytes) -> dict[str, bytes]:
    count = struct.unpack_from(">H", data, 4)[0]
    found = {}
    for index in range(count):
        tag, _, start, length = struct.unpack_from(">4sIII", data, 12 + 16 * index)
        if start + length > len(data):
            raise KeyError(tag)
        found[tag.decode("latin-1")] = data[start : start + length]
    missing = [name for name in _REQUIRED if not found.get(name)]
    if missing:
        raise KeyError(*missing)
    return found


def _characters(cmap: bytes) -> dict[int, int]:
    """Character to glyph, by the widest of the tables that we can read."""
    readers = {4: _segments, 12: _groups}
    best: dict[int, int] = {}
    for index in range(struct.unpack_from(">H", cmap, 2)[0]):
        platform, _, start = struct.unpack_from(">HHI", cmap, 4 + 8 * index)
        reader = readers.get(struct.unpack_from(">H", cmap, start)[0])
        if reader and platform in (0, 3):
            found = dict(reader(cmap[start:]))
            best = max(best, found, key=len)
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
                place = 16 + 6 * count + 2 * index + offset + 2 * (character - first)
                glyph = struct.unpack_from(">H", table, place)[0]
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
    place, flags = _HEADER, _MORE
    while flags & _MORE:
        flags, glyph = struct.unpack_from(">HH", outline, place)
        length = 4 + (4 if flags & _WORD_ARGUMENTS else 2)
        length += 2 if flags & _SCALE else 4 if flags & _TWO_SCALES else 8 if flags & _MATRIX else 0
        yield _Part(place, glyph, flags, place + length)
        place += length


def _renumbered(outline: bytes, numbers: Mapping[int, int]) -> bytes:
    changed = bytearray(outline)
    for part in _parts(outline):
        struct.pack_into(">H", changed, part.place + 2, numbers[part.glyph])
    return bytes(changed)


def _without_hints(outline: bytes) -> bytes:
    """Leave out the instructions; what draws PDF does not follow them, and they refer to tables left out."""
    if not outline:
        return outline
    if _is_composite(outline):
        parts = list(_parts(outline))
        changed = bytearray(outline[: parts[-1].end])
        for part in parts:
            struct.pack_into(">H", changed, part.place, part.flags & ~_INSTRUCTIONS)
        return _padded(bytes(changed))
    contours = struct.unpack_from(">h", outline)[0]
    place = _HEADER + 2 * contours
    length = struct.unpack_from(">H", outline, place)[0]
    return _padded(outline[:place] + b"\0\0" + outline[place + 2 + length :])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _file(tables: Mapping[str, bytes]) -> bytes:
    """Put tables together to a font file."""
    power = len(tables).bit_length() - 1
    header = struct.pack(
        ">IHHHH", 0x00010000, len(tables), 16 << power, power, 16 * len(tables) - (16 << power)
    )
    place, directory = len(header) + 16 * len(tables), []
    for tag, content in sorted(tables.items()):
        directory.append(struct.pack(">4sIII", tag.encode(), _checksum(content), place, len(content)))
        place += len(_padded(content))
    return b"".join((header, *directory, *(_padded(content) for _, content in sorted(tables.items()))))


def _checksum(content: bytes) -> int:
    words: Iterable[int] = struct.unpack(f">{len(_padded(content)) // 4}I", _padded(content))
    return sum(words) & 0xFFFFFFFF
