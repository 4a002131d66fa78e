"""A pool of open connections.

Our own, because it does less than asyncpg's: that one starts a task and sets a timer each time a connection
is taken, which costs more than many of our statements.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

from carimbo.storage.connection import Connection, DatabaseUnavailable, is_being_cancelled, is_lost

# Routers and proxies drop a connection that is idle for long, without notice.
_MAX_IDLE_SECONDS = 300
_ALL_TAKEN = "todas as conexões deste processo estão em uso"


class Pool:
    """Gives out at most `size` connections at once; a task waits in line while all are taken.

    The wait times out. Statements time out too, so a longer wait means that this task itself holds the
    connections.
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
        self._closings: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def take(self) -> Connection:
        """Returns a connection: the one that was given back last, or a new one.

        Raises DatabaseUnavailable if none is free in time.
        """
        await self._take_place()
        try:
            return self._idle_connection() or await self._connect()
        except BaseException:
            self._free_place()
            raise

    def give_back(self, connection: Any, error: BaseException | None) -> None:
        """Puts a connection back; it is closed instead if it may still run a statement."""
        if _is_unusable(connection, error):
            closing = asyncio.create_task(self._close_busy(connection))
            self._closings.add(closing)
            closing.add_done_callback(self._closings.discard)
            return
        if self._is_closed:
            connection.terminate()
        else:
            self._idle.append((connection, asyncio.get_running_loop().time()))
        self._free_place()

    async def close(self) -> None:
        """Closes idle connections; those that are taken are closed when they are given back."""
        self._is_closed = True
        if self._closings:
            await asyncio.wait(set(self._closings))
        while self._idle:
            connection, _ = self._idle.pop()
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close()

    def terminate(self) -> None:
        """Drops idle connections without waiting for the server."""
        while self._idle:
            self._idle.pop()[0].terminate()

    async def _close_busy(self, connection: "asyncpg.Connection[Any]") -> None:
        """Closes a connection that may run a statement, after the server has cancelled it.

        A server that only loses the connection would complete the statement, though we reported a failure.
        The place is free only afterwards, so that there are never more than `size` connections.
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
        alarm = loop.call_later(self._wait_seconds, turn.cancel, _ALL_TAKEN)
        try:
            await turn
        except asyncio.CancelledError as cancelled:
            if cancelled.args == (_ALL_TAKEN,) and not is_being_cancelled():
                raise DatabaseUnavailable(_ALL_TAKEN) from None
            if turn.done() and not turn.cancelled():
                # The place was given to this task just before the task was cancelled.
                self._free_place()
            raise
        finally:
            alarm.cancel()

    def _free_place(self) -> None:
        """Gives a place to the task that has waited longest, or keeps it free."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _idle_connection(self) -> "asyncpg.Connection[Any] | None":
        while self._idle:
            connection, since = self._idle.pop()
            if connection.is_closed():
                continue
            if asyncio.get_running_loop().time() - since < _MAX_IDLE_SECONDS:
                return connection
            connection.terminate()
        return None


def _is_unusable(connection: Any, error: BaseException | None) -> bool:
    """Returns whether a connection is closed, in a transaction, or may still run a cancelled statement."""
    if connection.is_closed() or connection.is_in_transaction():
        return True
    return error is not None and (not isinstance(error, Exception) or is_lost(error))
