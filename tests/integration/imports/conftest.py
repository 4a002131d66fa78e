"""The fixtures of the sales tests: stores, which issue with the system under test."""

from integration.sales.conftest import (
    ample_time_for_parameters,
    certificate,
    new_shop,
    new_store,
    shop,
    simulator,
    store,
    system,
    work,
)

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "new_shop",
    "new_store",
    "shop",
    "simulator",
    "store",
    "system",
    "work",
]
