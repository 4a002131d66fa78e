"""What the taker pays from 2027 on: the net amount plus IBS and CBS (`vTotNF`).

The authority computes it. Before the authorization it is estimated, where every rate is in the tables.
"""

from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.documents.nfse.competence import rules_of_competence
from carimbo.fiscal.documents.nfse.simples import Option
from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.issuance import AuthorizedAmounts
from carimbo.fiscal.layouts.dps_v1.nfse import read_computed_total
from carimbo.fiscal.money import ZERO, percent_to_even, total, written
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsGroup, ibs_cbs_rates_on

# Full and reduced taxation, the situations whose rates are the general ones.
_GENERAL_RATES = ("000", "200")
_WHOLE = Decimal(100)


def estimated_total(sums: NoteTotals) -> Decimal | None:
    """Returns what the taker will pay, or None if the total adds no IBS and CBS or a rate is unknown."""
    if not _adds_taxes(sums):
        return None
    taxes = _estimated_taxes(sums)
    return None if taxes is None else sums.net_amount + taxes


def total_warning(sums: NoteTotals) -> str | None:
    """Returns the warning that the taker pays more than the net amount, or None if it does not."""
    if not _adds_taxes(sums):
        return None
    estimated, net = estimated_total(sums), sums.net_amount
    if estimated == net:
        return None
    due = (
        f"mais que os R$ {written(net)} do valor líquido"
        if estimated is None
        else f"cerca de R$ {written(estimated)}, e não os R$ {written(net)} do valor líquido"
    )
    return (
        f"IBS e CBS são somados ao valor da nota: o tomador paga {due}. O total que a Sefin calcula vem em"
        " totalDue, quando a nota é autorizada."
    )


def read_authorized_amounts(note: bytes) -> AuthorizedAmounts:
    """Returns what the authority computed for an NFS-e; nothing for one without IBS and CBS."""
    computed = read_computed_total(note)
    if computed is None:
        return AuthorizedAmounts()
    adds = DatedRule.TOTAL_ADDS_IBS_CBS in rules_of_competence(computed.competence)
    return AuthorizedAmounts(
        total_due=computed.total if adds else None,
        # A situation without tax has a rate of zero, which says nothing of the general one.
        cbs_rate=computed.cbs_rate or None,
        expected_cbs_rate=ibs_cbs_rates_on(computed.competence).cbs,
    )


def _adds_taxes(sums: NoteTotals) -> bool:
    has_group = sums.note.ibs_cbs is not None
    return has_group and DatedRule.TOTAL_ADDS_IBS_CBS in rules_of_competence(sums.note.competence)


def _estimated_taxes(sums: NoteTotals) -> Decimal | None:
    """Returns IBS and CBS together, each share rounded by itself; None if they can't be known here."""
    note = sums.note
    if note.ibs_cbs is None or note.provider.regime.simples == Option.MEI:
        return None
    written_situation = note.ibs_cbs.amounts.taxes.situation
    cst = written_situation.cst
    situation, tax_class = IBS_CBS_SITUATIONS.get(cst), IBS_CBS_CLASSES.get(written_situation.tax_class)
    if situation and situation.group is IbsCbsGroup.NONE:
        return ZERO
    rates = ibs_cbs_rates_on(note.competence)
    if tax_class is None or cst not in _GENERAL_RATES or None in rates:
        return None
    reductions = (tax_class.ibs_reduction, tax_class.ibs_reduction, tax_class.cbs_reduction)
    effective = (
        percent_to_even(rate or ZERO, _WHOLE - (reduction or ZERO))
        for rate, reduction in zip(rates, reductions, strict=True)
    )
    return total(percent_to_even(sums.ibs_cbs_base, rate) for rate in effective)
