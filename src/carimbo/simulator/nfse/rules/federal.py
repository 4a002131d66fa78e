"""Rules of federal taxes and of the total of taxes shown to consumers (Anexo I, tribFed and totTrib)."""

from decimal import Decimal

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.nfse.amounts import WHOLE, is_beyond_price, percent_of, service_amount
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.taxation import FEDERAL, TOTALS, is_mei, is_outside_simples, is_small
from carimbo.simulator.rules import RejectionRule

_PIS_COFINS = f"{FEDERAL}/piscofins"
_BASE, _KIND = f"{_PIS_COFINS}/vBCPisCofins", f"{_PIS_COFINS}/tpRetPisCofins"
_WITHHELD = f"{FEDERAL}/vRetCSLL"
_TOLERANCE = Decimal("0.01")
_NOTHING_WITHHELD, _NOTHING_WITHHELD_OF_OLD = "0", "2"
_ONLY_CSLL_WITHHELD = "8"
_WITHOUT_PIS_COFINS = frozenset({"", _NOTHING_WITHHELD, _ONLY_CSLL_WITHHELD})
"""The kinds of withholding that are allowed after the end of PIS and COFINS."""


def declared_by_person(dps: JudgedDps) -> bool:
    """A person informs federal taxes, which persons do not pay."""
    return dps.has(FEDERAL) and dps.has("prest/CPF")


def declared_by_mei(dps: JudgedDps) -> bool:
    """An MEI informs federal taxes; MEI pay a fixed amount."""
    return dps.has(FEDERAL) and is_mei(dps)


def base_beyond_price(dps: JudgedDps) -> bool:
    """The base is more than the price."""
    return dps.amount(_BASE) > service_amount(dps)


def wrong_pis(dps: JudgedDps) -> bool:
    """Another amount than base and rate make."""
    return _is_wrong(dps, "Pis")


def wrong_cofins(dps: JudgedDps) -> bool:
    """Another amount than base and rate make."""
    return _is_wrong(dps, "Cofins")


def _is_wrong(dps: JudgedDps, name: str) -> bool:
    rate, amount = f"{_PIS_COFINS}/pAliq{name}", f"{_PIS_COFINS}/v{name}"
    if not dps.has(rate):
        return False
    return abs(dps.amount(amount) - percent_of(dps.amount(_BASE), dps.amount(rate))) > _TOLERANCE


def _beyond_price(tag: str, code: str) -> RejectionRule[JudgedDps]:
    """Returns the rule that a withheld amount is more than zero and less than the price."""
    path = f"{FEDERAL}/{tag}"
    return RejectionRule(code, lambda dps: is_beyond_price(dps, path))


def withheld_and_not(dps: JudgedDps) -> bool:
    """An amount is withheld although the kind says that nothing is."""
    return dps.text(_KIND) == _NOTHING_WITHHELD and dps.has(_WITHHELD)


def withheld_without_amount(dps: JudgedDps) -> bool:
    """No amount is withheld although the kind says so."""
    withholding = dps.text(_KIND)
    return withholding not in ("", _NOTHING_WITHHELD, _NOTHING_WITHHELD_OF_OLD) and not dps.has(_WITHHELD)


def ended_taxes_informed(dps: JudgedDps) -> bool:
    """PIS and COFINS, or their withholding, are informed for a competence after their end.

    The official table has no error for this. E1530 (wrong base of IBS and CBS) is nearest: its formula is
    the one that changes, and the official calculator answers 400 to the same amounts.
    """
    if not dps.follows(Milestone.NFSE_PIS_COFINS_REFUSED):
        return False
    if any(dps.amount(f"{_PIS_COFINS}/{tag}") for tag in ("vPis", "vCofins")):
        return True
    return dps.text(_KIND) not in _WITHOUT_PIS_COFINS and dps.has(_WITHHELD)


def _total_beyond_price(tag: str, code: str) -> RejectionRule[JudgedDps]:
    """Returns the rule that a total of taxes is not more than the price."""
    return RejectionRule(code, lambda dps: dps.amount(f"{TOTALS}/vTotTrib/{tag}") > service_amount(dps))


def _total_beyond_all(tag: str, code: str) -> RejectionRule[JudgedDps]:
    """Returns the rule that a total of taxes is not more than a hundred percent."""
    return RejectionRule(code, lambda dps: dps.amount(f"{TOTALS}/pTotTrib/{tag}") > WHOLE)


def mei_with_simples_rate(dps: JudgedDps) -> bool:
    """An MEI informs a rate of the Simples, which MEI do not have."""
    return is_mei(dps) and dps.has(f"{TOTALS}/pTotTribSN")


def small_without_totals(dps: JudgedDps) -> bool:
    """An ME or EPP does not inform the total of taxes."""
    return is_small(dps) and dps.has(f"{TOTALS}/indTotTrib")


def simples_totals_outside_simples(dps: JudgedDps) -> bool:
    """The totals of the Simples are used outside of it, where taxes are informed one by one."""
    paths = (f"{TOTALS}/indTotTrib", f"{TOTALS}/pTotTribSN")
    return is_outside_simples(dps) and any(map(dps.has, paths))


FEDERAL_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0675", declared_by_person),
    RejectionRule("E0676", declared_by_mei),
    RejectionRule("E0677", base_beyond_price),
    RejectionRule("E0694", wrong_pis),
    RejectionRule("E0696", wrong_cofins),
    _beyond_price("vRetCP", "E0699"),
    _beyond_price("vRetIRRF", "E0700"),
    _beyond_price("vRetCSLL", "E0701"),
    _total_beyond_price("vTotTribFed", "E0702"),
    _total_beyond_price("vTotTribEst", "E0703"),
    _total_beyond_price("vTotTribMun", "E0704"),
    _total_beyond_all("pTotTribFed", "E0706"),
    _total_beyond_all("pTotTribEst", "E0707"),
    _total_beyond_all("pTotTribMun", "E0708"),
    RejectionRule("E0710", mei_with_simples_rate),
    RejectionRule("E0712", small_without_totals),
    RejectionRule("E0713", simples_totals_outside_simples),
    RejectionRule("E0720", withheld_and_not),
    RejectionRule("E0724", withheld_without_amount),
    RejectionRule("E1530", ended_taxes_informed),
)
