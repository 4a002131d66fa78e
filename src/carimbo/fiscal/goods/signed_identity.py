"""What a signed NF-e or NFC-e says of itself."""

import re
from datetime import datetime

from carimbo.fiscal.document_type import SignedIdentity

_ACCESS_KEY = re.compile(rb'<infNFe [^>]*?Id="NFe([0-9A-Z]{44})"')
_ISSUED_AT = re.compile(rb"<dhEmi>([^<]+)</dhEmi>")


def signed_identity(xml: bytes) -> SignedIdentity:
    """Read key and moment of a document that we wrote."""
    key, moment = _ACCESS_KEY.search(xml), _ISSUED_AT.search(xml)
    if key is None or moment is None:
        raise LookupError("a signed document has no key or no moment of issue")
    return SignedIdentity(key[1].decode(), datetime.fromisoformat(moment[1].decode()))
