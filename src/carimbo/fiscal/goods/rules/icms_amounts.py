"""Rules of the amounts of ICMS of an item, and of its poverty fund (FCP)."""

from typing import Any

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.rule import NFE, NON_CONTRIBUTOR, NORMAL, GoodsRuleBook, ItemCheck, RuleInput
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
    IcmsSt,
)
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.rules import At
from carimbo.fiscal.taxes.checks import percent_mismatch

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(given_taxes=True)

_FUNDS_OF_SUBSTITUTION = {
    "st_fcp_rate": "icms.stFcpRate",
    "retained_fcp_rate": "icms.retainedFcpRate",
}


@RULES.rule(
    "528",
    "MOC 7.0, N17-20",
    "O valor do ICMS não é base de cálculo vezes alíquota.",
    on=(Icms00, Icms10, Icms20, Icms70),
)
def amount(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount that is not base times rate."""
    icms: Any = item.taxes.icms
    if document.purpose != NORMAL:
        return None
    return percent_mismatch("icms.amount", icms.amount, icms.base, icms.rate)


@RULES.rule(
    "351",
    "MOC 7.0, N16a-10",
    "O valor do ICMS da operação não é base de cálculo vezes alíquota.",
    models=(NFE,),
    on=(Icms51,),
)
def operation_amount(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount before deferral that is not base times rate."""
    icms: Any = item.taxes.icms
    if icms.operation_amount is None:
        return None
    base, rate = icms.base or ZERO, icms.rate or ZERO
    return percent_mismatch("icms.operationAmount", icms.operation_amount, base, rate)


@RULES.rule(
    "352",
    "MOC 7.0, N16c-10",
    "O valor do ICMS diferido não é o ICMS da operação vezes o percentual do diferimento.",
    models=(NFE,),
    on=(Icms51,),
)
def deferral_amount(item: Item, document: RuleInput) -> At | None:
    """Refuses a deferred amount that is not its percentage of the tax of the operation."""
    icms: Any = item.taxes.icms
    if icms.deferral_amount is None or icms.operation_amount is None:
        return None
    rate = icms.deferral_rate or ZERO
    return percent_mismatch("icms.deferralAmount", icms.deferral_amount, icms.operation_amount, rate)


@RULES.rule(
    "353",
    "MOC 7.0, N17-10",
    "O valor do ICMS não é o ICMS da operação menos o diferido.",
    models=(NFE,),
    on=(Icms51,),
)
def amount_after_deferral(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount that is not the tax of the operation minus the deferred part."""
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
def fcp_amount(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount of the fund that is not base times rate; CST 00 has one base for tax and fund."""
    icms: Any = item.taxes.icms
    if icms.fcp_amount is None or document.purpose != NORMAL:
        return None
    base = icms.base if isinstance(icms, Icms00) else icms.fcp_base
    return percent_mismatch("icms.fcpAmount", icms.fcp_amount, base or ZERO, icms.fcp_rate or ZERO)


@RULES.rule(
    "880",
    "MOC 7.0, N17b-10",
    "O percentual do FCP é zero; onde não há FCP, os campos dele não se informam.",
    on=(Icms00, Icms10, Icms20, Icms51, Icms70, Icms90),
)
def fcp_rate(item: Item, document: RuleInput) -> At | None:
    """Refuses a rate of zero: without a fund its fields are left out."""
    icms: Any = item.taxes.icms
    return None if icms.fcp_rate is None or icms.fcp_rate else At("icms.fcpRate")


@RULES.rule(
    "881",
    "MOC 7.0, N23b-10 e N27b-10",
    "O percentual do FCP da substituição é zero; onde não há FCP, os campos dele não se informam.",
    on=(
        *(Icms10, Icms30, Icms60, Icms70, Icms90, IcmsPart, IcmsSt),
        *(IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900),
    ),
)
def fcp_rate_of_substitution(item: Item, document: RuleInput) -> At | None:
    """Refuses a rate of zero in the funds of tax substitution, due or retained earlier."""
    for name, path in _FUNDS_OF_SUBSTITUTION.items():
        rate = getattr(item.taxes.icms, name, None)
        if rate is not None and not rate:
            return At(path)
    return None


@RULES.rule(
    "876",
    "MOC 7.0, N17c-20",
    "Na venda a consumidor de outro estado, o FCP é o da UF de destino, em stateShare.",
    models=(NFE,),
    on=(Icms00, Icms10, Icms20, Icms51, Icms70, Icms90),
)
def fcp_of_the_buyers_state(item: Item, document: RuleInput) -> At | None:
    """Refuses the fund of the seller's state in sales to consumers of another state."""
    icms: Any = item.taxes.icms
    if icms.fcp_amount is None or document.destination != TO_ANOTHER_STATE:
        return None
    return At("icms.fcpAmount") if document.is_final and document.contribution == NON_CONTRIBUTOR else None


@RULES.rule(
    "627",
    "MOC 7.0, N28-30",
    "O motivo da desoneração do ICMS vai com o valor desonerado, maior que zero.",
    on=(Icms20, Icms30, Icms40, Icms70, Icms90, IcmsPart),
)
def exempted_amount(item: Item, document: RuleInput) -> At | None:
    """Refuses a reason of exemption without an exempted amount."""
    icms: Any = item.taxes.icms
    return At("icms.exemptedAmount") if icms.exemption_reason and not icms.exempted_amount else None
