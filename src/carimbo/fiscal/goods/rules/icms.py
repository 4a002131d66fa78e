"""ICMS of an item."""

from typing import Any

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.amounts import compared_percent
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import (
    is_coming_back,
    moves_between_other_states,
)
from carimbo.fiscal.goods.rules.consumers import suits_no_contributor
from carimbo.fiscal.goods.rules.rule import NFE, At, ItemCheck, RuleBook, Severity
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
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.states import STATES
from carimbo.fiscal.taxes.icms import FOREIGN_ORIGINS, interstate_rate

_WITH_CSOSN = frozenset("14")


def _has_csosn(case: Case) -> bool:
    return case.regime in _WITH_CSOSN


RULES: RuleBook[ItemCheck] = RuleBook()
SIMPLES_RULES: RuleBook[ItemCheck] = RuleBook(when=_has_csosn)
NORMAL_RULES: RuleBook[ItemCheck] = RuleBook(when=lambda case: not _has_csosn(case))

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


@RULES.rule(
    "528",
    "MOC 7.0, N17-20",
    "O valor do ICMS não é base de cálculo vezes alíquota.",
    on=(Icms00, Icms10, Icms20, Icms70),
)
def amount(item: Item, case: Case) -> At | None:
    """The tax is the rate of its base."""
    icms: Any = item.taxes.icms
    if case.purpose != _NORMAL:
        return None
    return compared_percent("icms.amount", icms.amount, icms.base, icms.rate)


@RULES.rule(
    "351",
    "MOC 7.0, N16a-10",
    "O valor do ICMS da operação não é base de cálculo vezes alíquota.",
    models=(NFE,),
    on=(Icms51,),
)
def operation_amount(item: Item, case: Case) -> At | None:
    """The tax before deferral is the rate of its base."""
    icms: Any = item.taxes.icms
    if icms.operation_amount is None:
        return None
    base, rate = icms.base or ZERO, icms.rate or ZERO
    return compared_percent("icms.operationAmount", icms.operation_amount, base, rate)


@RULES.rule(
    "352",
    "MOC 7.0, N16c-10",
    "O valor do ICMS diferido não é o ICMS da operação vezes o percentual do diferimento.",
    models=(NFE,),
    on=(Icms51,),
)
def deferral_amount(item: Item, case: Case) -> At | None:
    """What is deferred is its part of the tax of the operation."""
    icms: Any = item.taxes.icms
    if icms.deferral_amount is None or icms.operation_amount is None:
        return None
    rate = icms.deferral_rate or ZERO
    return compared_percent("icms.deferralAmount", icms.deferral_amount, icms.operation_amount, rate)


@RULES.rule(
    "353",
    "MOC 7.0, N17-10",
    "O valor do ICMS não é o ICMS da operação menos o diferido.",
    models=(NFE,),
    on=(Icms51,),
)
def amount_after_deferral(item: Item, case: Case) -> At | None:
    """What is due now is the rest."""
    icms: Any = item.taxes.icms
    if icms.amount is None or icms.operation_amount is None:
        return None
    expected = icms.operation_amount - (icms.deferral_amount or ZERO)
    return At("icms.amount", f"Esperado: {expected}.") if icms.amount != expected else None


@RULES.rule(
    "860",
    "MOC 7.0, N17c-10",
    "O valor do FCP não é base de cálculo vezes percentual.",
    on=(Icms00, Icms10, Icms20, Icms51, Icms70, Icms90),
)
def fcp_amount(item: Item, case: Case) -> At | None:
    """The part of the poverty fund is its rate of its base; CST 00 has one base for both."""
    icms: Any = item.taxes.icms
    if icms.fcp_amount is None or case.purpose != _NORMAL:
        return None
    base = icms.base if isinstance(icms, Icms00) else icms.fcp_base
    return compared_percent("icms.fcpAmount", icms.fcp_amount, base or ZERO, icms.fcp_rate or ZERO)


@RULES.rule(
    "693",
    "MOC 7.0, N16-20",
    "A alíquota do ICMS é maior que a da operação entre os dois estados.",
    models=(NFE,),
    on=(Icms00, Icms10, Icms20, Icms51, Icms70, Icms90, IcmsSn900),
)
def rate_between_states(item: Item, case: Case) -> At | None:
    """No national goods pay more than 7 or 12 % between states."""
    icms: Any = item.taxes.icms
    if case.destination != TO_ANOTHER_STATE or not icms.rate or icms.origin is None:
        return None
    if icms.origin in FOREIGN_ORIGINS or case.buyer_state not in STATES.rows:
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
