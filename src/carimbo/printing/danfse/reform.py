"""IBS and CBS: how the service is taxed, where, and what the authority made of it."""

from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.amounts import Discounts
from carimbo.fiscal.layouts.dps_v1.computed_reform import ComputedReform
from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.taxes import FederalTaxes
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import COLUMNS, Block, Cell, block
from carimbo.printing.danfse.service import state_of
from carimbo.printing.danfse.values import ABSENT, joined, money, percent, total

_INCIDENCE = "Indicador de Operação / Código IBGE Incidência / Município Incidência / Sigla UF"
_COMPUTED = (
    "Base de Cálculo Após Exclusões e Reduções",
    "Red. Alíquota IBS / Red. Alíquota CBS",
    "Alíquota - IBS UF / IBS Mun",
    "Alíq. Efetiva Municipal - IBS",
    "Valor Apurado Municipal - IBS",
    "Alíq. Efetiva Estadual - IBS",
    "Valor Apurado Estadual - IBS",
    "Valor Total Apurado - IBS",
    "Alíquota - CBS",
    "Alíquota Efetiva - CBS",
    "Valor Total Apurado - CBS",
)


def reform_block(canvas: Canvas, archived: ArchivedServiceNote) -> Block:
    """A block that every note has, with hyphens in one without these taxes."""
    reform = archived.issued.ibs_cbs
    values = _computed(reform) if reform else (ABSENT,) * len(_COMPUTED)
    cells = (
        Cell("Exclusões e Reduções da Base de Cálculo", money(_excluded(archived))),
        *map(Cell, _COMPUTED, values),
    )
    return block(
        canvas,
        "TRIBUTAÇÃO IBS / CBS",
        (Cell("CST / cClassTrib", _situation(archived)), Cell(_INCIDENCE, _incidence(archived), 2)),
        *(cells[start : start + COLUMNS] for start in range(0, len(cells), COLUMNS)),
    )


def _situation(archived: ArchivedServiceNote) -> str:
    declared = archived.note.ibs_cbs
    if declared is None:
        return ABSENT
    situation = declared.amounts.taxes.situation
    return joined(situation.cst, situation.tax_class)


def _incidence(archived: ArchivedServiceNote) -> str:
    declared, reform = archived.note.ibs_cbs, archived.issued.ibs_cbs
    if declared is None:
        return ABSENT
    city = (reform.city_code, reform.city, state_of(reform.city_code)) if reform else (None, None, None)
    return joined(declared.operation_indicator, *city)


def _excluded(archived: ArchivedServiceNote) -> Decimal | None:
    """What is not in the base: a discount, what is passed on, ISS, PIS and COFINS."""
    amounts, reform = archived.note.amounts, archived.issued.ibs_cbs
    own = (amounts.taxes.federal or FederalTaxes()).pis_cofins
    return total(
        (amounts.discounts or Discounts()).unconditional,
        reform.base.reimbursed if reform else None,
        archived.issued.amounts.iss,
        own.pis_amount if own else None,
        own.cofins_amount if own else None,
    )


def _computed(reform: ComputedReform) -> tuple[str, ...]:
    base, ibs, cbs = reform.base, reform.totals.ibs, reform.totals.cbs
    return (
        money(base.base),
        joined(percent(base.state.reduction), percent(base.city.reduction), percent(base.cbs.reduction)),
        joined(percent(base.state.rate), percent(base.city.rate)),
        percent(base.city.effective_rate),
        money(ibs.city.amount),
        percent(base.state.effective_rate),
        money(ibs.state.amount),
        money(ibs.amount),
        percent(base.cbs.rate),
        percent(base.cbs.effective_rate),
        money(cbs.amount),
    )
