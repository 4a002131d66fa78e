"""Connections that are kept open and lent, one borrower each.

Our own, as it does less than the driver's: that one starts a task and sets a timer for every loan, which
costs more than many of our statements.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import asyncpg

from carimbo.storage.connection import Connection, DatabaseUnavailable, is_lost

# Routers and proxies forget a connection that is silent for long, and tell nobody.
_LONGEST_IDLE_SECONDS = 300
_ALL_LENT = "todas as conexões deste processo estão em uso"


@dataclass(frozen=True)
class PoolOptions:
    """How many connections one process may hold, and how long it waits for the database."""

    size: int = 10
    connect_seconds: float = 5
    command_seconds: float = 30


DEFAULT_OPTIONS = PoolOptions()


class Pool:
    """Lends at most `size` connections at once; who comes when all are lent waits for the next one.

    The wait has an end: statements have theirs, so who waits longer waits for himself.
    """

    def __init__(
        self,
        connect: "Callable[[], Awaitable[asyncpg.Connection[Any]]]",
        size: int,
        wait_seconds: float,
        close_seconds: float,
    ) -> None:
        self._connect = connect
        self._wait_seconds = wait_seconds
        self._close_seconds = close_seconds
        self._free = size
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._idle: list[tuple[asyncpg.Connection[Any], float]] = []
        self._endings: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def take(self) -> Connection:
        """Borrow a connection: the one that came back last, or a new one."""
        await self._take_place()
        try:
            return self._kept() or await self._connect()
        except BaseException:
            self._free_place()
            raise

    def give_back(self, connection: Any, error: BaseException | None) -> None:
        """Return a connection; one that may still be at something is not lent again."""
        if _is_spoilt(connection, error):
            ending = asyncio.create_task(self._end(connection))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)
            return
        if self._is_closed:
            connection.terminate()
        else:
            self._idle.append((connection, asyncio.get_running_loop().time()))
        self._free_place()

    async def close(self) -> None:
        """Close what is idle, politely; what is lent ends when it comes back."""
        self._is_closed = True
        if self._endings:
            await asyncio.wait(set(self._endings))
        while self._idle:
            connection, _ = self._idle.pop()
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close()

    def terminate(self) -> None:
        """Drop what is idle."""
        while self._idle:
            self._idle.pop()[0].terminate()

    async def _end(self, connection: "asyncpg.Connection[Any]") -> None:
        """Close one that may be at a statement, which the server is told to give up first.

        Dropped without a word, it would carry the statement out, though we said that it had failed. Until it
        is gone its place is not free: there are never more than so many.
        """
        try:
            await connection.close(timeout=self._close_seconds)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
            connection.terminate()
        finally:
            self._free_place()

    async def _take_place(self) -> None:
        if self._free:
            self._free -= 1
            return
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        alarm = loop.call_later(self._wait_seconds, turn.cancel, _ALL_LENT)
        try:
            await turn
        except asyncio.CancelledError as cancelled:
            if cancelled.args == (_ALL_LENT,) and not _is_being_cancelled():
                raise DatabaseUnavailable(_ALL_LENT) from None
            if turn.done() and not turn.cancelled():
                # The place came together with the end of who waited for it.
                self._free_place()
            raise
        finally:
            alarm.cancel()

    def _free_place(self) -> None:
        """Give a place to who has waited longest, or keep it for who comes."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

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


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
