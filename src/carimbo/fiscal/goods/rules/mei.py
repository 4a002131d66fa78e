"""Rules of the MEI, which may use only a short list of CFOP and CSOSN."""

from typing import Any

from carimbo.fiscal.goods.cfop import ABROAD
from carimbo.fiscal.goods.rules.cfops import returns_goods
from carimbo.fiscal.goods.rules.rule import MEI, NFCE, NFE, GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=lambda document: document.regime == MEI)

_RETURNS = frozenset({"1202", "1553", "2202", "2553", "5202", "6202"})
_OF_A_RECEIPT = "5102"
_ENTRIES = ("202", "501", "503", "504", "505", "506", "553", "904")
_EXITS = ("202", "501", "502", "504", "505", "551", "904", "933")
_CFOPS = {
    "102": frozenset({"5102", "6102"}),
    "900": frozenset(
        first + operation
        for firsts, operations in (("12", _ENTRIES), ("56", _EXITS))
        for first in firsts
        for operation in operations
    ),
}
_CSOSNS = {NFE: frozenset({"102", "300", "400", "900"}), NFCE: frozenset({"102", "300"})}


@RULES.rule(
    "1179",
    "NT 2025.002, I08-141",
    "O CFOP não serve a uma devolução do MEI.",
    models=(NFE,),
)
def cfop_of_a_return_of_a_mei(item: Item, document: RuleInput) -> At | None:
    """Refuses CFOP of returns that a MEI may not use."""
    if document.destination == ABROAD or not returns_goods(document):
        return None
    return None if item.product.cfop in _RETURNS else At("cfop", f"Aceitos: {_listed(_RETURNS)}.")


@RULES.rule(
    "337",
    "NT 2024.001, N12a-90",
    "O CFOP não serve ao MEI com este CSOSN.",
    models=(NFE,),
    on=(IcmsSn102, IcmsSn900),
)
def cfop_of_a_mei(item: Item, document: RuleInput) -> At | None:
    """Refuses CFOP outside the short list of the MEI; immune and not taxed sales have no list."""
    if document.destination == ABROAD:
        return None
    allowed = _CFOPS.get(getattr(item.taxes.icms, "csosn", ""))
    if allowed is None or item.product.cfop in allowed:
        return None
    return At("cfop", f"Aceitos: {_listed(allowed)}.")


@RULES.rule("337", "NT 2026.002, N12a-91", "A NFC-e do MEI só tem o CFOP 5102.", models=(NFCE,))
def cfop_of_a_receipt_of_a_mei(item: Item, document: RuleInput) -> At | None:
    """Refuses other CFOP than 5102 in an NFC-e of a MEI."""
    return At("cfop") if item.product.cfop != _OF_A_RECEIPT else None


@RULES.rule(
    "782",
    "NT 2024.001, N12a-80; NT 2026.002, N12a-81",
    "O MEI não pode usar este CSOSN.",
    on=(IcmsSn101, IcmsSn102, IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900),
)
def csosn_of_the_mei(item: Item, document: RuleInput) -> At | None:
    """Refuses CSOSN with credit or substitution: a MEI pays a fixed tax and passes on neither."""
    icms: Any = item.taxes.icms
    if icms.csosn in _CSOSNS[document.model]:
        return None
    return At("icms.csosn", f"Aceitos: {_listed(_CSOSNS[document.model])}.")


def _listed(codes: frozenset[str]) -> str:
    return ", ".join(sorted(codes))
