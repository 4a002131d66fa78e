"""The DACTE: places the blocks of a CT-e on sheets and draws them (MOC CT-e 4.00, Anexo II)."""

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.cte_v4.archived import ArchivedWaybill, read_archived_waybill
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.dacte.cargo import cargo_block, price_block
from carimbo.printing.dacte.documents import document_tables
from carimbo.printing.dacte.header import DacteHeader, dacte_header
from carimbo.printing.dacte.notes import flow_block, observations, reserved_boxes, road_block
from carimbo.printing.dacte.parties import party_boxes
from carimbo.printing.dacte.stub import DacteStub, dacte_stub
from carimbo.printing.dacte.taxes import tax_block
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.notes import place_rest
from carimbo.printing.sheet import (
    BOTTOM,
    CONTENT,
    HEIGHT,
    TOP,
    WIDTH,
    Block,
    FormField,
    Piece,
    SheetLayout,
    row,
)

_MIN_OBSERVATIONS_HEIGHT, _MAX_OBSERVATIONS_HEIGHT = 12.0, 36.0
_MIN_RESERVED_HEIGHT, _MAX_RESERVED_HEIGHT = 12.0, 26.0
_MIN_TABLE_HEIGHT = 14.0


def draw_dacte(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the DACTE of a CT-e."""
    archived = read_archived_waybill(order.xml)
    canvas = Canvas(typeface, f"DACTE {archived.access_key}")
    logo = PlainPng.read(order.logo) if order.logo else None
    head = dacte_header(canvas, archived, ending=_ending(order), logo=logo)
    stub = dacte_stub(canvas, archived.waybill.identification)
    sheets = _lay_out(canvas, archived, head, stub)
    for number, sheet in enumerate(sheets, 1):
        canvas.add_page(WIDTH, HEIGHT)
        _draw_marks(canvas, archived, ending=_ending(order))
        top = TOP
        if number == 1:
            stub.draw(canvas, top)
            top += stub.height
        head.draw(canvas, top, number, len(sheets))
        for y, piece in sheet:
            piece.draw(canvas, y)
    return canvas.finished()


def _lay_out(
    canvas: Canvas, archived: ArchivedWaybill, head: DacteHeader, stub: DacteStub
) -> list[list[tuple[float, Piece]]]:
    """Places blocks, then tables; notes go to the foot of the first sheet, and their rest to the end."""
    waybill = archived.waybill
    notes, more_notes = observations(canvas, waybill).split(
        _MAX_OBSERVATIONS_HEIGHT, _MIN_OBSERVATIONS_HEIGHT
    )
    reserved, more_reserved = reserved_boxes(canvas, archived).split(
        _MAX_RESERVED_HEIGHT, _MIN_RESERVED_HEIGHT
    )
    parts = flow_block(canvas, waybill.complement), notes, road_block(canvas, waybill), reserved
    foot: list[Piece] = [part for part in parts if part]
    first_bottom = BOTTOM - sum(piece.height for piece in foot)
    sheets = SheetLayout(TOP + stub.height + head.height, TOP + head.height, first_bottom, BOTTOM)

    blocks: tuple[Piece, ...] = (
        _route_block(canvas, waybill.identification),
        *party_boxes(canvas, waybill),
        *((cargo_block(canvas, waybill.service.cargo),) if waybill.service else ()),
        price_block(canvas, waybill.price),
        tax_block(canvas, waybill.taxes),
    )
    for block in blocks:
        sheets.place(block)
    tables = list(document_tables(canvas, waybill))
    for table in tables:
        sheets.fill(table, _MIN_TABLE_HEIGHT, to_foot=table is tables[-1])
    place_rest(sheets, more_notes, _MIN_OBSERVATIONS_HEIGHT)
    place_rest(sheets, more_reserved, _MIN_RESERVED_HEIGHT)
    sheets.place_foot(foot)
    return sheets.sheets


def _route_block(canvas: Canvas, about: WaybillIdentification) -> Block:
    half = CONTENT / 2
    fields = (
        FormField("INÍCIO DA PRESTAÇÃO", f"{about.start_state} - {about.start_city}", half),
        FormField("TÉRMINO DA PRESTAÇÃO", f"{about.end_state} - {about.end_city}", half),
    )
    return Block("", (row(canvas, *fields),))


def _ending(order: DocumentPrint) -> str | None:
    """Returns the word for a CT-e that has no effect any more; None for the others."""
    if order.is_canceled:
        return "CANCELADO"
    return "SUBSTITUÍDO" if order.is_replaced else None


def _draw_marks(canvas: Canvas, archived: ArchivedWaybill, *, ending: str | None) -> None:
    is_test = archived.waybill.identification.environment == Environment.HOMOLOGATION.code
    marks = [*(["SEM VALOR FISCAL"] if is_test else []), *([ending] if ending else [])]
    for number, text in enumerate(marks):
        canvas.mark(WIDTH / 2, 165 + 60 * number, text, 58, 35)
