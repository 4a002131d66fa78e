"""The SQLite file that keeps the simulator's data between runs."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Self

_BUSY_MILLISECONDS = 5_000
# Version of the tables in schema.sql. A change of the tables increments it and adds a step to `_UPGRADES`.
_VERSION = 4
# Statements that upgrade a version to the next, by version.
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
    3: (
        # Files from before the distribution have no such table yet.
        """
        create table if not exists interests (
            environment text, taxpayer text, nsu integer, access_key text, schema text, created_at text,
            xml blob
        )
        """,
        "alter table interests rename to interests_of_nfe",
        """
        create table interests (
            environment text not null, family text not null, taxpayer text not null, nsu integer not null,
            access_key text not null, schema text not null, created_at text not null, xml blob not null,
            primary key (environment, family, taxpayer, nsu)
        )
        """,
        """
        insert into interests
        select environment, 'nfe', taxpayer, nsu, access_key, schema, created_at, xml from interests_of_nfe
        """,
        "drop table interests_of_nfe",
    ),
}
_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"


class StoreOfAnotherVersion(Exception):
    """The file has tables of a version that cannot be upgraded."""


class Store:
    """One connection to the file. Each request writes in one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.row_factory = sqlite3.Row
        connection.executescript((files(__package__) / "schema.sql").read_text())

    @classmethod
    def open(cls, file: Path) -> Self:
        """Opens the file, and creates it if it does not exist."""
        # Autocommit: only `together` begins transactions.
        connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        connection.execute(f"pragma busy_timeout = {_BUSY_MILLISECONDS}")
        connection.execute("pragma journal_mode = wal")
        # A crash of the machine can lose the last requests; a crash of the program loses nothing.
        connection.execute("pragma synchronous = normal")
        _bring_up_to_date(connection)
        return cls(connection)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Runs a block in one transaction."""
        self.connection.execute("begin immediate")
        try:
            yield
            self.connection.execute("commit")
        except BaseException:
            # Some errors, such as a full disk, make SQLite roll back by itself.
            if self.connection.in_transaction:
                self.connection.execute("rollback")
            raise

    def next_number(self, counter: str) -> int:
        """Increments a counter, such as that of protocols or receipts, and returns its value."""
        row = self.connection.execute(
            "insert into counters values (?, 1) on conflict (name) do update set value = value + 1"
            " returning value",
            (counter,),
        ).fetchone()
        return int(row["value"])

    def clear(self) -> None:
        """Deletes all data."""
        with self.together():
            for (table,) in self.connection.execute(_TABLES).fetchall():
                self.connection.execute(f"delete from {table}")

    def close(self) -> None:
        """Closes the file."""
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


def timestamp_text(moment: datetime) -> str:
    """Returns a time as stored: the texts sort like the times."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def timestamp_of(text: str) -> datetime:
    """Returns a stored time, in UTC."""
    return datetime.fromisoformat(text)
