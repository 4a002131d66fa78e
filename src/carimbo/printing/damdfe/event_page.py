"""The page of an event of an MDF-e."""

from carimbo.fiscal.layouts.mdfe_v3.archived import read_archived_manifest
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.fiscal.layouts.sefaz.archived import read_archived_event
from carimbo.fiscal.printout import EventPrint
from carimbo.printing.damdfe.event_parts import event_parts, event_title
from carimbo.printing.damdfe.header import MODES, NAME, PORTAL
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.sefaz_event import document_block, sefaz_event_sheet, sefaz_issuer_block
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row


def draw_manifest_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event of an MDF-e on A4."""
    document, event = read_archived_manifest(order.document), read_archived_event(MDFE_DIALECT, order.event)
    manifest, ide = document.manifest, document.manifest.identification
    title = event_title(event)
    canvas = Canvas(typeface, f"{title} - {NAME} nº {ide.number} série {ide.series}")
    sheet = sefaz_event_sheet(
        canvas,
        title,
        event,
        address=PORTAL,
        document=(
            sefaz_issuer_block(canvas, manifest.issuer),
            _transport_block(canvas, manifest),
            document_block(canvas, NAME, ide, document.protocol, manifest.totals.amount),
        ),
        parts=tuple(event_parts(event)),
    )
    return sheet.drawn(order.logo)


def _transport_block(canvas: Canvas, manifest: Manifest) -> Block:
    about, mode = manifest.identification, manifest.mode.content
    fields = (
        PrintedField("MODAL", MODES.get(about.mode, about.mode), 50),
        PrintedField("UF DE CARREGAMENTO", about.start_state, 50),
        PrintedField("UF DE DESCARREGAMENTO", about.end_state, 50),
        PrintedField(
            "PLACA DO VEÍCULO", mode.vehicle.plate if isinstance(mode, ManifestRoad) else "", CONTENT - 150
        ),
    )
    return Block("TRANSPORTE", (row(canvas, *fields),))
