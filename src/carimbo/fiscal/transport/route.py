"""The states that a road trip passes through."""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import pairwise

_NEIGHBORS: Mapping[str, frozenset[str]] = {
    state: frozenset(neighbors.split())
    for state, neighbors in {
        "AC": "AM RO",
        "AL": "BA PE SE",
        "AM": "AC MT PA RO RR",
        "AP": "PA",
        "BA": "AL ES GO MG PE PI SE TO",
        "CE": "PB PE PI RN",
        "DF": "GO MG",
        "ES": "BA MG RJ",
        "GO": "BA DF MG MS MT TO",
        "MA": "PA PI TO",
        "MG": "BA DF ES GO MS RJ SP",
        "MS": "GO MG MT PR SP",
        "MT": "AM GO MS PA RO TO",
        "PA": "AM AP MA MT RR TO",
        "PB": "CE PE RN",
        "PE": "AL BA CE PB PI",
        "PI": "BA CE MA PE TO",
        "PR": "MS SC SP",
        "RJ": "ES MG SP",
        "RN": "CE PB",
        "RO": "AC AM MT",
        "RR": "AM PA",
        "RS": "SC",
        "SC": "PR RS",
        "SE": "AL BA",
        "SP": "MG MS PR RJ",
        "TO": "BA GO MA MT PA PI",
    }.items()
}


def follows_borders(start: str, route: Sequence[str], end: str) -> bool:
    """Returns whether each state of a trip touches the next one; a trip within one state needs no route."""
    states = (start, *route, end)
    if not {*states} <= _NEIGHBORS.keys():
        # Another country, or an unknown place.
        return True
    if not route and start == end:
        return True
    return all(after in _NEIGHBORS[before] for before, after in pairwise(states))


def shortest_route(start: str, end: str) -> tuple[str, ...]:
    """Returns the states between two others on a way through the fewest states; none abroad."""
    if start == end or start not in _NEIGHBORS or end not in _NEIGHBORS:
        return ()
    ways: deque[tuple[str, ...]] = deque([(start,)])
    seen = {start}
    while ways:
        way = ways.popleft()
        for state in sorted(_NEIGHBORS[way[-1]] - seen):
            if state == end:
                return way[1:]
            seen.add(state)
            ways.append((*way, state))
    raise LookupError(f"no way from {start} to {end}")
