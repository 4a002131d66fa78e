"""Federal taxes, and the total of taxes that a consumer is told (Anexo I, tribFed and totTrib)."""

from decimal import Decimal

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.nfse.amounts import WHOLE, is_beyond_price, service_amount, share
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import FEDERAL, TOTALS, is_mei, is_outside_simples, is_small
from carimbo.simulator.rule import Rule

_PIS_COFINS = f"{FEDERAL}/piscofins"
_BASE, _KIND = f"{_PIS_COFINS}/vBCPisCofins", f"{_PIS_COFINS}/tpRetPisCofins"
_WITHHELD = f"{FEDERAL}/vRetCSLL"
_TOLERANCE = Decimal("0.01")
_NOTHING_WITHHELD, _NOTHING_WITHHELD_OF_OLD = "0", "2"
_ONLY_CSLL_WITHHELD = "8"
_WITHOUT_PIS_COFINS = frozenset({"", _NOTHING_WITHHELD, _ONLY_CSLL_WITHHELD})
"""What may be said of withholding where PIS and COFINS are no more."""


def told_by_a_person(case: NoteCase) -> bool:
    """Persons have none of these taxes."""
    return case.has(FEDERAL) and case.has("prest/CPF")


def told_by_mei(case: NoteCase) -> bool:
    """MEI pay the same whatever they earn."""
    return case.has(FEDERAL) and is_mei(case)


def base_beyond_price(case: NoteCase) -> bool:
    """More is taxed than the service costs."""
    return case.amount(_BASE) > service_amount(case)


def wrong_pis(case: NoteCase) -> bool:
    """Another amount than base and rate make."""
    return _is_wrong(case, "Pis")


def wrong_cofins(case: NoteCase) -> bool:
    """Another amount than base and rate make."""
    return _is_wrong(case, "Cofins")


def _is_wrong(case: NoteCase, name: str) -> bool:
    rate, amount = f"{_PIS_COFINS}/pAliq{name}", f"{_PIS_COFINS}/v{name}"
    if not case.has(rate):
        return False
    return abs(case.amount(amount) - share(case.amount(_BASE), case.amount(rate))) > _TOLERANCE


def _beyond_price(tag: str, code: str) -> Rule[NoteCase]:
    """What is withheld is a part of the price."""
    path = f"{FEDERAL}/{tag}"
    return Rule(code, lambda case: is_beyond_price(case, path))


def withheld_and_not(case: NoteCase) -> bool:
    """An amount of what is said not to be withheld."""
    return case.text(_KIND) == _NOTHING_WITHHELD and case.has(_WITHHELD)


def withheld_without_amount(case: NoteCase) -> bool:
    """No amount of what is said to be withheld."""
    kind = case.text(_KIND)
    return kind not in ("", _NOTHING_WITHHELD, _NOTHING_WITHHELD_OF_OLD) and not case.has(_WITHHELD)


def ended_taxes_informed(case: NoteCase) -> bool:
    """Refuses amounts of PIS and COFINS, and their withholding, of a competence in which they are no more.

    No error of the official table is about this. E1530 (wrong base of IBS and CBS) is nearest: its formula is
    the one that changes, and the official calculator answers 400 to the same amounts.
    """
    if not case.follows(Milestone.NFSE_PIS_COFINS_REFUSED):
        return False
    if any(case.amount(f"{_PIS_COFINS}/{tag}") for tag in ("vPis", "vCofins")):
        return True
    return case.text(_KIND) not in _WITHOUT_PIS_COFINS and case.has(_WITHHELD)


def _total_beyond_price(tag: str, code: str) -> Rule[NoteCase]:
    """Taxes of more than the price."""
    return Rule(code, lambda case: case.amount(f"{TOTALS}/vTotTrib/{tag}") > service_amount(case))


def _total_beyond_all(tag: str, code: str) -> Rule[NoteCase]:
    """Taxes of more than a hundred percent."""
    return Rule(code, lambda case: case.amount(f"{TOTALS}/pTotTrib/{tag}") > WHOLE)


def simples_told_by_mei(case: NoteCase) -> bool:
    """MEI have no rate of the Simples."""
    return is_mei(case) and case.has(f"{TOTALS}/pTotTribSN")


def nothing_told_by_small(case: NoteCase) -> bool:
    """ME and EPP tell what the taxes come to."""
    return is_small(case) and case.has(f"{TOTALS}/indTotTrib")


def told_as_in_simples(case: NoteCase) -> bool:
    """Outside the Simples the taxes are told one by one."""
    ways = (f"{TOTALS}/indTotTrib", f"{TOTALS}/pTotTribSN")
    return is_outside_simples(case) and any(map(case.has, ways))


FEDERAL_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0675", told_by_a_person),
    Rule("E0676", told_by_mei),
    Rule("E0677", base_beyond_price),
    Rule("E0694", wrong_pis),
    Rule("E0696", wrong_cofins),
    _beyond_price("vRetCP", "E0699"),
    _beyond_price("vRetIRRF", "E0700"),
    _beyond_price("vRetCSLL", "E0701"),
    _total_beyond_price("vTotTribFed", "E0702"),
    _total_beyond_price("vTotTribEst", "E0703"),
    _total_beyond_price("vTotTribMun", "E0704"),
    _total_beyond_all("pTotTribFed", "E0706"),
    _total_beyond_all("pTotTribEst", "E0707"),
    _total_beyond_all("pTotTribMun", "E0708"),
    Rule("E0710", simples_told_by_mei),
    Rule("E0712", nothing_told_by_small),
    Rule("E0713", told_as_in_simples),
    Rule("E0720", withheld_and_not),
    Rule("E0724", withheld_without_amount),
    Rule("E1530", ended_taxes_informed),
)
