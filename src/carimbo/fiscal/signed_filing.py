"""A signed statement to an authority, other than a document: an event, or numbers that are given up."""

import re
from dataclasses import dataclass, field
from typing import Self

_DIGEST = re.compile(rb"<DigestValue>([^<]+)</DigestValue>")


@dataclass(frozen=True, slots=True)
class SignedFiling:
    """The signed XML, which is sent and archived without any change, and what tells it from others."""

    xml: bytes = field(repr=False)
    digest_value: str

    @classmethod
    def of(cls, xml: bytes) -> Self:
        """Read the digest of what we signed."""
        found = _DIGEST.search(xml)
        if found is None:
            raise LookupError("a signed statement has no digest")
        return cls(xml, found[1].decode())
