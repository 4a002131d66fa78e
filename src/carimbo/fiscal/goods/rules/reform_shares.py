"""Rules that are the same for the three shares of IBS and CBS, each under a code of its own."""

from collections.abc import Callable
from operator import attrgetter

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.reform_classes import reform_rule
from carimbo.fiscal.goods.rules.rule import BOTH, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, CityIbs, IbsCbs, StateIbs, TaxedByRate
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

AnyShare = StateIbs | CityIbs | Cbs
ShareCheck = Callable[[AnyShare, TaxedByRate, IbsCbs, Case], At | None]
"""Returns where a share of the tax breaks a rule, by the path within the share."""

SHARES = {"state": "do IBS do estado", "city": "do IBS do município", "cbs": "da CBS"}


def each_share(
    message: str,
    *,
    book: GoodsRuleBook[ItemCheck],
    models: tuple[str, ...] = BOTH,
    **codes: tuple[str, str],
) -> Callable[[ShareCheck], ShareCheck]:
    """Write the decorated check into the book once for every share named, under code and rule of each."""

    def write(check: ShareCheck) -> ShareCheck:
        for share, (code, rule) in codes.items():
            told = message.format(share=SHARES[share])
            reform_rule(code, rule, told, book=book, models=models)(_on_items(share, check))
        return check

    return write


def _on_items(share: str, check: ShareCheck) -> ItemCheck:
    share_of: Callable[[object], AnyShare] = attrgetter(share)

    def on_item(item: Item, case: Case) -> At | None:
        taxed = item.taxes.ibs_cbs
        if taxed is None or taxed.by_rate is None:
            return None
        at = check(share_of(taxed.by_rate), taxed.by_rate, taxed, case)
        return At(f"ibsCbs.{share}.{at.path}", at.detail) if at else None

    return on_item
