"""Sums of the items, for the rules of totals."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import Any, NamedTuple

from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.layouts.nfe_v4.invoice import Item, ItemTaxes
from carimbo.fiscal.money import ZERO


class Sums(NamedTuple):
    """Sums of the items, named as the totals are; None where the manuals leave open which items to add."""

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
        """Add the items up."""
        taxes = [item.taxes for item in items]
        products = [item.product for item in items]
        counted = [product.amount for product in products if product.counts_in_total == COUNTS]
        goods_amount = sum(counted, ZERO) if all(map(_is_of_goods, taxes)) else None
        # Only of the price do the rules say that an item outside the total is left out (MOC 7.0, W07-10).
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
    """Add an amount up over groups of one tax, which are of several kinds and may not have it."""
    kinds = set(map(type, groups))
    having = [kind for kind in kinds if hasattr(kind, "__layout__") and name in kind.__layout__.defaults]
    if len(having) < len(kinds):
        groups = [group for group in groups if type(group) in having] if having else ()
    return _sum(groups, name)
