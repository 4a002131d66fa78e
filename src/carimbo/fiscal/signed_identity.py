"""What a signed document says of itself."""

import re
from datetime import datetime

from carimbo.fiscal.issuance import SignedIdentity

_ISSUED_AT = re.compile(rb"<dhEmi>([^<]+)</dhEmi>")


def signed_identity(key: re.Pattern[bytes], xml: bytes) -> SignedIdentity:
    """Read the moment of a document that we wrote, and its key by the pattern of its type."""
    found, moment = key.search(xml), _ISSUED_AT.search(xml)
    if found is None or moment is None:
        raise LookupError("a signed document has no key or no moment of issue")
    return SignedIdentity(found[1].decode(), datetime.fromisoformat(moment[1].decode()))
