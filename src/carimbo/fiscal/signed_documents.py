"""Signed documents and filings, which are sent and archived without changing a byte."""

import re
from dataclasses import dataclass, field
from typing import Self

from carimbo.fiscal.xml_reading import root_alone

_DIGEST = re.compile(rb"<DigestValue>([^<]+)</DigestValue>")


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """The signed XML of a document, and the values that identify it in an answer."""

    xml: bytes = field(repr=False)
    access_key: str
    digest_value: str
    """The authority repeats it as `digVal`."""
    warnings: tuple[str, ...] = ()
    """Assumptions made while it was composed, in Portuguese."""


@dataclass(frozen=True, slots=True)
class SignedFiling:
    """The signed XML of an event or of an inutilization, and its digest."""

    xml: bytes = field(repr=False)
    digest_value: str

    @classmethod
    def of(cls, xml: bytes) -> Self:
        """Returns the filing of a signed XML, with the digest that is in it."""
        digest = _DIGEST.search(xml)
        if digest is None:
            raise LookupError("a signed filing has no digest")
        return cls(xml, digest[1].decode())


def rejection_file(signed: bytes, answer: bytes | None) -> bytes:
    """Returns a file for people with a rejected document and the answer to it, if there was one."""
    sent, received = root_alone(signed), root_alone(answer or b"")
    return b"<rejection><sent>%b</sent><received>%b</received></rejection>" % (sent, received)
