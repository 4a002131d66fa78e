"""Pictures for tests: logos as the service stores them, and rendered pages in colour."""

import io
import struct
import subprocess
import zlib

from PIL import Image

RED = b"\xe0\x10\x10"


def chunk(chunk_type: bytes, content: bytes) -> bytes:
    """Returns a chunk of a PNG file."""
    return (
        struct.pack(">I", len(content))
        + chunk_type
        + content
        + struct.pack(">I", zlib.crc32(chunk_type + content))
    )


def png(width: int, height: int, form: bytes = b"\x08\x02\0\0\0", parts: int = 1) -> bytes:
    """Returns a red picture; `form` is depth, colour, compression, filter and interlacing."""
    data = zlib.compress((b"\0" + RED * width) * height)
    cut = -(-len(data) // parts)
    lines = [chunk(b"IDAT", data[start : start + cut]) for start in range(0, len(data), cut)]
    header = chunk(b"IHDR", struct.pack(">II", width, height) + form)
    return b"".join((b"\x89PNG\r\n\x1a\n", header, *lines, chunk(b"IEND", b"")))


def page_of(pdf: bytes, dpi: int) -> Image.Image:
    """Returns the first page of a PDF, rendered by Poppler."""
    command = ("pdftoppm", "-r", str(dpi), "-singlefile", "-")
    shown = subprocess.run(command, input=pdf, capture_output=True, check=True, timeout=60).stdout
    return Image.open(io.BytesIO(shown)).convert("RGB")
