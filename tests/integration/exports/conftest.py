"""The fixtures of the e-mail tests: shops that issue at simulated authorities, and a mail server."""

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
