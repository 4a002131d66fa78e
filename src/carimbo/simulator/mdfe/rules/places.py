"""Rules about the places of an MDF-e: cities, states, the route, and loading on the way."""

from collections.abc import Callable, Collection, Sequence

from carimbo.simulator.mdfe.judged import GLOBALIZED_CARRIER, OWN_CARGO, JudgedMdfe
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.borders import follow_borders
from carimbo.simulator.sefaz.places import EXTERIOR, is_outside, is_unknown_city


def city_outside(cities: Collection[str], state: str) -> Finding:
    """Returns whether a city is not of a state."""
    return any(is_outside(city, state) for city in cities)


def unknown_city(cities: Collection[str], state: str) -> Finding:
    """Returns whether a city does not exist; places abroad have none."""
    return any(is_unknown_city(city, state) for city in cities)


def repeated_city(cities: Sequence[str], state: str) -> Finding:
    """Returns whether a city occurs twice."""
    return len(set(cities)) < len(cities)


_Check = Callable[[Sequence[str], str], Finding]


def _loading(code: str, check: _Check) -> RejectionRule[JudgedMdfe]:
    return RejectionRule(code, lambda mdfe: check(mdfe.loading_cities, mdfe.start))


def _unloading(code: str, check: _Check) -> RejectionRule[JudgedMdfe]:
    return RejectionRule(code, lambda mdfe: check(mdfe.unloading_cities, mdfe.end))


def globalized_between_states(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 541: a carrier that issues one globalized CT-e later stays within a state."""
    return mdfe.issuer_type == GLOBALIZED_CARRIER and not _stays_within_a_state(mdfe)


def _stays_within_a_state(mdfe: JudgedMdfe) -> bool:
    return mdfe.start == mdfe.end != EXTERIOR


def is_by_road(mdfe: JudgedMdfe) -> bool:
    """Returns whether the cargo goes by road."""
    return mdfe.is_by_road


def wrong_route(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 663: each state of the way borders on the next one; the way abroad is not checked."""
    if not mdfe.route and mdfe.start == mdfe.end:
        return False
    return not follow_borders([mdfe.start, *mdfe.route, mdfe.end])


def loads_later(mdfe: JudgedMdfe) -> bool:
    """Returns whether the cargo is loaded on the way."""
    return mdfe.loads_later


def loads_elsewhere(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 703: loading and unloading are the same city, and there is only one."""
    return len(mdfe.loading_cities) > 1 or mdfe.loading_cities != mdfe.unloading_cities


def loads_later_between_states(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 704."""
    return not _stays_within_a_state(mdfe)


def loads_later_off_the_road(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 705."""
    return not mdfe.is_by_road


def loads_later_for_others(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 707."""
    return mdfe.issuer_type != OWN_CARGO


def loads_later_with_documents(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 706: events name the documents."""
    return bool(mdfe.cte_keys or mdfe.nfe_keys or mdfe.mdfe_keys)


PLACE_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    _loading("456", city_outside),
    _loading("405", unknown_city),
    _loading("685", repeated_city),
    _unloading("612", city_outside),
    _unloading("406", unknown_city),
    _unloading("680", repeated_city),
    RejectionRule("541", globalized_between_states),
    RejectionRule("663", wrong_route, is_by_road),
)
LOADING_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("703", loads_elsewhere, loads_later),
    RejectionRule("704", loads_later_between_states, loads_later),
    RejectionRule("705", loads_later_off_the_road, loads_later),
    RejectionRule("707", loads_later_for_others, loads_later),
    RejectionRule("706", loads_later_with_documents, loads_later),
)
