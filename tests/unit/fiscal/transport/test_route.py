"""The states of a road trip."""

import pytest

from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.transport.route import follows_borders, shortest_route


class TestShortestRoute:
    @pytest.mark.parametrize(
        ("start", "end", "between"),
        [
            ("SP", "SP", ()),
            ("SP", "RJ", ()),
            ("SP", "BA", ("MG",)),
            ("SP", "RS", ("PR", "SC")),
            ("AP", "RN", ("PA", "MA", "PI", "CE")),
            # Of two ways through as many states, the shorter one.
            ("RS", "MG", ("SC", "PR", "SP")),
            ("SP", "EX", ()),
            ("", "SP", ()),
        ],
    )
    def test_route_goes_through_the_fewest_states(
        self, start: str, end: str, between: tuple[str, ...]
    ) -> None:
        assert shortest_route(start, end) == between

    def test_every_state_is_reached_from_every_other_along_borders(self) -> None:
        states = [state for state in STATES if state != "EX"]
        for start in states:
            for end in states:
                route = shortest_route(start, end)
                assert follows_borders(start, route, end), (start, route, end)
                assert len(shortest_route(end, start)) == len(route)


class TestFollowsBorders:
    @pytest.mark.parametrize(
        ("states", "follows"),
        [
            ("SP MG BA", True),
            ("SP BA", False),
            ("SP GO BA", False),
            ("SP MG SP", True),
            ("SP SP MG", False),
            ("SP EX", True),
        ],
    )
    def test_each_state_touches_the_next(self, states: str, follows: bool) -> None:
        start, *route, end = states.split()
        assert follows_borders(start, route, end) is follows
