"""The fixtures of the e-mail tests, with which every operation can be called."""

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

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "mail_server",
    "new_shop",
    "shop",
    "simulator",
    "system",
    "work",
]
