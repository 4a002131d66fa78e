"""Builds the links in events and the guard of webhook addresses, which API and worker both need.

Apart from `outbound.py`, so that the API does not load the senders of webhooks and e-mail.
"""

from datetime import timedelta

import structlog

from carimbo.main.process import now
from carimbo.outbound.guard import WebhookGuard
from carimbo.service.documents.files import Links
from carimbo.settings import Settings
from carimbo.storage.database import Database

_log = structlog.get_logger("carimbo.main")
# The API can listen on these addresses, but a link can't contain them.
_ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - not listened on here


async def links_of(settings: Settings, database: Database) -> Links:
    """Builds the signer of links to files."""
    if settings.public_url is None and settings.host in _ANY_ADDRESS:
        _log.warning("links_lead_nowhere", hint="CARIMBO_PUBLIC_URL", links=settings.link_base)
    return await Links.open(database, settings.link_base, timedelta(days=settings.link_days), now)


def guard_of(settings: Settings) -> WebhookGuard:
    """Returns the guard that keeps webhooks out of the operator's network."""
    return WebhookGuard(settings.allowed_hosts)
