"""How often we ask, and who has to rest."""

from datetime import timedelta

import pytest

from carimbo.authorities.pacing import Call, Pacing
from carimbo.fiscal.outcome import Throttled
from support import CNPJ, OTHER_CNPJ
from unit.authorities.wire import NOON, Clock

HOUR = 3600.0
ADDRESS, OTHER_ADDRESS = "https://sp/consulta", "https://sp/evento"


@pytest.fixture
def pacing(clock: Clock) -> Pacing:
    return Pacing(clock, clock.now, most_remembered=100)


def call(subject: str = "a", *, most: int | None = 3, tax_id: str = CNPJ, address: str = ADDRESS) -> Call:
    return Call(tax_id, address, subject, most)


def fill(pacing: Pacing, one: Call) -> None:
    while pacing.admit(one) is None:
        pass


class TestCounting:
    def test_lets_as_many_through_as_an_hour_may_have(self, pacing: Pacing) -> None:
        assert [pacing.admit(call()) is None for _ in range(5)] == [True, True, True, False, False]

    def test_tells_what_was_not_sent_and_until_when(self, pacing: Pacing, clock: Clock) -> None:
        fill(pacing, call())
        clock.seconds += 60
        assert pacing.admit(call()) == Throttled(
            code="656",
            message="Não enviado, para não causar um bloqueio da autoridade: "
            "aguarde até 15/11/2026 10:00:00 (Brasília).",
            until=NOON + timedelta(hours=1),
            was_asked=False,
        )

    def test_never_lets_more_through_in_any_hour(self, pacing: Pacing, clock: Clock) -> None:
        """A bucket that fills up again would, in the hour after it was emptied."""
        admitted = []
        for _ in range(400):
            if pacing.admit(call()) is None:
                admitted.append(clock.seconds)
            clock.seconds += 60
        most = max(sum(1 for other in admitted if one <= other < one + HOUR) for one in admitted)
        assert (most, len(admitted)) == (3, 21)

    def test_begins_anew_with_the_oldest_call_an_hour_ago(self, pacing: Pacing, clock: Clock) -> None:
        for _ in range(3):
            pacing.admit(call())
            clock.seconds += 10
        clock.seconds += HOUR - 30
        assert [pacing.admit(call()) is None for _ in range(2)] == [True, False]

    @pytest.mark.parametrize(
        "other", [call("b"), call(tax_id=OTHER_CNPJ), call(address=OTHER_ADDRESS)], ids=["b", "who", "where"]
    )
    def test_is_of_each_subject_taxpayer_and_service(self, pacing: Pacing, other: Call) -> None:
        fill(pacing, call())
        assert pacing.admit(other) is None

    def test_has_no_end_where_there_is_no_limit(self, pacing: Pacing) -> None:
        assert [pacing.admit(call(most=None)) for _ in range(500)] == [None] * 500

    def test_leaves_out_what_did_not_arrive(self, pacing: Pacing) -> None:
        for _ in range(10):
            assert pacing.admit(call()) is None
            pacing.take_back(call())
        assert [pacing.admit(call()) is None for _ in range(4)] == [True, True, True, False]

    def test_of_what_was_never_admitted_cannot_be_taken_back(self, pacing: Pacing) -> None:
        pacing.take_back(call())
        assert pacing.admit(call()) is None


class TestResting:
    def test_a_service_is_for_all_its_subjects_for_an_hour(self, pacing: Pacing, clock: Clock) -> None:
        assert pacing.rest_service(call("a")) == NOON + timedelta(hours=1)
        clock.seconds += HOUR - 1
        refused = pacing.admit(call("b", most=None))
        assert refused
        assert refused.until == NOON + timedelta(hours=1)
        clock.seconds += 1
        assert pacing.admit(call("b", most=None)) is None

    def test_a_service_may_be_for_a_shorter_time(self, pacing: Pacing, clock: Clock) -> None:
        pacing.rest_service(call(tax_id=OTHER_CNPJ))
        assert pacing.rest_service(call(), 60) == NOON + timedelta(minutes=1)
        clock.seconds += 59
        assert pacing.admit(call())
        clock.seconds += 1
        assert pacing.admit(call()) is None

    def test_a_subject_leaves_the_others_alone(self, pacing: Pacing) -> None:
        pacing.rest_subject(call("a"))
        assert pacing.admit(call("a"))
        assert pacing.admit(call("b")) is None

    def test_is_of_one_taxpayer_and_one_service(self, pacing: Pacing) -> None:
        pacing.rest_service(call())
        assert pacing.admit(call(tax_id=OTHER_CNPJ)) is None
        assert pacing.admit(call(address=OTHER_ADDRESS)) is None

    def test_begins_anew_with_another_block(self, pacing: Pacing, clock: Clock) -> None:
        pacing.rest_service(call())
        clock.seconds += HOUR / 2
        pacing.rest_service(call(tax_id=OTHER_CNPJ))
        pacing.rest_service(call())
        clock.seconds += HOUR - 1
        assert pacing.admit(call())

    def test_is_not_counted_as_a_call(self, pacing: Pacing, clock: Clock) -> None:
        pacing.rest_service(call())
        for _ in range(5):
            pacing.admit(call())
        clock.seconds += HOUR
        assert [pacing.admit(call()) is None for _ in range(4)] == [True, True, True, False]


class TestMemory:
    def test_is_bounded(self, pacing: Pacing) -> None:
        for number in range(1_000):
            pacing.admit(call(str(number)))
            pacing.rest_subject(call(str(number)))
        assert pacing.remembered <= 2 * (100 + 1)

    def test_loses_what_is_an_hour_old(self, pacing: Pacing, clock: Clock) -> None:
        for number in range(50):
            pacing.admit(call(str(number)))
            pacing.rest_subject(call(str(number)))
        clock.seconds += HOUR
        pacing.admit(call("new"))
        assert pacing.remembered == 1

    def test_keeps_what_changed_last(self, pacing: Pacing) -> None:
        """A hundred are remembered, and more than that come by."""
        for others in (range(60), range(60, 120)):
            pacing.admit(call("counted"))
            pacing.rest_subject(call("resting"))
            for number in others:
                pacing.admit(call(str(number)))
                pacing.rest_subject(call(str(number)))
        assert [pacing.admit(call("counted")) is None for _ in range(2)] == [True, False]
        assert pacing.admit(call("resting"))
