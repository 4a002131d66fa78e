"""What the service costs, and what is taken off its base (Anexo I, infDPS/valores)."""

from decimal import Decimal

from carimbo.simulator.nfse import amounts
from carimbo.simulator.nfse.benefits import is_exempt
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import (
    BENEFIT,
    DEDUCTION,
    has_special_regime,
    is_mei,
    is_untaxed,
    pays_iss_by_simples,
)
from carimbo.simulator.rule import Rule

_LOWEST_RATE = Decimal("2.00")
# Services whose tax may be less than two percent (LC 116/2003, art. 8-A, as the rules have it).
_LIGHTLY_TAXED = frozenset(
    {"042201", "042301", "050901", "070201", "070202", "070501", "070502", "090201", "090202", "170501"}
    | {"100101", "100102", "100103", "100104", "100105", "100201", "100202", "100301", "100401", "100402"}
    | {"100403", "100501", "100502", "100601", "100701", "100801", "100901", "101001", "150101", "150102"}
    | {"150103", "150104", "150105", "151001", "151002", "151003", "151004", "151005", "160101", "160102"}
    | {"160103", "160104", "160201", "170601", "171001", "171002", "171101", "171102", "171201", "210101"}
    | {"250301"}
)


def has_deduction(case: NoteCase) -> bool:
    """Declarations that take something off the base."""
    return case.has(DEDUCTION)


def received_out_of_place(case: NoteCase) -> bool:
    """What an intermediary received is told by the intermediary."""
    return case.has("valores/vServPrest/vReceb")


def worth_less_than_reductions(case: NoteCase) -> bool:
    """More is taken off the base than there is."""
    reductions = amounts.unconditional_discount(case) + amounts.deduction(case) + amounts.benefit_amount(case)
    return amounts.service_amount(case) < reductions


def worth_less_than_all(case: NoteCase) -> bool:
    """More is taken off the price than there is; what is too much for the base is another rule's matter."""
    reductions = amounts.deduction(case) + amounts.benefit_amount(case)
    return not worth_less_than_reductions(case) and amounts.net_amount(case) < reductions


def discount_beyond_price(case: NoteCase) -> bool:
    """An unconditional discount of nothing, or of all."""
    return amounts.is_beyond_price(case, "valores/vDescCondIncond/vDescIncond")


def conditional_discount_beyond_price(case: NoteCase) -> bool:
    """A conditional discount of nothing, or of all."""
    return amounts.is_beyond_price(case, "valores/vDescCondIncond/vDescCond")


def taxed_too_little(case: NoteCase) -> bool:
    """Reductions together bring the tax below two percent; one alone has a rule of its own."""
    alone = (amounts.deduction(case), amounts.benefit_amount(case))
    return all(alone) and not any(_is_too_much(case, one) for one in alone) and _is_too_much(case, sum(alone))


def percentage_too_great(case: NoteCase) -> bool:
    """A deduction by percentage brings the tax below two percent."""
    return case.has(f"{DEDUCTION}/pDR") and _is_too_much(case, amounts.deduction(case))


def amount_too_great(case: NoteCase) -> bool:
    """A deduction by amount brings the tax below two percent."""
    return case.has(f"{DEDUCTION}/vDR") and _is_too_much(case, amounts.deduction(case))


def benefit_amount_too_great(case: NoteCase) -> bool:
    """A benefit by amount brings the tax below two percent."""
    return case.has(f"{BENEFIT}/vRedBCBM") and _is_too_much(case, amounts.benefit_amount(case))


def benefit_percentage_too_great(case: NoteCase) -> bool:
    """A benefit by percentage brings the tax below two percent."""
    return case.has(f"{BENEFIT}/pRedBCBM") and _is_too_much(case, amounts.benefit_amount(case))


def _is_too_much(case: NoteCase, reduction: Decimal | int) -> bool:
    """Tell whether a reduction leaves less tax than the lowest rate would; discounts do not count."""
    tax = amounts.city_tax(case)
    if tax is None or case.service_code in _LIGHTLY_TAXED:
        return False
    price = amounts.service_amount(case)
    return (price - reduction) * tax.rate < price * _LOWEST_RATE


def deduction_in_simples(case: NoteCase) -> bool:
    """The Simples taxes the whole price, in cities that have joined."""
    return _is_taxed_by_simples(case) and case.tax_city.has_agreement


def deduction_in_simples_elsewhere(case: NoteCase) -> bool:
    """The Simples taxes the whole price, in other cities too."""
    return _is_taxed_by_simples(case) and not case.tax_city.has_agreement


def _is_taxed_by_simples(case: NoteCase) -> bool:
    return pays_iss_by_simples(case) and case.service_code not in _LIGHTLY_TAXED


def percentage_out_of_range(case: NoteCase) -> bool:
    """A deduction of nothing, or of more than all."""
    return case.has(f"{DEDUCTION}/pDR") and not 0 < case.amount(f"{DEDUCTION}/pDR") <= amounts.WHOLE


VALUE_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0424", received_out_of_place),
    Rule("E0427", worth_less_than_reductions),
    Rule("E0428", worth_less_than_all),
    Rule("E0429", taxed_too_little),
    Rule("E0431", discount_beyond_price),
    Rule("E0432", conditional_discount_beyond_price),
    Rule("E0435", is_untaxed, has_deduction),
    Rule("E0436", is_mei, has_deduction),
    Rule("E0438", has_special_regime, has_deduction),
    Rule("E0439", is_exempt, has_deduction),
    Rule("E0441", deduction_in_simples, has_deduction),
    Rule("E0442", deduction_in_simples_elsewhere, has_deduction),
    Rule("E0444", percentage_too_great),
    Rule("E0447", amount_too_great),
    Rule("E0453", percentage_out_of_range),
    Rule("E0575", benefit_amount_too_great),
    Rule("E0587", benefit_percentage_too_great),
)
