"""The settings of webhooks and of the worker that delivers them."""

from datetime import timedelta

from carimbo.main.outbound import delivery_options_of
from carimbo.settings import Settings, load_settings
from unit.settings.needed_settings import NEEDED, not_refused_by_name


def settings_with(**given: str) -> Settings:
    return load_settings(NEEDED | {f"CARIMBO_{name}": value for name, value in given.items()})


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
        options = delivery_options_of(settings_with())
        assert (options.max_deliveries, options.max_per_webhook) == (200, 5)


class TestDeliveryWorker:
    def test_lease_of_a_delivery_is_longer_than_an_attempt(self) -> None:
        options = delivery_options_of(settings_with(WEBHOOK_SECONDS="20"))
        assert options.lease == timedelta(seconds=40)

    def test_deliveries_stop_before_the_process_ends(self) -> None:
        assert delivery_options_of(settings_with(SHUTDOWN_SECONDS="10")).grace == timedelta(seconds=8)

    def test_waits_and_limits_are_settings(self) -> None:
        options = delivery_options_of(
            settings_with(
                WEBHOOK_CONCURRENCY="9",
                WEBHOOK_CONCURRENCY_EACH="3",
                WORKER_POLL_SECONDS="0.5",
                WORKER_RECONNECT_SECONDS="4",
            )
        )
        assert (options.max_deliveries, options.max_per_webhook) == (9, 3)
        assert (options.poll, options.reconnect_after) == (timedelta(seconds=0.5), timedelta(seconds=4))


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
