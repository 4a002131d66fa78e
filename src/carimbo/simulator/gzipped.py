"""Gzip in base64, as messages travel, opened no further than a message can be long."""

import zlib
from base64 import b64decode

_GZIP = 16 + zlib.MAX_WBITS


def unzipped(text: str, largest: int) -> bytes | None:
    """What was zipped, of more than `largest` bytes the first one too many too; None if it is not whole."""
    stream = zlib.decompressobj(_GZIP)
    try:
        content = stream.decompress(b64decode(text, validate=True), largest + 1)
    except (ValueError, zlib.error):
        return None
    is_whole = stream.eof and not stream.unused_data
    return content if is_whole or len(content) > largest else None
