"""The first page: what needs a person now, and the figures of today."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from starlette.responses import Response

from carimbo.dashboard.charts import BarChart, bar_chart
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.shown import money, whole
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.problems import counted
from carimbo.service.companies.registration import count_visible_companies, visible_companies
from carimbo.service.missing_data import missing_in_words
from carimbo.service.overview.attention import read_attention
from carimbo.service.overview.figures import DayFigure, EnvironmentFigures, Figures, read_figures
from carimbo.service.people.roles import Capability
from carimbo.service.words import UNREADABLE_COMPANY, authority_name
from carimbo.storage.companies import CompanyRow

_MAX_COMPANIES = 1000


@dataclass(frozen=True)
class EnvironmentSummary:
    """The figures of one environment as cards and charts."""

    environment: Environment
    authorized: int
    rejected: int
    canceled: int
    amount: Decimal
    documents: BarChart
    amounts: BarChart


async def home(visit: SubscriptionVisit) -> Response:
    """Shows what needs a person now, and the figures of today."""
    companies = await visible_companies(
        visit.services.database, visit.subscription_id, visit.membership.company_ids, _MAX_COMPANIES
    )
    attention = await read_attention(visit.services, visit.subscription_id, companies, visit.now)
    figures = await read_figures(visit.services, visit.subscription_id, companies, visit.now)
    return page(
        visit,
        "home.html",
        attention=attention,
        figures=figures,
        summaries=_summaries(figures),
        company_count=len(companies),
        left_out=await _left_out(visit, companies),
        missing_words=missing_in_words,
        authority_name=authority_name,
        unreadable_sentence=UNREADABLE_COMPANY,
    )


async def _left_out(visit: SubscriptionVisit, companies: Sequence[CompanyRow]) -> int:
    """Returns how many companies the page does not have, because there are very many."""
    if len(companies) < _MAX_COMPANIES:
        return 0
    total = await count_visible_companies(
        visit.services.database, visit.subscription_id, visit.membership.company_ids
    )
    return max(0, total - len(companies))


def _summaries(figures: Figures) -> Sequence[EnvironmentSummary]:
    """Returns the environments with documents in the last days; production if there are none at all."""
    both = (
        (Environment.PRODUCTION, figures.production),
        (Environment.HOMOLOGATION, figures.homologation),
    )
    used = [_summary(environment, values) for environment, values in both if not values.is_empty]
    return used or [_summary(*both[0])]


def _summary(environment: Environment, figures: EnvironmentFigures) -> EnvironmentSummary:
    def of(status: Status) -> int:
        return sum(figure.documents for figure in figures.today if figure.status is status)

    authorized = [figure.amount for figure in figures.today if figure.status is Status.AUTHORIZED]
    days = [(f"{day.day:%d/%m}: {_count(day)}", day.authorized) for day in figures.days]
    amounts = [(f"{day.day:%d/%m}: {money(day.amount)}", float(day.amount)) for day in figures.days]
    return EnvironmentSummary(
        environment,
        of(Status.AUTHORIZED),
        of(Status.REJECTED),
        of(Status.CANCELED),
        sum(authorized, Decimal(0)),
        bar_chart(days, f"Documentos autorizados por dia do pedido: {_sentence(figures)}"),
        bar_chart(amounts, "Valor dos autorizados por dia do pedido nos últimos 14 dias"),
    )


def _count(day: DayFigure) -> str:
    return counted(day.authorized, "autorizado", "autorizados")


def _sentence(figures: EnvironmentFigures) -> str:
    total = sum(day.authorized for day in figures.days)
    return f"{whole(total)} nos últimos {len(figures.days)} dias"


ROUTES = (subscription_page("", Capability.READ_DOCUMENTS, home),)
