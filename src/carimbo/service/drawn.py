"""Drawings that were asked for lately, so that what is asked for again is not drawn again."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable


class Drawings:
    """Draws in threads and keeps what was drawn by its key; beyond a size the longest unused goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[bytes]] = {}

    def get(self, key: str) -> bytes | None:
        """What is kept under a key."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def drawn(self, key: str, draw: Callable[[], bytes]) -> bytes:
        """What is kept under a key, or is drawn now: once, however many ask for it at once."""
        kept = self.get(key)
        if kept is not None:
            return kept
        if key not in self._under_way:
            self._under_way[key] = asyncio.create_task(self._draw(key, draw))
        # Others may wait for the same when this one goes away.
        return await asyncio.shield(self._under_way[key])

    async def _draw(self, key: str, draw: Callable[[], bytes]) -> bytes:
        try:
            drawing = await asyncio.to_thread(draw)
        finally:
            del self._under_way[key]
        self._keep(key, drawing)
        return drawing

    def _keep(self, key: str, drawing: bytes) -> None:
        if len(drawing) > self._most_bytes:
            return
        self._kept[key] = drawing
        self._bytes += len(drawing)
        while self._bytes > self._most_bytes:
            _, forgotten = self._kept.popitem(last=False)
            self._bytes -= len(forgotten)
