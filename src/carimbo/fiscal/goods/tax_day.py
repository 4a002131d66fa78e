"""The day whose taxes a document of goods follows: its own, or that of the document that it corrects."""

from calendar import monthrange
from collections.abc import Iterable
from datetime import date

from carimbo.fiscal.access_key import KEY_LENGTH
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.taxes.trade import TaxDay, Trade

_YEAR, _MONTH = slice(2, 4), slice(4, 6)
_CENTURY = 2000
_MONTHS = range(1, 13)


def day_of_key(access_key: str) -> date | None:
    """Returns the last day of the month in which a document was issued; None for a key without one."""
    year, month = access_key[_YEAR], access_key[_MONTH]
    if len(access_key) != KEY_LENGTH or not (year + month).isdecimal() or int(month) not in _MONTHS:
        return None
    last = monthrange(_CENTURY + int(year), int(month))[1]
    return date(_CENTURY + int(year), int(month), last)


def corrected_day(issued: TaxDay, access_keys: Iterable[str]) -> TaxDay:
    """Returns the day of the document that a correction refers to; without a key, the correction's own.

    Of several documents the first one counts. Keys tell the month, and taxes change with the year.
    """
    days = [day for day in map(day_of_key, access_keys) if day]
    return issued.on(days[0]) if days and days[0] < issued.day else issued


def trade_of_item(item: ItemBody, trade: Trade) -> Trade:
    """Returns the trade with the day of the item that a correction refers to."""
    if item.referenced_item is None or not trade.is_correction:
        return trade
    return trade._replace(tax_day=corrected_day(trade.issue_day, (item.referenced_item.access_key,)))
