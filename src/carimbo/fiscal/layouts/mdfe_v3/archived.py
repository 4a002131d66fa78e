"""The stored file of a manifest, with or without its authorization, read for printing."""

from dataclasses import dataclass, replace

from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.manifest import ID_PREFIX, Manifest
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedProtocol, read_protocol, read_root


@dataclass(frozen=True, slots=True)
class ArchivedManifest:
    """A manifest with the protocol and QR code of its file."""

    manifest: Manifest
    access_key: str
    protocol: ArchivedProtocol | None
    """None if the document is not authorized yet."""
    qr_code: str | None


def read_archived_manifest(file: bytes) -> ArchivedManifest:
    """Reads a manifest's file, with or without authorization; raises `UnreadableDocument`."""
    root = read_root(MDFE_DIALECT, file)
    content = root.part("infMDFe")
    if content is None:
        raise UnreadableDocument("O XML não tem um MDF-e.")
    protocol, notice = read_protocol(root), root.part("infFisco")
    return ArchivedManifest(
        manifest=read_group(Manifest, content.element),
        access_key=content.element.get("Id", "").removeprefix(ID_PREFIX),
        protocol=replace(protocol, notice=notice.text("xMsg")) if protocol and notice else protocol,
        qr_code=root.text("qrCodMDFe"),
    )
