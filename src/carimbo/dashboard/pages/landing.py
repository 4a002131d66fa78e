"""The address of the dashboard itself: leads to the subscription of the person, or lets them choose one."""

from starlette.responses import Response

from carimbo.dashboard.rendering import page, redirect
from carimbo.dashboard.routes import own_page
from carimbo.dashboard.visit import PersonVisit


async def landing(visit: PersonVisit) -> Response:
    """Goes to the only subscription; shows a choice where there are several, or none."""
    memberships = visit.session.memberships
    if len(memberships) == 1:
        return redirect(f"{visit.root}/{memberships[0].subscription.id}")
    if not memberships and visit.session.person.is_operator:
        return redirect(f"{visit.root}/operacao")
    return page(visit, "landing.html", memberships=memberships)


ROUTES = (own_page("", landing),)
