"""What few items tell: batches, details of exports, and taxes that are given back."""

from carimbo.fiscal.goods.cfop import ABROAD
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At


def _tells_more(case: Case) -> bool:
    return any(
        item.product.batches or item.product.export_details or item.returned_ipi
        for item in case.invoice.items
    )


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_tells_more)

# Returns, and the credit notes of goods that come back.
_GIVING_BACK = frozenset("45")


@RULES.rule("336", "MOC 7.0, I50-10", "Só a exportação tem drawback ou exportação indireta no item.")
def exported_goods(item: Item, case: Case) -> At | None:
    """What stays in the country has neither."""
    return At("exportDetails") if item.product.export_details and case.destination != ABROAD else None


@RULES.rule(
    "354",
    "MOC 7.0, UA01-10",
    "Só a devolução de mercadoria devolve IPI.",
    models=(NFE,),
)
def returned_goods(item: Item, case: Case) -> At | None:
    """The tax comes back with the goods."""
    return At("returnedIpi") if item.returned_ipi and case.purpose not in _GIVING_BACK else None


@RULES.rule("877", "MOC 7.0, I83-10", "A fabricação do lote está no futuro.")
def batch_is_made(item: Item, case: Case) -> At | None:
    """By the clock of the document."""
    today = case.now.astimezone(case.invoice.identification.issued_at.tzinfo).date()
    for position, batch in enumerate(item.product.batches):
        if batch.manufacture_date > today:
            return At(f"batches[{position}].manufactureDate")
    return None


@RULES.rule("870", "MOC 7.0, I84-10", "A validade do lote é anterior à fabricação.")
def batch_expires_later(item: Item, case: Case) -> At | None:
    """Nothing is spoilt before it is made."""
    for position, batch in enumerate(item.product.batches):
        if batch.expiry_date < batch.manufacture_date:
            return At(f"batches[{position}].expiryDate")
    return None
