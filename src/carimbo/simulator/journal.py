"""The journal: what every request was, to the byte, and what became of it."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from carimbo.simulator.store import Store, moment_of, moment_text

MOST_ROWS = 100_000
DEFAULT_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request to a service."""

    id: int = 0
    """Its place in the journal, which gives it."""
    at: datetime
    """By the simulator's clock."""
    authorizer: str
    environment: str
    service: str
    subject: str
    taxpayer: str
    """CNPJ or CPF of the certificate that the client showed."""
    bytes: int
    digest: str
    """SHA-256 of the request's body, in hexadecimal."""
    code: str
    """What the authority decided, whether or not its answer arrived; empty if it was not asked."""
    fault: str = ""
    """The triggers and controls that acted, with spaces between them."""


_COLUMNS = [one.name for one in fields(Entry) if one.name != "id"]
_INSERT = f"insert into journal ({', '.join(_COLUMNS)}) values (:{', :'.join(_COLUMNS)})"


class Journal:
    """The last requests, kept in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, entry: Entry) -> None:
        """Add an entry; the oldest goes when there are too many."""
        values = {name: getattr(entry, name) for name in _COLUMNS} | {"at": moment_text(entry.at)}
        row = self._store.connection.execute(_INSERT, values)
        self._store.connection.execute("delete from journal where id <= ? - ?", (row.lastrowid, MOST_ROWS))

    def entries(
        self,
        after: int | None = None,
        subject: str | None = None,
        service: str | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> list[Entry]:
        """The first entries after an id, or the last of all; always oldest first."""
        order = "desc" if after is None else "asc"
        rows = self._store.connection.execute(
            "select * from journal where id > coalesce(:after, 0) and subject = coalesce(:subject, subject)"
            f" and service = coalesce(:service, service) order by id {order} limit :limit",
            {"after": after, "subject": subject, "service": service, "limit": limit},
        ).fetchall()
        return sorted(map(_entry, rows), key=lambda entry: entry.id)

    def has_faulted(self, subject: str, service: str, fault: str) -> bool:
        """Tell whether a fault has struck a subject at a service before."""
        row = self._store.connection.execute(
            "select 1 from journal where subject = ? and service = ?"
            " and instr(' ' || fault || ' ', ' ' || ? || ' ') limit 1",
            (subject, service, fault),
        ).fetchone()
        return row is not None


def _entry(row: Any) -> Entry:
    return Entry(**dict(row) | {"at": moment_of(row["at"])})
