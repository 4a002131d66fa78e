"""An authority's answer in a line of a log: its kind, code and words, but no XML, which names people."""

from typing import TypedDict

from carimbo.fiscal.outcome import Available, NotJudged, Outcome


class ToldAnswer(TypedDict):
    """What a log says of an answer."""

    answer: str
    code: str | None
    told: str


def in_log(outcome: Outcome | Available) -> ToldAnswer:
    """Say what was answered, or what was seen instead of an answer."""
    told = outcome.detail if isinstance(outcome, NotJudged) else outcome.message
    return ToldAnswer(answer=type(outcome).__name__, code=outcome.code, told=told)
