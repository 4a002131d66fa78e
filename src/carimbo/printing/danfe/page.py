"""The whole DANFE: which piece stands on which sheet."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice, read_archived_invoice
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfe.billing import billing_blocks
from carimbo.printing.danfe.head import Head, head_of
from carimbo.printing.danfe.items import ItemTable, item_table
from carimbo.printing.danfe.notes import Notes, notes_of
from carimbo.printing.danfe.parties import party_blocks
from carimbo.printing.danfe.stub import Stub, stub_of
from carimbo.printing.danfe.totals import service_block, total_blocks
from carimbo.printing.danfe.transport import transport_block
from carimbo.printing.png import PlainPng
from carimbo.printing.sheet import BOTTOM, HEIGHT, TOP, WIDTH, Piece
from carimbo.printing.sheets import Sheets
from carimbo.printing.typeface import Typeface

_DOCUMENT = "nfe"
_LEAST_NOTES, _MOST_NOTES = 22.0, 62.0
_LEAST_ITEMS = 14.0


def draw_danfe(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draw an NF-e."""
    archived = read_archived_invoice(order.xml)
    canvas = Canvas(typeface, f"DANFE {archived.access_key}")
    issued_on = archived.invoice.identification.issued_at.date()
    is_reform = DatedRule.DANFE_SHOWS_IBS_CBS in rules_on(issued_on, _DOCUMENT)
    logo = PlainPng.read(order.logo) if order.logo else None
    head = head_of(canvas, archived, is_canceled=order.is_canceled, logo=logo, is_reform=is_reform)
    stub = stub_of(canvas, archived.invoice)
    sheets = _planned(canvas, archived, head, stub, is_reform=is_reform)
    for number, sheet in enumerate(sheets, 1):
        canvas.add_page(WIDTH, HEIGHT)
        _draw_marks(canvas, archived, is_canceled=order.is_canceled)
        top = TOP
        if number == 1:
            stub.draw(canvas, top)
            top += stub.height
        head.draw(canvas, top, number, len(sheets))
        for y, piece in sheet:
            piece.draw(canvas, y)
    return canvas.finished()


def _planned(
    canvas: Canvas, archived: ArchivedInvoice, head: Head, stub: Stub, *, is_reform: bool
) -> list[list[tuple[float, Piece]]]:
    """Blocks, then items; notes at the foot of the first sheet, and what that has no room for at the end."""
    first, rest = notes_of(canvas, archived).split(_MOST_NOTES, _LEAST_NOTES)
    services = service_block(canvas, archived.invoice.issuer, archived.services)
    foot: list[Piece] = [services, first] if services else [first]
    first_bottom = BOTTOM - sum(piece.height for piece in foot)
    sheets = Sheets(TOP + stub.height + head.height, TOP + head.height, first_bottom, BOTTOM)
    for block in _blocks(canvas, archived, is_reform=is_reform):
        sheets.place(block)
    _place_items(sheets, item_table(canvas, archived.invoice, is_reform=is_reform))
    _place_rest(sheets, rest)
    y = first_bottom
    for piece in foot:
        sheets.sheets[0].append((y, piece))
        y += piece.height
    return sheets.sheets


def _blocks(canvas: Canvas, archived: ArchivedInvoice, *, is_reform: bool) -> Iterator[Piece]:
    invoice = archived.invoice
    yield from party_blocks(canvas, invoice)
    yield from billing_blocks(canvas, invoice.billing)
    yield from total_blocks(canvas, invoice, is_reform=is_reform)
    yield transport_block(canvas, invoice.transport)


def _place_items(sheets: Sheets, table: ItemTable) -> None:
    """Fill sheet after sheet; on the first the frame reaches down to the foot."""
    rest: ItemTable | None = table
    while rest:
        part, rest = rest.split(sheets.room) if sheets.room >= _LEAST_ITEMS else (None, rest)
        if part is None:
            sheets.turn()
            continue
        sheets.place(part.stretch(sheets.room) if sheets.is_first or rest else part)


def _place_rest(sheets: Sheets, notes: Notes | None) -> None:
    while notes:
        if sheets.is_first or sheets.room < _LEAST_NOTES:
            sheets.turn()
        part, notes = notes.split(sheets.room, 0)
        sheets.place(part)


def _draw_marks(canvas: Canvas, archived: ArchivedInvoice, *, is_canceled: bool) -> None:
    tested = archived.invoice.identification.environment == Environment.HOMOLOGATION.code
    marks = [*(["SEM VALOR FISCAL"] if tested else []), *(["CANCELADA"] if is_canceled else [])]
    for number, text in enumerate(marks):
        canvas.mark(WIDTH / 2, 165 + 60 * number, text, 58, 35)
