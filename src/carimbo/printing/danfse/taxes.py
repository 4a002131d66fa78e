"""The ISS, and the taxes of the Union but the CBS."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.layouts.dps_v1.amounts import Discounts
from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.taxes import FederalTaxes, Iss, PisCofins
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import Block, Cell, Strip, block
from carimbo.printing.danfse.service import BRAZIL, state_of
from carimbo.printing.danfse.values import ABSENT, joined, money, percent, told, total
from carimbo.printing.danfse.words import (
    BENEFITS,
    FEDERAL_WITHHOLDINGS,
    IMMUNITIES,
    SPECIAL_REGIMES,
    SUSPENSIONS,
    TAXATIONS,
    WITHHOLDERS,
    in_words,
)

_NOT_TAXED = "4"
_NO_ISS = "TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN"
_ORDINARY = "0"
_PIS_AND_COFINS_WITHHELD = "1"


def iss_piece(canvas: Canvas, archived: ArchivedServiceNote) -> Block | Strip:
    """The tax of the municipality, or the sentence that says that it takes none."""
    iss, computed = archived.note.amounts.taxes.iss, archived.issued.amounts
    if iss.taxation == _NOT_TAXED:
        return Strip(_NO_ISS)
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
    told_rows = [row for row in _exceptional(archived, iss) if any(cell.value != ABSENT for cell in row)]
    return block(canvas, "TRIBUTAÇÃO MUNICIPAL (ISSQN)", first, *told_rows, last)


def _incidence(archived: ArchivedServiceNote) -> str:
    issued, country = archived.issued, archived.note.amounts.taxes.iss.result_country_code
    if issued.incidence_city_code is None and country is None:
        return ABSENT
    return joined(issued.incidence_city, state_of(issued.incidence_city_code), country or BRAZIL)


def _exceptional(archived: ArchivedServiceNote, iss: Iss) -> Iterator[tuple[Cell, ...]]:
    """What few notes have: a regime of its own, immunity, suspension; a benefit, deductions, a discount."""
    special, suspension = archived.note.provider.regime.special, iss.suspension
    kind, process = (suspension.kind, suspension.process_number) if suspension else (None, None)
    regime = ABSENT if special == _ORDINARY else in_words(SPECIAL_REGIMES, special)
    yield (
        Cell("Regime Especial de Tributação do ISSQN", regime),
        Cell("Tipo de Imunidade do ISSQN", in_words(IMMUNITIES, iss.immunity)),
        Cell("Suspensão da Exigibilidade do ISSQN", in_words(SUSPENSIONS, kind)),
        Cell("Número Processo Suspensão", told(process)),
    )
    discounts = archived.note.amounts.discounts or Discounts()
    yield (
        Cell("Benefício Municipal", in_words(BENEFITS, archived.issued.amounts.benefit_kind)),
        Cell("Cálculo do BM", money(_benefit(archived, iss))),
        Cell("Total Deduções/Reduções", money(_deducted(archived))),
        Cell("Desconto Incondicionado", money(discounts.unconditional)),
    )


def _benefit(archived: ArchivedServiceNote, iss: Iss) -> Decimal | None:
    computed, declared = archived.issued.amounts.benefit, iss.benefit
    return declared.reduction_amount if computed is None and declared else computed


def _deducted(archived: ArchivedServiceNote) -> Decimal | None:
    deductions, reform = archived.note.amounts.deductions, archived.issued.ibs_cbs
    if deductions and deductions.amount is not None:
        return deductions.amount
    return total(archived.issued.amounts.deduction, reform.base.reimbursed if reform else None)


def federal_block(canvas: Canvas, archived: ArchivedServiceNote) -> Block:
    """What is withheld for the Union, and what the provider owes of PIS and COFINS."""
    federal = archived.note.amounts.taxes.federal or FederalTaxes()
    withheld = (
        Cell("IRRF", money(federal.ir)),
        Cell("Contribuição Previdenciária - Retida", money(federal.inss)),
        Cell("Contribuições Sociais - Retidas", money(_withheld(federal))),
    )
    # PIS and COFINS have a row only up to their end (NT 008, nota 6).
    own = federal.pis_cofins
    rows: list[tuple[Cell, ...]] = [withheld]
    if DatedRule.PIS_COFINS_ENDED not in rules_on(archived.note.competence, "nfse"):
        rows.append(_own_debts(own))
    elif own and own.withholding:
        rows.append((_withholding(own.withholding, 4),))
    return block(canvas, "TRIBUTAÇÃO FEDERAL (EXCETO CBS)", *rows)


def _withheld(federal: FederalTaxes) -> Decimal | None:
    own = federal.pis_cofins
    if own and own.withholding == _PIS_AND_COFINS_WITHHELD:
        return total(federal.csll, own.pis_amount, own.cofins_amount)
    return federal.csll


def _own_debts(own: PisCofins | None) -> tuple[Cell, ...]:
    """What is withheld is no debt of the provider's."""
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
