"""What a declaration adds up to, as the authority computes it (Anexo I)."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.documents.nfse.iss import Taxation, Withholding
from carimbo.fiscal.documents.nfse.settings import NO_SPECIAL_REGIME
from carimbo.fiscal.documents.nfse.simples import Assessment, Option
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.dps_v1.taxes import PisCofins
from carimbo.fiscal.money import ZERO, percent_to_even, total
from carimbo.fiscal.taxes.iss import iss_base, net_amount


@dataclass(frozen=True, slots=True)
class NoteTotals:
    """The sums of a declaration."""

    note: ServiceNote
    iss_rate: Decimal
    """The one that is applied: the municipality's own where it is known, else as told."""

    @property
    def amount(self) -> Decimal:
        """What the service costs (vServ)."""
        return self.note.amounts.service.amount

    @property
    def discount(self) -> Decimal:
        """What is taken off the price for good (vDescIncond)."""
        discounts = self.note.amounts.discounts
        return (discounts and discounts.unconditional) or ZERO

    @property
    def charged(self) -> Decimal:
        """What the service costs without what is taken off for good."""
        return self.amount - self.discount

    @property
    def iss_base(self) -> Decimal:
        """What the ISS is computed on; zero where the note brings none."""
        if not self._is_taxed:
            return ZERO
        return iss_base(self.amount, self.discount, total((self._deductions, self._reduction)))

    @property
    def iss(self) -> Decimal:
        """The tax of the municipality."""
        return percent_to_even(self.iss_base, self.iss_rate)

    @property
    def iss_withheld(self) -> Decimal:
        """What of it the taker keeps back."""
        return self.iss if self._is_withheld else ZERO

    @property
    def federal_withheld(self) -> Decimal:
        """What the taker keeps back for the Union."""
        federal = self.note.amounts.taxes.federal
        return total((federal.inss, federal.ir, federal.csll)) if federal else ZERO

    @property
    def pis(self) -> Decimal:
        """Returns the provider's own debit of PIS."""
        own = self._own_debit
        return (own and own.pis_amount) or ZERO

    @property
    def cofins(self) -> Decimal:
        """Returns the provider's own debit of COFINS."""
        own = self._own_debit
        return (own and own.cofins_amount) or ZERO

    @property
    def ibs_cbs_base(self) -> Decimal:
        """Returns the base of IBS and CBS, zero in a note without them (Anexo I, E1530)."""
        if self.note.ibs_cbs is None:
            return ZERO
        return max(ZERO, self.charged - self.iss - self.pis - self.cofins)

    @property
    def net_amount(self) -> Decimal:
        """What the taker pays to the provider."""
        return net_amount(self.amount, self._discounts, total((self.federal_withheld, self.iss_withheld)))

    @property
    def taken_off(self) -> Decimal:
        """All that is taken off the price, or off the base of the ISS (E0428)."""
        reductions = self._discounts, self._deductions, self._reduction
        return total((*reductions, self.federal_withheld, self.iss_withheld))

    @property
    def _is_taxed(self) -> bool:
        """Whether the note itself brings ISS (Anexo I, E1302-E1311); Simples has it in the one payment."""
        taxes, regime = self.note.amounts.taxes.iss, self.note.provider.regime
        is_exempt = taxes.benefit is not None and not self._reduction
        is_apart = regime.simples == Option.MEI or regime.special != NO_SPECIAL_REGIME
        is_within_simples = regime.simples_assessment == Assessment.ALL and not self._is_withheld
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
        told = self.note.amounts.deductions
        if told is None:
            return ZERO
        if told.rate is not None:
            return percent_to_even(self.amount, told.rate)
        proofs = told.proof.documents if told.proof else ()
        return total((told.amount, *(proof.amount for proof in proofs)))

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
