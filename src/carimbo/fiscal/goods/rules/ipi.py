"""What an item says of the IPI."""

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

_EXEMPT = ("301", "399")
_IMMUNE = ("001", "099")
_SUSPENDED = ("101", "199")
_FRAMES = {
    "02": _EXEMPT,
    "52": _EXEMPT,
    "04": _IMMUNE,
    "54": _IMMUNE,
    "05": _SUSPENDED,
    "55": _SUSPENDED,
}


def _tells_ipi(case: Case) -> bool:
    return any(item.taxes.ipi for item in case.invoice.items)


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_tells_ipi)


@RULES.rule("388", "MOC 7.0, O09-10", "O enquadramento legal do IPI não é o da situação.", models=(NFE,))
def frame(item: Item, case: Case) -> At | None:
    """Exemption, immunity and suspension are each granted by laws of their own."""
    ipi = item.taxes.ipi
    frames = _FRAMES.get(ipi.taxation.cst) if ipi else None
    if ipi is None or frames is None or frames[0] <= ipi.framework_code <= frames[1]:
        return None
    return At("ipi.frameworkCode", f"Esperado: de {frames[0]} a {frames[1]}.")
