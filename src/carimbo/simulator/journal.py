"""The journal: what every request was, to the byte, and what became of it."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from carimbo.simulator.store import Store, moment_of, moment_text

MOST_ROWS = 100_000
DEFAULT_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request to a service, or to an address where there is none."""

    id: int = 0
    """Its place in the journal, which gives it."""
    at: datetime
    """By the simulator's clock."""
    authorizer: str
    """Empty, like environment and service, where the address names none."""
    environment: str
    service: str
    subject: str
    keys: tuple[str, ...] = ()
    """The access keys of the documents that it is about."""
    taxpayer: str
    """CNPJ or CPF of the certificate that the client showed."""
    bytes: int
    digest: str
    """SHA-256 of the request's body, in hexadecimal."""
    status: int
    """Of HTTP; 0 where the connection was ended without a reply."""
    code: str
    """What the authority decided, whether or not its answer arrived; empty if it was not asked."""
    message: str = ""
    """The text of the code, or why there is none."""
    fault: str = ""
    """The triggers and controls that acted, with spaces between them."""


_COLUMNS = [one.name for one in fields(Entry) if one.name != "id"]
_INSERT = f"insert into journal ({', '.join(_COLUMNS)}) values (:{', :'.join(_COLUMNS)})"
_FILTERS = {
    "after": "id > :after",
    "subject": "subject = :subject and id in (select entry from journal_names where name = :subject)",
    "key": "id in (select entry from journal_names where name = :key)",
    "service": "service = :service",
}


class Journal:
    """The last requests, kept in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, entry: Entry, parts: Iterable[str] = ()) -> None:
        """Add an entry, which is found by each of its parts too; the oldest goes when there are too many."""
        connection = self._store.connection
        values = {name: getattr(entry, name) for name in _COLUMNS}
        values |= {"at": moment_text(entry.at), "keys": " ".join(entry.keys)}
        row = connection.execute(_INSERT, values).lastrowid or 0
        names = {entry.subject, *entry.keys, *parts} - {""}
        connection.executemany("insert into journal_names values (?, ?)", [(name, row) for name in names])
        if row > MOST_ROWS:
            connection.execute("delete from journal where id <= ?", (row - MOST_ROWS,))
            connection.execute("delete from journal_names where entry <= ?", (row - MOST_ROWS,))

    def entries(
        self,
        after: int | None = None,
        *,
        subject: str | None = None,
        key: str | None = None,
        service: str | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> list[Entry]:
        """The first entries after an id, or the last of all; always oldest first."""
        asked = {"after": after, "subject": subject, "key": key, "service": service}
        where = " and ".join(_FILTERS[name] for name, value in asked.items() if value is not None) or "true"
        order = "desc" if after is None else "asc"
        rows = self._store.connection.execute(
            f"select * from journal where {where} order by id {order} limit :limit", asked | {"limit": limit}
        ).fetchall()
        return sorted(map(_entry, rows), key=lambda entry: entry.id)

    def has_faulted(self, subject: str, service: str, fault: str) -> bool:
        """Tell whether a fault has struck a subject at a service before, alone or as a part of a lot."""
        row = self._store.connection.execute(
            "select 1 from journal_names join journal on id = entry where name = ? and service = ?"
            " and instr(' ' || fault || ' ', ' ' || ? || ' ') limit 1",
            (subject, service, fault),
        ).fetchone()
        return row is not None


def _entry(row: Any) -> Entry:
    return Entry(**dict(row) | {"at": moment_of(row["at"]), "keys": tuple(row["keys"].split())})
