"""The borders between the states, for routes."""

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files


def share_a_border(state: str, other: str) -> bool:
    """Returns whether two states (`SP`, `RJ`) are neighbors."""
    return other in neighbors().get(state, frozenset())


@lru_cache(maxsize=1)
def neighbors() -> Mapping[str, frozenset[str]]:
    """Returns the neighbors of every state."""
    text = (files(__package__) / "borders.csv").read_text(encoding="utf-8")
    return {row["state"]: frozenset(row["neighbors"].split()) for row in csv.DictReader(text.splitlines())}
