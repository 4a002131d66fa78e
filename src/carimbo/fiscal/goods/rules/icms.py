"""Rules of the ICMS of an item: its CST or CSOSN, and its interstate rate."""

from collections.abc import Callable
from typing import Any

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.rules.common import is_coming_back, is_petroleum, moves_between_other_states
from carimbo.fiscal.goods.rules.rule import (
    MEI,
    NFE,
    NON_CONTRIBUTOR,
    NORMAL,
    OUTBOUND,
    RETURN,
    GoodsRuleBook,
    ItemCheck,
    RuleInput,
)
from carimbo.fiscal.layouts.nfe_v4.icms import (
    Icms00,
    Icms10,
    Icms20,
    Icms30,
    Icms40,
    Icms51,
    Icms60,
    Icms70,
    Icms90,
    IcmsPart,
)
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.fiscal.taxes.icms import FOREIGN_ORIGINS, interstate_rate

_OF_ANY_SALE = frozenset({"00", "20", "40", "41", "60", "61"})
_OTHER_EXITS = frozenset({"5949", "6949"})
# Sold on the order of the buyer, or invoiced before delivery.
_DELIVERED_LATER = frozenset({"5123", "6123", "5922", "6922"})
_ELECTRICITY = "27160000"
_CEARA, _SUBSTITUTED_SALES = "CE", frozenset({"5403", "5405"})


def _suits_non_contributor(cst: str, item: Item, document: RuleInput) -> bool:
    """Returns whether a sale to a non-contributor may have a CST (N12-70); new vehicles allow every one."""
    if cst in _OF_ANY_SALE:
        return True
    is_exception = _EXCEPTIONS.get(cst)
    if is_exception and is_exception(item, document):
        return True
    return any(other.product.vehicle for other in document.invoice.items)


def _substituted(item: Item, document: RuleInput) -> bool:
    """CST 10: each state decides whether it accepts it in sales within the state."""
    return document.destination == WITHIN_THE_STATE


def _exempt_and_substituted(item: Item, document: RuleInput) -> bool:
    is_energy = is_petroleum(item) or item.product.ncm == _ELECTRICITY
    return document.destination == TO_ANOTHER_STATE and is_energy


def _suspended(item: Item, document: RuleInput) -> bool:
    cfop = CFOPS.rows.get(item.product.cfop)
    if cfop is None or cfop.is_coming_back or cfop.is_shipment:
        return True
    return document.purpose == RETURN or cfop.code in _OTHER_EXITS


def _deferred(item: Item, document: RuleInput) -> bool:
    """CST 51: the technical notes differ on operations within the state, so all of them are accepted."""
    if document.purpose == RETURN or document.destination == WITHIN_THE_STATE:
        return True
    return item.product.cfop in _DELIVERED_LATER


def _others(item: Item, document: RuleInput) -> bool:
    return document.seller_state == _CEARA and item.product.cfop in _SUBSTITUTED_SALES


_EXCEPTIONS: dict[str, Callable[[Item, RuleInput], bool]] = {
    "10": _substituted,
    "30": _exempt_and_substituted,
    "50": _suspended,
    "51": _deferred,
    "90": _others,
}


_WITH_CSOSN = frozenset("14")


def _has_csosn(document: RuleInput) -> bool:
    return document.regime in _WITH_CSOSN


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()
SIMPLES_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_has_csosn)
NORMAL_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=lambda document: not _has_csosn(document))
RATE_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(
    when=lambda document: document.destination == TO_ANOTHER_STATE
)

# Sold on the order of the buyer, and delivered by somebody else.
_BY_ORDER = frozenset({"6118", "6119", "6122", "6123"})
_SOLD_DIRECTLY = frozenset("23")
# Repairs and demonstrations.
_LENT = frozenset({"5915", "5916", "6915", "6916", "5912", "5913"})
# Goods that the MEI sends out for sale, and sales of its own equipment (NT 2024.003).
_MEI_OTHERS = frozenset({"5904", "6904", "5551", "6551"})
_STATES_WITH_BENEFIT_CODES = frozenset({"DF", "GO", "PR", "RJ", "RS", "SC", "SP"})
_BENEFITS = frozenset({"20", "30", "40", "70", "90"})
# Sales and their complements; most of those states do not check adjustments and returns.
_WITH_BENEFIT_CODES = frozenset("12")
_RETAINED = {
    "retained_base": "icms.retainedBase",
    "retained_rate": "icms.retainedRate",
    "substitute_amount": "icms.substituteAmount",
    "retained_amount": "icms.retainedAmount",
}


# The groups of ICMS shared between states also have a CST; the authority checks them.
@SIMPLES_RULES.rule(
    "590",
    "NT 2024.001, N12-20",
    "Empresa do Simples Nacional e MEI informam o CSOSN, não o CST do ICMS.",
    on=(Icms00, Icms10, Icms20, Icms30, Icms40, Icms51, Icms60, Icms70, Icms90),
)
def csosn_of_the_simples(item: Item, document: RuleInput) -> At | None:
    """Refuses a CST in the Simples Nacional, where only fuels have one."""
    return At("icms.cst")


@NORMAL_RULES.rule(
    "591",
    "NT 2024.001, N12a-10",
    "O CSOSN é do Simples Nacional e do MEI; esta empresa informa o CST do ICMS.",
    on=(IcmsSn101, IcmsSn102, IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900),
)
def cst_of_the_normal_regime(item: Item, document: RuleInput) -> At | None:
    """Refuses a CSOSN outside the Simples Nacional, or above its limit."""
    return At("icms.csosn")


@RULES.rule(
    "600",
    "NT 2024.003, N12a-70",
    "O CSOSN não serve à venda a quem não é contribuinte do ICMS.",
    models=(NFE,),
    on=(IcmsSn101, IcmsSn201, IcmsSn202, IcmsSn900),
)
def csosn_for_consumers(item: Item, document: RuleInput) -> At | None:
    """Refuses a CSOSN with credit or substitution in sales to non-contributors, who can use neither."""
    if document.contribution != NON_CONTRIBUTOR or document.direction != OUTBOUND:
        return None
    # The same rule for CST (508) exempts new vehicles.
    if item.product.cfop in _LENT or item.product.vehicle:
        return None
    is_others = isinstance(item.taxes.icms, IcmsSn900)
    if is_others and document.regime == MEI and item.product.cfop in _MEI_OTHERS:
        return None
    return At("icms.csosn", "Aceitos: 102, 103, 300, 400 e 500.")


# Of the single-phase fuels the rule names only CST 61; the authority checks the others.
@RULES.rule(
    "508",
    "NT 2023.003, N12-70",
    "O CST do ICMS não serve à venda a quem não é contribuinte do ICMS.",
    models=(NFE,),
    on=(Icms10, Icms30, Icms40, Icms51, Icms70, Icms90),
)
def cst_for_consumers(item: Item, document: RuleInput) -> At | None:
    """Refuses a CST with deferral or substitution in sales to non-contributors."""
    if document.contribution != NON_CONTRIBUTOR or document.direction != OUTBOUND:
        return None
    icms: Any = item.taxes.icms
    if _suits_non_contributor(icms.cst, item, document):
        return None
    return At("icms.cst")


@RATE_RULES.rule(
    "663",
    "MOC 7.0, N16-04",
    "A alíquota do ICMS de produto importado é maior que a de 4% entre estados.",
    models=(NFE,),
    on=(Icms00, Icms10, Icms20, Icms70, Icms90),
)
def rate_of_foreign_goods(item: Item, document: RuleInput) -> At | None:
    """Refuses an interstate rate above 4 % for foreign goods (Resolução do Senado 13/2012)."""
    icms: Any = item.taxes.icms
    return _above_the_rate(item, document) if icms.origin in FOREIGN_ORIGINS else None


@RATE_RULES.rule(
    "693",
    "MOC 7.0, N16-20",
    "A alíquota do ICMS é maior que a da operação entre os dois estados.",
    models=(NFE,),
    on=(Icms00, Icms10, Icms20, Icms51, Icms70, Icms90, IcmsPart, IcmsSn900),
)
def rate_between_states(item: Item, document: RuleInput) -> At | None:
    """Refuses an interstate rate above 7 or 12 % for national goods."""
    icms: Any = item.taxes.icms
    return None if icms.origin in FOREIGN_ORIGINS else _above_the_rate(item, document)


def _above_the_rate(item: Item, document: RuleInput) -> At | None:
    icms: Any = item.taxes.icms
    if not icms.rate or icms.origin is None or document.buyer_state not in STATES.rows:
        return None
    max_rate = interstate_rate(document.seller_state, document.buyer_state or "", icms.origin)
    if icms.rate <= max_rate or _may_be_higher(item, document):
        return None
    return At("icms.rate", f"No máximo: {max_rate}.")


def _may_be_higher(item: Item, document: RuleInput) -> bool:
    cfop = item.product.cfop
    if document.direction != OUTBOUND or document.purpose != NORMAL or is_coming_back(cfop):
        return True
    row = CFOPS.rows.get(cfop)
    if cfop in _BY_ORDER or (row and row.is_annulment) or moves_between_other_states(document):
        return True
    vehicles = (other.product.vehicle for other in document.invoice.items)
    return any(vehicle and vehicle.operation_type in _SOLD_DIRECTLY for vehicle in vehicles)


@RULES.rule(
    "930",
    "NT 2019.001, N12-85",
    "O estado pode exigir o código do benefício fiscal (cBenef) para este CST.",
    severity=Severity.WARNS,
    on=(Icms20, Icms30, Icms40, Icms70, Icms90),
)
def benefit_code(item: Item, document: RuleInput) -> At | None:
    """Warns of a missing benefit code, which some states demand for exemptions and reductions."""
    icms: Any = item.taxes.icms
    if item.product.benefit_code is not None or document.seller_state not in _STATES_WITH_BENEFIT_CODES:
        return None
    if document.direction != OUTBOUND or document.purpose not in _WITH_BENEFIT_CODES:
        return None
    return At("benefitCode") if icms.cst in _BENEFITS else None


@RULES.rule(
    "938",
    "NT 2018.005, N12-81 e N12a-50",
    "O estado pode exigir os valores do ICMS que foi retido antes na venda a quem vai revender.",
    models=(NFE,),
    severity=Severity.WARNS,
    on=(Icms60, IcmsSn500),
)
def retained_earlier(item: Item, document: RuleInput) -> At | None:
    """Warns of missing amounts of retained ICMS in sales for resale; some states demand even zeros."""
    if document.is_final:
        return None
    icms = item.taxes.icms
    missing = [path for name, path in _RETAINED.items() if getattr(icms, name) is None]
    return At(missing[0]) if missing else None
