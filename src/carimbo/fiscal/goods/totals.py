"""Totals of a document: sums of the fields of its items (MOC 7.0, rules W03 to W16; NT 2025.002)."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from operator import attrgetter
from typing import Any

from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.goods.items import item_total
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, CreditReversal, StateIbs
from carimbo.fiscal.layouts.layout import construct, fields_among, layout_of
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, IbsCbs, OperationCredit, PresumedCredit, TaxedByRate
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

# Fields of the groups of an item, with the names of their sums in `ICMSTot`; few groups have all fields.
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
_REQUIRED = [name for name, default in layout_of(InvoiceTotals).defaults.items() if default is not None]
_QUANTITIES = frozenset(
    {"single_phase_quantity", "single_phase_withholding_quantity", "single_phase_retained_quantity"}
)


def totals_of(items: Sequence[Item], withheld: WithheldTaxes | None) -> Totals:
    """Returns the totals of the items."""
    sums = dict.fromkeys(_REQUIRED, ZERO)
    taxes = [item.taxes for item in items]
    products = [item.product for item in items]
    sums["goods_amount"] = total(
        [product.amount for product in products if product.counts_in_total == COUNTS]
    )
    sums["amount"] = total(
        [item.total or item_total(item.product, item.taxes, item.returned_ipi) for item in items]
    )
    _add(sums, products, "product")
    _add(sums, taxes, "taxes")
    _add(sums, [tax.icms for tax in taxes], "icms")
    _add(sums, [tax.pis for tax in taxes], "pis")
    _add(sums, [tax.cofins for tax in taxes], "cofins")
    _add(sums, [tax.state_share for tax in taxes], "state_share")
    _add(sums, [tax.ipi.taxation for tax in taxes if tax.ipi], "ipi")
    _add(sums, [item.returned_ipi.ipi for item in items if item.returned_ipi], "returned_ipi")
    _add(sums, [tax.import_tax for tax in taxes], "import_tax")
    for name in _QUANTITIES & sums.keys():
        # Quantities have four decimals in items, but two in totals (NT 2023.001).
        sums[name] = cents(sums[name])
    invoice = construct(InvoiceTotals, sums)

    reform = [tax.ibs_cbs for tax in taxes if tax.ibs_cbs]
    selective = [tax.selective_tax for tax in taxes if tax.selective_tax]
    return Totals(
        invoice=invoice,
        withheld_taxes=withheld,
        selective_tax=SelectiveTaxTotals(amount=_sum(selective, "amount")) if selective else None,
        ibs_cbs=_reform_totals(reform) if reform else None,
        # IBS and CBS are not charged in 2026 and are part of prices from 2027 on (NT 2026.008, W60).
        amount_with_reform_taxes=invoice.amount if reform else None,
    )


def _add(sums: dict[str, Decimal], groups: Sequence[Any], part: str) -> None:
    """Adds the fields of groups of one part of the items; their classes may differ."""
    by_type: dict[Any, list[Any]] = {}
    for group in groups:
        by_type.setdefault(type(group), []).append(group)
    for group_type, members in by_type.items():
        for field, name in _summed_fields(group_type, part):
            amounts = [amount for amount in map(attrgetter(field), members) if amount is not None]
            if amounts:
                sums[name] = sum(amounts, sums.get(name, ZERO))


@cache
def _summed_fields(group_type: Any, part: str) -> tuple[tuple[str, str], ...]:
    """Returns the fields of a group class that are summed, each with the name of its total."""
    return tuple((field, _SUMS[part][field]) for field in fields_among(group_type, tuple(_SUMS[part])))


def _reform_totals(groups: Sequence[IbsCbs]) -> IbsCbsTotals:
    by_rate = [group.by_rate for group in groups if group.by_rate]
    presumed = [group.operation_credit for group in groups if group.operation_credit]
    phases = [group.single_phase for group in groups if group.single_phase]
    reversals = [group.credit_reversal for group in groups if group.credit_reversal]
    return IbsCbsTotals(
        base=total(group.base for group in by_rate),
        ibs=_ibs_totals(by_rate, presumed) if by_rate or presumed else None,
        cbs=_cbs_totals(by_rate, presumed) if by_rate or presumed else None,
        single_phase=_single_phase_totals(phases) if phases else None,
        credit_reversal=CreditReversal(
            ibs_amount=_sum(reversals, "ibs_amount"), cbs_amount=_sum(reversals, "cbs_amount")
        )
        if reversals
        else None,
    )


def _ibs_totals(by_rate: Sequence[TaxedByRate], presumed: Sequence[OperationCredit]) -> IbsTotals:
    state = StateIbsTotals(**_share_totals([group.state for group in by_rate]))
    city = CityIbsTotals(**_share_totals([group.city for group in by_rate]))
    granted = [credit.ibs for credit in presumed if credit.ibs]
    amount = total(group.ibs_amount for group in by_rate)
    return IbsTotals(state=state, city=city, amount=amount, **_credits(granted))


def _cbs_totals(by_rate: Sequence[TaxedByRate], presumed: Sequence[OperationCredit]) -> CbsTotals:
    granted = [credit.cbs for credit in presumed if credit.cbs]
    return CbsTotals(**_share_totals([group.cbs for group in by_rate]), **_credits(granted))


def _share_totals(shares: Sequence[StateIbs | CityIbs | Cbs]) -> dict[str, Decimal]:
    """Returns the totals of one share of the tax: deferred, refunded and due amounts."""
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


def _parts(phases: Sequence[Any], bases: tuple[str, str], part: str) -> list[Any]:
    return [getattr(getattr(phase, base), part, None) for phase in phases for base in bases]


def _sum(groups: Iterable[Any], name: str) -> Decimal:
    """Sums a field of groups of different classes; not all of them have it."""
    return total([getattr(group, name, None) for group in groups])
