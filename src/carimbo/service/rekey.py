"""Puts every secret under the active master key while the service runs."""

from dataclasses import dataclass

from carimbo.storage.database import Database
from carimbo.storage.secrets import count_by_key, rewrap_some


@dataclass(frozen=True)
class RekeyReport:
    """How many secrets were rewrapped, and what other keys still seal (rows held by others)."""

    active_key: str
    rewrapped: int
    left: dict[str, int]


async def rekey_secrets(database: Database) -> RekeyReport:
    """Rewrap in small transactions, so that nobody waits long for a row."""
    total = 0
    while True:
        async with database.transaction() as connection:
            rewrapped = await rewrap_some(connection, database.key_ring)
        total += rewrapped
        if not rewrapped:
            break
    async with database.connection() as connection:
        counts = await count_by_key(connection)
    active = database.key_ring.active_id
    return RekeyReport(active, total, {key: count for key, count in counts.items() if key != active})
