"""Writes e-mails: headers, plain text, HTML, and the files of the document.

Headers are folded here: the standard library loses the blanks between words when it folds a long name with
accents.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from carimbo.fiscal.identity.tax_ids import format_tax_id
from carimbo.fiscal.money import format_amount
from carimbo.service.delivery.email_message import OutgoingEmail, TextEmail

_PRODUCT = "Carimbo"
_WITHOUT_VALIDITY = "[SEM VALOR FISCAL] "
_GROUPS = re.compile(".{1,4}")
_MAX_LINE_LENGTH = 76
# Longer words are encoded, so that a line can break inside them.
_MAX_WORD_LENGTH = 60
# An encoded word fits into the first line, after our longest header name.
_OCTETS_PER_WORD = 39
_PRINTABLE = re.compile(r"[ -~]*")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
_QUOTED = re.compile(r'["\\]')
# The start of an encoded word: a name that contains it must not be decoded.
_ENCODED_WORD = "=?"
# Zero width joiner, which combines several characters into one emoji.
_JOINER = "\u200d"
_TEMPLATES = Environment(
    loader=PackageLoader("carimbo.outbound", "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True)
class MailSender:
    """The address that all e-mails are sent from; the displayed name is that of the company."""

    address: str

    def message_id(self, email: OutgoingEmail | TextEmail) -> str:
        """Returns the Message-ID, the same at every attempt: mail programs recognize a second copy."""
        return f"<{email.id}@{self.address.rpartition('@')[2]}>"


def compose(email: OutgoingEmail, sender: MailSender, now: datetime) -> bytes:
    """Returns an e-mail as a 7-bit message, which every server accepts."""
    # A line break in a name would start another header.
    issuer, addressee = single_line(email.issuer), single_line(email.addressee or "")
    email = replace(email, issuer=issuer, addressee=addressee or None)
    return "".join(_headers(email, sender, now)).encode("ascii") + _content(email).as_bytes()


def compose_text(email: TextEmail, sender: MailSender, now: datetime) -> bytes:
    """Returns an e-mail of plain text as a 7-bit message."""
    message = EmailMessage(SMTP)
    message.set_content(email.text, cte="quoted-printable")
    fields = [
        header_field("Subject", text_tokens(single_line(email.subject))),
        header_field("From", mailbox_tokens(sender.address, _PRODUCT)),
        header_field("To", mailbox_list_tokens([mailbox_tokens(address, "") for address in email.to])),
        *_common_headers(email, sender, now),
    ]
    return "".join(fields).encode("ascii") + message.as_bytes()


def _headers(email: OutgoingEmail, sender: MailSender, now: datetime) -> Iterator[str]:
    yield header_field("Subject", text_tokens(_subject(email)))
    yield header_field("From", mailbox_tokens(sender.address, email.issuer))
    recipients = [mailbox_tokens(address, email.addressee or "") for address in email.to]
    yield header_field("To", mailbox_list_tokens(recipients))
    if email.reply_to:
        yield header_field("Reply-To", mailbox_tokens(email.reply_to, email.issuer))
    yield from _common_headers(email, sender, now)


def _common_headers(email: OutgoingEmail | TextEmail, sender: MailSender, now: datetime) -> Iterator[str]:
    yield header_field("Date", [format_datetime(now)])
    yield header_field("Message-ID", [sender.message_id(email)])
    # Asks automatic responders not to answer (RFC 3834).
    yield header_field("Auto-Submitted", ["auto-generated"])


def _content(email: OutgoingEmail) -> EmailMessage:
    values = {"email": email, "subject": _subject(email), "facts": list(_facts(email))}
    plain, html = (_TEMPLATES.get_template(name).render(values) for name in ("document.txt", "document.html"))
    message = EmailMessage(SMTP)
    message.set_content(plain, cte="quoted-printable")
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    for file in email.attachments:
        kind, _, subtype = file.media_type.partition("/")
        message.add_attachment(file.content, kind, subtype, filename=file.name)
    return message


def _subject(email: OutgoingEmail) -> str:
    title = " ".join(map(str, filter(None, (email.title, email.number))))
    return f"{'' if email.is_valid else _WITHOUT_VALIDITY}{title} de {email.issuer}"


def _facts(email: OutgoingEmail) -> Iterator[tuple[str, str]]:
    """Yields label and value of the facts that identify the document."""
    yield "Emitente", email.issuer
    yield "CNPJ", format_tax_id(email.tax_id)
    if email.number is not None:
        yield "Número", str(email.number)
    if email.series is not None:
        yield "Série", str(email.series)
    yield "Emissão", f"{email.issued_on:%d/%m/%Y}"
    yield "Valor", f"R$ {format_amount(email.amount)}"
    if email.total_due is not None:
        yield "Total a pagar, com IBS e CBS", f"R$ {format_amount(email.total_due)}"
    yield "Chave de acesso", " ".join(_GROUPS.findall(email.access_key))


def single_line(name: str) -> str:
    """Returns a name without line breaks, control characters and changes of writing direction."""
    shown = "".join(char if char.isprintable() or char == _JOINER else " " for char in name)
    return " ".join(shown.split())


def header_field(name: str, tokens: Iterable[str]) -> str:
    """Returns a header field, folded between its tokens."""
    first, *others = tokens
    lines = [f"{name}: {first}"]
    for token in others:
        if len(lines[-1]) + 1 + len(token) <= _MAX_LINE_LENGTH:
            lines[-1] += f" {token}"
        else:
            lines.append(f" {token}")
    return "".join(f"{line}\r\n" for line in lines)


def text_tokens(line: str) -> list[str]:
    """Returns the tokens of free text without line breaks."""
    return _words(line) or list(_encoded(line))


def mailbox_tokens(address: str, name: str) -> list[str]:
    """Returns the tokens of an address with a name, both without line breaks."""
    if not name:
        return [address]
    phrase = name if _ATOMS.fullmatch(name) else '"' + _QUOTED.sub(r"\\\g<0>", name) + '"'
    return [*(_words(phrase) or _encoded(name)), f"<{address}>"]


def mailbox_list_tokens(mailboxes: Sequence[list[str]]) -> list[str]:
    """Returns the tokens of several mailboxes, separated by commas."""
    *others, last = mailboxes
    return [token for mailbox in others for token in (*mailbox[:-1], f"{mailbox[-1]},")] + last


def _words(line: str) -> list[str]:
    """Returns the words of a line that needs no encoding; nothing otherwise."""
    words = line.split(" ")
    is_plain = _PRINTABLE.fullmatch(line) and _ENCODED_WORD not in line
    return words if is_plain and max(map(len, words)) <= _MAX_WORD_LENGTH else []


def _encoded(line: str) -> Iterator[str]:
    """Yields encoded words (RFC 2047), none of which splits a character."""
    octets = b""
    for char in line:
        if len(octets + char.encode()) > _OCTETS_PER_WORD:
            yield _encoded_word(octets)
            octets = b""
        octets += char.encode()
    yield _encoded_word(octets)


def _encoded_word(octets: bytes) -> str:
    return f"=?utf-8?b?{b64encode(octets).decode()}?="
