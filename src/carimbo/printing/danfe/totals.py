"""The blocks of totals (taxes, goods, the whole invoice) and of the bill with its installments."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from carimbo.fiscal.layouts.nfe_v4.archived import ServiceTotals
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.fiscal.layouts.nfe_v4.payment import Bill, Billing, Installment
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row

_PER_ROW = 6
_INSTALLMENTS_PER_ROW = 5
_MAX_INSTALLMENTS = 40


def amount_of(tax: Any, name: str) -> Decimal | None:
    """Returns a named amount of a tax, or None if there is no tax or its layout has no such amount."""
    value: Decimal | None = getattr(tax, name, None)
    return value


class _Amount(NamedTuple):
    title: str
    value: Decimal | None


def total_blocks(canvas: Canvas, invoice: Invoice, *, is_reform: bool) -> Iterator[Block]:
    """Yields the totals in the layout that is in force."""
    totals = invoice.totals.invoice
    # Taxes that only some documents have (MOC 7.0, Anexo II, 3.1).
    occasional = tuple(_rows_of_present(canvas, _occasional(totals)))
    if not is_reform:
        first = _row(canvas, *_icms(totals), _approximate(totals), _goods(totals))
        second = _row(canvas, *_charges(totals), _ipi(totals), _invoice_amount(totals))
        yield Block("CÁLCULO DO IMPOSTO", (first, second, *occasional))
        return

    goods = _row(canvas, _goods(totals), *_charges(totals), _invoice_amount(totals))
    yield Block("TOTAL DOS PRODUTOS E TOTAL DA NOTA", (goods,))
    icms = _row(canvas, *_icms(totals), _ipi(totals), _approximate(totals))
    yield Block("TOTAL DO ICMS / IPI", (icms, *occasional))
    if reform_rows := tuple(_reform_rows(canvas, invoice.totals)):
        yield Block("TOTAL DO IBS / CBS / IS", reform_rows)


def service_block(canvas: Canvas, issuer: Issuer, services: ServiceTotals | None) -> Block | None:
    """Returns the block of services, or None without services (MOC 7.0, Anexo II, 3.3)."""
    if services is None:
        return None
    fields = (
        PrintedField("INSCRIÇÃO MUNICIPAL", issuer.municipal_registration or "", 50),
        PrintedField("VALOR TOTAL DOS SERVIÇOS", formats.optional(services.amount), 50, Align.RIGHT),
        PrintedField("BASE DE CÁLCULO DO ISSQN", formats.optional(services.base), 50, Align.RIGHT),
        PrintedField("VALOR DO ISSQN", formats.optional(services.tax_amount), 50, Align.RIGHT),
    )
    return Block("CÁLCULO DO ISSQN", (row(canvas, *fields),))


def _icms(totals: InvoiceTotals) -> tuple[_Amount, ...]:
    return (
        _Amount("BASE DE CÁLCULO DO ICMS", totals.icms_base),
        _Amount("VALOR DO ICMS", totals.icms_amount),
        _Amount("BASE DE CÁLC. ICMS S.T.", totals.st_base),
        _Amount("VALOR DO ICMS SUBST.", totals.st_amount),
    )


def _charges(totals: InvoiceTotals) -> tuple[_Amount, ...]:
    return (
        _Amount("VALOR DO FRETE", totals.freight),
        _Amount("VALOR DO SEGURO", totals.insurance),
        _Amount("DESCONTO", totals.discount),
        _Amount("OUTRAS DESPESAS ACESS.", totals.other),
    )


def _goods(totals: InvoiceTotals) -> _Amount:
    return _Amount("VALOR TOTAL DOS PRODUTOS", totals.goods_amount)


def _invoice_amount(totals: InvoiceTotals) -> _Amount:
    return _Amount("VALOR TOTAL DA NOTA", totals.amount)


def _ipi(totals: InvoiceTotals) -> _Amount:
    return _Amount("VALOR TOTAL DO IPI", totals.ipi_amount)


def _approximate(totals: InvoiceTotals) -> _Amount:
    return _Amount("VALOR APROX. DOS TRIBUTOS", totals.approximate_taxes)


def _occasional(totals: InvoiceTotals) -> tuple[_Amount, ...]:
    return (
        _Amount("VALOR DO FCP", totals.fcp_amount),
        _Amount("VALOR DO FCP S.T.", totals.st_fcp_amount),
        _Amount("VALOR DO FCP RETIDO ANT.", totals.retained_fcp_amount),
        _Amount("ICMS UF DESTINO", totals.destination_amount),
        _Amount("FCP UF DESTINO", totals.destination_fcp_amount),
        _Amount("ICMS UF REMETENTE", totals.origin_amount),
        _Amount("ICMS DESONERADO", totals.exempted_amount),
        _Amount("QTD. TRIB. ICMS MONOFÁSICO", totals.single_phase_quantity),
        _Amount("ICMS MONOFÁSICO", totals.single_phase_amount),
        _Amount("QTD. ICMS MONOF. RETENÇÃO", totals.single_phase_withholding_quantity),
        _Amount("ICMS MONOF. RETENÇÃO", totals.single_phase_withholding_amount),
        _Amount("QTD. ICMS MONOF. RETIDO", totals.single_phase_retained_quantity),
        _Amount("ICMS MONOF. RETIDO ANT.", totals.single_phase_retained_amount),
        _Amount("IMPOSTO DE IMPORTAÇÃO", totals.import_tax_amount),
        _Amount("VALOR DO PIS", totals.pis_amount),
        _Amount("VALOR DA COFINS", totals.cofins_amount),
        _Amount("VALOR DO IPI DEVOLVIDO", totals.returned_ipi_amount),
    )


def _reform_rows(canvas: Canvas, totals: Totals) -> Iterator[Row]:
    """Yields IBS, CBS and IS (NT 2026.010, 4.1); single-phase taxes only where they occur (4.4)."""
    taxes, selective = totals.ibs_cbs, totals.selective_tax
    if taxes is None and selective is None:
        return
    ibs, single = taxes and taxes.ibs, taxes and taxes.single_phase
    yield _row(
        canvas,
        _Amount("BASE DE CÁLCULO DO IBS / CBS", amount_of(taxes, "base")),
        _Amount("VALOR DA CBS", amount_of(taxes and taxes.cbs, "amount")),
        _Amount("VALOR DO IBS UF", amount_of(ibs and ibs.state, "amount")),
        _Amount("VALOR DO IBS MUNICÍPIO", amount_of(ibs and ibs.city, "amount")),
        _Amount("VALOR DO IMPOSTO SELETIVO", amount_of(selective, "amount")),
        _Amount("TOTAL COM IBS / CBS / IS", totals.amount_with_reform_taxes),
    )
    if single:
        yield from _rows_of_present(
            canvas,
            (
                _Amount("IBS MONOFÁSICO", single.ibs_amount),
                _Amount("CBS MONOFÁSICA", single.cbs_amount),
                _Amount("IBS MONOF. POR RETENÇÃO", single.ibs_withholding_amount),
                _Amount("CBS MONOF. POR RETENÇÃO", single.cbs_withholding_amount),
                _Amount("IBS MONOF. RETIDO ANT.", single.ibs_retained_amount),
                _Amount("CBS MONOF. RETIDA ANT.", single.cbs_retained_amount),
            ),
        )


def _rows_of_present(canvas: Canvas, amounts: tuple[_Amount, ...]) -> Iterator[Row]:
    present = [amount for amount in amounts if amount.value]
    for start in range(0, len(present), _PER_ROW):
        group = present[start : start + _PER_ROW]
        yield _row(canvas, *group, *(_Amount("", None) for _ in range(_PER_ROW - len(group))))


def _row(canvas: Canvas, *amounts: _Amount) -> Row:
    width = CONTENT / len(amounts)
    fields = (PrintedField(name, formats.optional(value), width, Align.RIGHT) for name, value in amounts)
    return row(canvas, *fields)


def billing_blocks(canvas: Canvas, billing: Billing | None) -> Iterator[Block]:
    """Yields the bill and its installments, if there are any (MOC 7.0, Anexo II, 3.3)."""
    if billing and billing.bill:
        yield Block("FATURA", (_bill(canvas, billing.bill),))
    if billing and billing.installments:
        yield Block("DUPLICATAS", tuple(_rows(canvas, billing.installments[:_MAX_INSTALLMENTS])))


def installments_beyond(billing: Billing | None) -> tuple[Installment, ...]:
    """Returns the installments that do not fit into the block, which the notes list."""
    return billing.installments[_MAX_INSTALLMENTS:] if billing else ()


def installment_text(installment: Installment) -> str:
    """Returns number, due date and amount of an installment."""
    due = formats.day(installment.due_date)
    return "  ".join(filter(None, (installment.number, due, f"R$ {formats.number(installment.amount)}")))


def _bill(canvas: Canvas, bill: Bill) -> Row:
    return row(
        canvas,
        PrintedField("NÚMERO", bill.number or "", CONTENT - 120),
        PrintedField("VALOR ORIGINAL", formats.optional(bill.original_amount), 40, Align.RIGHT),
        PrintedField("VALOR DO DESCONTO", formats.optional(bill.discount), 40, Align.RIGHT),
        PrintedField("VALOR LÍQUIDO", formats.optional(bill.net_amount), 40, Align.RIGHT),
    )


def _rows(canvas: Canvas, installments: tuple[Installment, ...]) -> Iterator[Row]:
    width = CONTENT / _INSTALLMENTS_PER_ROW
    for start in range(0, len(installments), _INSTALLMENTS_PER_ROW):
        texts = [installment_text(item) for item in installments[start : start + _INSTALLMENTS_PER_ROW]]
        texts += [""] * (_INSTALLMENTS_PER_ROW - len(texts) if start else 0)
        yield row(canvas, *(PrintedField("", text, width) for text in texts), size=7.5)
