"""Documents, events and voided number ranges that the authorities have stored."""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from carimbo.simulator.store import Store, timestamp_of, timestamp_text

_OF_SERIES = (
    "environment = ? and length(access_key) = 44"
    " and substr(access_key, 1, 2) = ? and substr(access_key, 7, 19) = ?"
)
_RANGES = "environment = ? and state_code = ? and issuer = ? and model = ? and series = ?"


class DocumentStatus(StrEnum):
    """The status of a stored document, as the control API shows it."""

    AUTHORIZED = "authorized"
    CANCELED = "canceled"
    CLOSED = "closed"
    """The transport has ended (MDF-e)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """An authorized document."""

    environment: str
    access_key: str
    authorizer: str
    issuer: str
    recipient: str
    """CNPJ or CPF; empty if the document has no recipient."""
    series: int
    number: int
    issued_at: datetime
    received_at: datetime
    code: str
    protocol: str
    digest: str
    xml: bytes
    protocol_xml: bytes
    status: DocumentStatus = DocumentStatus.AUTHORIZED

    @property
    def is_canceled(self) -> bool:
        """Returns whether an event has canceled the document."""
        return self.status is DocumentStatus.CANCELED


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """A registered event."""

    environment: str
    access_key: str
    type: str
    sequence: int
    author: str
    authorizer: str
    registered_at: datetime
    code: str
    protocol: str
    xml: bytes
    answer_xml: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInutilization:
    """A range of voided numbers (inutilização)."""

    environment: str
    state_code: str
    issuer: str
    model: str
    series: int
    year: str
    first_number: int
    last_number: int
    authorizer: str
    received_at: datetime
    protocol: str


class Ledger:
    """The documents, events and voided ranges of one simulator."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def document(self, environment: str, access_key: str) -> StoredDocument | None:
        """Returns the document with a key; None if there is none."""
        row = self._fetch_one(
            "select * from documents where environment = ? and access_key = ?", environment, access_key
        )
        return _document(row) if row else None

    def holder_of_number(self, environment: str, number_id: str) -> StoredDocument | None:
        """Returns the document that has a number, with any key; its family defines `number_id`."""
        row = self._fetch_one(
            "select * from documents where environment = ? and number_id = ?", environment, number_id
        )
        return _document(row) if row else None

    def has_issued(self, environment: str, issuer: str, model: str) -> bool:
        """Returns whether a taxpayer has issued a document of a model."""
        row = self._fetch_one(
            "select 1 from documents"
            " where environment = ? and issuer = ? and substr(access_key, 21, 2) = ? limit 1",
            environment,
            issuer,
            model,
        )
        return row is not None

    def referring_to(self, environment: str, access_key: str) -> list[StoredDocument]:
        """Returns the documents that refer to a key, oldest first."""
        rows = self._fetch_all(
            "select documents.* from document_references join documents using (environment, access_key)"
            " where environment = ? and referred_key = ? order by received_at, documents.rowid",
            environment,
            access_key,
        )
        return [_document(row) for row in rows]

    def keep_reference(self, document: StoredDocument, referred_key: str) -> None:
        """Stores that a document refers to a key."""
        self._store.connection.execute(
            "insert or ignore into document_references values (?, ?, ?)",
            (document.environment, referred_key, document.access_key),
        )

    def keep_document(self, document: StoredDocument, number_id: str | None = None) -> None:
        """Stores a document; raises IntegrityError if its key or its number is taken.

        `number_id` is None where the authority assigns the number, so that no issuer can repeat it.
        """
        self._insert("documents", document, number_id=number_id)

    def change_status(self, environment: str, access_key: str, status: DocumentStatus) -> None:
        """Sets the status of a document, after an event."""
        self._store.connection.execute(
            "update documents set status = ? where environment = ? and access_key = ?",
            (status, environment, access_key),
        )

    def documents(self, limit: int = 100) -> list[StoredDocument]:
        """Returns the latest documents, newest first."""
        rows = self._fetch_all("select * from documents order by received_at desc, rowid desc limit ?", limit)
        return [_document(row) for row in rows]

    def last_events(self, limit: int = 100) -> list[StoredEvent]:
        """Returns the latest events of all documents, newest first."""
        rows = self._fetch_all("select * from events order by registered_at desc, rowid desc limit ?", limit)
        return [_event(row) for row in rows]

    def events(self, environment: str, access_key: str) -> list[StoredEvent]:
        """Returns the events of a document, oldest first."""
        rows = self._fetch_all(
            "select * from events where environment = ? and access_key = ? order by registered_at, rowid",
            environment,
            access_key,
        )
        return [_event(row) for row in rows]

    def keep_event(self, event: StoredEvent) -> None:
        """Stores an event; raises IntegrityError if it is stored already."""
        self._insert("events", event)

    def number_in_use(self, inutilization: StoredInutilization) -> bool:
        """Returns whether a document has a number of a range."""
        series = f"{inutilization.issuer}{inutilization.model}{inutilization.series:03d}"
        row = self._fetch_one(
            f"select 1 from documents where {_OF_SERIES} and number between ? and ? limit 1",
            inutilization.environment,
            inutilization.state_code,
            series,
            inutilization.first_number,
            inutilization.last_number,
        )
        return row is not None

    def overlapping(self, inutilization: StoredInutilization) -> StoredInutilization | None:
        """Returns an earlier voided range that shares a number with this one; None if there is none."""
        row = self._fetch_one(
            f"select * from voided_ranges where {_RANGES} and first_number <= ? and last_number >= ? limit 1",
            inutilization.environment,
            inutilization.state_code,
            inutilization.issuer,
            inutilization.model,
            inutilization.series,
            inutilization.last_number,
            inutilization.first_number,
        )
        return _range(row) if row else None

    def inutilization_of(self, environment: str, access_key: str) -> StoredInutilization | None:
        """Returns the voided range that contains the number of a key; None if there is none."""
        number = int(access_key[25:34])
        row = self._fetch_one(
            f"select * from voided_ranges where {_RANGES} and ? between first_number and last_number limit 1",
            environment,
            access_key[:2],
            access_key[6:20],
            access_key[20:22],
            int(access_key[22:25]),
            number,
        )
        return _range(row) if row else None

    def ranges(self, limit: int = 100) -> list[StoredInutilization]:
        """Returns the latest voided ranges, newest first."""
        rows = self._fetch_all(
            "select * from voided_ranges order by received_at desc, rowid desc limit ?", limit
        )
        return [_range(row) for row in rows]

    def keep_range(self, inutilization: StoredInutilization) -> None:
        """Stores a voided range."""
        self._insert("voided_ranges", inutilization)

    def _insert(self, table: str, record: Any, **more: str | None) -> None:
        row = {field.name: getattr(record, field.name) for field in fields(record)} | more
        placeholders = ", ".join("?" * len(row))
        values = [timestamp_text(value) if isinstance(value, datetime) else value for value in row.values()]
        self._store.connection.execute(
            f"insert into {table} ({', '.join(row)}) values ({placeholders})", values
        )

    def _fetch_one(self, query: str, *values: object) -> Any:
        return self._store.connection.execute(query, values).fetchone()

    def _fetch_all(self, query: str, *values: object) -> list[Any]:
        return self._store.connection.execute(query, values).fetchall()


def _document(row: Any) -> StoredDocument:
    values = dict(row)
    del values["number_id"]
    moments = {name: timestamp_of(values[name]) for name in ("issued_at", "received_at")}
    return StoredDocument(**values | moments | {"status": DocumentStatus(values["status"])})


def _event(row: Any) -> StoredEvent:
    return StoredEvent(**dict(row) | {"registered_at": timestamp_of(row["registered_at"])})


def _range(row: Any) -> StoredInutilization:
    return StoredInutilization(**dict(row) | {"received_at": timestamp_of(row["received_at"])})
