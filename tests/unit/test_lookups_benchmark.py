"""The benchmark of lookups searches for what is there, each time the same."""

from itertools import islice

import pytest

import lookups
from carimbo.service.code_lookups import CFOP_LOOKUP
from carimbo.service.pages import PageRequest


class TestSearches:
    def test_find_something(self) -> None:
        few = list(islice(lookups.searches(CFOP_LOOKUP), 60))
        whole = [search for search in few if len(search) > 2]
        assert [search for search in whole if not CFOP_LOOKUP.search(search, PageRequest()).total] == []
        assert len(set(few)) > 40

    def test_are_the_same_in_every_run(self) -> None:
        first, second = (list(islice(lookups.searches(CFOP_LOOKUP), 60)) for _ in range(2))
        assert first == second

    def test_are_timed(self, capsys: pytest.CaptureFixture[str]) -> None:
        lookups.measure_in_process(CFOP_LOOKUP, 20)
        told = capsys.readouterr().out
        assert "cfop            in process  p50" in told
        assert told.endswith(f"rows {CFOP_LOOKUP.search('', PageRequest()).total}\n")
