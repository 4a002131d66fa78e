"""Rules about the service of a CT-e OS: people, valuables, or excess baggage."""

from datetime import datetime

from carimbo.simulator.cte.judged import ROAD, JudgedCteOs
from carimbo.simulator.cte.rules.service import has_normal_part
from carimbo.simulator.group import NOTHING, Group
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.borders import follow_borders

PEOPLE, VALUABLES, BAGGAGE = "678"
"""`tpServ`."""
_WITH_TAKER = frozenset({PEOPLE, VALUABLES})
_WITH_MODE = frozenset({PEOPLE, BAGGAGE})
_OCCASIONAL = "1"
"""`tpFretamento`."""


def carries_people(cte: JudgedCteOs) -> bool:
    """Returns whether the service is the transport of people."""
    return cte.service_type == PEOPLE


def mode_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 798."""
    return cte.mode == ROAD and cte.service_type in _WITH_MODE and not cte.normal_part.has("infModal")


def mode_out_of_place(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 829."""
    is_without = cte.mode != ROAD or cte.service_type == VALUABLES
    return is_without and cte.normal_part.has("infModal")


def states_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 751."""
    return not (cte.text("ide/UFIni") and cte.text("ide/UFFim"))


def cities_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 752."""
    return not (cte.text("ide/cMunIni") and cte.text("ide/cMunFim"))


def wrong_route(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 753: each state of the way borders on the next one; the way abroad is not checked."""
    route = [step.text("UFPer") for step in (cte.content.group("ide") or NOTHING).all("infPercurso")]
    start, end = cte.text("ide/UFIni"), cte.text("ide/UFFim")
    if not route and (start == end or cte.mode != ROAD or not carries_people(cte)):
        return False
    return not follow_borders([state for state in (start, *route, end) if state])


def taker_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 757."""
    return cte.service_type in _WITH_TAKER and not cte.taker.tag


def inss_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 760: a company that takes the service withholds INSS."""
    return bool(cte.taker.text("CNPJ")) and not cte.text("imp/infTribFed/vINSS")


def carries_people_by_road(cte: JudgedCteOs) -> bool:
    """Returns whether a document has the content of the road mode for the transport of people."""
    return cte.mode == ROAD and carries_people(cte) and cte.normal_part.has("infModal/rodoOS")


def state_registration_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 839: for a service within a state."""
    return cte.text("ide/UFIni") == cte.text("ide/UFFim") and not _road(cte).text("NroRegEstadual")


def charter_permit_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 840: for a service between states."""
    return cte.text("ide/UFIni") != cte.text("ide/UFFim") and not _road(cte).text("TAF")


def charter_missing(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 841."""
    return not _road(cte).has("infFretamento")


def trip_without_moment(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 837."""
    road = _road(cte)
    return road.text("infFretamento/tpFretamento") == _OCCASIONAL and not road.text("infFretamento/dhViagem")


def trip_before_the_issue(cte: JudgedCteOs) -> bool:
    """MOC CT-e, 838."""
    moment = _road(cte).text("infFretamento/dhViagem")
    return bool(moment) and datetime.fromisoformat(moment) <= cte.issued_at


def _road(cte: JudgedCteOs) -> Group:
    return cte.normal_part.group("infModal/rodoOS") or NOTHING


SERVICE_RULES: tuple[RejectionRule[JudgedCteOs], ...] = (
    RejectionRule("798", mode_missing, has_normal_part),
    RejectionRule("829", mode_out_of_place, has_normal_part),
    RejectionRule("751", states_missing, carries_people),
    RejectionRule("752", cities_missing, carries_people),
    RejectionRule("753", wrong_route),
    RejectionRule("757", taker_missing),
    RejectionRule("839", state_registration_missing, carries_people_by_road),
    RejectionRule("840", charter_permit_missing, carries_people_by_road),
    RejectionRule("841", charter_missing, carries_people_by_road),
    RejectionRule("837", trip_without_moment, carries_people_by_road),
    RejectionRule("838", trip_before_the_issue, carries_people_by_road),
    RejectionRule("760", inss_missing, carries_people),
)
