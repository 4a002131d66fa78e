"""The bill and its installments."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.nfe_v4.billing import Bill, Billing, Installment
from carimbo.printing import formats
from carimbo.printing.canvas import Align, Canvas
from carimbo.printing.form import Field, Row, row
from carimbo.printing.sheet import CONTENT, Block

_PER_ROW = 5
_MOST = 40


def billing_blocks(canvas: Canvas, billing: Billing | None) -> Iterator[Block]:
    """The block of the bill; a document without one has none (MOC 7.0, Anexo II, 3.3)."""
    if billing and billing.bill:
        yield Block("FATURA", (_bill(canvas, billing.bill),))
    if billing and billing.installments:
        yield Block("DUPLICATAS", tuple(_rows(canvas, billing.installments[:_MOST])))


def installments_beyond(billing: Billing | None) -> tuple[Installment, ...]:
    """Those that the form has no room for, and that are told in the notes."""
    return billing.installments[_MOST:] if billing else ()


def told(installment: Installment) -> str:
    """Number, due date and amount."""
    due = formats.day(installment.due_date)
    return "  ".join(filter(None, (installment.number, due, f"R$ {formats.number(installment.amount)}")))


def _bill(canvas: Canvas, bill: Bill) -> Row:
    return row(
        canvas,
        Field("NÚMERO", bill.number or "", CONTENT - 120),
        Field("VALOR ORIGINAL", formats.optional(bill.original_amount), 40, Align.RIGHT),
        Field("VALOR DO DESCONTO", formats.optional(bill.discount), 40, Align.RIGHT),
        Field("VALOR LÍQUIDO", formats.optional(bill.net_amount), 40, Align.RIGHT),
    )


def _rows(canvas: Canvas, installments: tuple[Installment, ...]) -> Iterator[Row]:
    width = CONTENT / _PER_ROW
    for start in range(0, len(installments), _PER_ROW):
        texts = [told(one) for one in installments[start : start + _PER_ROW]]
        texts += [""] * (_PER_ROW - len(texts) if start else 0)
        yield row(canvas, *(Field("", text, width) for text in texts), size=7.5)
