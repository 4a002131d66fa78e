"""Options of connections; apart, so that the settings load no database driver."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PoolOptions:
    """How many connections one process may hold, and how long it waits for the database."""

    name: str = "carimbo"
    """What the connections are called in `pg_stat_activity`; it begins with `carimbo`."""
    size: int = 10
    connect_seconds: float = 5
    command_seconds: float = 30


DEFAULT_OPTIONS = PoolOptions()
