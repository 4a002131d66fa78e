"""Deleting what was settled long ago: few rows at once, for nobody to wait for their locks."""

from typing import Any

from carimbo.storage.connection import Connection

_AT_ONCE = 1000


async def forget_some(connection: Connection, deletion: str, *arguments: Any) -> bool:
    """Run what deletes as many rows as its last parameter says; tells whether there may be more."""
    result = await connection.execute(deletion, *arguments, _AT_ONCE)
    return bool(result == f"DELETE {_AT_ONCE}")
