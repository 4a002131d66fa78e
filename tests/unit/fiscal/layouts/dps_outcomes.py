"""What answers about a DPS are read as."""

from carimbo.fiscal.layouts.dps_v1.answers import read_issued
from carimbo.fiscal.outcome import Cause, NotJudged, Outcome
from nfse_answers import DPS_ID


def sent(status: int, answer: bytes) -> Outcome:
    return read_issued(status, answer, DPS_ID)


def cause(outcome: object) -> Cause:
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause
