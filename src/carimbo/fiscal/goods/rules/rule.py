"""What rules of NF-e and NFC-e have besides: their models, and what spares items from being checked."""

from collections.abc import Callable, Hashable

from carimbo.fiscal import rules
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Check, RuleBook

NFE, NFCE = "55", "65"
BOTH = (NFE, NFCE)

DocumentCheck = rules.DocumentCheck[Case]

ItemCheck = Callable[[Item, Case], At | None]
"""Returns where an item breaks the rule; called for every item, so it has to be quick."""


class GoodsRuleBook(RuleBook[Check]):
    """Rules of one subject, for both models unless a rule names its own.

    `like` returns everything that the rules read of an item: one that is like another which broke none of
    them breaks none either, and is not checked again. Rules of a book that is for documents made `elsewhere`
    can't be broken by one that was composed here: the request's form or the composition sees to them.
    """

    def __init__(
        self,
        *,
        when: Callable[[Case], bool] | None = None,
        like: Callable[[Item], Hashable] | None = None,
        elsewhere: bool = False,
    ) -> None:
        super().__init__(when=when, models=BOTH)
        self.like = like
        self.is_for_elsewhere = elsewhere
