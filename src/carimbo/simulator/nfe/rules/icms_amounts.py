"""The ICMS of items: rates between states, and amounts that are what base and rate make."""

from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.states import STATES, Region
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.amounts import differs, differs_from_percent
from carimbo.simulator.nfe.rules.facts import (
    NO_CONTRIBUTOR,
    NORMAL,
    TO_ANOTHER_STATE,
    buyer_state,
    contribution,
    destination,
    is_coming_back,
    is_for_consumption,
    is_outbound,
    purpose,
    seller_state,
)
from carimbo.simulator.nfe.rules.scope import in_nfe, item_rule

FOREIGN_ORIGINS = frozenset("1238")

_FOREIGN_RATE, _NORTHERN_RATE, _USUAL_RATE = 4, 7, 12
_BY_ORDER = frozenset({"6118", "6119", "6122", "6123"})
_SOLD_DIRECTLY = frozenset("23")
_TAXED = frozenset({"ICMS00", "ICMS10", "ICMS20", "ICMS70"})
_OTHER = "ICMS90"
_DEFERRED = "ICMS51"
_ONE_BASE = "ICMS00"
_WITH_FUND = _TAXED | {_DEFERRED, _OTHER}


def foreign_goods_above_four(line: Line, case: Case) -> bool:
    """MOC 7.0, N16-04."""
    if line.icms.text("orig") not in FOREIGN_ORIGINS or line.icms.tag not in _TAXED | {_OTHER}:
        return False
    return line.icms.amount("pICMS") > _FOREIGN_RATE and not _is_sold_otherwise(line)


def rate_above_the_states(line: Line, case: Case) -> bool:
    """MOC 7.0, N16-20."""
    if line.icms.text("orig") in FOREIGN_ORIGINS or line.icms.amount("pICMS") <= interstate_rate(case):
        return False
    known = CFOPS.rows.get(line.cfop)
    is_annulment = known is not None and known.is_annulment
    return not is_annulment and not _is_sold_otherwise(line) and not moves_elsewhere(case)


def _sold_between_states(case: Case) -> bool:
    """Where both rules look: not at vehicles that are sold directly."""
    if not in_nfe(case) or destination(case) != TO_ANOTHER_STATE or not is_outbound(case):
        return False
    if purpose(case) != NORMAL or buyer_state(case) not in STATES.rows:
        return False
    return not any(line.product.text("veicProd/tpOp") in _SOLD_DIRECTLY for line in case.lines)


def _is_sold_otherwise(line: Line) -> bool:
    return is_coming_back(line) or line.cfop in _BY_ORDER


def interstate_rate(case: Case) -> int:
    """What national goods pay between the states of the parties (Resolução do Senado 22/1989)."""
    is_southern = _is_southern(seller_state(case))
    return _NORTHERN_RATE if is_southern and not _is_southern(buyer_state(case)) else _USUAL_RATE


def _is_southern(state: str) -> bool:
    """South and southeast, without Espírito Santo."""
    found = STATES.rows.get(state)
    return found is not None and found.region in (Region.SOUTH, Region.SOUTHEAST) and state != "ES"


def moves_elsewhere(case: Case) -> bool:
    """Tell whether goods are delivered outside the seller's state, or picked up outside the buyer's."""
    delivery, pickup = case.text("entrega/UF"), case.text("retirada/UF")
    return delivery not in ("", seller_state(case)) or pickup not in ("", buyer_state(case))


def wrong_amount(line: Line, case: Case) -> bool:
    """MOC 7.0, N17-20."""
    if line.icms.tag not in _TAXED or purpose(case) != NORMAL:
        return False
    icms = line.icms
    return differs_from_percent(icms.amount("vICMS"), icms.amount("vBC"), icms.amount("pICMS"))


def wrong_amount_before_deferral(line: Line, case: Case) -> bool:
    """MOC 7.0, N16a-10."""
    icms = line.icms
    if icms.tag != _DEFERRED or "vICMSOp" not in icms.texts:
        return False
    return differs_from_percent(icms.amount("vICMSOp"), icms.amount("vBC"), icms.amount("pICMS"))


def wrong_deferral(line: Line, case: Case) -> bool:
    """MOC 7.0, N16c-10."""
    icms = line.icms
    if icms.tag != _DEFERRED or "vICMSDif" not in icms.texts:
        return False
    return differs_from_percent(icms.amount("vICMSDif"), icms.amount("vICMSOp"), icms.amount("pDif"))


def wrong_rest_of_deferral(line: Line, case: Case) -> bool:
    """MOC 7.0, N17-10."""
    icms = line.icms
    if icms.tag != _DEFERRED or "vICMSOp" not in icms.texts or "vICMS" not in icms.texts:
        return False
    return differs(icms.amount("vICMS"), icms.amount("vICMSOp") - icms.amount("vICMSDif"))


def no_fund(line: Line, case: Case) -> bool:
    """MOC 7.0, N17b-10: where there is no poverty fund, nothing is said of it."""
    return "pFCP" in line.icms.texts and not line.icms.amount("pFCP")


def no_fund_of_substitution(line: Line, case: Case) -> bool:
    """MOC 7.0, N23b-10 and N27b-10."""
    rates = ("pFCPST", "pFCPSTRet")
    return any(rate in line.icms.texts and not line.icms.amount(rate) for rate in rates)


def wrong_fund(line: Line, case: Case) -> bool:
    """MOC 7.0, N17c-10: CST 00 has one base for both."""
    icms = line.icms
    if "vFCP" not in icms.texts or icms.tag not in _WITH_FUND or purpose(case) != NORMAL:
        return False
    base = icms.amount("vBC" if icms.tag == _ONE_BASE else "vBCFCP")
    return differs_from_percent(icms.amount("vFCP"), base, icms.amount("pFCP"))


def fund_of_the_sellers_state(line: Line, case: Case) -> bool:
    """MOC 7.0, N17c-20: to consumers of another state it is theirs."""
    if destination(case) != TO_ANOTHER_STATE or contribution(case) != NO_CONTRIBUTOR:
        return False
    return is_for_consumption(case) and "vFCP" in line.icms.texts


def nothing_exempted(line: Line, case: Case) -> bool:
    """MOC 7.0, N28-30."""
    return "motDesICMS" in line.icms.texts and not line.icms.amount("vICMSDeson")


ICMS_AMOUNT_RULES = (
    item_rule("663", foreign_goods_above_four, _sold_between_states),
    item_rule("693", rate_above_the_states, _sold_between_states),
    item_rule("351", wrong_amount_before_deferral, in_nfe),
    item_rule("352", wrong_deferral, in_nfe),
    item_rule("353", wrong_rest_of_deferral, in_nfe),
    item_rule("528", wrong_amount),
    item_rule("880", no_fund),
    item_rule("860", wrong_fund),
    item_rule("876", fund_of_the_sellers_state, in_nfe),
    item_rule("881", no_fund_of_substitution),
    item_rule("627", nothing_exempted),
)
