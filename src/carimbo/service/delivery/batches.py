"""Handles the items of many tasks together, without making any of them wait for the others."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from carimbo.storage.connection import DatabaseUnavailable

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_BATCH = 50


class Batches(Generic[Item, Result]):
    """Calls a function with all items that wait, one call at a time.

    An item that comes while nothing is handled is handled at once; those that come meanwhile go together into
    the next call. If the function fails with several items, each is handled alone, so that an item that
    can't be handled fails by itself.
    """

    def __init__(self, handle: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._handle = handle
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._running: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> Result:
        """Returns the result of an item. Raises what the function raised for it."""
        result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._running is None:
            self._running = asyncio.create_task(self._handle_waiting())
        return await result

    async def _handle_waiting(self) -> None:
        try:
            while self._waiting:
                # A cancelled task no longer waits for its result.
                batch = [(item, result) for item, result in self._waiting[:_MAX_BATCH] if not result.done()]
                del self._waiting[:_MAX_BATCH]
                if batch:
                    await self._handle_batch(batch)
        finally:
            self._running = None

    async def _handle_batch(self, batch: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._handle([item for item, _ in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, DatabaseUnavailable):
                for item in batch:
                    await self._handle_batch([item])
                return
            for _, result in batch:
                if not result.done():
                    result.set_exception(error)
            return
        for (_, result), value in zip(batch, results, strict=True):
            if not result.done():
                result.set_result(value)
