import time
from uuid import RFC_4122

import pytest

from carimbo.storage.identifiers import NIL, new_id


class TestNewId:
    def test_id_is_a_uuid_of_version_7(self) -> None:
        for _ in range(200):
            identifier = new_id()
            assert identifier.version == 7
            assert identifier.variant == RFC_4122

    def test_id_contains_its_creation_time(self) -> None:
        before = time.time_ns() // 1_000_000
        milliseconds = new_id().int >> 80
        assert before <= milliseconds <= time.time_ns() // 1_000_000

    def test_ids_sort_by_creation_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        instants = [0, 1, 1_000, 1_763_000_000_000, 1_763_000_000_001, 2**48 - 1]
        identifiers = []
        for milliseconds in instants:
            monkeypatch.setattr(time, "time_ns", lambda now=milliseconds: now * 1_000_000)
            identifiers.append(new_id())
        assert identifiers == sorted(identifiers)
        assert [str(identifier) for identifier in identifiers] == sorted(
            str(identifier) for identifier in identifiers
        )

    def test_ids_of_one_millisecond_sort_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        start = 1_763_000_000_000_000_000
        identifiers = []
        for microseconds in range(0, 1_000, 2):
            monkeypatch.setattr(time, "time_ns", lambda now=start + microseconds * 1_000: now)
            identifiers.append(new_id())
        assert identifiers == sorted(identifiers)
        assert len({identifier.int >> 80 for identifier in identifiers}) == 1

    @pytest.mark.parametrize("nanoseconds", [0, 1, 999_755, 999_999])
    def test_the_whole_millisecond_fits_between_version_and_variant(
        self, monkeypatch: pytest.MonkeyPatch, nanoseconds: int
    ) -> None:
        monkeypatch.setattr(time, "time_ns", lambda: 1_763_000_000_000_000_000 + nanoseconds)
        identifier = new_id()
        assert (identifier.int >> 80, identifier.version, identifier.variant) == (
            1_763_000_000_000,
            7,
            RFC_4122,
        )
        assert identifier.int >> 64 & 0xFFF == nanoseconds * 4096 // 1_000_000

    def test_ids_of_one_process_are_in_order(self) -> None:
        identifiers = [new_id() for _ in range(20_000)]
        assert identifiers == sorted(identifiers)

    def test_ids_of_the_same_instant_differ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(time, "time_ns", lambda: 1_763_000_000_000_000_000)
        assert len({new_id() for _ in range(10_000)}) == 10_000

    def test_id_is_never_the_nil_uuid(self) -> None:
        assert NIL.int == 0
        assert new_id() != NIL
