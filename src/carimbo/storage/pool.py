"""Connections that are kept open and lent, one borrower each.

Our own, as it does less than the driver's: that one starts a task and sets a timer for every loan, which
costs more than many of our statements.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

from carimbo.storage.connection import Connection, DatabaseUnavailable, is_lost

# Routers and proxies forget a connection that is silent for long, and tell nobody.
_LONGEST_IDLE_SECONDS = 300


class Pool:
    """Lends at most `size` connections at once; who comes when all are lent waits for the next one.

    The wait has an end: statements have theirs, so who waits longer waits for himself.
    """

    def __init__(
        self,
        connect: "Callable[[], Awaitable[asyncpg.Connection[Any]]]",
        size: int,
        wait_seconds: float,
    ) -> None:
        self._connect = connect
        self._wait_seconds = wait_seconds
        self._places = asyncio.Semaphore(size)
        self._idle: list[tuple[asyncpg.Connection[Any], float]] = []
        self._is_closed = False

    async def take(self) -> Connection:
        """Borrow a connection: the one that came back last, or a new one."""
        await self._take_place()
        try:
            return self._kept() or await self._connect()
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: Any, error: BaseException | None) -> None:
        """Return a connection; one that may still be at something is not lent again."""
        if self._is_closed or _is_spoilt(connection, error):
            connection.terminate()
        else:
            self._idle.append((connection, asyncio.get_running_loop().time()))
        self._places.release()

    async def close(self) -> None:
        """Close what is idle, politely; what is lent ends when it comes back."""
        self._is_closed = True
        while self._idle:
            connection, _ = self._idle.pop()
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close()

    def terminate(self) -> None:
        """Drop what is idle."""
        while self._idle:
            self._idle.pop()[0].terminate()

    async def _take_place(self) -> None:
        if not self._places.locked():
            # Nobody waits: this does not either, and needs no timer.
            await self._places.acquire()
            return
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise DatabaseUnavailable("all connections are lent") from None

    def _kept(self) -> "asyncpg.Connection[Any] | None":
        while self._idle:
            connection, since = self._idle.pop()
            if connection.is_closed():
                continue
            if asyncio.get_running_loop().time() - since < _LONGEST_IDLE_SECONDS:
                return connection
            connection.terminate()
        return None


def _is_spoilt(connection: Any, error: BaseException | None) -> bool:
    """Tell whether a connection was given up in the middle of something: cancelled, timed out, half done."""
    if connection.is_closed() or connection.is_in_transaction():
        return True
    return error is not None and (not isinstance(error, Exception) or is_lost(error))
