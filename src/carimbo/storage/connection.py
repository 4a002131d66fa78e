"""What repositories are given, and how a lost database is told apart from a wrong query."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[Any]"
Row: TypeAlias = asyncpg.Record

# A pooler that gives every transaction another connection: what is prepared on one is missing on the next.
_BY_TRANSACTION = (asyncpg.DuplicatePreparedStatementError, asyncpg.InvalidSQLStatementNameError)
_ASKS_FOR_SESSIONS = (
    "o endereço passa por um pooler em modo de transação; use o modo de sessão (no PgBouncer, pool_mode ="
    " session), ou conecte direto ao banco"
)
_LOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # Met while PostgreSQL shuts down: the connection ends in the middle of a statement.
    asyncpg.InternalClientError,
    asyncpg.AdminShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    # Rolled back for the sake of another transaction: the same request may go through the next time.
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    # A wrong user, password or database: as lost to us as one that is down.
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    *_BY_TRANSACTION,
)


def only(row: Row | None) -> Row:
    """The row that a statement always returns."""
    if row is None:
        raise LookupError("the statement returned no row")
    return row


class DatabaseUnavailable(Exception):
    """PostgreSQL did not answer; nothing is known about the work that was under way.

    The message is for the operator: Portuguese, or the words of the driver and of PostgreSQL itself.
    """


@contextmanager
def connecting() -> Iterator[None]:
    """Tell every failure to connect, a wrong address included, as DatabaseUnavailable.

    The driver's words for an address that it can't read may hold parts of the password.
    """
    try:
        with unavailable_is_told():
            yield
    except ValueError:
        raise DatabaseUnavailable("o endereço não pôde ser lido") from None
    except asyncpg.PostgresError as error:
        raise DatabaseUnavailable(str(error)) from error


@contextmanager
def unavailable_is_told() -> Iterator[None]:
    """Raise DatabaseUnavailable in place of the driver's many words for it."""
    try:
        yield
    except _LOST as error:
        if not is_lost(error):
            raise
        raise unavailable(error) from error


def is_lost(error: BaseException) -> bool:
    """Tell whether an error of the driver means that the database can't be reached."""
    # A ValueError among them is asyncpg's word for an argument that doesn't fit its column: our mistake.
    return isinstance(error, _LOST) and not isinstance(error, ValueError)


def unavailable(error: BaseException) -> DatabaseUnavailable:
    """What an error of the driver is called here."""
    if isinstance(error, _BY_TRANSACTION):
        return DatabaseUnavailable(_ASKS_FOR_SESSIONS)
    # It comes without a word.
    text = "o tempo de espera acabou" if isinstance(error, TimeoutError) else str(error)
    return DatabaseUnavailable(text or type(error).__name__)
