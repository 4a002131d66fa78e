"""The states that a road trip passes through."""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from math import dist

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

# Latitude and longitude of the capitals (IBGE): of two ways through as many states, the shorter one is taken.
_CAPITALS: Mapping[str, tuple[float, float]] = {
    "AC": (-9.97, -67.81),
    "AL": (-9.67, -35.74),
    "AM": (-3.12, -60.02),
    "AP": (0.03, -51.07),
    "BA": (-12.97, -38.5),
    "CE": (-3.72, -38.54),
    "DF": (-15.78, -47.93),
    "ES": (-20.32, -40.34),
    "GO": (-16.69, -49.25),
    "MA": (-2.53, -44.3),
    "MG": (-19.92, -43.94),
    "MS": (-20.44, -54.65),
    "MT": (-15.6, -56.1),
    "PA": (-1.46, -48.5),
    "PB": (-7.12, -34.86),
    "PE": (-8.05, -34.88),
    "PI": (-5.09, -42.8),
    "PR": (-25.43, -49.27),
    "RJ": (-22.91, -43.17),
    "RN": (-5.79, -35.21),
    "RO": (-8.76, -63.9),
    "RR": (2.82, -60.67),
    "RS": (-30.03, -51.23),
    "SC": (-27.6, -48.55),
    "SE": (-10.91, -37.07),
    "SP": (-23.55, -46.63),
    "TO": (-10.17, -48.33),
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
    """Returns the states between two others on the shortest way through the fewest states; none abroad."""
    if start == end or start not in _NEIGHBORS or end not in _NEIGHBORS:
        return ()
    ways: list[tuple[int, float, tuple[str, ...]]] = [(0, 0.0, (start,))]
    reached: set[str] = set()
    while ways:
        borders, degrees, way = heappop(ways)
        state = way[-1]
        if state == end:
            return way[1:-1]
        if state in reached:
            continue
        reached.add(state)
        for neighbor in _NEIGHBORS[state] - reached:
            further = degrees + dist(_CAPITALS[state], _CAPITALS[neighbor])
            heappush(ways, (borders + 1, further, (*way, neighbor)))
    raise LookupError(f"no way from {start} to {end}")
