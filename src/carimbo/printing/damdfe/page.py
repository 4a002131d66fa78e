"""The DAMDFE: places the parts of an MDF-e on sheets (MOC MDF-e 3.00, Anexo II)."""

from collections.abc import Iterable, Iterator

from carimbo.fiscal.layouts.mdfe_v3.archived import ArchivedManifest, read_archived_manifest
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.modes import ManifestAir, ManifestRail, ManifestWater
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing import formats
from carimbo.printing.damdfe.documents import composition_tables
from carimbo.printing.damdfe.header import NAME, DamdfeHeader, damdfe_header
from carimbo.printing.damdfe.insurance import insurance_tables, seal_tables
from carimbo.printing.damdfe.modes import air_block, rail_pieces, water_pieces
from carimbo.printing.damdfe.payments import payment_tables
from carimbo.printing.damdfe.registered import RegisteredEvents, TransportEnd, read_registered_events
from carimbo.printing.damdfe.road import road_tables
from carimbo.printing.damdfe.summary import product_block, route_block, totals_block
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.entry_table import EntryTable
from carimbo.printing.notes import Notes, note_box, place_rest
from carimbo.printing.sheet import BOTTOM, CONTENT, TOP, Block, Piece, SheetLayout
from carimbo.printing.transport_sheets import draw_transport_sheets, marks_of

_MIN_NOTES_HEIGHT, _MAX_NOTES_HEIGHT = 14.0, 40.0
_MIN_TABLE_HEIGHT = 14.0
_CANCELED, _CLOSED = "CANCELADO", "ENCERRADO"
_OF_TAXPAYER = "INFORMAÇÕES COMPLEMENTARES DE INTERESSE DO CONTRIBUINTE"
_OF_AUTHORITY = "INFORMAÇÕES ADICIONAIS DE INTERESSE DO FISCO"


def draw_damdfe(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the DAMDFE of an MDF-e with what its registered events changed."""
    archived, events = read_archived_manifest(order.xml), read_registered_events(order.events)
    canvas = Canvas(typeface, f"DAMDFE {archived.access_key}")
    ending = _ending_of(order, events)
    notices = [_notice(ending, events.end)] if ending else []
    header = damdfe_header(canvas, archived, notices, PlainPng.read(order.logo) if order.logo else None)
    sheets = _lay_out(header, _pieces(canvas, archived.manifest, events), _notes(canvas, archived))
    marks = marks_of(header.identification.environment, ending)
    return draw_transport_sheets(canvas, header, sheets, marks)


def _ending_of(order: DocumentPrint, events: RegisteredEvents) -> str | None:
    """Returns the word for a canceled or closed document; None for the others."""
    if order.is_canceled:
        return _CANCELED
    return _CLOSED if events.end or order.is_closed else None


def _notice(ending: str, end: TransportEnd | None) -> str:
    """Returns the notice of the ending; that of a closing has its day and place, if they are known."""
    if ending != _CLOSED or end is None:
        return f"{NAME} {ending}"
    return " - ".join(filter(None, (f"{NAME} {ending} EM {formats.day(end.day)}", end.place)))


def _pieces(canvas: Canvas, manifest: Manifest, events: RegisteredEvents) -> Iterator[Block | EntryTable]:
    """Yields blocks and tables from top to bottom; what the document does not have is left out."""
    yield totals_block(canvas, manifest, events.invoice_count)
    yield from _mode_pieces(canvas, manifest, events)
    yield route_block(canvas, manifest.identification)
    yield from composition_tables(canvas, manifest, events.documents)
    yield from seal_tables(canvas, manifest)
    yield from insurance_tables(canvas, manifest)
    if manifest.main_product:
        yield product_block(canvas, manifest.main_product)
    road = manifest.mode.content
    carrier = road.carrier if isinstance(road, ManifestRoad) else None
    yield from payment_tables(canvas, carrier.payments if carrier else (), events.payments)


def _mode_pieces(
    canvas: Canvas, manifest: Manifest, events: RegisteredEvents
) -> Iterator[Block | EntryTable]:
    match manifest.mode.content:
        case ManifestRoad() as road:
            yield from road_tables(canvas, road, events.drivers)
        case ManifestAir() as air:
            yield air_block(canvas, air)
        case ManifestWater() as water:
            yield from water_pieces(canvas, water)
        case ManifestRail() as rail:
            yield from rail_pieces(canvas, rail)


def _notes(canvas: Canvas, archived: ArchivedManifest) -> Notes | None:
    """Returns the boxes of notes; None if the document has none."""
    notes, protocol = archived.manifest.notes, archived.protocol
    of_taxpayer = (notes.notes if notes else None,)
    of_authority = (notes.authority_notes if notes else None, protocol.notice if protocol else None)
    boxes = [
        (title, [text for text in texts if text])
        for title, texts in ((_OF_TAXPAYER, of_taxpayer), (_OF_AUTHORITY, of_authority))
        if any(texts)
    ]
    if not boxes:
        return None
    width = CONTENT / len(boxes)
    return Notes("INFORMAÇÕES", tuple(note_box(canvas, title, width, texts) for title, texts in boxes))


def _lay_out(
    header: DamdfeHeader, pieces: Iterable[Block | EntryTable], notes: Notes | None
) -> list[list[tuple[float, Piece]]]:
    """Places all pieces; notes go to the foot of the first sheet, and the rest of them to the end."""
    first, rest = notes.split(_MAX_NOTES_HEIGHT, _MIN_NOTES_HEIGHT) if notes else (None, None)
    foot: list[Piece] = [first] if first else []
    top = TOP + header.height
    sheets = SheetLayout(top, top, BOTTOM - sum(piece.height for piece in foot), BOTTOM)
    for piece in pieces:
        if isinstance(piece, EntryTable):
            sheets.fill(piece, _MIN_TABLE_HEIGHT, to_foot=False)
        else:
            sheets.place(piece)
    place_rest(sheets, rest, _MIN_NOTES_HEIGHT)
    sheets.place_foot(foot)
    return sheets.sheets
