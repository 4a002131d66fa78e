"""What the authorities hold: documents, their events, and numbers that were given up."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from carimbo.simulator.store import Store, moment_of, moment_text


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """An authorised document."""

    environment: str
    access_key: str
    authorizer: str
    issuer: str
    recipient: str
    """CNPJ or CPF; empty if the document names nobody."""
    series: int
    number: int
    issued_at: datetime
    received_at: datetime
    code: str
    protocol: str
    digest: str
    xml: bytes
    protocol_xml: bytes
    canceled: bool = False


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
class VoidedRange:
    """Numbers that will never be documents."""

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


# Of NFC-e the way of emission is part of the number: what became of one that was sent may be unknown while
# it is issued again offline (MOC 7.0, 2B08-10).
_NUMBERED = (
    "environment = ? and length(access_key) = 44"
    " and substr(access_key, 1, 2) = ? and substr(access_key, 7, 28) = ?"
    " and (substr(access_key, 21, 2) <> '65' or substr(access_key, 35, 1) = ?)"
)
_OF_SERIES = (
    "environment = ? and length(access_key) = 44"
    " and substr(access_key, 1, 2) = ? and substr(access_key, 7, 19) = ?"
)
_RANGES = "environment = ? and state_code = ? and issuer = ? and model = ? and series = ?"


class Ledger:
    """The documents, events and voided ranges of one simulator."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def document(self, environment: str, access_key: str) -> StoredDocument | None:
        """The document of a key."""
        row = self._one(
            "select * from documents where environment = ? and access_key = ?", environment, access_key
        )
        return _document(row) if row else None

    def holder_of_number(self, environment: str, access_key: str) -> StoredDocument | None:
        """The document that has the issuer, model, series and number of a key, under whatever key."""
        number = (environment, access_key[:2], access_key[6:34], access_key[34:35])
        row = self._one(f"select * from documents where {_NUMBERED}", *number)
        return _document(row) if row else None

    def keep_document(self, document: StoredDocument) -> None:
        """Hold a document; its number must be free."""
        self._insert("documents", document)

    def cancel_document(self, environment: str, access_key: str) -> None:
        """Hold a document as canceled from now on."""
        self._store.connection.execute(
            "update documents set canceled = 1 where environment = ? and access_key = ?",
            (environment, access_key),
        )

    def documents(self, limit: int = 100) -> list[StoredDocument]:
        """The last documents, newest first."""
        rows = self._all("select * from documents order by received_at desc, rowid desc limit ?", limit)
        return [_document(row) for row in rows]

    def last_events(self, limit: int = 100) -> list[StoredEvent]:
        """The last events of all, newest first."""
        rows = self._all("select * from events order by registered_at desc, rowid desc limit ?", limit)
        return [_event(row) for row in rows]

    def events(self, environment: str, access_key: str) -> list[StoredEvent]:
        """The events of a document, oldest first."""
        rows = self._all(
            "select * from events where environment = ? and access_key = ? order by registered_at, rowid",
            environment,
            access_key,
        )
        return [_event(row) for row in rows]

    def keep_event(self, event: StoredEvent) -> None:
        """Hold an event."""
        self._insert("events", event)

    def number_in_use(self, voided: VoidedRange) -> bool:
        """Tell whether a document has one of the numbers of a range."""
        series = f"{voided.issuer}{voided.model}{voided.series:03d}"
        row = self._one(
            f"select 1 from documents where {_OF_SERIES} and number between ? and ? limit 1",
            voided.environment,
            voided.state_code,
            series,
            voided.first_number,
            voided.last_number,
        )
        return row is not None

    def overlapping(self, voided: VoidedRange) -> VoidedRange | None:
        """A range voided before that shares a number with this one."""
        row = self._one(
            f"select * from voided_ranges where {_RANGES} and first_number <= ? and last_number >= ? limit 1",
            voided.environment,
            voided.state_code,
            voided.issuer,
            voided.model,
            voided.series,
            voided.last_number,
            voided.first_number,
        )
        return _range(row) if row else None

    def voided_number(self, environment: str, access_key: str) -> VoidedRange | None:
        """The voided range that has the number of a key."""
        number = int(access_key[25:34])
        row = self._one(
            f"select * from voided_ranges where {_RANGES} and ? between first_number and last_number limit 1",
            environment,
            access_key[:2],
            access_key[6:20],
            access_key[20:22],
            int(access_key[22:25]),
            number,
        )
        return _range(row) if row else None

    def ranges(self, limit: int = 100) -> list[VoidedRange]:
        """The last ranges that were voided, newest first."""
        rows = self._all("select * from voided_ranges order by received_at desc, rowid desc limit ?", limit)
        return [_range(row) for row in rows]

    def keep_range(self, voided: VoidedRange) -> None:
        """Hold a range as voided."""
        self._insert("voided_ranges", voided)

    def _insert(self, table: str, record: Any) -> None:
        names = [one.name for one in fields(record)]
        marks = ", ".join("?" * len(names))
        told = [getattr(record, name) for name in names]
        values = [moment_text(one) if isinstance(one, datetime) else one for one in told]
        self._store.connection.execute(f"insert into {table} ({', '.join(names)}) values ({marks})", values)

    def _one(self, query: str, *values: object) -> Any:
        return self._store.connection.execute(query, values).fetchone()

    def _all(self, query: str, *values: object) -> list[Any]:
        return self._store.connection.execute(query, values).fetchall()


def _document(row: Any) -> StoredDocument:
    moments = {name: moment_of(row[name]) for name in ("issued_at", "received_at")}
    return StoredDocument(**dict(row) | moments | {"canceled": bool(row["canceled"])})


def _event(row: Any) -> StoredEvent:
    return StoredEvent(**dict(row) | {"registered_at": moment_of(row["registered_at"])})


def _range(row: Any) -> VoidedRange:
    return VoidedRange(**dict(row) | {"received_at": moment_of(row["received_at"])})
