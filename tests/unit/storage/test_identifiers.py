import time
from uuid import RFC_4122

import pytest

from carimbo.storage.identifiers import NIL, new_id


class TestNewId:
    def test_it_is_a_uuid_of_version_7(self) -> None:
        for _ in range(200):
            made = new_id()
            assert made.version == 7
            assert made.variant == RFC_4122

    def test_it_tells_when_it_was_made(self) -> None:
        before = time.time_ns() // 1_000_000
        milliseconds = new_id().int >> 80
        assert before <= milliseconds <= time.time_ns() // 1_000_000

    def test_ids_sort_by_the_time_they_were_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        instants = [0, 1, 1_000, 1_763_000_000_000, 1_763_000_000_001, 2**48 - 1]
        made = []
        for milliseconds in instants:
            monkeypatch.setattr(time, "time_ns", lambda now=milliseconds: now * 1_000_000)
            made.append(new_id())
        assert made == sorted(made)
        assert [str(one) for one in made] == sorted(str(one) for one in made)

    def test_ids_of_one_millisecond_sort_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        start = 1_763_000_000_000_000_000
        made = []
        for microseconds in range(0, 1_000, 2):
            monkeypatch.setattr(time, "time_ns", lambda now=start + microseconds * 1_000: now)
            made.append(new_id())
        assert made == sorted(made)
        assert len({one.int >> 80 for one in made}) == 1

    @pytest.mark.parametrize("nanoseconds", [0, 1, 999_755, 999_999])
    def test_the_whole_millisecond_fits_between_version_and_variant(
        self, monkeypatch: pytest.MonkeyPatch, nanoseconds: int
    ) -> None:
        monkeypatch.setattr(time, "time_ns", lambda: 1_763_000_000_000_000_000 + nanoseconds)
        made = new_id()
        assert (made.int >> 80, made.version, made.variant) == (1_763_000_000_000, 7, RFC_4122)
        assert made.int >> 64 & 0xFFF == nanoseconds * 4096 // 1_000_000

    def test_what_one_process_makes_in_turn_is_in_order(self) -> None:
        made = [new_id() for _ in range(20_000)]
        assert made == sorted(made)

    def test_ids_of_the_same_instant_differ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(time, "time_ns", lambda: 1_763_000_000_000_000_000)
        assert len({new_id() for _ in range(10_000)}) == 10_000

    def test_it_is_never_the_nil_uuid(self) -> None:
        assert NIL.int == 0
        assert new_id() != NIL
