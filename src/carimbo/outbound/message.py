"""Writes letters as e-mail messages: headers, a text and its HTML, the files of the document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from carimbo.fiscal.money import written
from carimbo.fiscal.taxpayer import format_tax_id
from carimbo.outbound.headers import field, in_one_line, mailbox, mailboxes, text
from carimbo.service.delivery.letter import Letter

_WITHOUT_VALIDITY = "[SEM VALOR FISCAL] "
_GROUPS = re.compile(".{1,4}")
_TEMPLATES = Environment(
    loader=PackageLoader("carimbo.outbound", "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True)
class Sender:
    """The address that everything is sent from; the names are those of the companies."""

    address: str

    def message_id(self, letter: Letter) -> str:
        """The same for a letter at every attempt: what comes twice is seen to be one."""
        return f"<{letter.id}@{self.address.rpartition('@')[2]}>"


def compose(letter: Letter, sender: Sender, now: datetime) -> bytes:
    """Write a letter as a message of 7 bits, which every server takes."""
    letter = _in_one_line(letter)
    return "".join(_headers(letter, sender, now)).encode("ascii") + _content(letter).as_bytes()


def _in_one_line(letter: Letter) -> Letter:
    """A name that begins another line would begin another header."""
    issuer, addressee = in_one_line(letter.issuer), in_one_line(letter.addressee or "")
    return replace(letter, issuer=issuer, addressee=addressee or None)


def _headers(letter: Letter, sender: Sender, now: datetime) -> Iterator[str]:
    yield field("Subject", text(_subject(letter)))
    yield field("From", mailbox(sender.address, letter.issuer))
    yield field("To", mailboxes([mailbox(one, letter.addressee or "") for one in letter.to]))
    if letter.reply_to:
        yield field("Reply-To", mailbox(letter.reply_to, letter.issuer))
    yield field("Date", [format_datetime(now)])
    yield field("Message-ID", [sender.message_id(letter)])
    # Holiday notices need not answer it (RFC 3834).
    yield field("Auto-Submitted", ["auto-generated"])


def _content(letter: Letter) -> EmailMessage:
    told = {"letter": letter, "subject": _subject(letter), "facts": list(_facts(letter))}
    plain, html = (_TEMPLATES.get_template(name).render(told) for name in ("document.txt", "document.html"))
    message = EmailMessage(SMTP)
    message.set_content(plain, cte="quoted-printable")
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    for file in letter.attachments:
        kind, _, subtype = file.media_type.partition("/")
        message.add_attachment(file.content, kind, subtype, filename=file.name)
    return message


def _subject(letter: Letter) -> str:
    named = " ".join(map(str, filter(None, (letter.title, letter.number))))
    return f"{'' if letter.is_valid else _WITHOUT_VALIDITY}{named} de {letter.issuer}"


def _facts(letter: Letter) -> Iterator[tuple[str, str]]:
    """What tells the document from others, in the order in which people look for it."""
    yield "Emitente", letter.issuer
    yield "CNPJ", format_tax_id(letter.tax_id)
    if letter.number is not None:
        yield "Número", str(letter.number)
    if letter.series is not None:
        yield "Série", str(letter.series)
    yield "Emissão", f"{letter.issued_on:%d/%m/%Y}"
    yield "Valor", f"R$ {written(letter.amount)}"
    if letter.total_due is not None:
        yield "Total a pagar, com IBS e CBS", f"R$ {written(letter.total_due)}"
    yield "Chave de acesso", " ".join(_GROUPS.findall(letter.access_key))
