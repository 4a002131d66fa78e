"""What our files of an NFS-e say of themselves, and what is handed out of them."""

import re
from datetime import datetime

from carimbo.fiscal.document_type import SignedIdentity
from carimbo.fiscal.xml_reading import root_alone

_ID = re.compile(rb'<infDPS [^>]*?Id="(DPS[0-9A-Z]{42})"')
_ISSUED_AT = re.compile(rb"<dhEmi>([^<]+)</dhEmi>")


def signed_identity(xml: bytes) -> SignedIdentity:
    """Read the Id and the moment of a DPS that we wrote."""
    identifier, moment = _ID.search(xml), _ISSUED_AT.search(xml)
    if identifier is None or moment is None:
        raise LookupError("a signed DPS has no Id or no moment of issue")
    return SignedIdentity(identifier[1].decode(), datetime.fromisoformat(moment[1].decode()))


def authorized_note(_signed: bytes, note: bytes) -> bytes:
    """The NFS-e as the authority made it: it holds the DPS that we signed, and has legal force alone."""
    return note


def rejected_note(signed: bytes, answer: bytes | None) -> bytes:
    """Join a DPS with the refusal that it got, if it got any, for people to look into."""
    sent, received = root_alone(signed), root_alone(answer or b"")
    return b"<rejection><sent>%b</sent><received>%b</received></rejection>" % (sent, received)


def registered_event(_signed: bytes, event: bytes) -> bytes:
    """The event as the authority registered it, with our request inside."""
    return event
