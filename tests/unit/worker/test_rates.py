"""The log names rates of IBS and CBS that are missing."""

from datetime import UTC, datetime

from structlog.testing import capture_logs

from carimbo.worker.chores import warn_of_rates


def test_missing_rate_is_logged_from_the_first_of_december_in_brasilia() -> None:
    with capture_logs() as logs:
        warn_of_rates(datetime(2026, 12, 1, 2, 59, tzinfo=UTC))
    assert logs == []
    with capture_logs() as logs:
        warn_of_rates(datetime(2026, 12, 1, 3, tzinfo=UTC))
    (line,) = logs
    assert (line["event"], line["log_level"]) == ("tax_rate_missing", "warning")
    assert (line["tax"], line["since"]) == ("cbs", "2027-01-01")
    assert (line["file"], line["column"]) == ("ibs_cbs_rates.csv", "rate")
