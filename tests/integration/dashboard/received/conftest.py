"""Companies that receive the documents of a supplier, and people who look at them."""

from integration.dashboard.issued.conftest import look_at
from integration.receiving.conftest import (
    ample_time_for_parameters,
    buyer,
    certificate,
    new_shop,
    no_pauses_between_pages,
    rates,
    shop,
    simulator,
    supplier_certificate,
    system,
    work,
)

__all__ = [
    "ample_time_for_parameters",
    "buyer",
    "certificate",
    "look_at",
    "new_shop",
    "no_pauses_between_pages",
    "rates",
    "shop",
    "simulator",
    "supplier_certificate",
    "system",
    "work",
]
