"""Answers to errors that the caller cannot fix."""

from structlog.testing import capture_logs

from carimbo.api.errors import response_to
from carimbo.storage.database import DatabaseUnavailable


def test_reason_of_a_database_outage_is_only_logged() -> None:
    with capture_logs() as logs:
        answer = response_to(DatabaseUnavailable("10.0.0.7 is not there"))
    assert answer and answer.status_code == 503
    assert b"10.0.0.7" not in bytes(answer.body)
    assert logs == [
        {"event": "database_unavailable", "reason": "10.0.0.7 is not there", "log_level": "warning"}
    ]
