"""The floor of the tests of e-mails, where every operation can be called."""

from integration.emails.conftest import (
    ample_time_for_parameters,
    certificate,
    floor,
    new_shop,
    office,
    shop,
    simulator,
    work,
)

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "floor",
    "new_shop",
    "office",
    "shop",
    "simulator",
    "work",
]
