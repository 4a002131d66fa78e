"""The block of the taxes: ICMS, the share of the state where the service ends, federal taxes, IBS and CBS."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.cte_v4.taxes import (
    EndStateShare,
    FreightIbsCbs,
    ServiceCbs,
    ServiceIcms,
    ServiceIcms00,
    ServiceIcms20,
    ServiceIcms45,
    ServiceIcms60,
    ServiceIcms90,
    ServiceIcmsOfAnotherState,
    ServiceIcmsOfSimples,
    ServiceTaxes,
)
from carimbo.fiscal.layouts.cteos_v4.taxes import OsFederalTaxes, OsTaxes
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, StateIbs
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row

_SITUATIONS = {
    "00": "00 - TRIBUTAÇÃO NORMAL DO ICMS",
    "20": "20 - TRIBUTAÇÃO COM BC REDUZIDA DO ICMS",
    "40": "40 - ICMS ISENÇÃO",
    "41": "41 - ICMS NÃO TRIBUTADA",
    "51": "51 - ICMS DIFERIDO",
    "60": "60 - ICMS COBRADO POR SUBSTITUIÇÃO TRIBUTÁRIA",
    "90": "90 - ICMS OUTROS",
}
_OTHER_STATE = "90 - ICMS DEVIDO À UF DE ORIGEM DA PRESTAÇÃO"
_SIMPLES = "SIMPLES NACIONAL"


class _Icms(NamedTuple):
    """The values of an ICMS group that have a field of their own."""

    situation: str
    base: Decimal | None = None
    rate: Decimal | None = None
    amount: Decimal | None = None
    base_reduction: Decimal | None = None
    st_amount: Decimal | None = None
    credit_amount: Decimal | None = None
    exempted_amount: Decimal | None = None
    benefit_code: str | None = None


def tax_block(canvas: Canvas, taxes: ServiceTaxes | OsTaxes) -> Block:
    """Returns the rows of all taxes that the document has."""
    icms = _icms(taxes.icms)
    federal = taxes.federal_taxes if isinstance(taxes, OsTaxes) else None
    rows = (
        _icms_row(canvas, icms, has_substitution=isinstance(taxes, ServiceTaxes)),
        *_occasional_row(canvas, icms, taxes),
        *_share_row(canvas, taxes.state_share),
        *_federal_row(canvas, federal),
        *_reform_row(canvas, taxes.ibs_cbs),
    )
    return Block("INFORMAÇÕES RELATIVAS AO IMPOSTO", rows)


def _icms(icms: ServiceIcms) -> _Icms:
    situation = _SITUATIONS.get(icms.cst, icms.cst)
    match icms:
        case ServiceIcms00():
            return _Icms(situation, icms.base, icms.rate, icms.amount)
        case ServiceIcms45():
            values = _Icms(situation)
        case ServiceIcms60():
            values = _Icms(situation, icms.base, icms.rate, st_amount=icms.amount)
        case ServiceIcmsOfAnotherState():
            values = _Icms(_OTHER_STATE, icms.base, icms.rate, icms.amount, icms.base_reduction)
        case ServiceIcms20() | ServiceIcms90():
            values = _Icms(situation, icms.base, icms.rate, icms.amount, icms.base_reduction)
        case ServiceIcmsOfSimples():
            return _Icms(_SIMPLES)
    credit = icms.credit_amount if isinstance(icms, ServiceIcms60 | ServiceIcms90) else None
    return values._replace(
        credit_amount=credit, exempted_amount=icms.exempted_amount, benefit_code=icms.benefit_code
    )


def _icms_row(canvas: Canvas, icms: _Icms, *, has_substitution: bool) -> Row:
    """Returns the fields of the ICMS; that of tax substitution only where the layout has it."""
    withheld = PrintedField("ICMS ST", formats.optional(icms.st_amount), 30, Align.RIGHT)
    last = (withheld,) if has_substitution else ()
    return row(
        canvas,
        PrintedField(
            "SITUAÇÃO TRIBUTÁRIA", icms.situation, CONTENT - 96 - sum(field.width for field in last)
        ),
        PrintedField("BASE DE CÁLCULO", formats.optional(icms.base), 29, Align.RIGHT),
        PrintedField("ALÍQ. ICMS", _rate(icms.rate), 19, Align.RIGHT),
        PrintedField("VALOR DO ICMS", formats.optional(icms.amount), 29, Align.RIGHT),
        PrintedField("% RED. BC", _rate(icms.base_reduction), 19, Align.RIGHT),
        *last,
    )


def _occasional_row(canvas: Canvas, icms: _Icms, taxes: ServiceTaxes | OsTaxes) -> Iterator[Row]:
    """Yields a row of values that only some documents have."""
    values = (
        ("CRÉDITO OUTORGADO / PRESUMIDO", formats.optional(icms.credit_amount)),
        ("ICMS DESONERADO", formats.optional(icms.exempted_amount)),
        ("CÓDIGO DE BENEFÍCIO FISCAL", icms.benefit_code or ""),
        ("VALOR APROX. DOS TRIBUTOS", formats.optional(taxes.approximate_taxes)),
        ("VALOR TOTAL DO DOCUMENTO", formats.optional(taxes.total)),
    )
    present = [(title, value) for title, value in values if value]
    if present:
        width = CONTENT / len(present)
        yield row(canvas, *(PrintedField(title, value, width, Align.RIGHT) for title, value in present))


def _share_row(canvas: Canvas, share: EndStateShare | None) -> Iterator[Row]:
    if share:
        yield row(
            canvas,
            PrintedField("BC DO ICMS UF TÉRMINO", formats.number(share.base), 32, Align.RIGHT),
            PrintedField("% FCP UF TÉRMINO", _rate(share.fcp_rate), 23, Align.RIGHT),
            PrintedField("% ICMS UF TÉRMINO", _rate(share.internal_rate), 24, Align.RIGHT),
            PrintedField("% ICMS INTERESTADUAL", _rate(share.interstate_rate), 25, Align.RIGHT),
            PrintedField("FCP UF TÉRMINO", formats.number(share.fcp_amount), 32, Align.RIGHT),
            PrintedField("ICMS UF TÉRMINO", formats.number(share.destination_amount), 32, Align.RIGHT),
            PrintedField("ICMS UF INÍCIO", formats.number(share.origin_amount), CONTENT - 168, Align.RIGHT),
        )


def _federal_row(canvas: Canvas, taxes: OsFederalTaxes | None) -> Iterator[Row]:
    if taxes:
        values = (
            ("VALOR DO PIS", taxes.pis),
            ("VALOR DA COFINS", taxes.cofins),
            ("VALOR DO IR", taxes.ir),
            ("VALOR DO INSS", taxes.inss),
            ("VALOR DA CSLL", taxes.csll),
        )
        width = CONTENT / len(values)
        fields = (PrintedField(title, formats.optional(value), width, Align.RIGHT) for title, value in values)
        yield row(canvas, *fields)


def _reform_row(canvas: Canvas, taxes: FreightIbsCbs | None) -> Iterator[Row]:
    if taxes is None:
        return
    classified = PrintedField("CST / CCLASSTRIB DO IBS E CBS", f"{taxes.cst} / {taxes.tax_class}", 28)
    by_rate = taxes.by_rate
    if by_rate is None:
        yield row(canvas, classified, PrintedField("", "", CONTENT - classified.width))
        return
    state, city, cbs = by_rate.state, by_rate.city, by_rate.cbs
    yield row(
        canvas,
        classified,
        PrintedField("BC DO IBS / CBS", formats.number(by_rate.base), 28, Align.RIGHT),
        PrintedField("% IBS UF", _effective_rate(state), 16, Align.RIGHT),
        PrintedField("IBS UF", formats.number(state.amount), 24, Align.RIGHT),
        PrintedField("% IBS MUN.", _effective_rate(city), 16, Align.RIGHT),
        PrintedField("IBS MUN.", formats.number(city.amount), 24, Align.RIGHT),
        PrintedField("VALOR DO IBS", formats.number(by_rate.ibs_amount), 24, Align.RIGHT),
        PrintedField("% CBS", _effective_rate(cbs), 16, Align.RIGHT),
        PrintedField("VALOR DA CBS", formats.number(cbs.amount), CONTENT - 176, Align.RIGHT),
    )


def _effective_rate(tax: StateIbs | CityIbs | ServiceCbs) -> str:
    """Returns the rate after its reduction, if there is one."""
    return _rate(tax.reduction.effective_rate if tax.reduction else tax.rate)


def _rate(value: Decimal | None) -> str:
    return "" if value is None else formats.number(value, 2, 4)
