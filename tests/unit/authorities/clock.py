"""A clock that tests move."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
_BEGIN = 50_000.0


class Clock:
    """Seconds that count up, and the time of day that goes with them: noon at first."""

    def __init__(self) -> None:
        self.seconds = _BEGIN

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds - _BEGIN)
