"""The stored file of an NF-e or NFC-e, with or without its authorization, read for printing."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedProtocol, read_protocol, read_root

_SERVICE_TAGS = ("vServ", "vBC", "vISS")


@dataclass(frozen=True, slots=True)
class ServiceTotals:
    """`ISSQNtot`: the totals of services in documents of other issuers; ours have none."""

    amount: Decimal | None
    base: Decimal | None
    tax_amount: Decimal | None


@dataclass(frozen=True, slots=True)
class ArchivedInvoice:
    """An NF-e or NFC-e with the protocol and QR code of its file."""

    invoice: Invoice
    access_key: str
    protocol: ArchivedProtocol | None
    """None if the document is not authorized yet."""
    qr_code: str | None
    consult_address: str | None
    services: ServiceTotals | None


def read_archived_invoice(file: bytes) -> ArchivedInvoice:
    """Reads a document's file, with or without authorization; raises `UnreadableDocument`."""
    root = read_root(NFE_DIALECT, file)
    content = root.part("infNFe")
    if content is None:
        raise UnreadableDocument("O XML não tem uma NF-e ou NFC-e.")
    services = root.part("ISSQNtot")
    return ArchivedInvoice(
        invoice=read_group(Invoice, content.element),
        access_key=content.element.get("Id", "").removeprefix("NFe"),
        protocol=read_protocol(root),
        qr_code=root.text("qrCode"),
        consult_address=root.text("urlChave"),
        services=None
        if services is None
        else ServiceTotals(
            *(services.parsed(tag, Decimal) if services.text(tag) else None for tag in _SERVICE_TAGS)
        ),
    )
