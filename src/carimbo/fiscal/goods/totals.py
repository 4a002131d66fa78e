"""Totals of a document: plain sums of what its items say (MOC 7.0, rules W03 to W16; NT 2025.002)."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.goods.items import item_total
from carimbo.fiscal.layouts.layout import layout_of
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
from carimbo.fiscal.layouts.records import fields_among, made
from carimbo.fiscal.money import ZERO, cents, total

# Fields of an item's groups, and what their sums are called in `ICMSTot`; few groups have all of theirs.
_SUMS = {
    "product": {name: name for name in ("freight", "insurance", "discount", "other")},
    "taxes": {"approximate_taxes": "approximate_taxes"},
    "icms": {
        "base": "icms_base",
        "amount": "icms_amount",
        "exempted_amount": "exempted_amount",
        "fcp_amount": "fcp_amount",
        "st_base": "st_base",
        "st_amount": "st_amount",
        "st_fcp_amount": "st_fcp_amount",
        "retained_fcp_amount": "retained_fcp_amount",
        "single_phase_quantity": "single_phase_quantity",
        "single_phase_amount": "single_phase_amount",
        "single_phase_withholding_quantity": "single_phase_withholding_quantity",
        "single_phase_withholding_amount": "single_phase_withholding_amount",
        "single_phase_retained_quantity": "single_phase_retained_quantity",
        "single_phase_retained_amount": "single_phase_retained_amount",
    },
    "state_share": {
        "fcp_amount": "destination_fcp_amount",
        "destination_amount": "destination_amount",
        "origin_amount": "origin_amount",
    },
    "pis": {"amount": "pis_amount"},
    "cofins": {"amount": "cofins_amount"},
    "ipi": {"amount": "ipi_amount"},
    "returned_ipi": {"amount": "returned_ipi_amount"},
    "import_tax": {"amount": "import_tax_amount"},
}
_ALWAYS_TOLD = [name for name, default in layout_of(InvoiceTotals).defaults.items() if default is not None]
_QUANTITIES = frozenset(
    {"single_phase_quantity", "single_phase_withholding_quantity", "single_phase_retained_quantity"}
)


def totals_of(items: Sequence[Item], withheld: WithheldTaxes | None) -> Totals:
    """Add the items up."""
    invoice = _invoice_totals(items)
    reform = [item.taxes.ibs_cbs for item in items if item.taxes.ibs_cbs]
    selective = [item.taxes.selective_tax for item in items if item.taxes.selective_tax]
    return Totals(
        invoice=invoice,
        withheld_taxes=withheld,
        selective_tax=SelectiveTaxTotals(amount=_sum(selective, "amount")) if selective else None,
        ibs_cbs=_reform_totals(reform) if reform else None,
        # Not charged in 2026, within the prices from 2027 on: the total is the same (NT 2026.008, W60).
        amount_with_reform_taxes=invoice.amount if reform else None,
    )


def _invoice_totals(items: Sequence[Item]) -> InvoiceTotals:
    sums = dict.fromkeys(_ALWAYS_TOLD, ZERO)
    for item in items:
        _add_item(sums, item)
    for name in _QUANTITIES & sums.keys():
        # Items have quantities of four decimals, totals of two (NT 2023.001).
        sums[name] = cents(sums[name])
    return made(InvoiceTotals, sums)


def _add_item(sums: dict[str, Decimal], item: Item) -> None:
    product, taxes = item.product, item.taxes
    if product.counts_in_total == COUNTS:
        sums["goods_amount"] += product.amount
    sums["amount"] += item.total or item_total(product, taxes, item.returned_ipi)
    _add(sums, product, "product")
    _add(sums, taxes, "taxes")
    _add(sums, taxes.icms, "icms")
    _add(sums, taxes.pis, "pis")
    _add(sums, taxes.cofins, "cofins")
    if taxes.state_share:
        _add(sums, taxes.state_share, "state_share")
    if taxes.ipi:
        _add(sums, taxes.ipi.taxation, "ipi")
    if item.returned_ipi:
        _add(sums, item.returned_ipi.ipi, "returned_ipi")
    if taxes.import_tax:
        _add(sums, taxes.import_tax, "import_tax")


def _add(sums: dict[str, Decimal], group: Any, part: str) -> None:
    kind: Any = type(group)
    for field, name in _summed(kind, part):
        amount = getattr(group, field)
        if amount is not None:
            sums[name] = sums.get(name, ZERO) + amount


@cache
def _summed(kind: Any, part: str) -> tuple[tuple[str, str], ...]:
    """Which fields of a kind of group are added up, and to what."""
    has = fields_among(kind, tuple(_SUMS[part]))
    return tuple((field, _SUMS[part][field]) for field in has)


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
    """Add amounts up over groups of several kinds, not all of which have them."""
    return total([getattr(group, name, None) for group in groups])
