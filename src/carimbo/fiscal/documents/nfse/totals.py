"""Totals of a DPS as the authority computes them (Anexo I), and the total due with IBS and CBS.

From 2027 on the taker pays the net amount plus IBS and CBS (`vTotNF`), which the authority computes. Before
the authorization the total is estimated, if all rates are in the tables.
"""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.documents.nfse.iss import SimplesAssessment, SimplesOption, Taxation, Withholding
from carimbo.fiscal.documents.nfse.settings import NO_SPECIAL_REGIME
from carimbo.fiscal.documents.nfse.territory import rules_of_competence
from carimbo.fiscal.issuance import AuthorizedAmounts
from carimbo.fiscal.layouts.dps_v1.amounts import PisCofins
from carimbo.fiscal.layouts.dps_v1.archived import read_computed_total
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.money import ZERO, format_amount, percent_to_even, total
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS, IbsCbsGroup, ibs_cbs_rates_on

# CST of full and reduced taxation, which use the general rates.
_GENERAL_RATES = ("000", "200")
_WHOLE = Decimal(100)


def iss_base(price: Decimal, unconditional_discount: Decimal, deductions: Decimal) -> Decimal:
    """Returns the price without unconditional discounts and legal deductions."""
    return max(ZERO, price - unconditional_discount - deductions)


def net_amount(price: Decimal, discounts: Decimal, withheld: Decimal) -> Decimal:
    """Returns the amount that the customer pays to the provider (vLiq)."""
    return price - discounts - withheld


@dataclass(frozen=True, slots=True)
class NoteTotals:
    """The totals of a DPS."""

    note: ServiceNote
    iss_rate: Decimal
    """The applied rate: the municipality's own if it is known, else as given."""

    @property
    def amount(self) -> Decimal:
        """The price of the service (vServ)."""
        return self.note.amounts.service.amount

    @property
    def discount(self) -> Decimal:
        """The unconditional discount (vDescIncond)."""
        discounts = self.note.amounts.discounts
        return (discounts and discounts.unconditional) or ZERO

    @property
    def charged(self) -> Decimal:
        """The price without the unconditional discount."""
        return self.amount - self.discount

    @property
    def iss_base(self) -> Decimal:
        """The base of the ISS; zero if the note has no ISS."""
        if not self._is_taxed:
            return ZERO
        return iss_base(self.amount, self.discount, total((self._deductions, self._reduction)))

    @property
    def iss(self) -> Decimal:
        """The ISS of the note."""
        return percent_to_even(self.iss_base, self.iss_rate)

    @property
    def iss_withheld(self) -> Decimal:
        """The ISS that the taker withholds."""
        return self.iss if self._is_withheld else ZERO

    @property
    def federal_withheld(self) -> Decimal:
        """The federal taxes that the taker withholds."""
        federal = self.note.amounts.taxes.federal
        return total((federal.inss, federal.ir, federal.csll)) if federal else ZERO

    @property
    def pis(self) -> Decimal:
        """The provider's own debit of PIS."""
        own = self._own_debit
        return (own and own.pis_amount) or ZERO

    @property
    def cofins(self) -> Decimal:
        """The provider's own debit of COFINS."""
        own = self._own_debit
        return (own and own.cofins_amount) or ZERO

    @property
    def ibs_cbs_base(self) -> Decimal:
        """The base of IBS and CBS; zero in a note without them (Anexo I, E1530)."""
        if self.note.ibs_cbs is None:
            return ZERO
        return max(ZERO, self.charged - self.iss - self.pis - self.cofins)

    @property
    def net_amount(self) -> Decimal:
        """The amount that the taker pays to the provider."""
        return net_amount(self.amount, self._discounts, total((self.federal_withheld, self.iss_withheld)))

    @property
    def taken_off(self) -> Decimal:
        """The sum of all deductions from the price or from the base of the ISS (E0428)."""
        reductions = self._discounts, self._deductions, self._reduction
        return total((*reductions, self.federal_withheld, self.iss_withheld))

    @property
    def _is_taxed(self) -> bool:
        """Whether the note itself has ISS (Anexo I, E1302-E1311); Simples includes it in the DAS."""
        taxes, regime = self.note.amounts.taxes.iss, self.note.provider.regime
        is_exempt = taxes.benefit is not None and not self._reduction
        is_apart = regime.simples == SimplesOption.MEI or regime.special != NO_SPECIAL_REGIME
        is_within_simples = regime.simples_assessment == SimplesAssessment.ALL and not self._is_withheld
        is_spared = is_exempt or is_apart or is_within_simples or taxes.suspension is not None
        return taxes.taxation == Taxation.TAXABLE and not is_spared

    @property
    def _own_debit(self) -> PisCofins | None:
        federal = self.note.amounts.taxes.federal
        return federal.pis_cofins if federal else None

    @property
    def _is_withheld(self) -> bool:
        return self.note.amounts.taxes.iss.withholding != Withholding.NONE

    @property
    def _deductions(self) -> Decimal:
        deductions = self.note.amounts.deductions
        if deductions is None:
            return ZERO
        if deductions.rate is not None:
            return percent_to_even(self.amount, deductions.rate)
        proofs = deductions.proof.documents if deductions.proof else ()
        return total((deductions.amount, *(proof.amount for proof in proofs)))

    @property
    def _reduction(self) -> Decimal:
        benefit = self.note.amounts.taxes.iss.benefit
        if benefit is None:
            return ZERO
        if benefit.reduction_rate is not None:
            return percent_to_even(self.amount, benefit.reduction_rate)
        return benefit.reduction_amount or ZERO

    @property
    def _discounts(self) -> Decimal:
        discounts = self.note.amounts.discounts
        return total((discounts.unconditional, discounts.conditional)) if discounts else ZERO


def estimated_total(sums: NoteTotals) -> Decimal | None:
    """Returns the amount that the taker will pay; None if it has no IBS and CBS or a rate is unknown."""
    if not _adds_taxes(sums):
        return None
    taxes = _estimated_taxes(sums)
    return None if taxes is None else sums.net_amount + taxes


def total_warning(sums: NoteTotals) -> str | None:
    """Returns the warning that the taker pays more than the net amount, or None."""
    if not _adds_taxes(sums):
        return None
    estimated, net = estimated_total(sums), sums.net_amount
    if estimated == net:
        return None
    due = (
        f"mais que os R$ {format_amount(net)} do valor líquido"
        if estimated is None
        else f"cerca de R$ {format_amount(estimated)}, e não os R$ {format_amount(net)} do valor líquido"
    )
    return (
        f"IBS e CBS são somados ao valor da nota: o tomador paga {due}. O total que a Sefin calcula vem em"
        " totalDue, quando a nota é autorizada."
    )


def read_authorized_amounts(note: bytes) -> AuthorizedAmounts:
    """Returns the amounts that the authority computed; empty for an NFS-e without IBS and CBS."""
    computed = read_computed_total(note)
    if computed is None:
        return AuthorizedAmounts()
    adds = DatedRule.TOTAL_ADDS_IBS_CBS in rules_of_competence(computed.competence)
    return AuthorizedAmounts(
        total_due=computed.total if adds else None,
        # A CST without tax has a rate of zero, which says nothing about the general rate.
        cbs_rate=computed.cbs_rate or None,
        expected_cbs_rate=ibs_cbs_rates_on(computed.competence).cbs,
    )


def _adds_taxes(sums: NoteTotals) -> bool:
    has_group = sums.note.ibs_cbs is not None
    return has_group and DatedRule.TOTAL_ADDS_IBS_CBS in rules_of_competence(sums.note.competence)


def _estimated_taxes(sums: NoteTotals) -> Decimal | None:
    """Returns the sum of IBS and CBS, each share rounded; None if a rate is unknown."""
    note = sums.note
    if note.ibs_cbs is None or note.provider.regime.simples == SimplesOption.MEI:
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
