"""What a signed event says of itself: which event it is, and who registers it."""

import re
from dataclasses import dataclass

from carimbo.fiscal.access_key import AccessKey

NATIONAL_ORGAN = "91"
"""The national environment, which registers the recipients' manifestations."""

_ORGAN = re.compile(rb"<cOrgao>([0-9]{2})</cOrgao>")
# NF-e writes the sequence with two digits, CT-e and MDF-e with three.
_ID = re.compile(rb'<infEvento [^>]*?Id="(ID([0-9]{6})([0-9A-Z]{44})([0-9]{2,3}))"')


@dataclass(frozen=True, slots=True)
class EventIdentity:
    """Which event a signed one is, and who registers it."""

    organ: str
    id: str
    type: str
    access_key: AccessKey
    sequence: int


def event_identity(signed: bytes) -> EventIdentity:
    """Reads the identity of an event that we signed."""
    organ, identifier = _ORGAN.search(signed), _ID.search(signed)
    if organ is None or identifier is None:
        raise LookupError("a signed event has no Id or no organ")
    whole, event_type, key, sequence = (part.decode() for part in identifier.groups())
    return EventIdentity(organ[1].decode(), whole, event_type, AccessKey.parse(key), int(sequence))
