"""Rules of the price, discounts and deductions (Anexo I, infDPS/valores)."""

from decimal import Decimal

from carimbo.simulator.nfse import amounts
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.taxation import (
    BENEFIT,
    DEDUCTION,
    has_special_regime,
    is_exempt,
    is_mei,
    is_untaxed,
    pays_iss_by_simples,
)
from carimbo.simulator.rules import RejectionRule

_MIN_RATE = Decimal("2.00")
# Services whose tax may be less than two percent (LC 116/2003, art. 8-A, as in the official rules).
_LIGHTLY_TAXED = frozenset(
    {"042201", "042301", "050901", "070201", "070202", "070501", "070502", "090201", "090202", "170501"}
    | {"100101", "100102", "100103", "100104", "100105", "100201", "100202", "100301", "100401", "100402"}
    | {"100403", "100501", "100502", "100601", "100701", "100801", "100901", "101001", "150101", "150102"}
    | {"150103", "150104", "150105", "151001", "151002", "151003", "151004", "151005", "160101", "160102"}
    | {"160103", "160104", "160201", "170601", "171001", "171002", "171101", "171102", "171201", "210101"}
    | {"250301"}
)


def has_deduction(dps: JudgedDps) -> bool:
    """Applies to declarations with a deduction."""
    return dps.has(DEDUCTION)


def received_out_of_place(dps: JudgedDps) -> bool:
    """The amount received by an intermediary, which only the intermediary informs."""
    return dps.has("valores/vServPrest/vReceb")


def worth_less_than_reductions(dps: JudgedDps) -> bool:
    """Discount, deduction and benefit are more than the price."""
    reductions = amounts.unconditional_discount(dps) + amounts.deduction(dps) + amounts.benefit_amount(dps)
    return amounts.service_amount(dps) < reductions


def worth_less_than_all(dps: JudgedDps) -> bool:
    """Deduction and benefit are more than the net amount; another rule is about the base."""
    reductions = amounts.deduction(dps) + amounts.benefit_amount(dps)
    return not worth_less_than_reductions(dps) and amounts.net_amount(dps) < reductions


def discount_beyond_price(dps: JudgedDps) -> bool:
    """The unconditional discount is zero, or not less than the price."""
    return amounts.is_beyond_price(dps, "valores/vDescCondIncond/vDescIncond")


def conditional_discount_beyond_price(dps: JudgedDps) -> bool:
    """The conditional discount is zero, or not less than the price."""
    return amounts.is_beyond_price(dps, "valores/vDescCondIncond/vDescCond")


def taxed_too_little(dps: JudgedDps) -> bool:
    """Reductions together bring the tax below two percent; each alone has its own rule."""
    reductions = (amounts.deduction(dps), amounts.benefit_amount(dps))
    if not all(reductions) or any(_is_too_much(dps, reduction) for reduction in reductions):
        return False
    return _is_too_much(dps, sum(reductions))


def percentage_too_great(dps: JudgedDps) -> bool:
    """A deduction by percentage brings the tax below two percent."""
    return dps.has(f"{DEDUCTION}/pDR") and _is_too_much(dps, amounts.deduction(dps))


def amount_too_great(dps: JudgedDps) -> bool:
    """A deduction by amount brings the tax below two percent."""
    return dps.has(f"{DEDUCTION}/vDR") and _is_too_much(dps, amounts.deduction(dps))


def benefit_amount_too_great(dps: JudgedDps) -> bool:
    """A benefit by amount brings the tax below two percent."""
    return dps.has(f"{BENEFIT}/vRedBCBM") and _is_too_much(dps, amounts.benefit_amount(dps))


def benefit_percentage_too_great(dps: JudgedDps) -> bool:
    """A benefit by percentage brings the tax below two percent."""
    return dps.has(f"{BENEFIT}/pRedBCBM") and _is_too_much(dps, amounts.benefit_amount(dps))


def _is_too_much(dps: JudgedDps, reduction: Decimal | int) -> bool:
    """Returns whether a reduction leaves less tax than the lowest rate; discounts do not count."""
    tax = amounts.city_tax(dps)
    if tax is None or dps.service_code in _LIGHTLY_TAXED:
        return False
    price = amounts.service_amount(dps)
    return (price - reduction) * tax.rate < price * _MIN_RATE


def deduction_in_simples(dps: JudgedDps) -> bool:
    """A deduction within the Simples, which taxes the whole price, in a city that has joined."""
    return _is_taxed_by_simples(dps) and dps.tax_city.has_agreement


def deduction_in_simples_elsewhere(dps: JudgedDps) -> bool:
    """A deduction within the Simples, which taxes the whole price, in another city."""
    return _is_taxed_by_simples(dps) and not dps.tax_city.has_agreement


def _is_taxed_by_simples(dps: JudgedDps) -> bool:
    return pays_iss_by_simples(dps) and dps.service_code not in _LIGHTLY_TAXED


def percentage_out_of_range(dps: JudgedDps) -> bool:
    """The percentage of the deduction is zero, or more than a hundred."""
    return dps.has(f"{DEDUCTION}/pDR") and not 0 < dps.amount(f"{DEDUCTION}/pDR") <= amounts.WHOLE


VALUE_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0424", received_out_of_place),
    RejectionRule("E0427", worth_less_than_reductions),
    RejectionRule("E0428", worth_less_than_all),
    RejectionRule("E0429", taxed_too_little),
    RejectionRule("E0431", discount_beyond_price),
    RejectionRule("E0432", conditional_discount_beyond_price),
    RejectionRule("E0435", is_untaxed, has_deduction),
    RejectionRule("E0436", is_mei, has_deduction),
    RejectionRule("E0438", has_special_regime, has_deduction),
    RejectionRule("E0439", is_exempt, has_deduction),
    RejectionRule("E0441", deduction_in_simples, has_deduction),
    RejectionRule("E0442", deduction_in_simples_elsewhere, has_deduction),
    RejectionRule("E0444", percentage_too_great),
    RejectionRule("E0447", amount_too_great),
    RejectionRule("E0453", percentage_out_of_range),
    RejectionRule("E0575", benefit_amount_too_great),
    RejectionRule("E0587", benefit_percentage_too_great),
)
