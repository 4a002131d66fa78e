"""The DANFSe: places the blocks of an NFS-e on sheets and draws them."""

from carimbo.fiscal.layouts.dps_v1.archived import ArchivedServiceNote, read_archived_note
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.danfse.grid import BOTTOM, EDGE, MIN_SIZE, SIZE, TOP
from carimbo.printing.danfse.header import DanfseHeader, DanfseStub, danfse_header, danfse_stub
from carimbo.printing.danfse.parties import party_pieces
from carimbo.printing.danfse.service import LongText, notes_text, service_block, service_text
from carimbo.printing.danfse.taxes import federal_block, iss_piece, reform_block, total_block
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.sheet import HEIGHT, WIDTH, Piece, SheetLayout

_FRAME = 1.0
_MIN_TEXT_HEIGHT = 12.0
# Gray of 35 %, at least 50 points (NT 008, 2.5).
_MARK_GRAY, _MARK_SIZE, _MARK_ANGLE = 0.65, 74.0, 45.0


def draw_danfse(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the DANFSe of an NFS-e, without a logo (NT 008, 2.1: it shows nothing that the XML lacks)."""
    archived = read_archived_note(order.xml)
    canvas = Canvas(typeface, f"DANFSe {archived.access_key}")
    head, stub = danfse_header(canvas, archived, order), danfse_stub(canvas, archived)
    sheets = _lay_out(canvas, archived, head, stub)
    for number, sheet in enumerate(sheets, 1):
        canvas.add_page(WIDTH, HEIGHT)
        canvas.frame(EDGE, EDGE, WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE, _FRAME)
        _draw_mark(canvas, order)
        head.draw(canvas, TOP, number, len(sheets))
        for y, piece in sheet:
            piece.draw(canvas, y)
        if number == 1:
            stub.draw(canvas, BOTTOM - stub.height)
    return canvas.finished()


def _lay_out(
    canvas: Canvas, archived: ArchivedServiceNote, head: DanfseHeader, stub: DanfseStub
) -> list[list[tuple[float, Piece]]]:
    """Places all blocks on the first sheet; long texts share the rest and continue on further sheets."""
    before: list[Piece] = [*party_pieces(canvas, archived), service_block(canvas, archived)]
    after: list[Piece] = [
        iss_piece(canvas, archived),
        federal_block(canvas, archived),
        reform_block(canvas, archived),
        total_block(canvas, archived),
    ]
    sheets = SheetLayout(TOP + head.height, TOP + head.height, BOTTOM - stub.height, BOTTOM)
    room = sheets.room - sum(piece.height for piece in (*before, *after))
    description, notes = _texts(canvas, archived, room)
    for piece in before:
        sheets.place(piece)
    share = room - min(notes.height, room / 2) if room > 0 else sheets.room
    rests = [_place_text(sheets, description, share)]
    for piece in after:
        sheets.place(piece)
    rests.append(_place_text(sheets, notes, sheets.room, is_last=True))
    for rest in rests:
        remaining = rest
        while remaining:
            if sheets.is_first or sheets.room < _MIN_TEXT_HEIGHT:
                sheets.begin_sheet()
            remaining = _place_text(sheets, remaining, sheets.room)
    return sheets.sheets


def _texts(canvas: Canvas, archived: ArchivedServiceNote, room: float) -> tuple[LongText, LongText]:
    """Returns service description and notes, in the larger size if both fit on one sheet."""
    large = service_text(canvas, archived, SIZE), notes_text(canvas, archived, SIZE)
    if sum(text.height for text in large) <= room:
        return large
    return service_text(canvas, archived, MIN_SIZE), notes_text(canvas, archived, MIN_SIZE)


def _place_text(
    sheets: SheetLayout, text: LongText, room: float, *, is_last: bool = False
) -> LongText | None:
    """Places as much of a text as fits and returns the rest."""
    part, rest = text.split(min(room, sheets.room))
    if part:
        sheets.place(part.stretch(sheets.room) if is_last and sheets.is_first else part)
    return rest


def _draw_mark(canvas: Canvas, order: DocumentPrint) -> None:
    """Writes a watermark if the note was canceled or replaced."""
    if order.is_canceled or order.is_replaced:
        text = "SUBSTITUÍDA" if order.is_replaced else "CANCELADA"
        canvas.mark(WIDTH / 2, HEIGHT / 2, text, _MARK_SIZE, _MARK_ANGLE, _MARK_GRAY, bold=False)
