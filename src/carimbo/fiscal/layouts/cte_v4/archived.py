"""The stored file of a CT-e, with or without its authorization, read for printing."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedProtocol, read_protocol, read_root


@dataclass(frozen=True, slots=True)
class ArchivedWaybill:
    """A CT-e with the protocol and QR code of its file."""

    waybill: Waybill
    access_key: str
    protocol: ArchivedProtocol | None
    """None if the document is not authorized yet."""
    qr_code: str | None


def read_archived_waybill(file: bytes) -> ArchivedWaybill:
    """Reads a document's file, with or without authorization; raises `UnreadableDocument`."""
    root = read_root(CTE_DIALECT, file)
    content = root.part("infCte")
    if content is None:
        raise UnreadableDocument("O XML não tem um CT-e.")
    return ArchivedWaybill(
        waybill=read_group(Waybill, content.element),
        access_key=content.element.get("Id", "").removeprefix("CTe"),
        protocol=read_protocol(root),
        qr_code=root.text("qrCodCTe"),
    )
