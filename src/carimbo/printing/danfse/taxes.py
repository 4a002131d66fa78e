"""The blocks of ISS, federal taxes, IBS and CBS, and the totals."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.layouts.dps_v1.amounts import Discounts, FederalTaxes, Iss, PisCofins
from carimbo.fiscal.layouts.dps_v1.archived import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.issued_note import ComputedReform
from carimbo.printing.danfse.grid import COLUMNS, Cell, GridBlock, SentenceBlock, grid_block
from carimbo.printing.danfse.service import BRAZIL, state_of
from carimbo.printing.danfse.values import (
    ABSENT,
    BENEFITS,
    FEDERAL_WITHHOLDINGS,
    IMMUNITIES,
    SPECIAL_REGIMES,
    SUSPENSIONS,
    TAXATIONS,
    WITHHOLDERS,
    in_words,
    joined,
    money,
    or_dash,
    percent,
    sum_present,
)
from carimbo.printing.engine.canvas import Canvas

_NOT_TAXED = "4"
_NO_ISS = "TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN"
_ORDINARY = "0"
_PIS_AND_COFINS_WITHHELD = "1"
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


def iss_piece(canvas: Canvas, archived: ArchivedServiceNote) -> GridBlock | SentenceBlock:
    """Returns the block of the ISS, or the sentence that the service bears none."""
    iss, computed = archived.note.amounts.taxes.iss, archived.issued.amounts
    if iss.taxation == _NOT_TAXED:
        return SentenceBlock(_NO_ISS)
    first = (
        Cell("Tipo de Tributação do ISSQN", in_words(TAXATIONS, iss.taxation)),
        Cell("Município / Sigla UF / País da Incidência do ISSQN", _incidence(archived), 2),
    )
    last = (
        Cell("BC ISSQN", money(computed.base)),
        Cell("Alíquota Aplicada", percent(computed.rate)),
        Cell("Retenção do ISSQN", in_words(WITHHOLDERS, iss.withholding)),
        Cell("ISSQN Apurado", money(computed.iss)),
    )
    # Rows without any value may be left out (NT 008, nota 5).
    filled_rows = [row for row in _exceptional(archived, iss) if any(cell.value != ABSENT for cell in row)]
    return grid_block(canvas, "TRIBUTAÇÃO MUNICIPAL (ISSQN)", first, *filled_rows, last)


def _incidence(archived: ArchivedServiceNote) -> str:
    issued, country = archived.issued, archived.note.amounts.taxes.iss.result_country_code
    if issued.incidence_city_code is None and country is None:
        return ABSENT
    return joined(issued.incidence_city, state_of(issued.incidence_city_code), country or BRAZIL)


def _exceptional(archived: ArchivedServiceNote, iss: Iss) -> Iterator[tuple[Cell, ...]]:
    """Yields rows that few notes need: regime, immunity, suspension; benefit, deductions, discount."""
    special, suspension = archived.note.provider.regime.special, iss.suspension
    kind, process = (suspension.kind, suspension.process_number) if suspension else (None, None)
    regime = ABSENT if special == _ORDINARY else in_words(SPECIAL_REGIMES, special)
    yield (
        Cell("Regime Especial de Tributação do ISSQN", regime),
        Cell("Tipo de Imunidade do ISSQN", in_words(IMMUNITIES, iss.immunity)),
        Cell("Suspensão da Exigibilidade do ISSQN", in_words(SUSPENSIONS, kind)),
        Cell("Número Processo Suspensão", or_dash(process)),
    )
    discounts = archived.note.amounts.discounts or Discounts()
    benefit = archived.issued.amounts.benefit
    if benefit is None and iss.benefit:
        benefit = iss.benefit.reduction_amount
    yield (
        Cell("Benefício Municipal", in_words(BENEFITS, archived.issued.amounts.benefit_kind)),
        Cell("Cálculo do BM", money(benefit)),
        Cell("Total Deduções/Reduções", money(_deducted(archived))),
        Cell("Desconto Incondicionado", money(discounts.unconditional)),
    )


def _deducted(archived: ArchivedServiceNote) -> Decimal | None:
    deductions, reform = archived.note.amounts.deductions, archived.issued.ibs_cbs
    if deductions and deductions.amount is not None:
        return deductions.amount
    return sum_present(archived.issued.amounts.deduction, reform.base.reimbursed if reform else None)


def federal_block(canvas: Canvas, archived: ArchivedServiceNote) -> GridBlock:
    """Returns the federal taxes withheld, and PIS and COFINS owed by the provider."""
    federal = archived.note.amounts.taxes.federal or FederalTaxes()
    withheld = (
        Cell("IRRF", money(federal.ir)),
        Cell("Contribuição Previdenciária - Retida", money(federal.inss)),
        Cell("Contribuições Sociais - Retidas", money(_withheld(federal))),
    )
    # PIS and COFINS have a row only until they end (NT 008, nota 6).
    own = federal.pis_cofins
    rows: list[tuple[Cell, ...]] = [withheld]
    if DatedRule.PIS_COFINS_ENDED not in rules_on(archived.note.competence, "nfse"):
        rows.append(_own_debts(own))
    elif own and own.withholding:
        rows.append((_withholding(own.withholding, 4),))
    return grid_block(canvas, "TRIBUTAÇÃO FEDERAL (EXCETO CBS)", *rows)


def _withheld(federal: FederalTaxes) -> Decimal | None:
    own = federal.pis_cofins
    if own and own.withholding == _PIS_AND_COFINS_WITHHELD:
        return sum_present(federal.csll, own.pis_amount, own.cofins_amount)
    return federal.csll


def _own_debts(own: PisCofins | None) -> tuple[Cell, ...]:
    """Returns PIS and COFINS owed by the provider: zero if they are withheld."""
    pis, cofins, withholding = (
        (own.pis_amount, own.cofins_amount, own.withholding) if own else (None, None, None)
    )
    if withholding == _PIS_AND_COFINS_WITHHELD:
        pis, cofins = Decimal(0), Decimal(0)
    return (
        Cell("PIS - Débito Apuração Própria", money(pis)),
        Cell("COFINS - Débito Apuração Própria", money(cofins)),
        _withholding(withholding, 2),
    )


def _withholding(kind: str | None, width: int) -> Cell:
    return Cell("Descrição Contrib. Sociais - Retidas", in_words(FEDERAL_WITHHOLDINGS, kind), width)


def reform_block(canvas: Canvas, archived: ArchivedServiceNote) -> GridBlock:
    """Returns the block of IBS and CBS; every note has it, with hyphens if these taxes are absent."""
    reform = archived.issued.ibs_cbs
    values = _computed(reform) if reform else (ABSENT,) * len(_COMPUTED)
    cells = (
        Cell("Exclusões e Reduções da Base de Cálculo", money(_excluded(archived))),
        *map(Cell, _COMPUTED, values),
    )
    return grid_block(
        canvas,
        "TRIBUTAÇÃO IBS / CBS",
        (Cell("CST / cClassTrib", _situation(archived)), Cell(_INCIDENCE, _reform_incidence(archived), 2)),
        *(cells[start : start + COLUMNS] for start in range(0, len(cells), COLUMNS)),
    )


def _situation(archived: ArchivedServiceNote) -> str:
    declared = archived.note.ibs_cbs
    if declared is None:
        return ABSENT
    situation = declared.amounts.taxes.situation
    return joined(situation.cst, situation.tax_class)


def _reform_incidence(archived: ArchivedServiceNote) -> str:
    declared, reform = archived.note.ibs_cbs, archived.issued.ibs_cbs
    if declared is None:
        return ABSENT
    city = (reform.city_code, reform.city, state_of(reform.city_code)) if reform else (None, None, None)
    return joined(declared.operation_indicator, *city)


def _excluded(archived: ArchivedServiceNote) -> Decimal | None:
    """Returns the amounts excluded from the base: discount, reimbursed expenses, ISS, PIS and COFINS."""
    amounts, reform = archived.note.amounts, archived.issued.ibs_cbs
    own = (amounts.taxes.federal or FederalTaxes()).pis_cofins
    return sum_present(
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


def total_block(canvas: Canvas, archived: ArchivedServiceNote) -> GridBlock:
    """Returns the block with price, discounts, withheld taxes and net amount."""
    amounts, computed = archived.note.amounts, archived.issued.amounts
    discounts = amounts.discounts or Discounts()
    totals = archived.issued.ibs_cbs.totals if archived.issued.ibs_cbs else None
    reform = sum_present(totals.ibs.amount, totals.cbs.amount) if totals else None
    return grid_block(
        canvas,
        "VALOR TOTAL DA NFS-e",
        (
            Cell("Valor da Operação / Serviço", money(amounts.service.amount)),
            Cell("Desconto Incondicionado", money(discounts.unconditional)),
            Cell("Desconto Condicionado", money(discounts.conditional)),
        ),
        (
            Cell("Total das Retenções (ISSQN / Federais)", money(computed.withheld)),
            Cell("Valor Líquido da NFS-e", money(computed.net)),
            Cell("Total do IBS/CBS", money(reform)),
            Cell("Valor Líquido da NFS-e + IBS/CBS", money(totals.total if totals else None), is_shaded=True),
        ),
    )
