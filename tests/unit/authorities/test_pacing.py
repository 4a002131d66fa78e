"""Rate limits of requests to authorities, and pauses after a block."""

from datetime import timedelta

import pytest

from carimbo.authorities.pacing import PacedRequest, Pacing
from carimbo.fiscal.outcome import Throttled
from support import CNPJ, OTHER_CNPJ
from unit.authorities.wire import NOON, Clock

HOUR = 3600.0
ADDRESS, OTHER_ADDRESS = "https://sp/consulta", "https://sp/evento"


@pytest.fixture
def pacing(clock: Clock) -> Pacing:
    return Pacing(clock, clock.now, max_remembered=100)


def call(
    subject: str = "a", *, max_per_hour: int | None = 3, tax_id: str = CNPJ, address: str = ADDRESS
) -> PacedRequest:
    return PacedRequest(tax_id, address, subject, max_per_hour)


def fill(pacing: Pacing, request: PacedRequest) -> None:
    while pacing.admit(request) is None:
        pass


class TestCounting:
    def test_requests_up_to_the_hourly_limit_are_admitted(self, pacing: Pacing) -> None:
        assert [pacing.admit(call()) is None for _ in range(5)] == [True, True, True, False, False]

    def test_refused_request_is_reported_with_the_end_of_the_pause(
        self, pacing: Pacing, clock: Clock
    ) -> None:
        fill(pacing, call())
        clock.seconds += 60
        assert pacing.admit(call()) == Throttled(
            code="656",
            message="Não enviado, para não causar um bloqueio da autoridade: "
            "aguarde até 15/11/2026 10:00:00 (Brasília).",
            until=NOON + timedelta(hours=1),
            was_asked=False,
        )

    def test_limit_holds_for_any_hour(self, pacing: Pacing, clock: Clock) -> None:
        """A token bucket would exceed it in the hour after it was emptied."""
        admitted = []
        for _ in range(400):
            if pacing.admit(call()) is None:
                admitted.append(clock.seconds)
            clock.seconds += 60
        busiest_hour = max(
            sum(1 for other in admitted if start <= other < start + HOUR) for start in admitted
        )
        assert (busiest_hour, len(admitted)) == (3, 21)

    def test_place_becomes_free_an_hour_after_the_oldest_call(self, pacing: Pacing, clock: Clock) -> None:
        for _ in range(3):
            pacing.admit(call())
            clock.seconds += 10
        clock.seconds += HOUR - 30
        assert [pacing.admit(call()) is None for _ in range(2)] == [True, False]

    @pytest.mark.parametrize(
        "other", [call("b"), call(tax_id=OTHER_CNPJ), call(address=OTHER_ADDRESS)], ids=["b", "who", "where"]
    )
    def test_limit_is_counted_for_each_subject_taxpayer_and_service(
        self, pacing: Pacing, other: PacedRequest
    ) -> None:
        fill(pacing, call())
        assert pacing.admit(other) is None

    def test_requests_without_a_limit_are_always_admitted(self, pacing: Pacing) -> None:
        assert [pacing.admit(call(max_per_hour=None)) for _ in range(500)] == [None] * 500

    def test_request_that_did_not_arrive_is_not_counted(self, pacing: Pacing) -> None:
        for _ in range(10):
            assert pacing.admit(call()) is None
            pacing.take_back(call())
        assert [pacing.admit(call()) is None for _ in range(4)] == [True, True, True, False]

    def test_request_that_was_not_admitted_cannot_be_taken_back(self, pacing: Pacing) -> None:
        pacing.take_back(call())
        assert pacing.admit(call()) is None


class TestResting:
    def test_blocked_service_pauses_for_all_subjects_for_an_hour(self, pacing: Pacing, clock: Clock) -> None:
        assert pacing.pause_service(call("a")) == NOON + timedelta(hours=1)
        clock.seconds += HOUR - 1
        refused = pacing.admit(call("b", max_per_hour=None))
        assert refused
        assert refused.until == NOON + timedelta(hours=1)
        clock.seconds += 1
        assert pacing.admit(call("b", max_per_hour=None)) is None

    def test_blocked_service_may_pause_for_a_shorter_time(self, pacing: Pacing, clock: Clock) -> None:
        pacing.pause_service(call(tax_id=OTHER_CNPJ))
        assert pacing.pause_service(call(), 60) == NOON + timedelta(minutes=1)
        clock.seconds += 59
        assert pacing.admit(call())
        clock.seconds += 1
        assert pacing.admit(call()) is None

    def test_block_affects_only_one_taxpayer_and_one_service(self, pacing: Pacing) -> None:
        pacing.pause_service(call())
        assert pacing.admit(call(tax_id=OTHER_CNPJ)) is None
        assert pacing.admit(call(address=OTHER_ADDRESS)) is None

    def test_pause_starts_again_with_another_block(self, pacing: Pacing, clock: Clock) -> None:
        pacing.pause_service(call())
        clock.seconds += HOUR / 2
        pacing.pause_service(call(tax_id=OTHER_CNPJ))
        pacing.pause_service(call())
        clock.seconds += HOUR - 1
        assert pacing.admit(call())

    def test_refused_request_is_not_counted(self, pacing: Pacing, clock: Clock) -> None:
        pacing.pause_service(call())
        for _ in range(5):
            pacing.admit(call())
        clock.seconds += HOUR
        assert [pacing.admit(call()) is None for _ in range(4)] == [True, True, True, False]


class TestMemory:
    def test_memory_is_bounded(self, pacing: Pacing) -> None:
        for number in range(1_000):
            pacing.admit(call(str(number)))
            pacing.pause_service(call(address=str(number)))
        assert pacing.remembered <= 2 * (100 + 1)

    def test_entries_older_than_an_hour_are_forgotten(self, pacing: Pacing, clock: Clock) -> None:
        for number in range(50):
            pacing.admit(call(str(number)))
            pacing.pause_service(call(address=str(number)))
        clock.seconds += HOUR
        pacing.admit(call("new"))
        assert pacing.remembered == 1

    def test_most_recently_changed_entries_are_kept(self, pacing: Pacing) -> None:
        """A hundred entries are kept while more than that are added."""
        for others in (range(60), range(60, 120)):
            pacing.admit(call("counted"))
            pacing.pause_service(call(address="resting"))
            for number in others:
                pacing.admit(call(str(number)))
                pacing.pause_service(call(address=str(number)))
        assert [pacing.admit(call("counted")) is None for _ in range(2)] == [True, False]
        assert pacing.admit(call(address="resting"))
