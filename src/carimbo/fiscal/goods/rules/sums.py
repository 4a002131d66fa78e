"""Sums of the items, which the rules of totals compare with the totals of the document."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from typing import Any, NamedTuple

from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, CreditReversal, StateIbs
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, PresumedCredit, SinglePhase
from carimbo.fiscal.layouts.nfe_v4.invoice import Item, ItemTaxes
from carimbo.fiscal.layouts.nfe_v4.totals import SinglePhaseTotals
from carimbo.fiscal.money import ZERO, total


class Sums(NamedTuple):
    """Sums of the items, with the names of the totals; None if the manuals do not say which items count."""

    goods_amount: Decimal | None = None
    freight: Decimal | None = None
    insurance: Decimal | None = None
    discount: Decimal | None = None
    other: Decimal | None = None
    icms_base: Decimal | None = None
    icms_amount: Decimal | None = None
    st_base: Decimal | None = None
    st_amount: Decimal | None = None
    ipi_amount: Decimal | None = None
    pis_amount: Decimal | None = None
    cofins_amount: Decimal | None = None
    approximate_taxes: Decimal | None = None

    @classmethod
    def of(cls, items: Sequence[Item]) -> "Sums":
        """Sums the items."""
        taxes = [item.taxes for item in items]
        products = [item.product for item in items]
        counted = [product.amount for product in products if product.counts_in_total == COUNTS]
        goods_amount = sum(counted, ZERO) if all(map(_is_of_goods, taxes)) else None
        # Only for the price do the rules exclude items that do not count in the total (MOC 7.0, W07-10).
        if len(counted) < len(products):
            return cls(goods_amount)
        icms = [tax.icms for tax in taxes]
        is_plain = all(tax.icms and not tax.pis_st and not tax.cofins_st for tax in taxes)
        return cls(
            goods_amount=goods_amount,
            freight=_sum(products, "freight"),
            insurance=_sum(products, "insurance"),
            discount=_sum(products, "discount"),
            other=_sum(products, "other"),
            icms_base=_sum_of_some(icms, "base"),
            icms_amount=_sum_of_some(icms, "amount"),
            st_base=_sum_of_some(icms, "st_base"),
            st_amount=_sum_of_some(icms, "st_amount"),
            ipi_amount=_sum_of_some([tax.ipi.taxation for tax in taxes if tax.ipi], "amount"),
            pis_amount=_sum_of_some([tax.pis for tax in taxes], "amount") if is_plain else None,
            cofins_amount=_sum_of_some([tax.cofins for tax in taxes], "amount") if is_plain else None,
            approximate_taxes=_sum(taxes, "approximate_taxes"),
        )


def _is_of_goods(taxes: ItemTaxes) -> bool:
    return bool(taxes.icms or taxes.ibs_cbs or taxes.selective_tax)


def _sum(records: Iterable[Any], name: str) -> Decimal:
    return sum(filter(None, map(attrgetter(name), records)), ZERO)


def _sum_of_some(groups: Sequence[Any], name: str) -> Decimal:
    """Sums a field over groups of one tax; the groups have different classes, and some lack the field."""
    types = set(map(type, groups))
    having = [type_ for type_ in types if hasattr(type_, "__layout__") and name in type_.__layout__.defaults]
    if len(having) < len(types):
        groups = [group for group in groups if type(group) in having] if having else ()
    return _sum(groups, name)


@dataclass(frozen=True, slots=True)
class ShareSums:
    """Sums of one share of the tax by rates."""

    deferred_amount: Decimal
    refunded_amount: Decimal
    amount: Decimal
    presumed_credit: Decimal
    """Only of CBS: the credit of IBS is not divided between state and city."""

    @classmethod
    def of(
        cls, shares: Sequence[StateIbs | CityIbs | Cbs], granted: Sequence[PresumedCredit | None] = ()
    ) -> "ShareSums":
        """Sums the same share of all items."""
        return cls(
            deferred_amount=total([share.deferral.amount for share in shares if share.deferral]),
            refunded_amount=total([share.refund.amount for share in shares if share.refund]),
            amount=total([share.amount for share in shares]),
            presumed_credit=total([credit.amount for credit in granted if credit]),
        )


@dataclass(frozen=True, slots=True)
class IbsSums:
    """Sums of both shares of IBS, and of the whole tax."""

    state: ShareSums
    city: ShareSums
    amount: Decimal
    presumed_credit: Decimal


@dataclass(frozen=True, slots=True)
class ReformSums:
    """Sums of IBS and CBS of the items, with the names of the totals."""

    has_items: bool
    """Whether any item has IBS and CBS."""
    base: Decimal
    ibs: IbsSums
    cbs: ShareSums
    single_phase: SinglePhaseTotals
    credit_reversal: CreditReversal

    @classmethod
    def of(cls, items: Sequence[Item]) -> "ReformSums":
        """Sums the items."""
        groups = [item.taxes.ibs_cbs for item in items if item.taxes.ibs_cbs]
        rated = [group.by_rate for group in groups if group.by_rate]
        presumed = [group.operation_credit for group in groups if group.operation_credit]
        reversals = [group.credit_reversal for group in groups if group.credit_reversal]
        return cls(
            has_items=bool(groups),
            base=total([group.base for group in rated]),
            ibs=IbsSums(
                state=ShareSums.of([group.state for group in rated]),
                city=ShareSums.of([group.city for group in rated]),
                amount=total([group.ibs_amount for group in rated]),
                presumed_credit=total([credit.ibs.amount for credit in presumed if credit.ibs]),
            ),
            cbs=ShareSums.of([group.cbs for group in rated], [credit.cbs for credit in presumed]),
            single_phase=_single_phase([group.single_phase for group in groups if group.single_phase]),
            credit_reversal=CreditReversal(
                ibs_amount=total([reversal.ibs_amount for reversal in reversals]),
                cbs_amount=total([reversal.cbs_amount for reversal in reversals]),
            ),
        )


def _single_phase(phases: Sequence[SinglePhase]) -> SinglePhaseTotals:
    """Sums the single phase, both by quantity and by value."""
    ibs = [tax for phase in phases for tax in (phase.ibs_by_quantity, phase.ibs_by_value) if tax]
    cbs = [tax for phase in phases for tax in (phase.cbs_by_quantity, phase.cbs_by_value) if tax]
    return SinglePhaseTotals(
        ibs_amount=total([tax.standard.amount for tax in ibs if tax.standard]),
        cbs_amount=total([tax.standard.amount for tax in cbs if tax.standard]),
        ibs_withholding_amount=total([tax.withholding.amount for tax in ibs if tax.withholding]),
        cbs_withholding_amount=total([tax.withholding.amount for tax in cbs if tax.withholding]),
        ibs_retained_amount=total([tax.retained.amount for tax in ibs if tax.retained]),
        cbs_retained_amount=total([tax.retained.amount for tax in cbs if tax.retained]),
    )
