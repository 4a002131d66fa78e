"""The sheets of a DACTE or DACTE OS: places its parts and draws them."""

from collections.abc import Sequence
from dataclasses import dataclass

from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.dacte.header import DacteHeader
from carimbo.printing.dacte.stub import DacteStub
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.entry_table import EntryTable
from carimbo.printing.notes import Notes, place_rest
from carimbo.printing.sheet import BOTTOM, TOP, Piece, SheetLayout
from carimbo.printing.transport_sheets import draw_transport_sheets, marks_of

_MIN_OBSERVATIONS_HEIGHT, _MAX_OBSERVATIONS_HEIGHT = 12.0, 36.0
_MIN_RESERVED_HEIGHT, _MAX_RESERVED_HEIGHT = 12.0, 26.0
_MIN_TABLE_HEIGHT = 14.0


@dataclass(frozen=True, slots=True)
class DacteParts:
    """The parts of a DACTE, measured."""

    stub: DacteStub
    header: DacteHeader
    blocks: Sequence[Piece]
    tables: Sequence[EntryTable]
    flow: Piece | None
    observations: Notes
    mode: Piece | None
    reserved: Notes


def draw_sheets(canvas: Canvas, parts: DacteParts, ending: str | None) -> bytes:
    """Draws all sheets and returns the PDF."""
    marks = marks_of(parts.header.identification.environment, ending)
    return draw_transport_sheets(canvas, parts.header, _lay_out(parts), marks, parts.stub)


def ending_of(order: DocumentPrint) -> str | None:
    """Returns the word for a document that has no effect any more; None for the others."""
    if order.is_canceled:
        return "CANCELADO"
    return "SUBSTITUÍDO" if order.is_replaced else None


def _lay_out(parts: DacteParts) -> list[list[tuple[float, Piece]]]:
    """Places blocks, then tables; notes go to the foot of the first sheet, and their rest to the end."""
    notes, more_notes = parts.observations.split(_MAX_OBSERVATIONS_HEIGHT, _MIN_OBSERVATIONS_HEIGHT)
    reserved, more_reserved = parts.reserved.split(_MAX_RESERVED_HEIGHT, _MIN_RESERVED_HEIGHT)
    foot: list[Piece] = [part for part in (parts.flow, notes, parts.mode, reserved) if part]
    first_bottom = BOTTOM - sum(piece.height for piece in foot)
    next_top = TOP + parts.header.height
    sheets = SheetLayout(next_top + parts.stub.height, next_top, first_bottom, BOTTOM)

    for block in parts.blocks:
        sheets.place(block)
    for table in parts.tables:
        sheets.fill(table, _MIN_TABLE_HEIGHT, to_foot=table is parts.tables[-1])
    place_rest(sheets, more_notes, _MIN_OBSERVATIONS_HEIGHT)
    place_rest(sheets, more_reserved, _MIN_RESERVED_HEIGHT)
    sheets.place_foot(foot)
    return sheets.sheets
