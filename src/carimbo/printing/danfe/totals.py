"""What the document adds up to: taxes, goods and the whole."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.nfe_v4.archived import ServiceTotals
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals
from carimbo.printing import formats
from carimbo.printing.canvas import Align, Canvas
from carimbo.printing.danfe.amounts import amount_of
from carimbo.printing.form import Field, Row, row
from carimbo.printing.sheet import CONTENT, Block

_PER_ROW = 6


class _Amount(NamedTuple):
    title: str
    value: Decimal | None


def total_blocks(canvas: Canvas, invoice: Invoice, *, is_reform: bool) -> Iterator[Block]:
    """The totals as the layout in force shows them."""
    totals = invoice.totals
    if not is_reform:
        yield Block("CÁLCULO DO IMPOSTO", tuple(_tax_rows(canvas, totals.invoice)))
        return
    yield Block("TOTAL DOS PRODUTOS E TOTAL DA NOTA", (_goods_row(canvas, totals.invoice),))
    yield Block("TOTAL DO ICMS / IPI", tuple(_icms_rows(canvas, totals.invoice)))
    if reform_rows := tuple(_reform_rows(canvas, totals)):
        yield Block("TOTAL DO IBS / CBS / IS", reform_rows)


def service_block(canvas: Canvas, issuer: Issuer, services: ServiceTotals | None) -> Block | None:
    """The block of services (MOC 7.0, Anexo II, 3.3: only where there are any)."""
    if services is None:
        return None
    fields = (
        Field("INSCRIÇÃO MUNICIPAL", issuer.municipal_registration or "", 50),
        Field("VALOR TOTAL DOS SERVIÇOS", formats.optional(services.amount), 50, Align.RIGHT),
        Field("BASE DE CÁLCULO DO ISSQN", formats.optional(services.base), 50, Align.RIGHT),
        Field("VALOR DO ISSQN", formats.optional(services.tax_amount), 50, Align.RIGHT),
    )
    return Block("CÁLCULO DO ISSQN", (row(canvas, *fields),))


def _tax_rows(canvas: Canvas, of: InvoiceTotals) -> Iterator[Row]:
    """Two rows that are always there, then taxes that only some documents have (MOC 7.0, Anexo II, 3.1)."""
    yield _row(canvas, *_icms(of), _approximate(of), _goods(of))
    yield _row(canvas, *_charges(of), _ipi(of), _whole(of))
    yield from _rows_of_some(canvas, _occasional(of))


def _goods_row(canvas: Canvas, of: InvoiceTotals) -> Row:
    return _row(canvas, _goods(of), *_charges(of), _whole(of))


def _icms_rows(canvas: Canvas, of: InvoiceTotals) -> Iterator[Row]:
    yield _row(canvas, *_icms(of), _ipi(of), _approximate(of))
    yield from _rows_of_some(canvas, _occasional(of))


def _icms(of: InvoiceTotals) -> tuple[_Amount, ...]:
    return (
        _Amount("BASE DE CÁLCULO DO ICMS", of.icms_base),
        _Amount("VALOR DO ICMS", of.icms_amount),
        _Amount("BASE DE CÁLC. ICMS S.T.", of.st_base),
        _Amount("VALOR DO ICMS SUBST.", of.st_amount),
    )


def _charges(of: InvoiceTotals) -> tuple[_Amount, ...]:
    return (
        _Amount("VALOR DO FRETE", of.freight),
        _Amount("VALOR DO SEGURO", of.insurance),
        _Amount("DESCONTO", of.discount),
        _Amount("OUTRAS DESPESAS ACESS.", of.other),
    )


def _goods(of: InvoiceTotals) -> _Amount:
    return _Amount("VALOR TOTAL DOS PRODUTOS", of.goods_amount)


def _whole(of: InvoiceTotals) -> _Amount:
    return _Amount("VALOR TOTAL DA NOTA", of.amount)


def _ipi(of: InvoiceTotals) -> _Amount:
    return _Amount("VALOR TOTAL DO IPI", of.ipi_amount)


def _approximate(of: InvoiceTotals) -> _Amount:
    return _Amount("VALOR APROX. DOS TRIBUTOS", of.approximate_taxes)


def _occasional(of: InvoiceTotals) -> tuple[_Amount, ...]:
    return (
        _Amount("VALOR DO FCP", of.fcp_amount),
        _Amount("VALOR DO FCP S.T.", of.st_fcp_amount),
        _Amount("VALOR DO FCP RETIDO ANT.", of.retained_fcp_amount),
        _Amount("ICMS UF DESTINO", of.destination_amount),
        _Amount("FCP UF DESTINO", of.destination_fcp_amount),
        _Amount("ICMS UF REMETENTE", of.origin_amount),
        _Amount("ICMS DESONERADO", of.exempted_amount),
        _Amount("QTD. TRIB. ICMS MONOFÁSICO", of.single_phase_quantity),
        _Amount("ICMS MONOFÁSICO", of.single_phase_amount),
        _Amount("QTD. ICMS MONOF. RETENÇÃO", of.single_phase_withholding_quantity),
        _Amount("ICMS MONOF. RETENÇÃO", of.single_phase_withholding_amount),
        _Amount("QTD. ICMS MONOF. RETIDO", of.single_phase_retained_quantity),
        _Amount("ICMS MONOF. RETIDO ANT.", of.single_phase_retained_amount),
        _Amount("IMPOSTO DE IMPORTAÇÃO", of.import_tax_amount),
        _Amount("VALOR DO PIS", of.pis_amount),
        _Amount("VALOR DA COFINS", of.cofins_amount),
        _Amount("VALOR DO IPI DEVOLVIDO", of.returned_ipi_amount),
    )


def _reform_rows(canvas: Canvas, totals: Totals) -> Iterator[Row]:
    """IBS, CBS and IS (NT 2026.010, 4.1); those of a single phase only where they occur (4.4)."""
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
        yield from _rows_of_some(
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


def _rows_of_some(canvas: Canvas, amounts: tuple[_Amount, ...]) -> Iterator[Row]:
    told = [amount for amount in amounts if amount.value]
    for start in range(0, len(told), _PER_ROW):
        some = told[start : start + _PER_ROW]
        yield _row(canvas, *some, *(_Amount("", None) for _ in range(_PER_ROW - len(some))))


def _row(canvas: Canvas, *amounts: _Amount) -> Row:
    width = CONTENT / len(amounts)
    fields = (Field(one.title, formats.optional(one.value), width, Align.RIGHT) for one in amounts)
    return row(canvas, *fields)
