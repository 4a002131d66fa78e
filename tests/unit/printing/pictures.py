"""Pictures for tests, as the service keeps logos."""

import struct
import zlib

RED = b"\xe0\x10\x10"


def chunk(kind: bytes, content: bytes) -> bytes:
    """A part of a PNG file."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, form: bytes = b"\x08\x02\0\0\0", parts: int = 1) -> bytes:
    """A red picture; `form` is depth, colour, compression, filter and interlacing."""
    data = zlib.compress((b"\0" + RED * width) * height)
    cut = -(-len(data) // parts)
    lines = [chunk(b"IDAT", data[start : start + cut]) for start in range(0, len(data), cut)]
    header = chunk(b"IHDR", struct.pack(">II", width, height) + form)
    return b"".join((b"\x89PNG\r\n\x1a\n", header, *lines, chunk(b"IEND", b"")))
