"""What becomes of errors that a caller can do nothing about."""

from structlog.testing import capture_logs

from carimbo.api.errors import response_to
from carimbo.storage.database import DatabaseUnavailable


def test_why_the_database_is_away_is_for_the_log_alone() -> None:
    with capture_logs() as logs:
        answer = response_to(DatabaseUnavailable("10.0.0.7 is not there"))
    assert answer and answer.status_code == 503
    assert b"10.0.0.7" not in bytes(answer.body)
    assert logs == [
        {"event": "database_unavailable", "reason": "10.0.0.7 is not there", "log_level": "warning"}
    ]
