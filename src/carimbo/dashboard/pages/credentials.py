"""The credential of the API: what may be seen of it, and how a program uses it."""

from starlette.responses import Response

from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.visit import SubscriptionVisit
from carimbo.service.access import read_credential
from carimbo.service.people.roles import Capability


async def credentials(visit: SubscriptionVisit) -> Response:
    """Shows the credential of the subscription, never its secret."""
    credential = await read_credential(visit.services.database, visit.membership.subscription)
    return page(
        visit,
        "credentials.html",
        credential=credential,
        api=visit.services.sign_in.link_base,
        now=visit.machine_time,
    )


ROUTES = (subscription_page("/credenciais", Capability.READ_CREDENTIALS, credentials),)
