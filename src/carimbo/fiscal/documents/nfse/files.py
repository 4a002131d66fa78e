"""What our files of an NFS-e say of themselves, and what is handed out of them."""

import re
from functools import partial

from carimbo.fiscal.signed_identity import signed_identity

identity_of_declaration = partial(signed_identity, re.compile(rb'<infDPS [^>]*?Id="(DPS[0-9A-Z]{42})"'))
"""Reads the Id and the moment of a DPS that we wrote."""


def authorized_note(_signed: bytes, note: bytes) -> bytes:
    """The NFS-e as the authority made it: it holds the DPS that we signed, and has legal force alone."""
    return note


def registered_event(_signed: bytes, event: bytes) -> bytes:
    """The event as the authority registered it, with our request inside."""
    return event
