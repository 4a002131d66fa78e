"""How XML travels in JSON: in UTF-8 with its declaration, in gzip, in base64."""

import gzip
from base64 import b64encode

from carimbo.simulator.gzipped import unzipped

# A DPS with a thousand documents for deduction, as many as its XSD allows, has less than one megabyte.
LARGEST_UNZIPPED = 4_000_000

_DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'


def packed(xml: bytes) -> str:
    """XML as an answer has it."""
    return b64encode(gzip.compress(_DECLARATION + xml, mtime=0)).decode()


def unpacked(text: str) -> bytes | None:
    """What somebody packed; None if it is no base64 of gzip, or holds more than any message has."""
    content = unzipped(text, LARGEST_UNZIPPED)
    return None if content is None or len(content) > LARGEST_UNZIPPED else content
