"""The figures of today and of the last days, from counters: no document is read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import brasilia_day
from carimbo.service.services import Services
from carimbo.storage.companies import CompanyRow
from carimbo.storage.document_figures import DayCount, DocumentFigures

DAYS = 14
"""How many days the figures have, today included."""


@dataclass(frozen=True, kw_only=True)
class TodayFigure:
    """The documents of today of one type and status."""

    type: str
    status: Status
    documents: int
    amount: Decimal


@dataclass(frozen=True, kw_only=True)
class DayFigure:
    """The documents of one day by their present status, and the amount of the authorized ones."""

    day: date
    authorized: int = 0
    rejected: int = 0
    canceled: int = 0
    amount: Decimal = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class EnvironmentFigures:
    """The figures of one environment. A day is that of Brasília on which a document was first queued."""

    today: tuple[TodayFigure, ...]
    """By type and status, without those that are empty."""
    days: tuple[DayFigure, ...]
    """The last days, the oldest first, also those without documents."""

    @property
    def is_empty(self) -> bool:
        """Whether there were no documents in all these days."""
        return not any(day.authorized or day.rejected or day.canceled for day in self.days)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of a set of companies."""

    day: date
    production: EnvironmentFigures
    homologation: EnvironmentFigures
    processing: int
    """How many documents are in processing now, in any environment and from any day."""


async def read_figures(
    services: Services, subscription_id: UUID, companies: Sequence[CompanyRow], now: datetime
) -> Figures:
    """Returns the figures of the companies that a person may see."""
    # Documents are dated by the database's clock.
    today = brasilia_day(now - services.issuing.builder.clock_offset)
    async with services.database.autocommit(subscription_id) as tenant:
        counters = DocumentFigures(tenant.connection, subscription_id, [company.id for company in companies])
        counts = await counters.days_since(today - timedelta(days=DAYS - 1))
        processing = await counters.count_of_status(Status.PROCESSING)
    by_environment = {
        environment: _figures(today, [count for count in counts if count.environment == environment])
        for environment in Environment
    }
    return Figures(
        day=today,
        production=by_environment[Environment.PRODUCTION],
        homologation=by_environment[Environment.HOMOLOGATION],
        processing=processing,
    )


def _figures(today: date, counts: Sequence[DayCount]) -> EnvironmentFigures:
    of_today = [
        TodayFigure(
            type=count.type, status=Status(count.status), documents=count.documents, amount=count.amount
        )
        for count in counts
        if count.day == today
    ]
    days = [today - timedelta(days=before) for before in reversed(range(DAYS))]
    return EnvironmentFigures(
        today=tuple(sorted(of_today, key=lambda figure: (figure.type, figure.status))),
        days=tuple(_day(day, [count for count in counts if count.day == day]) for day in days),
    )


def _day(day: date, counts: Sequence[DayCount]) -> DayFigure:
    authorized = [count for count in counts if count.status == Status.AUTHORIZED]
    return DayFigure(
        day=day,
        authorized=_documents(authorized),
        rejected=_documents(count for count in counts if count.status == Status.REJECTED),
        canceled=_documents(count for count in counts if count.status == Status.CANCELED),
        amount=sum((count.amount for count in authorized), Decimal(0)),
    )


def _documents(counts: Iterable[DayCount]) -> int:
    return sum(count.documents for count in counts)
