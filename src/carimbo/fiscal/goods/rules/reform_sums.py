"""What IBS and CBS of the items add up to, as they are written in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    CreditReversal,
    OperationCredit,
    PresumedCredit,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs_single_phase import SinglePhase
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.totals import SinglePhaseTotals
from carimbo.fiscal.money import total


@dataclass(frozen=True, slots=True)
class ShareSums:
    """One share of the tax by rates: what is paid later, what goes back and what is due."""

    deferred_amount: Decimal
    refunded_amount: Decimal
    amount: Decimal
    presumed_credit: Decimal
    """Of the CBS alone: that of the IBS is not divided between state and city."""

    @classmethod
    def of(
        cls, shares: Sequence[StateIbs | CityIbs | Cbs], granted: Sequence[PresumedCredit | None] = ()
    ) -> "ShareSums":
        """Add the same share of all items up."""
        return cls(
            deferred_amount=total([share.deferral.amount for share in shares if share.deferral]),
            refunded_amount=total([share.refund.amount for share in shares if share.refund]),
            amount=total([share.amount for share in shares]),
            presumed_credit=total([credit.amount for credit in granted if credit]),
        )


@dataclass(frozen=True, slots=True)
class IbsSums:
    """The shares of the IBS, and the tax as a whole."""

    state: ShareSums
    city: ShareSums
    amount: Decimal
    presumed_credit: Decimal


@dataclass(frozen=True, slots=True)
class ReformSums:
    """The sums that the totals of the document are held against, by the names of those."""

    has_items: bool
    """Whether any item tells IBS and CBS at all."""
    base: Decimal
    ibs: IbsSums
    cbs: ShareSums
    single_phase: SinglePhaseTotals
    credit_reversal: CreditReversal

    @classmethod
    def of(cls, items: Sequence[Item]) -> "ReformSums":
        """Add the items up."""
        groups = [item.taxes.ibs_cbs for item in items if item.taxes.ibs_cbs]
        rated = [group.by_rate for group in groups if group.by_rate]
        presumed = [group.operation_credit for group in groups if group.operation_credit]
        reversals = [group.credit_reversal for group in groups if group.credit_reversal]
        return cls(
            has_items=bool(groups),
            base=total([one.base for one in rated]),
            ibs=_ibs(rated, presumed),
            cbs=ShareSums.of([one.cbs for one in rated], [credit.cbs for credit in presumed]),
            single_phase=_single_phase([group.single_phase for group in groups if group.single_phase]),
            credit_reversal=CreditReversal(
                ibs_amount=total([one.ibs_amount for one in reversals]),
                cbs_amount=total([one.cbs_amount for one in reversals]),
            ),
        )


def _ibs(rated: Sequence[TaxedByRate], presumed: Sequence[OperationCredit]) -> IbsSums:
    return IbsSums(
        state=ShareSums.of([one.state for one in rated]),
        city=ShareSums.of([one.city for one in rated]),
        amount=total([one.ibs_amount for one in rated]),
        presumed_credit=total([credit.ibs.amount for credit in presumed if credit.ibs]),
    )


def _single_phase(phases: Sequence[SinglePhase]) -> SinglePhaseTotals:
    """By quantity and by value alike."""
    ibs = [way for one in phases for way in (one.ibs_by_quantity, one.ibs_by_value) if way]
    cbs = [way for one in phases for way in (one.cbs_by_quantity, one.cbs_by_value) if way]
    return SinglePhaseTotals(
        ibs_amount=total([way.standard.amount for way in ibs if way.standard]),
        cbs_amount=total([way.standard.amount for way in cbs if way.standard]),
        ibs_withholding_amount=total([way.withholding.amount for way in ibs if way.withholding]),
        cbs_withholding_amount=total([way.withholding.amount for way in cbs if way.withholding]),
        ibs_retained_amount=total([way.retained.amount for way in ibs if way.retained]),
        cbs_retained_amount=total([way.retained.amount for way in cbs if way.retained]),
    )
