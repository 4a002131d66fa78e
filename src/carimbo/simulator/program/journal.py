"""The journal: every request, its digest and its outcome."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime

from carimbo.simulator.store import Store, timestamp_of, timestamp_text

MAX_ROWS = 100_000
DEFAULT_LIMIT = 100
_FILTERS = {
    "after": "id > :after",
    "subject": "subject = :subject and id in (select entry from journal_names where name = :subject)",
    "key": "id in (select entry from journal_names where name = :key)",
    "service": "service = :service",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One request, to a service or to an address without one."""

    id: int = 0
    """Position in the journal, which assigns it."""
    at: datetime
    """By the simulator's clock."""
    authorizer: str
    """Empty, like environment and service, if the address has none."""
    environment: str
    service: str
    subject: str
    keys: tuple[str, ...] = ()
    """Access keys of the documents that the request is about."""
    taxpayer: str
    """CNPJ or CPF of the client certificate."""
    bytes: int
    digest: str
    """SHA-256 of the request's body, in hexadecimal."""
    status: int
    """HTTP status; 0 if the connection was closed without a reply."""
    code: str
    """The authority's decision, even if its answer was lost; empty if it did not judge."""
    message: str = ""
    """The text of the code, or the reason why there is none."""
    fault: str = ""
    """The triggers and controls that acted, separated by spaces."""


_COLUMNS = [column.name for column in fields(JournalEntry) if column.name != "id"]
_INSERT = f"insert into journal ({', '.join(_COLUMNS)}) values (:{', :'.join(_COLUMNS)})"


class Journal:
    """The latest requests, in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, entry: JournalEntry, parts: Iterable[str] = ()) -> None:
        """Adds an entry, which can also be found by its parts. Deletes the oldest beyond the limit."""
        connection = self._store.connection
        values = {name: getattr(entry, name) for name in _COLUMNS}
        values |= {"at": timestamp_text(entry.at), "keys": " ".join(entry.keys)}
        row = connection.execute(_INSERT, values).lastrowid or 0
        names = {entry.subject, *entry.keys, *parts} - {""}
        connection.executemany("insert into journal_names values (?, ?)", [(name, row) for name in names])
        if row > MAX_ROWS:
            connection.execute("delete from journal where id <= ?", (row - MAX_ROWS,))
            connection.execute("delete from journal_names where entry <= ?", (row - MAX_ROWS,))

    def entries(
        self,
        after: int | None = None,
        *,
        subject: str | None = None,
        key: str | None = None,
        service: str | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> list[JournalEntry]:
        """Returns the first entries after an id, or the latest ones; always oldest first."""
        filters = {"after": after, "subject": subject, "key": key, "service": service}
        where = " and ".join(_FILTERS[name] for name, value in filters.items() if value is not None) or "true"
        order = "desc" if after is None else "asc"
        rows = self._store.connection.execute(
            f"select * from journal where {where} order by id {order} limit :limit",
            filters | {"limit": limit},
        ).fetchall()
        entries = [
            JournalEntry(**dict(row) | {"at": timestamp_of(row["at"]), "keys": tuple(row["keys"].split())})
            for row in rows
        ]
        return sorted(entries, key=lambda entry: entry.id)

    def has_faulted(self, subject: str, service: str, fault: str) -> bool:
        """Returns whether a fault has affected a subject at a service before, alone or in a lot."""
        row = self._store.connection.execute(
            "select 1 from journal_names join journal on id = entry where name = ? and service = ?"
            " and instr(' ' || fault || ' ', ' ' || ? || ' ') limit 1",
            (subject, service, fault),
        ).fetchone()
        return row is not None
