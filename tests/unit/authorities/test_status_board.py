"""The status of an authority is remembered for some seconds, and no longer."""

from carimbo.authorities.pacing import StatusCache
from carimbo.fiscal.outcome import Available
from unit.authorities.wire import LOST, Clock

UP = Available(code="107", message="Serviço em Operação")


class TestRecall:
    def test_remembered_status_is_shared_by_all_companies(self, clock: Clock) -> None:
        board = StatusCache(clock)
        board.write("https://a", "SP", "one", UP)
        assert board.recent_status("https://a", "SP", "other") == UP

    def test_remembered_failure_is_for_the_company_that_had_it(self, clock: Clock) -> None:
        board = StatusCache(clock)
        board.write("https://a", "SP", "one", LOST)
        assert board.recent_status("https://a", "SP", "one") == LOST
        assert board.recent_status("https://a", "SP", "other") is None

    def test_remembered_answer_is_preferred_to_a_failure(self, clock: Clock) -> None:
        board = StatusCache(clock)
        board.write("https://a", "SP", "one", LOST)
        board.write("https://a", "SP", "other", UP)
        assert board.recent_status("https://a", "SP", "one") == UP


class TestWrite:
    def test_writing_forgets_expired_entries(self, clock: Clock) -> None:
        board = StatusCache(clock)
        for asker in range(100):
            board.write("https://a", "SP", str(asker), LOST)
            clock.seconds += 1
        assert board.remembered == 15

    def test_renewed_entry_is_kept(self, clock: Clock) -> None:
        board = StatusCache(clock)
        for _ in range(3):
            board.write("https://a", "SP", "one", UP)
            clock.seconds += 14
        board.write("https://a", "RJ", "one", UP)
        assert board.recent_status("https://a", "SP", "one") == UP
        assert board.remembered == 2
