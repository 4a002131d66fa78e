"""The clocks of a process."""

from collections.abc import Callable
from datetime import UTC, datetime

from carimbo.settings import Settings


def now() -> datetime:
    """Returns the machine's time, which PostgreSQL and receivers of webhooks and e-mails have too."""
    return datetime.now(UTC)


def clock_of(settings: Settings) -> Callable[[], datetime]:
    """Returns the service's clock, which documents are dated by: the machine's, moved by the settings."""
    offset = settings.clock_offset
    return (lambda: now() + offset) if offset else now
