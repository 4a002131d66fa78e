"""Usage: the plan of a subscription and what it has used."""

from starlette.responses import Response

from carimbo.dashboard.charts import BarChart, bar_chart
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.shown import whole
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.fiscal.problems import counted
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.people.roles import Capability
from carimbo.service.usage import SubscriptionUse, read_usage
from carimbo.service.words import enumeration

_ONLY_TYPES = f"Só {enumeration([each.title for each in DOCUMENT_TYPES if each.feature is None])}"
"""What a subscription without features can issue."""


async def usage(visit: SubscriptionVisit) -> Response:
    """Shows the plan and its use."""
    use = await read_usage(visit.services, visit.membership.subscription, visit.now)
    return page(visit, "usage.html", use=use, drawing=_chart(use), only_types=_ONLY_TYPES)


def _chart(use: SubscriptionUse) -> BarChart | None:
    """Returns the chart of the last months; None if the plan does not count months."""
    if not use.months:
        return None
    values = [
        (
            f"{month.month:%m/%Y}: {counted(whole(month.documents), 'documento', 'documentos')}",
            month.documents,
        )
        for month in use.months
    ]
    total = sum(month.documents for month in use.months)
    return bar_chart(values, f"Documentos por mês nos últimos {len(values)} meses: {whole(total)} ao todo")


ROUTES = (subscription_page("/uso", Capability.READ_USAGE, usage),)
