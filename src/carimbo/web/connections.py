"""Closes the connection of a request whose receiver no longer reads."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

_ABORT = "carimbo.abort"


def make_abortable(scope: Any, close: Callable[[], None]) -> None:
    """Gives a request the function that closes its connection without sending what is buffered."""
    scope[_ABORT] = close


async def abort(scope: Mapping[str, Any]) -> None:
    """Closes the connection of a request, if the server allows it."""
    close = scope.get(_ABORT)
    if close is not None:
        close()
        # The server learns of the disconnect in the next round of the loop.
        await asyncio.sleep(0)
