"""The DANFE: places the blocks of an NF-e on sheets and draws them."""

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice, read_archived_invoice
from carimbo.fiscal.printout import DocumentPrint
from carimbo.printing.danfe.header import DanfeHeader, danfe_header
from carimbo.printing.danfe.items import item_table
from carimbo.printing.danfe.notes import notes_of
from carimbo.printing.danfe.parties import party_blocks, transport_block
from carimbo.printing.danfe.stub import DanfeStub, danfe_stub
from carimbo.printing.danfe.totals import billing_blocks, service_block, total_blocks
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.notes import place_rest
from carimbo.printing.sheet import BOTTOM, HEIGHT, TOP, WIDTH, Piece, SheetLayout

_DOCUMENT = "nfe"
_MIN_NOTES_HEIGHT, _MAX_NOTES_HEIGHT = 22.0, 62.0
_MIN_ITEMS_HEIGHT = 14.0


def draw_danfe(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws the DANFE of an NF-e."""
    archived = read_archived_invoice(order.xml)
    canvas = Canvas(typeface, f"DANFE {archived.access_key}")
    issued_on = archived.invoice.identification.issued_at.date()
    is_reform = DatedRule.DANFE_SHOWS_IBS_CBS in rules_on(issued_on, _DOCUMENT)
    logo = PlainPng.read(order.logo) if order.logo else None
    head = danfe_header(canvas, archived, is_canceled=order.is_canceled, logo=logo, is_reform=is_reform)
    stub = danfe_stub(canvas, archived.invoice)
    sheets = _lay_out(canvas, archived, head, stub, is_reform=is_reform)
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


def _lay_out(
    canvas: Canvas, archived: ArchivedInvoice, head: DanfeHeader, stub: DanfeStub, *, is_reform: bool
) -> list[list[tuple[float, Piece]]]:
    """Places blocks, then items; notes go to the foot of the first sheet, and the rest of them to the end."""
    first, rest = notes_of(canvas, archived).split(_MAX_NOTES_HEIGHT, _MIN_NOTES_HEIGHT)
    services = service_block(canvas, archived.invoice.issuer, archived.services)
    foot: list[Piece] = [services, first] if services else [first]
    first_bottom = BOTTOM - sum(piece.height for piece in foot)
    sheets = SheetLayout(TOP + stub.height + head.height, TOP + head.height, first_bottom, BOTTOM)
    invoice = archived.invoice
    blocks: tuple[Piece, ...] = (
        *party_blocks(canvas, invoice),
        *billing_blocks(canvas, invoice.billing),
        *total_blocks(canvas, invoice, is_reform=is_reform),
        transport_block(canvas, invoice.transport),
    )
    for block in blocks:
        sheets.place(block)
    sheets.fill(item_table(canvas, invoice, is_reform=is_reform), _MIN_ITEMS_HEIGHT)
    place_rest(sheets, rest, _MIN_NOTES_HEIGHT)
    sheets.place_foot(foot)
    return sheets.sheets


def _draw_marks(canvas: Canvas, archived: ArchivedInvoice, *, is_canceled: bool) -> None:
    is_test = archived.invoice.identification.environment == Environment.HOMOLOGATION.code
    marks = [*(["SEM VALOR FISCAL"] if is_test else []), *(["CANCELADA"] if is_canceled else [])]
    for number, text in enumerate(marks):
        canvas.mark(WIDTH / 2, 165 + 60 * number, text, 58, 35)
