"""The file of an NF-e or NFC-e, with or without its authorization, read for paper."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.reading import Unreadable, read
from carimbo.fiscal.layouts.sefaz.archived import ArchivedPart, Protocol, read_protocol, read_root

_SERVICE_TAGS = ("vServ", "vBC", "vISS")


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
    """None of a document that waits for its authorization."""
    qr_code: str | None
    consult_address: str | None
    services: ServiceTotals | None


def read_archived_invoice(file: bytes) -> ArchivedInvoice:
    """Reads a document's file, with or without authorization, or raises `Unreadable`."""
    root = read_root(NFE_DIALECT, file)
    content = root.part("infNFe")
    if content is None:
        raise Unreadable("O XML não tem uma NF-e ou NFC-e.")
    services = root.part("ISSQNtot")
    return ArchivedInvoice(
        invoice=read(Invoice, content.element),
        access_key=content.element.get("Id", "").removeprefix("NFe"),
        protocol=read_protocol(root),
        qr_code=root.text("qrCode"),
        consult_address=root.text("urlChave"),
        services=None if services is None else _services(services),
    )


def _services(part: ArchivedPart) -> ServiceTotals:
    return ServiceTotals(*(part.parsed(tag, Decimal) if part.text(tag) else None for tag in _SERVICE_TAGS))
