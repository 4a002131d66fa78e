"""The files that are kept: a document with its authorization, an event with its registration."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.layouts.reading import Unreadable, read
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.xml_reading import read_xml

T = TypeVar("T")

_IN = f"{{{NAMESPACE}}}"
_SERVICE_TAGS = ("vServ", "vBC", "vISS")


@dataclass(frozen=True, slots=True)
class Protocol:
    """What an authority said of what it was sent, and when."""

    number: str | None
    at: datetime
    code: str
    message: str
    notice: str | None = None
    """What it asks to be told to the recipient (xMsg)."""


@dataclass(frozen=True, slots=True)
class ServiceTotals:
    """`ISSQNtot`: the totals of services in documents of others; ours have none."""

    amount: Decimal | None
    base: Decimal | None
    tax_amount: Decimal | None


@dataclass(frozen=True, slots=True)
class ArchivedInvoice:
    """An NF-e or NFC-e with what stands beside it in its file."""

    invoice: Invoice
    access_key: str
    protocol: Protocol | None
    """None of one that waits for its authorization."""
    qr_code: str | None
    consult_address: str | None
    services: ServiceTotals | None


@dataclass(frozen=True, slots=True)
class ArchivedEvent:
    """Something that was told of a document, and its registration."""

    access_key: str
    event_type: str
    sequence: int
    environment: str
    occurred_at: datetime
    description: str
    correction: str | None
    conditions: str | None
    reason: str | None
    replaced_by: str | None
    protocol: Protocol


def read_archived_invoice(file: bytes) -> ArchivedInvoice:
    """Read a document's file, with or without authorization, or raise `Unreadable`."""
    root = read_xml(file)
    content = next(root.iter(f"{_IN}infNFe"), None)
    if content is None:
        raise Unreadable("O XML não tem uma NF-e ou NFC-e.")
    services = next(root.iter(f"{_IN}ISSQNtot"), None)
    return ArchivedInvoice(
        invoice=read(Invoice, content),
        access_key=content.get("Id", "").removeprefix("NFe"),
        protocol=_protocol(next(root.iter(f"{_IN}infProt"), None), "dhRecbto"),
        qr_code=_text(root, "qrCode"),
        consult_address=_text(root, "urlChave"),
        services=None if services is None else _services(services),
    )


def read_archived_event(file: bytes) -> ArchivedEvent:
    """Read an event's file, or raise `Unreadable`."""
    root = read_xml(file)
    told = root.find(f"{_IN}evento/{_IN}infEvento")
    registration = _protocol(root.find(f"{_IN}retEvento/{_IN}infEvento"), "dhRegEvento")
    if told is None or registration is None:
        raise Unreadable("O XML não tem um evento com seu registro.")
    return ArchivedEvent(
        access_key=_required(told, "chNFe"),
        event_type=_required(told, "tpEvento"),
        sequence=_parsed(told, "nSeqEvento", int),
        environment=_required(told, "tpAmb"),
        occurred_at=_parsed(told, "dhEvento", datetime.fromisoformat),
        description=_required(told, "descEvento"),
        correction=_text(told, "xCorrecao"),
        conditions=_text(told, "xCondUso"),
        reason=_text(told, "xJust"),
        replaced_by=_text(told, "chNFeRef"),
        protocol=registration,
    )


def _protocol(part: etree._Element | None, moment: str) -> Protocol | None:
    if part is None:
        return None
    return Protocol(
        number=_text(part, "nProt"),
        at=_parsed(part, moment, datetime.fromisoformat),
        code=_required(part, "cStat"),
        message=_text(part, "xMotivo") or "",
        notice=_text(part, "xMsg"),
    )


def _services(part: etree._Element) -> ServiceTotals:
    return ServiceTotals(
        *(_parsed(part, tag, Decimal) if _text(part, tag) else None for tag in _SERVICE_TAGS)
    )


def _required(part: etree._Element, tag: str) -> str:
    text = _text(part, tag)
    if text is None:
        raise Unreadable(f"O campo {tag} não está no XML.")
    return text


def _parsed(part: etree._Element, tag: str, parse: Callable[[str], T]) -> T:
    text = _required(part, tag)
    try:
        return parse(text)
    except (ValueError, ArithmeticError):
        raise Unreadable(f"O campo {tag} não pode ser lido: {quoted(text)}.") from None


def _text(part: etree._Element, tag: str) -> str | None:
    found = next(part.iter(f"{_IN}{tag}"), None)
    return None if found is None or not found.text else found.text.strip()
