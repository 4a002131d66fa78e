"""A document as it is sent and archived: not one byte of it changes any more."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """The signed XML, and what is needed to recognise it in an answer."""

    xml: bytes = field(repr=False)
    access_key: str
    digest_value: str
    """The authority repeats it as `digVal`."""
    warnings: tuple[str, ...] = ()
    """What was assumed in making it, in Portuguese."""
