"""Attempts to issue a document, each under a number of its own."""

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class Place:
    """Which numbering an attempt takes its number from."""

    company_id: UUID
    document_type: str
    environment: str
    series: int
    last_number: int


@dataclass(frozen=True)
class Emission:
    """One attempt: its number and how far it came. What is not known yet is None."""

    ordinal: int
    series: int
    number: int
    numeric_code: str
    emission_type: str
    contingency_started_at: datetime | None
    contingency_reason: str | None
    state: str
    issued_at: datetime | None
    access_key: str | None
    digest: str | None
    receipt: str | None
    tries: int
    protocol: str | None
    authorized_at: datetime | None


COLUMNS = tuple(field.name for field in fields(Emission))


class Emissions:
    """Attempts of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def begin_anew(self, document_id: UUID, ordinal: int) -> None:
        """Keep the number of a refused attempt for what is made anew, unless it is somebody else's."""
        await self._connection.execute(
            "update emissions set state = case state when 'foreign' then state else 'numbered' end,"
            " digest = null, receipt = null, tries = 0"
            " where subscription_id = $1 and document_id = $2 and ordinal = $3",
            self._subscription_id, document_id, ordinal,
        )  # fmt: skip

    async def highest_number(self, place: Place) -> int:
        """The highest number of a series that any attempt has taken; 0 if none."""
        number: int | None = await self._connection.fetchval(
            "select max(number) from emissions where subscription_id = $1 and company_id = $2"
            " and document_type = $3 and environment = $4 and series = $5",
            self._subscription_id, place.company_id, place.document_type, place.environment, place.series,
        )  # fmt: skip
        return number or 0
