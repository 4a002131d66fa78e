"""Amounts of a note: ISS, withheld taxes and net amount (infNFSe/valores), IBS and CBS (layout 1.01)."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from carimbo.fiscal.tables.ibs_cbs import (
    IBS_CBS_CLASSES,
    IBS_CBS_SITUATIONS,
    IbsCbsClass,
    IbsCbsGroup,
)
from carimbo.simulator.calendar import Milestone, Rates
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.taxation import (
    BENEFIT,
    DEDUCTION,
    FEDERAL,
    RATE,
    SPECIAL_RATE,
    CityBenefit,
    benefit_of,
    has_special_regime,
    is_exempt,
    is_mei,
    is_suspended,
    is_untaxed,
    is_withheld,
    pays_iss_by_simples,
)

ZERO = Decimal("0.00")
_CENT = Decimal("0.01")
WHOLE = Decimal(100)
"""The whole, in percent."""
SITUATION = "IBSCBS/valores/trib/gIBSCBS"
_SUSPENDED = "550"
# cIndOp of operations whose place is the buyer's, or the recipient's (Anexo VII).
AT_BUYER = frozenset({"090102", "100101", "100301", "100501", "110201", "130201"})
AT_RECIPIENT = frozenset({"030103", "050103", "100102", "100201", "100302", "100401", "100502", "100601"})


def rounded(amount: Decimal) -> Decimal:
    """Rounds to two decimals, half to even."""
    return amount.quantize(_CENT, ROUND_HALF_EVEN)


def percent_of(amount: Decimal, percent: Decimal) -> Decimal:
    """Returns a percentage of an amount, rounded."""
    return rounded(amount * percent / WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CityTax:
    """The ISS of a note."""

    base: Decimal
    rate: Decimal
    amount: Decimal


def service_amount(dps: JudgedDps) -> Decimal:
    """Returns the price of the service (`vServ`)."""
    return dps.amount("valores/vServPrest/vServ")


def is_beyond_price(dps: JudgedDps, path: str) -> bool:
    """Returns whether an informed amount is zero, or not less than the price."""
    return dps.has(path) and not 0 < dps.amount(path) < service_amount(dps)


def unconditional_discount(dps: JudgedDps) -> Decimal:
    """Returns the unconditional discount (`vDescIncond`)."""
    return dps.amount("valores/vDescCondIncond/vDescIncond")


def conditional_discount(dps: JudgedDps) -> Decimal:
    """Returns the conditional discount (`vDescCond`)."""
    return dps.amount("valores/vDescCondIncond/vDescCond")


def computed_deduction(dps: JudgedDps) -> Decimal | None:
    """Returns `vCalcDR`, the deduction by percentage or by documents; None without either."""
    if dps.has(f"{DEDUCTION}/pDR"):
        return percent_of(service_amount(dps), dps.amount(f"{DEDUCTION}/pDR"))
    documents = dps.group(f"{DEDUCTION}/documentos").all("docDedRed")
    if not documents:
        return None
    return sum((document.amount("vDeducaoReducao") for document in documents), ZERO)


def deduction(dps: JudgedDps) -> Decimal:
    """Returns the deduction from the base, in whichever form it was informed."""
    return computed_deduction(dps) or dps.amount(f"{DEDUCTION}/vDR")


def computed_benefit(dps: JudgedDps) -> Decimal | None:
    """Returns `vCalcBM`, the benefit by percentage; None without one."""
    path = f"{BENEFIT}/pRedBCBM"
    return percent_of(service_amount(dps), dps.amount(path)) if dps.has(path) else None


def benefit_amount(dps: JudgedDps) -> Decimal:
    """Returns the reduction of the base by a benefit, in whichever form it was informed."""
    return computed_benefit(dps) or dps.amount(f"{BENEFIT}/vRedBCBM")


def reimbursed_expenses(dps: JudgedDps) -> Decimal:
    """Returns `vCalcReeRepRes`, the expenses paid for others, which are already taxed."""
    documents = dps.group("IBSCBS/valores/gReeRepRes").all("documentos")
    return sum((document.amount("vlrReeRepRes") for document in documents), ZERO)


def city_tax(dps: JudgedDps) -> CityTax | None:
    """Returns the ISS; None if the note shows none."""
    if not shows_city_tax(dps):
        return None
    base = taxed_base(dps)
    rate = _rate(dps)
    return CityTax(base=base, rate=rate, amount=percent_of(base, rate))


def taxed_base(dps: JudgedDps) -> Decimal:
    """Returns the base of the ISS (`vBC`)."""
    reductions = unconditional_discount(dps) + deduction(dps) + benefit_amount(dps) + reimbursed_expenses(dps)
    return max(service_amount(dps) - reductions, ZERO)


def shows_city_tax(dps: JudgedDps) -> bool:
    """Returns whether a note shows base, rate and amount of the ISS (Anexo I, E1302 to E1311)."""
    is_spared = has_special_regime(dps) or is_suspended(dps) or is_exempt(dps)
    if is_mei(dps) or is_untaxed(dps) or is_spared:
        return False
    return is_withheld(dps) or not pays_iss_by_simples(dps)


def _rate(dps: JudgedDps) -> Decimal:
    """Returns the rate of the benefit, of the declaration, or of the city."""
    if benefit_of(dps) is CityBenefit.RATE:
        return SPECIAL_RATE
    if dps.has(RATE):
        return dps.amount(RATE)
    return dps.tax_city.rate(dps.service_code) or ZERO


def withheld(dps: JudgedDps) -> Decimal:
    """Returns the total of withheld taxes (`vTotalRet`)."""
    federal = sum((dps.amount(f"{FEDERAL}/{tag}") for tag in ("vRetCP", "vRetIRRF", "vRetCSLL")), ZERO)
    tax = city_tax(dps) if is_withheld(dps) else None
    return federal + (tax.amount if tax else ZERO)


def net_amount(dps: JudgedDps) -> Decimal:
    """Returns the net amount (`vLiq`)."""
    discounts = unconditional_discount(dps) + conditional_discount(dps)
    return service_amount(dps) - discounts - withheld(dps)


@dataclass(frozen=True, slots=True)
class IbsCbsShareKind:
    """One of the three shares: how its rate and reduction are found."""

    rate: Callable[[Rates], Decimal]
    reduction: Callable[[IbsCbsClass], Decimal | None]
    deferral: str
    """The element of `gDif` with the percentage of the deferral."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IbsCbsShare:
    """The IBS of the state, that of the city, or the CBS."""

    rate: Decimal
    reduction: Decimal | None
    """In percent of the rate; None if the classification has no reduction."""
    effective: Decimal
    amount: Decimal
    deferred: Decimal | None
    """The part of the amount that is due later; None without a deferral."""
    regular: Decimal | None
    """The rate without the benefit, if the note must show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteIbsCbs:
    """IBS and CBS of a note."""

    base: Decimal
    state: IbsCbsShare
    city: IbsCbsShare
    cbs: IbsCbsShare
    total: Decimal
    """The total of the note (`vTotNF`)."""

    @property
    def ibs(self) -> Decimal:
        """The IBS of state and city together."""
        return self.state.amount + self.city.amount


def reform_tax(dps: JudgedDps) -> NoteIbsCbs | None:
    """Returns IBS and CBS; None if the declaration has no such group."""
    if not dps.has("IBSCBS"):
        return None
    iss = city_tax(dps)
    base = service_amount(dps) - unconditional_discount(dps) - reimbursed_expenses(dps)
    base -= iss.amount if iss else ZERO
    if not dps.follows(Milestone.NFSE_BASE_WITHOUT_PIS_COFINS):
        base -= dps.amount(f"{FEDERAL}/piscofins/vPis") + dps.amount(f"{FEDERAL}/piscofins/vCofins")
    base = max(base, ZERO)

    state, city, cbs = (_share(dps, base, share_kind) for share_kind in (_STATE, _CITY, _CBS))
    taxes = state.amount + city.amount + cbs.amount if dps.follows(Milestone.NFSE_TOTAL_ADDS_TAXES) else ZERO
    return NoteIbsCbs(base=base, state=state, city=city, cbs=cbs, total=net_amount(dps) + taxes)


def place_of_operation(dps: JudgedDps) -> str:
    """Returns the city that is the place of the operation (LC 214/2025, art. 11)."""
    indicator = dps.text("IBSCBS/cIndOp")
    recipient = dps.text("IBSCBS/dest/end/endNac/cMun")
    buyer = dps.text("toma/end/endNac/cMun")
    here = dps.city_of_service or dps.text("cLocEmi")
    if indicator in AT_RECIPIENT:
        return recipient or buyer or here
    return (buyer or here) if indicator in AT_BUYER else here


def _share(dps: JudgedDps, base: Decimal, share_kind: IbsCbsShareKind) -> IbsCbsShare:
    situation = dps.group(SITUATION)
    rate = _rate_on_competence(dps, share_kind) if _is_due(situation.text("CST")) else ZERO
    reduction = _reduction(situation.text("cClassTrib"), share_kind)
    effective = _reduced(rate, reduction)
    amount = percent_of(base, effective)
    return IbsCbsShare(
        rate=rate,
        reduction=reduction,
        effective=effective,
        amount=amount,
        deferred=percent_of(amount, situation.amount(f"gDif/{share_kind.deferral}"))
        if "gDif" in situation.groups
        else None,
        regular=_regular_rate(dps, share_kind) if "gTribRegular" in situation.groups else None,
    )


def _regular_rate(dps: JudgedDps, share_kind: IbsCbsShareKind) -> Decimal:
    regular = dps.group(f"{SITUATION}/gTribRegular")
    rate = _rate_on_competence(dps, share_kind) if _is_due(regular.text("CSTReg")) else ZERO
    return _reduced(rate, _reduction(regular.text("cClassTribReg"), share_kind))


def _rate_on_competence(dps: JudgedDps, share_kind: IbsCbsShareKind) -> Decimal:
    """Returns the rate on the day of competence; zero in years without a published rate."""
    rates = dps.calendar.rates_on(dps.competence)
    return share_kind.rate(rates) if rates else ZERO


def _reduced(rate: Decimal, reduction: Decimal | None) -> Decimal:
    return rounded(rate * (WHOLE - (reduction or ZERO)) / WHOLE)


def _is_due(situation: str) -> bool:
    """Returns whether a situation has rates that are not suspended."""
    row = IBS_CBS_SITUATIONS.rows.get(situation)
    return row is not None and row.group is IbsCbsGroup.RATE and situation != _SUSPENDED


def _reduction(code: str, share_kind: IbsCbsShareKind) -> Decimal | None:
    row = IBS_CBS_CLASSES.rows.get(code)
    return share_kind.reduction(row) if row else None


_STATE = IbsCbsShareKind(lambda rates: rates.state, lambda row: row.ibs_reduction, "pDifUF")
_CITY = IbsCbsShareKind(lambda rates: rates.city, lambda row: row.ibs_reduction, "pDifMun")
_CBS = IbsCbsShareKind(lambda rates: rates.cbs, lambda row: row.cbs_reduction, "pDifCBS")
