"""Plain PNG pictures, whose compressed lines a PDF takes as they are (ISO 32000-1, 7.4.4.4)."""

import struct
from dataclasses import dataclass, field

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PLAIN = (8, 2, 0, 0, 0)
"""Eight bits of red, green and blue, not interlaced."""


class NotPlain(ValueError):
    """A picture is not a PNG of the one kind that is kept."""


@dataclass(frozen=True, slots=True)
class PlainPng:
    """A picture, compressed as in its file."""

    width: int
    height: int
    data: bytes = field(repr=False)

    @classmethod
    def read(cls, file: bytes) -> "PlainPng":
        """Take the lines out of a file."""
        if not file.startswith(_SIGNATURE):
            raise NotPlain("not a PNG")
        place, lines = len(_SIGNATURE), []
        header = struct.unpack_from(">IIBBBBB", file, place + 8)
        if header[2:] != _PLAIN:
            raise NotPlain(f"form {header[2:]} is not {_PLAIN}")
        while place < len(file):
            length, kind = struct.unpack_from(">I4s", file, place)
            if kind == b"IDAT":
                lines.append(file[place + 8 : place + 8 + length])
            place += 12 + length
        return cls(header[0], header[1], b"".join(lines))
