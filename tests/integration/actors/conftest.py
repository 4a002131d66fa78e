"""The fixtures of the tests of received documents: a company that issues and receives."""

from integration.receiving.conftest import (
    ample_time_for_parameters,
    buyer,
    certificate,
    new_shop,
    no_pauses_between_pages,
    rates,
    shop,
    short_wait,
    simulator,
    supplier_certificate,
    system,
    work,
)

__all__ = [
    "ample_time_for_parameters",
    "buyer",
    "certificate",
    "new_shop",
    "no_pauses_between_pages",
    "rates",
    "shop",
    "short_wait",
    "simulator",
    "supplier_certificate",
    "system",
    "work",
]
