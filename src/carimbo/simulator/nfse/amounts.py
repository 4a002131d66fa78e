"""What a note comes to: the ISS, what is withheld, and what is left (infNFSe/valores, layout 1.01)."""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from carimbo.simulator.nfse.benefits import SPECIAL_RATE, Benefit, benefit_of, is_exempt
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import (
    BENEFIT,
    DEDUCTION,
    FEDERAL,
    RATE,
    has_special_regime,
    is_mei,
    is_suspended,
    is_untaxed,
    is_withheld,
    pays_iss_by_simples,
)

ZERO = Decimal("0.00")
_CENT = Decimal("0.01")
WHOLE = Decimal(100)
"""In percent."""


def rounded(amount: Decimal) -> Decimal:
    """To two decimals, the half to the even one."""
    return amount.quantize(_CENT, ROUND_HALF_EVEN)


def share(amount: Decimal, percent: Decimal) -> Decimal:
    """So many percent of an amount."""
    return rounded(amount * percent / WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CityTax:
    """The ISS of a note."""

    base: Decimal
    rate: Decimal
    amount: Decimal


def service_amount(case: NoteCase) -> Decimal:
    """`vServ`."""
    return case.amount("valores/vServPrest/vServ")


def is_beyond_price(case: NoteCase, path: str) -> bool:
    """Tell whether an amount that is told is no part of the price: nothing, or all of it."""
    return case.has(path) and not 0 < case.amount(path) < service_amount(case)


def unconditional_discount(case: NoteCase) -> Decimal:
    """`vDescIncond`."""
    return case.amount("valores/vDescCondIncond/vDescIncond")


def conditional_discount(case: NoteCase) -> Decimal:
    """`vDescCond`."""
    return case.amount("valores/vDescCondIncond/vDescCond")


def computed_deduction(case: NoteCase) -> Decimal | None:
    """`vCalcDR`, of a deduction by percentage or by documents; None where there is none of these."""
    if case.has(f"{DEDUCTION}/pDR"):
        return share(service_amount(case), case.amount(f"{DEDUCTION}/pDR"))
    documents = case.group(f"{DEDUCTION}/documentos").all("docDedRed")
    if not documents:
        return None
    return sum((one.amount("vDeducaoReducao") for one in documents), ZERO)


def deduction(case: NoteCase) -> Decimal:
    """What is taken off the base, however it was told."""
    return computed_deduction(case) or case.amount(f"{DEDUCTION}/vDR")


def computed_benefit(case: NoteCase) -> Decimal | None:
    """`vCalcBM`, of a benefit by percentage; None where there is none."""
    path = f"{BENEFIT}/pRedBCBM"
    return share(service_amount(case), case.amount(path)) if case.has(path) else None


def benefit_amount(case: NoteCase) -> Decimal:
    """What a benefit takes off the base, however it was told."""
    return computed_benefit(case) or case.amount(f"{BENEFIT}/vRedBCBM")


def passed_on(case: NoteCase) -> Decimal:
    """`vCalcReeRepRes`: what was paid for others, and is taxed already."""
    documents = case.group("IBSCBS/valores/gReeRepRes").all("documentos")
    return sum((one.amount("vlrReeRepRes") for one in documents), ZERO)


def city_tax(case: NoteCase) -> CityTax | None:
    """The ISS; None where the note tells none."""
    if not tells_city_tax(case):
        return None
    base = taxed_base(case)
    rate = _rate(case)
    return CityTax(base=base, rate=rate, amount=share(base, rate))


def taxed_base(case: NoteCase) -> Decimal:
    """`vBC`."""
    reductions = unconditional_discount(case) + deduction(case) + benefit_amount(case) + passed_on(case)
    return max(service_amount(case) - reductions, ZERO)


def tells_city_tax(case: NoteCase) -> bool:
    """Tell whether a note has base, rate and amount of the ISS (Anexo I, E1302 to E1311)."""
    is_spared = has_special_regime(case) or is_suspended(case) or is_exempt(case)
    if is_mei(case) or is_untaxed(case) or is_spared:
        return False
    return is_withheld(case) or not pays_iss_by_simples(case)


def _rate(case: NoteCase) -> Decimal:
    """What the declaration says, where it may say so, and what the city has set elsewhere."""
    if benefit_of(case) is Benefit.RATE:
        return SPECIAL_RATE
    if case.has(RATE):
        return case.amount(RATE)
    return case.tax_city.rate(case.service_code) or ZERO


def withheld(case: NoteCase) -> Decimal:
    """`vTotalRet`."""
    federal = sum((case.amount(f"{FEDERAL}/{tag}") for tag in ("vRetCP", "vRetIRRF", "vRetCSLL")), ZERO)
    tax = city_tax(case) if is_withheld(case) else None
    return federal + (tax.amount if tax else ZERO)


def net_amount(case: NoteCase) -> Decimal:
    """`vLiq`."""
    discounts = unconditional_discount(case) + conditional_discount(case)
    return service_amount(case) - discounts - withheld(case)
