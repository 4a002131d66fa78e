"""When a signed NF-e or NFC-e was issued, by what is written in it."""

import re
from datetime import datetime

_ISSUED_AT = re.compile(rb"<dhEmi>([^<]+)</dhEmi>")


def issue_moment(xml: bytes) -> datetime:
    """Read the moment of issue of a document that we wrote."""
    found = _ISSUED_AT.search(xml)
    if found is None:
        raise LookupError("a signed document has no dhEmi")
    return datetime.fromisoformat(found[1].decode())
