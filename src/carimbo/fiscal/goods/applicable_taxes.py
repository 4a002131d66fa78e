"""Facts that the taxes of a document depend on: the values of an item, the tax day, and its purpose."""

from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.identification import GovernmentPurchase
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from carimbo.fiscal.taxes.icms import operation_value
from carimbo.fiscal.taxes.trade import Trade, corrected_day


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
