"""Facts that the taxes of a document depend on: the values of an item, the tax day, and its purpose."""

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.identity.access_key import KEY_LENGTH
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.identification import GovernmentPurchase
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from carimbo.fiscal.taxes.icms import operation_value
from carimbo.fiscal.taxes.trade import TaxDay, Trade


class TaxedItem(NamedTuple):
    """An item as the decision on each of its taxes needs it."""

    path: str
    """JSON path in the request, for example `items[3]`."""
    origin: str
    cfop: str
    is_sale: bool
    """Only sales have default taxes: other operations are taxed in too many ways."""


def item_value(product: ItemProduct) -> Decimal:
    """Returns the price of an item, without the taxes that are charged on top of it."""
    charges = (product.freight, product.insurance, product.other)
    return operation_value(product.amount, charges=charges, discount=product.discount)


_YEAR, _MONTH = slice(2, 4), slice(4, 6)
_CENTURY = 2000
_MONTHS = range(1, 13)


def day_of_key(access_key: str) -> date | None:
    """Returns the last day of the month in an access key; None if the key has no valid month."""
    year, month = access_key[_YEAR], access_key[_MONTH]
    if len(access_key) != KEY_LENGTH or not (year + month).isdecimal() or int(month) not in _MONTHS:
        return None
    last = monthrange(_CENTURY + int(year), int(month))[1]
    return date(_CENTURY + int(year), int(month), last)


def corrected_day(issued: TaxDay, access_keys: Iterable[str]) -> TaxDay:
    """Returns the tax day of the corrected document; that of the correction itself if there is no key.

    Of several documents the first one counts. Keys have only the month, which is enough: taxes change with
    the year.
    """
    days = [day for day in map(day_of_key, access_keys) if day]
    return issued.on(days[0]) if days and days[0] < issued.day else issued


def trade_of_item(reference: ReferencedItem | None, trade: Trade) -> Trade:
    """Returns the trade, in corrections with the tax day of the document that the item refers to."""
    if reference is None or not trade.is_correction:
        return trade
    return trade._replace(tax_day=corrected_day(trade.issue_day, (reference.access_key,)))


PAID_IN_ADVANCE = "06"
"""`tpNFDebito`: the price is paid before the goods are delivered."""
GOVERNMENT_PAID_IN_ADVANCE = "4"
"""`tpOperGov`: a public buyer pays before the goods are delivered."""

_CREDIT, _DEBIT = "5", "6"
_GOVERNMENT_PAID = "2"
# Refused deliveries and reduced amounts repeat the taxes of the sale, lost stock those of the purchase.
_CREDITS_WITH_OTHER_TAXES = frozenset({"03", "04", "06"})
_DEBITS_WITH_OTHER_TAXES = frozenset({"07"})


def has_only_ibs_cbs(
    purpose: str, debit_type: str | None, credit_type: str | None, purchase: GovernmentPurchase | None
) -> bool:
    """Returns whether IBS and CBS are the only taxes of a document (NT 2025.002, B25-80).

    `purpose` is the code of the layout (`finNFe`).
    """
    if purchase and purchase.operation_type == _GOVERNMENT_PAID:
        return True
    repeats_taxes = credit_type in _CREDITS_WITH_OTHER_TAXES or debit_type in _DEBITS_WITH_OTHER_TAXES
    return purpose in (_CREDIT, _DEBIT) and not repeats_taxes
