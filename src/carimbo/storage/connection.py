"""Types of connections and rows, and the errors that mean that the database is unavailable."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[Any]"
Row: TypeAlias = asyncpg.Record

# A pooler may give every transaction another connection, which does not have our prepared statements. These
# are the errors that follow.
_POOLER_ERRORS = (asyncpg.DuplicatePreparedStatementError, asyncpg.InvalidSQLStatementNameError)
_POOLER_ADVICE = (
    "o endereço passa por um pooler em modo de transação; use o modo de sessão (no PgBouncer, pool_mode ="
    " session), ou conecte direto ao banco"
)
_LOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # Raised while PostgreSQL shuts down: the connection ends in the middle of a statement.
    asyncpg.InternalClientError,
    asyncpg.AdminShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    # Rolled back because of another transaction: the same request may succeed the next time.
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    # A wrong user, password or database name.
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    *_POOLER_ERRORS,
)


async def connect(
    url: str, name: str = "carimbo", timeout_seconds: float = 60, command_seconds: float | None = None
) -> "asyncpg.Connection[Any]":
    """Opens a connection with a name in `pg_stat_activity`, by which `carimbo migrate` knows it."""
    return await asyncpg.connect(
        url,
        timeout=timeout_seconds,
        command_timeout=command_seconds,
        server_settings={"application_name": name},
    )


def only(row: Row | None) -> Row:
    """Returns the row of a statement that always returns one."""
    if row is None:
        raise LookupError("the statement returned no row")
    return row


class DatabaseUnavailable(Exception):
    """PostgreSQL did not answer; whether the running statement was carried out is unknown.

    The message is for the operator: in Portuguese, or the text of the driver or of PostgreSQL itself.
    """


@contextmanager
def connecting() -> Iterator[None]:
    """Raises DatabaseUnavailable for every failure to connect, including a malformed address.

    The driver's message about a malformed address is dropped, as it may have parts of the password.
    """
    try:
        with translated_errors():
            yield
    except ValueError:
        raise DatabaseUnavailable("o endereço não pôde ser lido") from None
    except asyncpg.PostgresError as error:
        raise DatabaseUnavailable(str(error)) from error


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raises DatabaseUnavailable instead of the driver's many errors for a lost database."""
    try:
        yield
    except _LOST as error:
        if not is_lost(error):
            raise
        raise unavailable_or_cancelled(error) from error


def is_lost(error: BaseException) -> bool:
    """Returns whether an error of the driver means that the database can't be reached."""
    # asyncpg raises an InterfaceError that is a ValueError for an argument that does not fit its column.
    return isinstance(error, _LOST) and not isinstance(error, ValueError)


def unavailable_or_cancelled(error: BaseException) -> DatabaseUnavailable | asyncio.CancelledError:
    """Returns what to raise for an error of the driver after which the database can't be reached.

    If a task is cancelled when the connection is lost, the rollback fails, and its error hides the
    cancellation. A loop that survives lost connections would then never end.
    """
    if is_being_cancelled():
        return asyncio.CancelledError()
    if isinstance(error, _POOLER_ERRORS):
        return DatabaseUnavailable(_POOLER_ADVICE)
    # A TimeoutError has no message.
    text = "o tempo de espera acabou" if isinstance(error, TimeoutError) else str(error)
    return DatabaseUnavailable(text or type(error).__name__)


def is_being_cancelled() -> bool:
    """Returns whether the current task was cancelled by another one and has not ended yet."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
