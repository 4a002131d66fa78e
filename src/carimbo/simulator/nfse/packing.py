"""How XML travels in JSON: in UTF-8 with its declaration, in gzip, in base64."""

import gzip
import zlib
from base64 import b64decode, b64encode

# A DPS with a thousand documents for deduction, as many as its XSD allows, has less than one megabyte.
LARGEST_UNZIPPED = 4_000_000

_DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
_GZIP = 16 + zlib.MAX_WBITS


def packed(xml: bytes) -> str:
    """XML as an answer has it."""
    return b64encode(gzip.compress(_DECLARATION + xml, mtime=0)).decode()


def unpacked(text: str) -> bytes | None:
    """What somebody packed; None if it is no base64 of gzip, or holds more than any message has."""
    stream = zlib.decompressobj(_GZIP)
    try:
        content = stream.decompress(b64decode(text, validate=True), LARGEST_UNZIPPED + 1)
    except (ValueError, zlib.error):
        return None
    is_whole = stream.eof and not stream.unused_data
    return content if is_whole and len(content) <= LARGEST_UNZIPPED else None
