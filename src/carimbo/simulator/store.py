"""The simulator's memory: one SQLite file, which outlives the program."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Self

_BUSY_MILLISECONDS = 5_000
# The version of the tables in schema.sql. A change of them adds one, and a step to `_UPGRADES`.
_VERSION = 3
# By the version that they begin from, the statements that lead to the next one.
_UPGRADES = {
    2: (
        "drop index if exists document_numbers",
        "alter table documents add column status text not null default 'authorized'",
        "alter table documents add column number_id text",
        "update documents set status = 'canceled' where canceled = 1",
        """
        update documents
        set number_id = substr(access_key, 1, 2) || substr(access_key, 7, 28)
            || case substr(access_key, 21, 2) when '65' then substr(access_key, 35, 1) else '' end
        where length(access_key) = 44
        """,
        "alter table documents drop column canceled",
    ),
}
_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"


class StoreOfAnotherVersion(Exception):
    """The file has tables of a version that no upgrade begins from."""


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
        _bring_up_to_date(connection)
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


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Upgrades the tables of an older file step by step, all steps or none."""
    if connection.execute(_TABLES).fetchone() is None:
        connection.execute(f"pragma user_version = {_VERSION}")
        return
    connection.execute("begin immediate")
    (version,) = connection.execute("pragma user_version").fetchone()
    while version in _UPGRADES:
        for statement in _UPGRADES[version]:
            connection.execute(statement)
        version += 1
    connection.execute(f"pragma user_version = {version}")
    connection.execute("commit")
    if version != _VERSION:
        connection.close()
        raise StoreOfAnotherVersion


def moment_text(moment: datetime) -> str:
    """A moment as the file has it: texts that sort like the moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment_of(text: str) -> datetime:
    """A moment read back, in UTC."""
    return datetime.fromisoformat(text)
