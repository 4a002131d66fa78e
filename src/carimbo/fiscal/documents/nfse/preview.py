"""What an NFS-e would be, for whoever wants to see it before it is issued."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from carimbo.fiscal.document_type import Lines
from carimbo.fiscal.documents.nfse.iss import Taxation
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.simples import Assessment
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.money import ZERO, percent_to_even, total
from carimbo.fiscal.taxes.iss import iss_base, net_amount

_NOT_WITHHELD = "1"
_MEI = "2"
_NO_SPECIAL_REGIME = "0"


@dataclass(frozen=True, slots=True)
class NotePreview:
    """A declaration made for trial."""

    note: ServiceNote
    facts: ServiceFacts
    document: bytes = field(repr=False)

    @property
    def amount(self) -> Decimal:
        """What the service costs (vServ)."""
        return self.note.amounts.service.amount

    @property
    def lines(self) -> Lines:
        """An NFS-e is of one service."""
        return ()

    @property
    def xml(self) -> bytes:
        """Its text, unsigned."""
        return self.document

    @property
    def totals(self) -> Mapping[str, Any]:
        """What the authority will compute, as far as the rate that we were told is the municipality's."""
        withheld = total((self._federal, self._iss_withheld))
        return {
            "amount": self.amount,
            "issBase": self._base,
            "issRate": self.facts.iss_rate,
            "issAmount": self._iss,
            "issWithheld": self._iss_withheld,
            "federalWithheld": self._federal,
            "netAmount": net_amount(self.amount, self._discounts, withheld),
        }

    @property
    def taken_off(self) -> Decimal:
        """All that is taken off the price, or off the base of the ISS (E0428)."""
        reductions = self._discounts, self._deductions, self._reduction
        return total((*reductions, self._federal, self._iss_withheld))

    @property
    def _iss(self) -> Decimal:
        return percent_to_even(self._base, self.facts.iss_rate)

    @property
    def _iss_withheld(self) -> Decimal:
        return self._iss if self._is_withheld else ZERO

    @property
    def _is_taxed(self) -> bool:
        """Whether the note itself brings ISS (Anexo I, E1302-E1311); Simples has it in the one payment."""
        taxes, regime = self.note.amounts.taxes.iss, self.note.provider.regime
        is_exempt = taxes.benefit is not None and not self._reduction
        is_apart = regime.simples == _MEI or regime.special != _NO_SPECIAL_REGIME
        is_within_simples = regime.simples_assessment == Assessment.ALL and not self._is_withheld
        is_spared = is_exempt or is_apart or is_within_simples or taxes.suspension is not None
        return taxes.taxation == Taxation.TAXABLE and not is_spared

    @property
    def _is_withheld(self) -> bool:
        return self.note.amounts.taxes.iss.withholding != _NOT_WITHHELD

    @property
    def _base(self) -> Decimal:
        if not self._is_taxed:
            return ZERO
        discounts = self.note.amounts.discounts
        unconditional = (discounts and discounts.unconditional) or ZERO
        return iss_base(self.amount, unconditional, total((self._deductions, self._reduction)))

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
    def _federal(self) -> Decimal:
        federal = self.note.amounts.taxes.federal
        return total((federal.inss, federal.ir, federal.csll)) if federal else ZERO

    @property
    def _discounts(self) -> Decimal:
        discounts = self.note.amounts.discounts
        return total((discounts.unconditional, discounts.conditional)) if discounts else ZERO
