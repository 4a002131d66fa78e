"""Outcomes that are read from answers about an NF-e and a DPS."""

from datetime import datetime, timedelta, timezone

from carimbo.fiscal.layouts.dps_v1.answers import read_issued
from carimbo.fiscal.outcome import Authorized, Available, Cause, NotJudged, Outcome
from nfe_answers import note_protocol
from nfse_answers import DPS_ID


def sent(status: int, answer: bytes) -> Outcome:
    return read_issued(status, answer, DPS_ID)


def cause(outcome: object) -> Cause:
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause


BRASILIA = timezone(timedelta(hours=-3))
AT_RECEPTION = datetime(2026, 11, 15, 9, 30, tzinfo=BRASILIA)
AUTHORIZED = note_protocol("100", "Autorizado o uso da NF-e")


def authorized(outcome: Outcome | Available) -> Authorized:
    assert isinstance(outcome, Authorized), outcome
    return outcome


def not_judged(outcome: Outcome | Available) -> NotJudged:
    assert isinstance(outcome, NotJudged), outcome
    return outcome
