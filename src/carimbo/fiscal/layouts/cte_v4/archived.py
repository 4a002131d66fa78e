"""The stored file of a CT-e, with or without its authorization, read for printing."""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedPart, ArchivedProtocol, read_protocol, read_root
from carimbo.fiscal.layouts.sefaz.dialect import Dialect

WaybillT = TypeVar("WaybillT")


@dataclass(frozen=True, slots=True)
class ArchivedWaybill(Generic[WaybillT]):
    """A CT-e or CT-e OS with the protocol and QR code of its file."""

    waybill: WaybillT
    access_key: str
    protocol: ArchivedProtocol | None
    """None if the document is not authorized yet."""
    qr_code: str | None


def read_archived_waybill(file: bytes) -> ArchivedWaybill[Waybill]:
    """Reads a CT-e's file, with or without authorization; raises `UnreadableDocument`."""
    return read_archived(CTE_DIALECT, Waybill, file)


def read_archived(dialect: Dialect, waybill_type: type[WaybillT], file: bytes) -> ArchivedWaybill[WaybillT]:
    """Reads the file of a document in a dialect of CT-e; raises `UnreadableDocument`."""
    root = read_root(dialect, file)
    content = root.part("infCte")
    if content is None:
        raise UnreadableDocument("O XML não tem um CT-e.")
    return ArchivedWaybill(
        waybill=read_group(waybill_type, content.element),
        access_key=content.element.get("Id", "").removeprefix("CTe"),
        protocol=_protocol(root),
        qr_code=root.text("qrCodCTe"),
    )


def _protocol(root: ArchivedPart) -> ArchivedProtocol | None:
    """Reads the protocol; a CT-e has the notice of the authority beside it (`infFisco`)."""
    protocol, notice = read_protocol(root), root.part("infFisco")
    return replace(protocol, notice=notice.text("xMsg")) if protocol and notice else protocol
