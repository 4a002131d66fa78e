"""A document for somebody, before it becomes an e-mail, and what comes of sending it."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a letter."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What is sent, by whom and to whom; names are as their owners told them."""

    id: UUID
    to: tuple[str, ...]
    """All whom it is for, as the letter itself says."""
    recipients: tuple[str, ...]
    """Those of them whom it is handed over for: the others have it, or never will."""
    addressee: str | None
    """The name of the only recipient, where it is known."""
    issuer: str
    tax_id: str
    reply_to: str | None
    title: str
    """What people call a document of the type."""
    number: int | None
    series: int | None
    amount: Decimal
    issued_on: date
    access_key: str
    is_valid: bool
    """Whether the document has fiscal validity, which one of homologation has not."""
    attachments: tuple[Attachment, ...]
    total_due: Decimal | None = None
    """What the receiver pays, where taxes are added to the amount."""


@dataclass(frozen=True, slots=True)
class RefusedRecipient:
    """A recipient that a mail server did not take."""

    address: str
    code: int | None
    """None where the server was not even asked."""
    message: str
    is_final: bool
    """Whether it makes no sense to ask again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Somebody took it, for all of its recipients or for some."""

    message_id: str
    code: int | None = None
    message: str | None = None
    """What the mail server said."""
    refusals: tuple[RefusedRecipient, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nobody will ever take it as it is."""

    message: str
    """A sentence in Portuguese."""
    code: int | None = None
    refusals: tuple[RefusedRecipient, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSent:
    """Nobody took it, and another time somebody may."""

    message: str
    """A sentence in Portuguese."""
    code: int | None = None
    refusals: tuple[RefusedRecipient, ...] = ()
