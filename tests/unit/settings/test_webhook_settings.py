"""The settings of webhooks and of the worker that delivers them."""

from datetime import timedelta
from unittest.mock import Mock

from carimbo.main.outbound import delivery_loop_of
from carimbo.service.delivery.attempt import DeliverySender
from carimbo.settings import Settings, load_settings
from carimbo.worker.claim_loop import LoopOptions
from carimbo.worker.delivery import DeliveryOptions, DeliverySource
from unit.settings.needed_settings import NEEDED, not_refused_by_name


def settings_with(**given: str) -> Settings:
    return load_settings(NEEDED | {f"CARIMBO_{name}": value for name, value in given.items()})


def options_with(**given: str) -> tuple[DeliveryOptions, LoopOptions]:
    """Returns the limits and the waits of the worker that sends deliveries."""
    loop = delivery_loop_of(settings_with(**given), Mock(DeliverySender))
    assert isinstance(loop._source, DeliverySource)
    return loop._source._options, loop._options


class TestDefaults:
    def test_there_are_five_retries_within_eight_hours(self) -> None:
        pauses = settings_with().webhook_retries.pauses
        assert [pause.total_seconds() for pause in pauses] == [5, 300, 1800, 7200, 18000]

    def test_default_durations_of_webhooks_are_as_documented(self) -> None:
        settings = settings_with()
        assert settings.webhook_seconds == 15
        assert settings.webhook_disable_days == 5
        assert settings.webhook_history_days == 30

    def test_default_concurrency_is_two_hundred_and_five_for_a_webhook(self) -> None:
        limits, _ = options_with()
        assert (limits.max_deliveries, limits.max_per_webhook) == (200, 5)


class TestDeliveryWorker:
    def test_lease_of_a_delivery_is_longer_than_an_attempt(self) -> None:
        limits, _ = options_with(WEBHOOK_SECONDS="20")
        assert limits.lease == timedelta(seconds=40)

    def test_deliveries_stop_before_the_process_ends(self) -> None:
        _, waits = options_with(SHUTDOWN_SECONDS="10")
        assert waits.grace == timedelta(seconds=8)

    def test_waits_and_limits_are_settings(self) -> None:
        limits, waits = options_with(
            WEBHOOK_CONCURRENCY="9",
            WEBHOOK_CONCURRENCY_EACH="3",
            WORKER_POLL_SECONDS="0.5",
            WORKER_RECONNECT_SECONDS="4",
        )
        assert (limits.max_deliveries, limits.max_per_webhook) == (9, 3)
        assert (waits.poll, waits.reconnect_after) == (timedelta(seconds=0.5), timedelta(seconds=4))


class TestRefusals:
    def test_a_wrong_value_is_refused_by_name(self) -> None:
        values = (
            ("WEBHOOK_RETRY_SECONDS", "soon"),
            ("WEBHOOK_RETRY_SECONDS", "0"),
            ("WEBHOOK_RETRY_SECONDS", "1,2,3,4,5,6"),
            ("WEBHOOK_DISABLE_DAYS", "0"),
            ("WEBHOOK_CONCURRENCY", "0"),
            ("WEBHOOK_CONCURRENCY_EACH", "0"),
            ("WEBHOOK_HISTORY_DAYS", "0"),
        )
        assert not_refused_by_name(values) == []

    def test_retries_may_be_disabled(self) -> None:
        assert settings_with(WEBHOOK_RETRY_SECONDS="").webhook_retries.pauses == ()
