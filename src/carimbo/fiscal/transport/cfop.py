"""CFOPs of transport services."""

from carimbo.fiscal.parties.recipient import Contribution
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.transport.journey import Journey
from carimbo.fiscal.transport.places import ABROAD

_INTERNAL = ("5351", "5352", "5353", "5354", "5355", "5356", "5357", "5359", "5360")
_INTERSTATE = ("6351", "6352", "6353", "6354", "6355", "6356", "6357", "6359", "6360")
_OTHERS = ("5601", "5602", "5603", "5605", "5606", "5932", "5949", "6603", "6932", "6949", "7358", "7949")
CFOPS = frozenset((*_INTERNAL, *_INTERSTATE, *_OTHERS))
"""The CFOPs that CT-e and CT-e OS accept (MOC CT-e 4.00, 676)."""

_WITHIN_THE_STATE, _TO_ANOTHER_STATE, _TO_ANOTHER_COUNTRY = "5", "6", "7"
STARTED_ELSEWHERE = frozenset({"5932", "6932"})
"""Services that start in another state than the carrier's (524 and 908)."""
_TO_CARRIERS, _TO_TRADE, _TO_OTHERS, _WITH_SUBSTITUTE = "351", "353", "357", "360"
_ABROAD = "7358"


def first_digit(start_state: str, end_state: str) -> str:
    """Returns the first digit of the CFOP, by the places where the service starts and ends (519)."""
    if end_state == ABROAD:
        return _TO_ANOTHER_COUNTRY
    return _WITHIN_THE_STATE if start_state == end_state else _TO_ANOTHER_STATE


def assumed_cfop(
    journey: Journey, findings: Findings, *, is_for_carrier: bool = False, is_withheld: bool = False
) -> str:
    """Returns the usual CFOP, with a warning if it is a guess.

    `is_for_carrier` says whether another carrier takes the service, `is_withheld` whether the taker withholds
    the ICMS (CST 60).
    """
    cfop, is_guess = _usual_cfop(journey, is_for_carrier=is_for_carrier, is_withheld=is_withheld)
    if is_guess:
        findings.add_warning(
            f"cfop: CFOP não informado: usado {cfop}, de serviço a comércio. Para indústria, comunicação,"
            f" energia ou produtor rural informe {cfop[0]}352, {cfop[0]}354, {cfop[0]}355 ou {cfop[0]}356."
        )
    return cfop


def _usual_cfop(journey: Journey, *, is_for_carrier: bool, is_withheld: bool) -> tuple[str, bool]:
    """Returns the usual CFOP, and whether it is a guess."""
    digit = first_digit(journey.start.state, journey.end.state)
    if digit == _TO_ANOTHER_COUNTRY:
        return _ABROAD, False
    if journey.starts_elsewhere:
        return f"{digit}932", False
    if is_for_carrier:
        return digit + _TO_CARRIERS, False
    if is_withheld:
        return digit + _WITH_SUBSTITUTE, False
    if journey.contribution is Contribution.NONE:
        return digit + _TO_OTHERS, False
    return digit + _TO_TRADE, True
