"""How many documents companies have: by status now, and by day. The numbers come from counters."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from carimbo.storage.connection import Connection

_OF_COMPANIES = "subscription_id = $1 and company_id = any($2)"


@dataclass(frozen=True)
class StatusCount:
    """How many documents of a company have a type and a status; the status is empty for a series in use."""

    company_id: UUID
    type: str
    status: str
    documents: int


@dataclass(frozen=True)
class DayCount:
    """The documents of a day with a type and a status."""

    day: date
    environment: str
    type: str
    status: str
    documents: int
    amount: Decimal


_COUNTS = f"""
    select company_id, type, status, sum(documents)::bigint as documents
    from (
        select company_id, type, status, documents from document_counts where {_OF_COMPANIES}
        union all
        select company_id, document_type, '', 0 from number_sequences
        where {_OF_COMPANIES} and next_number > 1
    ) as counts group by company_id, type, status
"""
_DAYS = f"""
    select day, environment, type, status, sum(documents)::bigint as documents, sum(amount) as amount
    from document_days where {_OF_COMPANIES} and day >= $3
    group by day, environment, type, status having sum(documents) > 0
"""


class DocumentFigures:
    """The counters of several companies of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID, company_ids: Sequence[UUID]) -> None:
        self._connection = connection
        self._companies = (subscription_id, list(company_ids))

    async def counts(self) -> list[StatusCount]:
        """Returns how many documents each company has of each type and status."""
        return [StatusCount(**row) for row in await self._connection.fetch(_COUNTS, *self._companies)]

    async def count_of_status(self, status: str) -> int:
        """Returns how many documents all these companies have in a status."""
        count: int = await self._connection.fetchval(
            f"select coalesce(sum(documents), 0)::bigint from document_counts"
            f" where {_OF_COMPANIES} and status = $3",
            *self._companies, status,
        )  # fmt: skip
        return count

    async def days_since(self, day: date) -> list[DayCount]:
        """Returns the documents of each day since one, by environment, type and status."""
        return [DayCount(**row) for row in await self._connection.fetch(_DAYS, *self._companies, day)]
