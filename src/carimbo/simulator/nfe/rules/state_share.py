"""The share of the buyer's state in the ICMS of an item (`ICMSUFDest`)."""

from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.states import STATES
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.amounts import HUNDRED, differs_from_percent
from carimbo.simulator.nfe.rules.facts import (
    MEI,
    NO_CONTRIBUTOR,
    NORMAL,
    RETURN,
    SIMPLES,
    TO_ANOTHER_STATE,
    buyer_state,
    contribution,
    destination,
    is_coming_back,
    is_for_consumption,
    is_outbound,
    is_petroleum,
    pays_for_the_government,
    purpose,
    references,
    regime,
    seller_state,
)
from carimbo.simulator.nfe.rules.icms_amounts import FOREIGN_ORIGINS, interstate_rate, moves_elsewhere
from carimbo.simulator.nfe.rules.scope import in_nfe, item_rule

_SHARE = "ICMSUFDest"
_WITHOUT_SHARE = frozenset({SIMPLES, MEI})
_SHARED_PURPOSES = frozenset({NORMAL, RETURN})
# Assets that change places, sales invoiced before delivery, and those of a receipt.
_NO_SALES = frozenset({"6552", "6922", "6929"})
_NOT_TAXED = frozenset({"40", "41", "103", "300", "400"})
_FIRST_YEAR, _YEAR_IN_KEY = "16", slice(2, 4)
_FOREIGN_RATE = 4
_NATIONAL_RATES = (7, 12)


def share_untold(line: Line, case: Case) -> bool:
    """NT 2025.002, NA01-20."""
    return not _has_share(line) and not line.is_service and not _is_free(line)


def _owes_a_share(case: Case) -> bool:
    """Where that rule looks."""
    if not in_nfe(case) or not is_outbound(case) or purpose(case) not in _SHARED_PURPOSES:
        return False
    return _is_sold_to_a_consumer_elsewhere(case) and not _owes_none(case)


def _is_sold_to_a_consumer_elsewhere(case: Case) -> bool:
    is_consumer = is_for_consumption(case) and contribution(case) == NO_CONTRIBUTOR
    return is_consumer and destination(case) == TO_ANOTHER_STATE


def _owes_none(case: Case) -> bool:
    """Whoever is of the Simples, or of no state, and whatever stays where it is or was sold long ago."""
    if regime(case) in _WITHOUT_SHARE or not case.text("emit/IE") or pays_for_the_government(case):
        return True
    if case.text("entrega/UF") == seller_state(case):
        return True
    keys = (one.texts.get("refNFe", "") for one in references(case))
    return purpose(case) == RETURN and any(key and key[_YEAR_IN_KEY] < _FIRST_YEAR for key in keys)


def _is_free(line: Line) -> bool:
    if line.icms.tag == "ICMSPart" or line.situation in _NOT_TAXED or line.cfop in _NO_SALES:
        return True
    known = CFOPS.rows.get(line.cfop)
    return is_petroleum(line) or (known is not None and (known.is_coming_back or known.is_shipment))


def share_of_nobody(line: Line, case: Case) -> bool:
    """MOC 7.0, NA01-30."""
    if not _has_share(line) or case.text("entrega/UF") not in ("", seller_state(case)):
        return False
    return not _is_sold_to_a_consumer_elsewhere(case) or line.is_service or is_petroleum(line)


def rate_of_another_origin(line: Line, case: Case) -> bool:
    """MOC 7.0, NA09-10 and NA09-20."""
    if not _has_share(line):
        return False
    rate, is_foreign = line.taxes.amount(f"{_SHARE}/pICMSInter"), line.icms.text("orig") in FOREIGN_ORIGINS
    return rate in _NATIONAL_RATES if is_foreign else rate == _FOREIGN_RATE


def rate_of_other_states(line: Line, case: Case) -> bool:
    """MOC 7.0, NA09-30."""
    if not _has_share(line) or not is_outbound(case) or purpose(case) != NORMAL:
        return False
    rate = line.taxes.amount(f"{_SHARE}/pICMSInter")
    if rate not in _NATIONAL_RATES or rate == interstate_rate(case) or buyer_state(case) not in STATES.rows:
        return False
    return not is_coming_back(line) and not moves_elsewhere(case)


def share_divided(line: Line, case: Case) -> bool:
    """MOC 7.0, NA11-10: since 2019 it is all of the buyer's state."""
    if not _has_share(line) or purpose(case) != NORMAL or is_coming_back(line):
        return False
    return line.taxes.amount(f"{_SHARE}/pICMSInterPart") != HUNDRED


def wrong_fund_of_the_buyer(line: Line, case: Case) -> bool:
    """MOC 7.0, NA13-10."""
    share = line.taxes.group(_SHARE)
    if share is None or not {"vFCPUFDest", "vBCFCPUFDest", "pFCPUFDest"} <= share.texts.keys():
        return False
    base, rate = share.amount("vBCFCPUFDest"), share.amount("pFCPUFDest")
    return differs_from_percent(share.amount("vFCPUFDest"), base, rate)


def _has_share(line: Line) -> bool:
    return _SHARE in line.taxes.groups


STATE_SHARE_RULES = (
    item_rule("694", share_untold, _owes_a_share),
    item_rule("695", share_of_nobody, in_nfe),
    item_rule("697", rate_of_another_origin, in_nfe),
    item_rule("698", rate_of_other_states, in_nfe),
    item_rule("699", share_divided, in_nfe),
    item_rule("793", wrong_fund_of_the_buyer, in_nfe),
)
