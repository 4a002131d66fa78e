"""Rules that hold for some types of events only."""

from collections.abc import Callable, Collection

from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.rule import Finding, Rule


def event_rule(code: str, broken: Callable[[EventCase], Finding], types: Collection[str]) -> Rule[EventCase]:
    """A rule that every other type of event passes."""
    return Rule(code, lambda case: case.type in types and broken(case))
