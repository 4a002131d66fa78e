"""Options of connections and of the queue; apart, so that the settings load no database driver."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class PoolOptions:
    """How many connections one process may hold, and how long it waits for the database."""

    size: int = 10
    connect_seconds: float = 5
    command_seconds: float = 30


DEFAULT_OPTIONS = PoolOptions()


@dataclass(frozen=True)
class QueueOptions:
    """How a worker takes jobs, with every wait, so that tests can shorten it."""

    batch_size: int
    concurrency: int
    heartbeat_timeout: timedelta
    poll_interval: timedelta
    error_delay: timedelta
