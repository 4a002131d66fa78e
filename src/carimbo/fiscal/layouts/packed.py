"""Documents inside messages, packed as base64 of gzip; none is unpacked beyond a limit."""

import base64
import binascii
import gzip
import zlib
from collections.abc import Iterable, Iterator

MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
"""An authorized document has at most some 500 kB."""
MAX_PAGE_BYTES = 64 * 1024 * 1024
"""A page of a distribution has at most 50 documents."""

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


def pack(content: bytes) -> str:
    """Returns base64 of gzip."""
    return base64.b64encode(gzip.compress(content, mtime=0)).decode("ascii")


def unpack(text: str, limit: int = MAX_DOCUMENT_BYTES) -> bytes | None:
    """Returns the content of base64 of gzip, or None if it is damaged, cut off or above the limit."""
    decompressor = zlib.decompressobj(_GZIP)
    try:
        zipped = binascii.a2b_base64("".join(text.split()))
        if not zipped.startswith(_GZIP_MAGIC):
            # The consult of events of NFS-e encodes in base64 twice.
            zipped = binascii.a2b_base64(zipped)
        # One byte above the limit shows that it is too long; a limit of zero would mean no limit.
        content = decompressor.decompress(zipped, limit + 1)
    except (ValueError, zlib.error):
        return None
    return content if decompressor.eof and len(content) <= limit else None


def unpack_page(texts: Iterable[str]) -> Iterator[bytes | None]:
    """Yields the content of each document of a page, and None beyond the size of the largest page."""
    room = MAX_PAGE_BYTES
    for text in texts:
        content = unpack(text, min(room, MAX_DOCUMENT_BYTES))
        room -= len(content or b"")
        yield content
