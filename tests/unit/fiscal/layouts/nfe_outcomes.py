"""What answers about an NF-e are read as."""

from datetime import datetime, timedelta, timezone

from carimbo.fiscal.outcome import Authorized, Available, NotJudged, Outcome
from nfe_answers import note_protocol

BRASILIA = timezone(timedelta(hours=-3))
AT_RECEPTION = datetime(2026, 11, 15, 9, 30, tzinfo=BRASILIA)
AUTHORIZED = note_protocol("100", "Autorizado o uso da NF-e")


def authorized(outcome: Outcome | Available) -> Authorized:
    assert isinstance(outcome, Authorized), outcome
    return outcome


def not_judged(outcome: Outcome | Available) -> NotJudged:
    assert isinstance(outcome, NotJudged), outcome
    return outcome
