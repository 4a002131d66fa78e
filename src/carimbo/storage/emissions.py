"""Attempts to issue a document, each under a number of its own."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.emission import EmissionType
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
    """What the authority is asked by."""
    digest: str | None
    receipt: str | None
    tries: int
    unknown_at: datetime | None
    """When the authority last said that it does not have it."""
    protocol: str | None
    authorized_at: datetime | None
    assigned_number: int | None
    """The number that the authority gave the document, where numbering is its affair."""
    assigned_key: str | None
    total_due: Decimal | None
    """What the receiver pays by the authority's computation, where taxes are added to the amount."""
    attempts: int
    """How often the authority was tried since the document was last queued."""
    answer_code: str | None
    answer_message: str | None
    """The last answer without a verdict, or why there was none."""
    answered_at: datetime | None

    @property
    def document_key(self) -> str | None:
        """The key that the document has: its own, or the one that the authority gave it."""
        return self.assigned_key or self.access_key

    def may_arrive(self, now: datetime, latest: timedelta) -> bool:
        """Tell whether what the authority did not know was given up so lately that it may be on its way."""
        return self.unknown_at is not None and now - self.unknown_at < latest


@dataclass(frozen=True)
class LastAnswer:
    """An answer without a verdict, or why there was none; the message is for people."""

    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class PrintedEmission:
    """An attempt that was made elsewhere, as its paper tells it."""

    number: int
    numeric_code: str
    emission_type: str
    contingency_started_at: datetime
    contingency_reason: str
    issued_at: datetime
    access_key: str


COLUMNS = tuple(field.name for field in fields(Emission))
_PRINTED = tuple(field.name for field in fields(PrintedEmission))
_NUMBERING = (
    "subscription_id = $1 and company_id = $2 and document_type = $3 and environment = $4 and series = $5"
)


class Emissions:
    """Attempts of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def get(self, document_id: UUID, ordinal: int) -> Emission | None:
        """One of a document's attempts, which need not be the one in force."""
        row = await self._connection.fetchrow(
            f"select {', '.join(COLUMNS)} from emissions where subscription_id = $1 and document_id = $2"
            " and ordinal = $3",
            self._subscription_id, document_id, ordinal,
        )  # fmt: skip
        return row and Emission(**row)

    async def begin_anew(self, document_id: UUID, ordinal: int) -> None:
        """Keep the number of a refused attempt for what is made anew, unless it is somebody else's.

        One that is on paper keeps it all the same: there is no other that it could have.
        """
        await self._connection.execute(
            "update emissions set"
            f" state = case when state = 'foreign' and emission_type <> '{EmissionType.OFFLINE}' then state"
            " else 'numbered' end,"
            " digest = null, receipt = null, tries = 0, attempts = 0, answer_code = null,"
            " answer_message = null, answered_at = null"
            " where subscription_id = $1 and document_id = $2 and ordinal = $3",
            self._subscription_id, document_id, ordinal,
        )  # fmt: skip

    async def highest_number(self, place: Place) -> int:
        """The highest number of a series that any attempt has taken; 0 if none."""
        number: int | None = await self._connection.fetchval(
            f"select max(number) from emissions where {_NUMBERING}", *self._numbering(place)
        )
        return number or 0

    async def add_printed(self, document_id: UUID, place: Place, printed: PrintedEmission) -> Emission | None:
        """Write down the only attempt of a document that is on paper; None if its number or key is taken."""
        values = ", ".join(f"${position}" for position in range(7, 7 + len(_PRINTED)))
        row = await self._connection.fetchrow(
            "insert into emissions (subscription_id, company_id, document_type, environment, series,"
            f" document_id, ordinal, state, {', '.join(_PRINTED)})"
            f" values ($1, $2, $3, $4, $5, $6, 1, 'numbered', {values})"
            f" on conflict do nothing returning {', '.join(COLUMNS)}",
            *self._numbering(place), document_id, *(getattr(printed, name) for name in _PRINTED),
        )  # fmt: skip
        return row and Emission(**row)

    async def correct_printed(self, document_id: UUID, printed: PrintedEmission) -> None:
        """Write anew what may be corrected of a paper's attempt; its number and its key are no part of it."""
        await self._connection.execute(
            "update emissions set issued_at = $3, contingency_started_at = $4, contingency_reason = $5"
            " where subscription_id = $1 and document_id = $2 and ordinal = 1",
            self._subscription_id, document_id,
            printed.issued_at, printed.contingency_started_at, printed.contingency_reason,
        )  # fmt: skip

    async def holder_of(self, place: Place, number: int) -> UUID | None:
        """The document that has a number."""
        found: UUID | None = await self._connection.fetchval(
            f"select document_id from emissions where {_NUMBERING} and number = $6",
            *self._numbering(place), number,
        )  # fmt: skip
        return found

    async def voided_by(self, place: Place, number: int) -> UUID | None:
        """The inutilization that has given a number up, or is about to."""
        found: UUID | None = await self._connection.fetchval(
            f"select id from inutilizations where {_NUMBERING} and state <> 'refused'"
            " and $6 between first_number and last_number limit 1",
            *self._numbering(place), number,
        )  # fmt: skip
        return found

    def _numbering(self, place: Place) -> tuple[UUID, UUID, str, str, int]:
        of_company = place.company_id, place.document_type, place.environment, place.series
        return (self._subscription_id, *of_company)
