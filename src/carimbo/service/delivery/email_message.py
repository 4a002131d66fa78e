"""An e-mail to be sent, the outcome of sending it, and the addresses that are accepted."""

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Email


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to an e-mail."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingEmail:
    """An e-mail with a document. Names are as the companies and recipients gave them."""

    id: UUID
    to: tuple[str, ...]
    """All recipients, as in the header of the e-mail."""
    recipients: tuple[str, ...]
    """The recipients of this attempt; the others have it already, or can't get it."""
    addressee: str | None
    """The name of the only recipient, if known."""
    issuer: str
    tax_id: str
    reply_to: str | None
    title: str
    """The usual name of the document type."""
    number: int | None
    series: int | None
    amount: Decimal
    issued_on: date
    access_key: str
    is_valid: bool
    """Whether the document has fiscal validity; in homologation it has none."""
    attachments: tuple[Attachment, ...]
    total_due: Decimal | None = None
    """The amount to pay, if taxes are added to the amount of the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEmail:
    """An e-mail of plain text, from this installation itself."""

    id: UUID
    to: tuple[str, ...]
    subject: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RefusedRecipient:
    """A recipient that the mail server did not accept."""

    address: str
    code: int | None
    """SMTP code; None if the server was not asked."""
    message: str
    is_final: bool
    """Whether another attempt is useless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSent:
    """The e-mail was accepted for all recipients, or for some."""

    message_id: str
    code: int | None = None
    message: str | None = None
    """The answer of the mail server."""
    refusals: tuple[RefusedRecipient, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRefused:
    """The e-mail was refused for good."""

    message: str
    """A sentence in Portuguese."""
    code: int | None = None
    refusals: tuple[RefusedRecipient, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MailNotSent:
    """The e-mail was not accepted; another attempt may succeed."""

    message: str
    """A sentence in Portuguese."""
    code: int | None = None
    refusals: tuple[RefusedRecipient, ...] = ()


_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
# A dot-atom (RFC 5322) that can't be mistaken for encoded text (RFC 2047).
_LOCAL_PART = re.compile(rf"(?!.*=\?){_ATOM}(\.{_ATOM})*")
_INVALID = (
    "E-mail inválido: antes do @, use letras sem acento, dígitos e, entre eles, sinais como ponto e hífen."
)


def is_plain(address: str) -> bool:
    """Returns whether every mail server accepts an address, and every header can hold it."""
    return bool(_LOCAL_PART.fullmatch(address.rpartition("@")[0]))


def _require_plain(address: str) -> str:
    if not is_plain(address):
        raise PydanticCustomError("email", _INVALID)
    return address


PlainEmail = Annotated[Email, AfterValidator(_require_plain)]
