"""The distribution sequence (NSU) of each taxpayer: documents and events of interest, and their summaries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from carimbo.simulator.store import Store, timestamp_of, timestamp_text

PAGE = 50
"""The largest page of the real services."""


@dataclass(frozen=True, slots=True)
class DistributionEntry:
    """A position in the sequence of a taxpayer."""

    nsu: int
    schema: str
    """What it is: the name of an XSD, or the family's own name."""
    xml: bytes
    access_key: str
    created_at: datetime


class DistributionSequence:
    """The sequences of one family in one environment. Each service has its own numbers."""

    def __init__(self, store: Store, environment: str, family: str) -> None:
        self._store = store
        self._environment = environment
        self._family = family

    def add(self, taxpayer: str, access_key: str, schema: str, xml: str, at: datetime) -> None:
        """Adds a document or an event to the sequence of a taxpayer."""
        row = (
            self._environment,
            self._family,
            taxpayer,
            self.highest(taxpayer) + 1,
            access_key,
            schema,
            timestamp_text(at),
            xml.encode(),
        )
        self._store.connection.execute("insert into interests values (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def after(self, taxpayer: str, nsu: int, since: datetime, limit: int = PAGE) -> list[DistributionEntry]:
        """Returns the first page after an NSU, since a moment."""
        return self._where(taxpayer, "nsu > ? and created_at >= ?", nsu, timestamp_text(since), limit=limit)

    def at(self, taxpayer: str, nsu: int, since: datetime) -> list[DistributionEntry]:
        """Returns the entry with an NSU, if there is one."""
        return self._where(taxpayer, "nsu = ? and created_at >= ?", nsu, timestamp_text(since))

    def of_key(self, taxpayer: str, access_key: str, schema: str) -> list[DistributionEntry]:
        """Returns the entries of a taxpayer for a document and a schema."""
        return self._where(taxpayer, "access_key = ? and schema = ?", access_key, schema)

    def highest(self, taxpayer: str) -> int:
        """Returns the last NSU of a taxpayer; zero if there is none."""
        query = "select max(nsu) from interests where environment = ? and family = ? and taxpayer = ?"
        row = self._store.connection.execute(query, (self._environment, self._family, taxpayer)).fetchone()
        return int(row[0] or 0)

    def _where(
        self, taxpayer: str, condition: str, *values: Any, limit: int = PAGE
    ) -> list[DistributionEntry]:
        rows = self._store.connection.execute(
            "select nsu, schema, xml, access_key, created_at from interests"
            " where environment = ? and family = ? and taxpayer = ?"
            f" and {condition} order by nsu limit ?",
            (self._environment, self._family, taxpayer, *values, limit),
        )
        return [
            DistributionEntry(
                nsu=row["nsu"],
                schema=row["schema"],
                xml=bytes(row["xml"]),
                access_key=row["access_key"],
                created_at=timestamp_of(row["created_at"]),
            )
            for row in rows
        ]
