"""The borders between the states, for routes."""

import csv
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from carimbo.simulator.sefaz.places import EXTERIOR


def follow_borders(states: Sequence[str]) -> bool:
    """Returns whether each state of a way (`SP`, `RJ`) borders on the next one; a way abroad always does."""
    return EXTERIOR in states or all(other in neighbors().get(state, ()) for state, other in pairwise(states))


@lru_cache(maxsize=1)
def neighbors() -> Mapping[str, frozenset[str]]:
    """Returns the neighbors of every state."""
    text = (files(__package__) / "borders.csv").read_text(encoding="utf-8")
    return {row["state"]: frozenset(row["neighbors"].split()) for row in csv.DictReader(text.splitlines())}
