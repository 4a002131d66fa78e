"""Which authority authorises the documents of a state, and which one while that one is out of service."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table

NATIONAL = "AN"
"""The national environment: distribution, and the events of recipients."""


@dataclass(frozen=True, slots=True)
class Serving:
    """Who serves the issuers of one state for one model."""

    model: Annotated[str, "[0-9]{2}"]
    state: Annotated[str, "[A-Z]{2}"]
    authorizer: Annotated[str, "[A-Z]{2,5}"]
    contingency: Annotated[str, "[A-Z]{2,5}"] | None
    """None where contingency means to issue first and send later."""


AUTHORIZERS: Table[tuple[str, str], Serving] = Table(
    "authorizers", Serving, lambda serving: (serving.model, serving.state)
)


def states_of(model: str, authorizer: str) -> frozenset[str]:
    """The states whose documents an authority authorises, always or in contingency."""
    return _STATES.value.get((model, authorizer), frozenset())


def is_contingency(authorizer: str) -> bool:
    """Tell whether an authority serves only while others are out of service."""
    return authorizer in _WAYS_OUT.value


def _states() -> Mapping[tuple[str, str], frozenset[str]]:
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for serving in AUTHORIZERS.values():
        for authorizer in (serving.authorizer, serving.contingency):
            if authorizer:
                found[serving.model, authorizer].add(serving.state)
    return {place: frozenset(states) for place, states in found.items()}


_STATES = Derived(_states)
_WAYS_OUT = Derived(
    lambda: (
        {one.contingency for one in AUTHORIZERS.values()} - {one.authorizer for one in AUTHORIZERS.values()}
    )
)
