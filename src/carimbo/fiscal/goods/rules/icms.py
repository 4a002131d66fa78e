"""ICMS of an item: its situation, and its rate between states."""

from typing import Any

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import (
    is_coming_back,
    moves_between_other_states,
)
from carimbo.fiscal.goods.rules.consumers import suits_no_contributor
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
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
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.states import STATES
from carimbo.fiscal.taxes.icms import FOREIGN_ORIGINS, interstate_rate

_WITH_CSOSN = frozenset("14")


def _has_csosn(case: Case) -> bool:
    return case.regime in _WITH_CSOSN


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()
SIMPLES_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_has_csosn)
NORMAL_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=lambda case: not _has_csosn(case))
RATE_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=lambda case: case.destination == TO_ANOTHER_STATE)

_OUTBOUND = "1"
_NORMAL = "1"
_NO_CONTRIBUTOR = "9"
_MEI = "4"
# Sold on the order of the buyer, to whom others deliver.
_BY_ORDER = frozenset({"6118", "6119", "6122", "6123"})
_SOLD_DIRECTLY = frozenset("23")
# Repairs and demonstrations.
_LENT = frozenset({"5915", "5916", "6915", "6916", "5912", "5913"})
# What the MEI sends to sell outside, and its own equipment sold (NT 2024.003).
_MEI_OTHERS = frozenset({"5904", "6904", "5551", "6551"})
_STATES_WITH_BENEFIT_CODES = frozenset({"DF", "GO", "PR", "RJ", "RS", "SC", "SP"})
_BENEFITS = frozenset({"20", "30", "40", "70", "90"})
# Sales and their complements; most of those states leave adjustments and returns alone.
_WITH_BENEFIT_CODES = frozenset("12")
_RETAINED = {
    "retained_base": "icms.retainedBase",
    "retained_rate": "icms.retainedRate",
    "substitute_amount": "icms.substituteAmount",
    "retained_amount": "icms.retainedAmount",
}


# The groups that shares between states have of their own carry a CST too, and are left to the authority.
@SIMPLES_RULES.rule(
    "590",
    "NT 2024.001, N12-20",
    "Empresa do Simples Nacional e MEI informam o CSOSN, não o CST do ICMS.",
    on=(Icms00, Icms10, Icms20, Icms30, Icms40, Icms51, Icms60, Icms70, Icms90),
)
def csosn_of_the_simples(item: Item, case: Case) -> At | None:
    """Within the Simples Nacional only the ICMS of fuels is told by CST."""
    return At("icms.cst")


@NORMAL_RULES.rule(
    "591",
    "NT 2024.001, N12a-10",
    "O CSOSN é do Simples Nacional e do MEI; esta empresa informa o CST do ICMS.",
    on=(IcmsSn101, IcmsSn102, IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900),
)
def cst_of_the_normal_regime(item: Item, case: Case) -> At | None:
    """Outside the Simples Nacional, or above its limit, there is no CSOSN."""
    return At("icms.csosn")


@RULES.rule(
    "600",
    "NT 2024.003, N12a-70",
    "O CSOSN não serve à venda a quem não é contribuinte do ICMS.",
    models=(NFE,),
    on=(IcmsSn101, IcmsSn201, IcmsSn202, IcmsSn900),
)
def csosn_for_consumers(item: Item, case: Case) -> At | None:
    """Whoever has no registration can use neither a credit nor a substitution."""
    if case.contribution != _NO_CONTRIBUTOR or case.direction != _OUTBOUND:
        return None
    # The twin of this rule for CST leaves new vehicles out.
    if item.product.cfop in _LENT or item.product.vehicle:
        return None
    is_others = isinstance(item.taxes.icms, IcmsSn900)
    if is_others and case.regime == _MEI and item.product.cfop in _MEI_OTHERS:
        return None
    return At("icms.csosn", "Aceitos: 102, 103, 300, 400 e 500.")


# Of the single-phase fuels only CST 61 is named by the rule; the others are left to the authority.
@RULES.rule(
    "508",
    "NT 2023.003, N12-70",
    "O CST do ICMS não serve à venda a quem não é contribuinte do ICMS.",
    models=(NFE,),
    on=(Icms10, Icms30, Icms40, Icms51, Icms70, Icms90),
)
def cst_for_consumers(item: Item, case: Case) -> At | None:
    """Whoever has no registration can have neither a deferral nor a substitution."""
    if case.contribution != _NO_CONTRIBUTOR or case.direction != _OUTBOUND:
        return None
    icms: Any = item.taxes.icms
    if suits_no_contributor(icms.cst, item, case):
        return None
    return At("icms.cst")


@RATE_RULES.rule(
    "663",
    "MOC 7.0, N16-04",
    "A alíquota do ICMS de produto importado é maior que a de 4% entre estados.",
    models=(NFE,),
    on=(Icms00, Icms10, Icms20, Icms70, Icms90),
)
def rate_of_foreign_goods(item: Item, case: Case) -> At | None:
    """Foreign goods pay 4 % between states (Resolução do Senado 13/2012)."""
    icms: Any = item.taxes.icms
    return _above_the_rate(item, case) if icms.origin in FOREIGN_ORIGINS else None


@RATE_RULES.rule(
    "693",
    "MOC 7.0, N16-20",
    "A alíquota do ICMS é maior que a da operação entre os dois estados.",
    models=(NFE,),
    on=(Icms00, Icms10, Icms20, Icms51, Icms70, Icms90, IcmsPart, IcmsSn900),
)
def rate_between_states(item: Item, case: Case) -> At | None:
    """No national goods pay more than 7 or 12 % between states."""
    icms: Any = item.taxes.icms
    return None if icms.origin in FOREIGN_ORIGINS else _above_the_rate(item, case)


def _above_the_rate(item: Item, case: Case) -> At | None:
    icms: Any = item.taxes.icms
    if not icms.rate or icms.origin is None or case.buyer_state not in STATES.rows:
        return None
    most = interstate_rate(case.seller_state, case.buyer_state or "", icms.origin)
    if icms.rate <= most or _may_be_higher(item, case):
        return None
    return At("icms.rate", f"No máximo: {most}.")


def _may_be_higher(item: Item, case: Case) -> bool:
    cfop = item.product.cfop
    if case.direction != _OUTBOUND or case.purpose != _NORMAL or is_coming_back(cfop):
        return True
    known = CFOPS.rows.get(cfop)
    if cfop in _BY_ORDER or (known and known.is_annulment) or moves_between_other_states(case):
        return True
    vehicles = (one.product.vehicle for one in case.invoice.items)
    return any(vehicle and vehicle.operation_type in _SOLD_DIRECTLY for vehicle in vehicles)


@RULES.rule(
    "930",
    "NT 2019.001, N12-85",
    "O estado pode exigir o código do benefício fiscal (cBenef) para este CST.",
    severity=Severity.WARNS,
    on=(Icms20, Icms30, Icms40, Icms70, Icms90),
)
def benefit_code(item: Item, case: Case) -> At | None:
    """Some states want to know which law takes the tax off."""
    icms: Any = item.taxes.icms
    if item.product.benefit_code is not None or case.seller_state not in _STATES_WITH_BENEFIT_CODES:
        return None
    if case.direction != _OUTBOUND or case.purpose not in _WITH_BENEFIT_CODES:
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
def retained_earlier(item: Item, case: Case) -> At | None:
    """Who sells again has to know what was retained, be it nothing."""
    if case.is_final:
        return None
    icms = item.taxes.icms
    missing = [path for name, path in _RETAINED.items() if getattr(icms, name) is None]
    return At(missing[0]) if missing else None
