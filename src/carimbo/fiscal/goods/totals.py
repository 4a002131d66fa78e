"""Totals of a document: plain sums of what its items say (MOC 7.0, rules W03 to W16; NT 2025.002)."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.items import COUNTS, item_total
from carimbo.fiscal.layouts.group import fields_among
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    CreditReversal,
    IbsCbs,
    OperationCredit,
    PresumedCredit,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.totals import (
    CbsTotals,
    CityIbsTotals,
    IbsCbsTotals,
    IbsTotals,
    InvoiceTotals,
    SelectiveTaxTotals,
    SinglePhaseTotals,
    StateIbsTotals,
    Totals,
    WithheldTaxes,
)
from carimbo.fiscal.money import ZERO, cents, total

_ICMS = (
    "base",
    "amount",
    "exempted_amount",
    "fcp_amount",
    "st_base",
    "st_amount",
    "st_fcp_amount",
    "retained_fcp_amount",
    "single_phase_quantity",
    "single_phase_amount",
    "single_phase_withholding_quantity",
    "single_phase_withholding_amount",
    "single_phase_retained_quantity",
    "single_phase_retained_amount",
)
_STATE_SHARES = ("fcp_amount", "destination_amount", "origin_amount")
_CHARGES = ("freight", "insurance", "discount", "other")
_AMOUNT = ("amount",)
_OTHERS = ("approximate_taxes",)


def totals_of(items: Sequence[Item], withheld: WithheldTaxes | None) -> Totals:
    """Add the items up."""
    amount = total(item.total or item_total(item.product, item.taxes, item.returned_ipi) for item in items)
    reform = [item.taxes.ibs_cbs for item in items if item.taxes.ibs_cbs]
    selective = [item.taxes.selective_tax for item in items if item.taxes.selective_tax]
    return Totals(
        invoice=_invoice_totals(items, amount),
        withheld_taxes=withheld,
        selective_tax=SelectiveTaxTotals(amount=_sum(selective, "amount")) if selective else None,
        ibs_cbs=_reform_totals(reform) if reform else None,
        # In 2026 the taxes of the reform are told, not charged (NT 2025.002, W60).
        amount_with_reform_taxes=amount if reform else None,
    )


def _invoice_totals(items: Sequence[Item], amount: Decimal) -> InvoiceTotals:
    charges, icms, pis, cofins = _Sum(_CHARGES), _Sum(_ICMS), _Sum(_AMOUNT), _Sum(_AMOUNT)
    shares, ipi, others = _Sum(_STATE_SHARES), _Sum(_AMOUNT), _Sum(_OTHERS)
    goods = ZERO
    for item in items:
        product, taxes = item.product, item.taxes
        if product.counts_in_total == COUNTS:
            goods += product.amount
        charges.add(product)
        icms.add(taxes.icms)
        pis.add(taxes.pis)
        cofins.add(taxes.cofins)
        others.add(taxes)
        if taxes.state_share:
            shares.add(taxes.state_share)
        if taxes.ipi:
            ipi.add(taxes.ipi.taxation)
    return InvoiceTotals(
        icms_base=icms["base"],
        icms_amount=icms["amount"],
        exempted_amount=icms["exempted_amount"],
        destination_fcp_amount=shares.get("fcp_amount"),
        destination_amount=shares.get("destination_amount"),
        origin_amount=shares.get("origin_amount"),
        fcp_amount=icms["fcp_amount"],
        st_base=icms["st_base"],
        st_amount=icms["st_amount"],
        st_fcp_amount=icms["st_fcp_amount"],
        retained_fcp_amount=icms["retained_fcp_amount"],
        single_phase_quantity=_rounded(icms.get("single_phase_quantity")),
        single_phase_amount=icms.get("single_phase_amount"),
        single_phase_withholding_quantity=_rounded(icms.get("single_phase_withholding_quantity")),
        single_phase_withholding_amount=icms.get("single_phase_withholding_amount"),
        single_phase_retained_quantity=_rounded(icms.get("single_phase_retained_quantity")),
        single_phase_retained_amount=icms.get("single_phase_retained_amount"),
        goods_amount=goods,
        freight=charges["freight"],
        insurance=charges["insurance"],
        discount=charges["discount"],
        import_tax_amount=total([item.taxes.import_tax.amount for item in items if item.taxes.import_tax]),
        ipi_amount=ipi["amount"],
        returned_ipi_amount=total([item.returned_ipi.ipi.amount for item in items if item.returned_ipi]),
        pis_amount=pis["amount"],
        cofins_amount=cofins["amount"],
        other=charges["other"],
        amount=amount,
        approximate_taxes=others.get("approximate_taxes"),
    )


def _rounded(quantity: Decimal | None) -> Decimal | None:
    """Items have quantities of four decimals, totals of two (NT 2023.001)."""
    return None if quantity is None else cents(quantity)


def _reform_totals(groups: Sequence[IbsCbs]) -> IbsCbsTotals:
    by_rate = [group.by_rate for group in groups if group.by_rate]
    presumed = [group.operation_credit for group in groups if group.operation_credit]
    phases = [group.single_phase for group in groups if group.single_phase]
    reversals = [group.credit_reversal for group in groups if group.credit_reversal]
    return IbsCbsTotals(
        base=total(one.base for one in by_rate),
        ibs=_ibs_totals(by_rate, presumed) if by_rate or presumed else None,
        cbs=_cbs_totals(by_rate, presumed) if by_rate or presumed else None,
        single_phase=_single_phase_totals(phases) if phases else None,
        credit_reversal=_reversal_totals(reversals) if reversals else None,
    )


def _ibs_totals(by_rate: Sequence[TaxedByRate], presumed: Sequence[OperationCredit]) -> IbsTotals:
    state = StateIbsTotals(**_told([one.state for one in by_rate]))
    city = CityIbsTotals(**_told([one.city for one in by_rate]))
    granted = [credit.ibs for credit in presumed if credit.ibs]
    amount = total(one.ibs_amount for one in by_rate)
    return IbsTotals(state=state, city=city, amount=amount, **_credits(granted))


def _cbs_totals(by_rate: Sequence[TaxedByRate], presumed: Sequence[OperationCredit]) -> CbsTotals:
    granted = [credit.cbs for credit in presumed if credit.cbs]
    return CbsTotals(**_told([one.cbs for one in by_rate]), **_credits(granted))


def _told(shares: Sequence[StateIbs | CityIbs | Cbs]) -> dict[str, Decimal]:
    """What every share of the tax has: the part deferred, the part given back, and what is due."""
    return {
        "deferred_amount": total(share.deferral.amount for share in shares if share.deferral),
        "refunded_amount": total(share.refund.amount for share in shares if share.refund),
        "amount": total(share.amount for share in shares),
    }


def _credits(granted: Sequence[PresumedCredit]) -> dict[str, Decimal]:
    return {
        "presumed_credit": _sum(granted, "amount"),
        "conditional_presumed_credit": _sum(granted, "conditional_amount"),
    }


def _single_phase_totals(phases: Sequence[Any]) -> SinglePhaseTotals:
    def ibs(part: str) -> Decimal:
        return _sum(_parts(phases, ("ibs_by_quantity", "ibs_by_value"), part), "amount")

    def cbs(part: str) -> Decimal:
        return _sum(_parts(phases, ("cbs_by_quantity", "cbs_by_value"), part), "amount")

    return SinglePhaseTotals(
        ibs_amount=ibs("standard"),
        cbs_amount=cbs("standard"),
        ibs_withholding_amount=ibs("withholding"),
        cbs_withholding_amount=cbs("withholding"),
        ibs_retained_amount=ibs("retained"),
        cbs_retained_amount=cbs("retained"),
    )


def _parts(phases: Sequence[Any], ways: tuple[str, str], part: str) -> list[Any]:
    return [getattr(getattr(phase, way), part, None) for phase in phases for way in ways]


def _reversal_totals(reversals: Sequence[CreditReversal]) -> CreditReversal:
    return CreditReversal(ibs_amount=_sum(reversals, "ibs_amount"), cbs_amount=_sum(reversals, "cbs_amount"))


def _sum(groups: Iterable[Any], name: str) -> Decimal:
    found = _Sum((name,))
    for group in groups:
        found.add(group)
    return found[name]


class _Sum:
    """Amounts added up over groups of several kinds, not all of which have them."""

    __slots__ = ("_amounts", "_names")

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._amounts: dict[str, Decimal] = {}

    def add(self, group: Any) -> None:
        for name in fields_among(group, self._names):
            amount = getattr(group, name)
            if amount is not None:
                self._amounts[name] = self._amounts.get(name, ZERO) + amount

    def __getitem__(self, name: str) -> Decimal:
        return self._amounts.get(name, ZERO)

    def get(self, name: str) -> Decimal | None:
        """None where no group has told it."""
        return self._amounts.get(name)
