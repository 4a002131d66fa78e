"""How XML travels to and from the national environment: base64 of gzip of it with its declaration."""

import base64
import binascii
import gzip
import zlib

_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_BEGINS = b"\x1f\x8b"
# A DPS has a few kB, and what the authority puts around it as many again.
_LARGEST_DOCUMENT = 4 * 1024 * 1024


def packed(xml: bytes) -> str:
    """Pack signed bytes, which are kept without a declaration; it is no part of what is signed."""
    return base64.b64encode(gzip.compress(_DECLARATION + xml, mtime=0)).decode("ascii")


def unpacked(text: str) -> bytes | None:
    """Open what was packed; nothing is kept of what is damaged, cut or larger than any document is."""
    opener = zlib.decompressobj(_GZIP)
    try:
        opened = opener.decompress(_zipped(text), _LARGEST_DOCUMENT + 1)
    except (ValueError, zlib.error):
        return None
    return opened if opener.eof and len(opened) <= _LARGEST_DOCUMENT else None


def _zipped(text: str) -> bytes:
    """What base64 says; the consult of events has it in base64 twice."""
    once = binascii.a2b_base64("".join(text.split()))
    return once if once.startswith(_GZIP_BEGINS) else binascii.a2b_base64(once)
