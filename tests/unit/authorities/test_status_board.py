"""What authorities said is remembered for some seconds, and no longer."""

from carimbo.authorities.status_board import StatusBoard
from carimbo.fiscal.outcome import Available
from unit.authorities.wire import LOST, Clock

UP = Available(code="107", message="Serviço em Operação")


class TestRecall:
    def test_is_the_same_for_every_asker(self, clock: Clock) -> None:
        board = StatusBoard(clock)
        board.write("https://a", "SP", "one", UP)
        assert board.recall("https://a", "SP", "other") == UP

    def test_of_a_failure_is_for_who_met_it(self, clock: Clock) -> None:
        board = StatusBoard(clock)
        board.write("https://a", "SP", "one", LOST)
        assert board.recall("https://a", "SP", "one") == LOST
        assert board.recall("https://a", "SP", "other") is None

    def test_prefers_an_answer_to_a_failure(self, clock: Clock) -> None:
        board = StatusBoard(clock)
        board.write("https://a", "SP", "one", LOST)
        board.write("https://a", "SP", "other", UP)
        assert board.recall("https://a", "SP", "one") == UP


class TestWrite:
    def test_forgets_what_is_over(self, clock: Clock) -> None:
        board = StatusBoard(clock)
        for asker in range(100):
            board.write("https://a", "SP", str(asker), LOST)
            clock.seconds += 1
        assert board.remembered == 15

    def test_keeps_what_was_said_again(self, clock: Clock) -> None:
        board = StatusBoard(clock)
        for _ in range(3):
            board.write("https://a", "SP", "one", UP)
            clock.seconds += 14
        board.write("https://a", "RJ", "one", UP)
        assert board.recall("https://a", "SP", "one") == UP
        assert board.remembered == 2
