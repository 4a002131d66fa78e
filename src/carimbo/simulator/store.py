"""The simulator's memory: one SQLite file, which outlives the program."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Self

_BUSY_MILLISECONDS = 5_000
# Of the tables in schema.sql: one more whenever they change.
_VERSION = 2
_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"


class StoreOfAnotherVersion(Exception):
    """The file was made by a simulator with other tables."""


class Store:
    """One connection to the file; everything that one request writes is written together."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.row_factory = sqlite3.Row
        connection.executescript((files(__package__) / "schema.sql").read_text())

    @classmethod
    def open(cls, file: Path) -> Self:
        """Open the file, which is made at first."""
        # Autocommit: transactions are begun by `together` alone.
        connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        connection.execute(f"pragma busy_timeout = {_BUSY_MILLISECONDS}")
        connection.execute("pragma journal_mode = wal")
        # A crash of the machine may lose the last requests; a crash of the program loses nothing.
        connection.execute("pragma synchronous = normal")
        _check_version(connection)
        return cls(connection)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep everything that is written inside, or nothing."""
        self.connection.execute("begin immediate")
        try:
            yield
            self.connection.execute("commit")
        except BaseException:
            # Some errors, such as a full disk, make SQLite roll back by itself.
            if self.connection.in_transaction:
                self.connection.execute("rollback")
            raise

    def next_of(self, counter: str) -> int:
        """Count one more: protocols and receipts."""
        row = self.connection.execute(
            "insert into counters values (?, 1) on conflict (name) do update set value = value + 1"
            " returning value",
            (counter,),
        ).fetchone()
        return int(row["value"])

    def forget_everything(self) -> None:
        """Begin anew, as if no request had ever come."""
        with self.together():
            for (table,) in self.connection.execute(_TABLES).fetchall():
                self.connection.execute(f"delete from {table}")

    def close(self) -> None:
        """Let the file go."""
        self.connection.close()


def _check_version(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("pragma user_version").fetchone()
    is_new = connection.execute(_TABLES).fetchone() is None
    if is_new:
        connection.execute(f"pragma user_version = {_VERSION}")
    elif found != _VERSION:
        connection.close()
        raise StoreOfAnotherVersion


def moment_text(moment: datetime) -> str:
    """A moment as the file has it: texts that sort like the moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment_of(text: str) -> datetime:
    """A moment read back, in UTC."""
    return datetime.fromisoformat(text)
