"""The whole DANFSe: which piece stands on which sheet."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote, read_archived_note
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import BOTTOM, EDGE, LEAST_SIZE, SIZE, TOP
from carimbo.printing.danfse.head import Head, head_of
from carimbo.printing.danfse.notes import notes_text
from carimbo.printing.danfse.parties import party_pieces
from carimbo.printing.danfse.reform import reform_block
from carimbo.printing.danfse.service import service_block, service_text
from carimbo.printing.danfse.stub import Stub, stub_of
from carimbo.printing.danfse.taxes import federal_block, iss_piece
from carimbo.printing.danfse.texts import Text
from carimbo.printing.danfse.totals import total_block
from carimbo.printing.sheet import HEIGHT, WIDTH, Piece
from carimbo.printing.sheets import Sheets
from carimbo.printing.typeface import Typeface

_FRAME = 1.0
_LEAST_TEXT = 12.0
# Gray of 35 %, at least 50 points (NT 008, 2.5).
_MARK_GRAY, _MARK_SIZE, _MARK_ANGLE = 0.65, 74.0, 45.0


def draw_danfse(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draw an NFS-e; a logo has no place on it (NT 008, 2.1: nothing that the XML does not have)."""
    archived = read_archived_note(order.xml)
    canvas = Canvas(typeface, f"DANFSe {archived.access_key}")
    head, stub = head_of(canvas, archived, order), stub_of(canvas, archived)
    sheets = _planned(canvas, archived, head, stub)
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


def _planned(
    canvas: Canvas, archived: ArchivedServiceNote, head: Head, stub: Stub
) -> list[list[tuple[float, Piece]]]:
    """All blocks on the first sheet; long texts share what is left of it, and go on on others."""
    before, after = list(_blocks_before(canvas, archived)), list(_blocks_after(canvas, archived))
    sheets = Sheets(TOP + head.height, TOP + head.height, BOTTOM - stub.height, BOTTOM)
    room = sheets.room - sum(piece.height for piece in (*before, *after))
    description, notes = _texts(canvas, archived, room)
    for piece in before:
        sheets.place(piece)
    share = room - min(notes.height, room / 2) if room > 0 else sheets.room
    rests = [_place_text(sheets, description, share)]
    for piece in after:
        sheets.place(piece)
    rests.append(_place_text(sheets, notes, sheets.room, is_last=True))
    for rest in filter(None, rests):
        _place_rest(sheets, rest)
    return sheets.sheets


def _texts(canvas: Canvas, archived: ArchivedServiceNote, room: float) -> tuple[Text, Text]:
    """What was done and what else is told, in large letters if one sheet has room for them."""
    large = service_text(canvas, archived, SIZE), notes_text(canvas, archived, SIZE)
    if sum(text.height for text in large) <= room:
        return large
    return service_text(canvas, archived, LEAST_SIZE), notes_text(canvas, archived, LEAST_SIZE)


def _blocks_before(canvas: Canvas, archived: ArchivedServiceNote) -> Iterator[Piece]:
    yield from party_pieces(canvas, archived)
    yield service_block(canvas, archived)


def _blocks_after(canvas: Canvas, archived: ArchivedServiceNote) -> Iterator[Piece]:
    yield iss_piece(canvas, archived)
    yield federal_block(canvas, archived)
    yield reform_block(canvas, archived)
    yield total_block(canvas, archived)


def _place_text(sheets: Sheets, text: Text, room: float, *, is_last: bool = False) -> Text | None:
    """Put as much of a text as there is room for, and tell what is left."""
    part, rest = text.split(min(room, sheets.room))
    if part:
        sheets.place(part.stretch(sheets.room) if is_last and sheets.is_first else part)
    return rest


def _place_rest(sheets: Sheets, text: Text) -> None:
    rest: Text | None = text
    while rest:
        if sheets.is_first or sheets.room < _LEAST_TEXT:
            sheets.turn()
        rest = _place_text(sheets, rest, sheets.room)


def _draw_mark(canvas: Canvas, order: DocumentPrint) -> None:
    """Say across the sheet that the note is no longer in force, and why."""
    if order.is_canceled or order.is_replaced:
        text = "SUBSTITUÍDA" if order.is_replaced else "CANCELADA"
        canvas.mark(WIDTH / 2, HEIGHT / 2, text, _MARK_SIZE, _MARK_ANGLE, _MARK_GRAY, bold=False)
