"""Shops with a mail server and receivers of webhooks, and people who look at their pages."""

from integration.dashboard.issued.conftest import look_at
from integration.emails.conftest import (
    ample_time_for_parameters,
    certificate,
    mail_server,
    new_shop,
    shop,
    simulator,
    system,
    work,
)
from integration.webhooks.conftest import listener, new_listener

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "listener",
    "look_at",
    "mail_server",
    "new_listener",
    "new_shop",
    "shop",
    "simulator",
    "system",
    "work",
]
