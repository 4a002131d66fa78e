"""Attempts to issue a document, each under a number of its own."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.emission import EmissionType
from carimbo.storage.connection import Connection
from carimbo.storage.sql import NamedSql


@dataclass(frozen=True)
class NumberSeries:
    """The series from which an attempt takes its number."""

    company_id: UUID
    document_type: str
    environment: str
    series: int
    last_number: int


@dataclass(frozen=True)
class EmissionRow:
    """An attempt: its number and its progress. What is not known yet is None."""

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
    """The key by which the authority is asked about it."""
    digest: str | None
    receipt: str | None
    tries: int
    unknown_at: datetime | None
    """When the authority last answered that it does not have it."""
    protocol: str | None
    authorized_at: datetime | None
    assigned_number: int | None
    """The number that the authority assigned, if it numbers documents of this type."""
    assigned_key: str | None
    total_due: Decimal | None
    """What the recipient pays, as computed by the authority, if taxes are added to the amount."""
    attempts: int
    """How often the authority was called since the document was last queued."""
    answer_code: str | None
    answer_message: str | None
    """The last answer without a verdict, or why there was no answer."""
    answered_at: datetime | None

    @property
    def document_key(self) -> str | None:
        """The key of the document: the one that the authority assigned, or our own."""
        return self.assigned_key or self.access_key

    @property
    def is_printed(self) -> bool:
        """Whether it was issued offline: it may be on paper, and its number and key are final."""
        return EmissionType(self.emission_type).is_offline and self.access_key is not None

    def may_still_arrive(self, now: datetime, latest: timedelta) -> bool:
        """Returns whether a request, which the authority did not have when asked, may still reach it."""
        return self.unknown_at is not None and now - self.unknown_at < latest


@dataclass(frozen=True)
class LastAnswer:
    """An answer without a verdict, or why there was no answer; the message is for users."""

    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class PrintedEmission:
    """An attempt that was made and printed elsewhere, with the data of its printout."""

    number: int
    numeric_code: str
    emission_type: str
    contingency_started_at: datetime
    contingency_reason: str
    issued_at: datetime
    access_key: str


_OFFLINE = ", ".join(f"'{emission_type}'" for emission_type in EmissionType if emission_type.is_offline)
IS_PRINTED = f"(emission_type in ({_OFFLINE}) and access_key is not null)"
"""The condition of `EmissionRow.is_printed`."""
COLUMNS = tuple(field.name for field in fields(EmissionRow))
_PRINTED = tuple(field.name for field in fields(PrintedEmission))
_NUMBERING = (
    "subscription_id = $1 and company_id = $2 and document_type = $3 and environment = $4 and series = $5"
)
_ADD_PRINTED = NamedSql(
    "insert into emissions (subscription_id, company_id, document_type, environment, series,"
    f" document_id, ordinal, state, {', '.join(_PRINTED)})"
    f" values ($1, $2, $3, $4, $5, $6, 1, 'numbered', {', '.join(f':{name}' for name in _PRINTED)})"
    f" on conflict do nothing returning {', '.join(COLUMNS)}"
)


class Emissions:
    """Attempts of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def get(self, document_id: UUID, ordinal: int) -> EmissionRow | None:
        """Returns any of a document's attempts, or None."""
        row = await self._connection.fetchrow(
            f"select {', '.join(COLUMNS)} from emissions where subscription_id = $1 and document_id = $2"
            " and ordinal = $3",
            self._subscription_id, document_id, ordinal,
        )  # fmt: skip
        return row and EmissionRow(**row)

    async def begin_anew(self, document_id: UUID, ordinal: int) -> None:
        """Resets a rejected attempt, so that the document is made again with the same number.

        An attempt whose number is used by another issuer stays `foreign`, unless it was printed offline: then
        its number can't change.
        """
        await self._connection.execute(
            "update emissions set"
            f" state = case when state = 'foreign' and not {IS_PRINTED} then state"
            " else 'numbered' end,"
            " digest = null, receipt = null, tries = 0, attempts = 0, answer_code = null,"
            " answer_message = null, answered_at = null"
            " where subscription_id = $1 and document_id = $2 and ordinal = $3",
            self._subscription_id, document_id, ordinal,
        )  # fmt: skip

    async def highest_number(self, number_series: NumberSeries) -> int:
        """Returns the highest number of a series that any attempt has taken; 0 if none."""
        number: int | None = await self._connection.fetchval(
            f"select max(number) from emissions where {_NUMBERING}", *self._numbering(number_series)
        )
        return number or 0

    async def add_printed(
        self, document_id: UUID, number_series: NumberSeries, printed: PrintedEmission
    ) -> EmissionRow | None:
        """Inserts the only attempt of a document printed offline; None if its number or key is taken."""
        row = await self._connection.fetchrow(
            _ADD_PRINTED.text,
            *self._numbering(number_series), document_id, *_ADD_PRINTED.arguments(vars(printed)),
        )  # fmt: skip
        return row and EmissionRow(**row)

    async def correct_printed(self, document_id: UUID, printed: PrintedEmission) -> None:
        """Replaces the values of a printed attempt that may change: all except its number and its key."""
        await self._connection.execute(
            "update emissions set issued_at = $3, contingency_started_at = $4, contingency_reason = $5"
            " where subscription_id = $1 and document_id = $2 and ordinal = 1",
            self._subscription_id, document_id,
            printed.issued_at, printed.contingency_started_at, printed.contingency_reason,
        )  # fmt: skip

    async def holder_of(self, number_series: NumberSeries, number: int) -> UUID | None:
        """Returns the document that has a number, or None."""
        document_id: UUID | None = await self._connection.fetchval(
            f"select document_id from emissions where {_NUMBERING} and number = $6",
            *self._numbering(number_series), number,
        )  # fmt: skip
        return document_id

    async def inutilized_by(self, number_series: NumberSeries, number: int) -> UUID | None:
        """Returns the inutilization that voids a number or will void it; None if there is none."""
        inutilization_id: UUID | None = await self._connection.fetchval(
            f"select id from inutilizations where {_NUMBERING} and state <> 'refused'"
            " and $6 between first_number and last_number limit 1",
            *self._numbering(number_series), number,
        )  # fmt: skip
        return inutilization_id

    def _numbering(self, number_series: NumberSeries) -> tuple[UUID, UUID, str, str, int]:
        return (
            self._subscription_id, number_series.company_id, number_series.document_type,
            number_series.environment, number_series.series,
        )  # fmt: skip
