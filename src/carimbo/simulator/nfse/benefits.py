"""Benefits of cities: each has four that are made up, told apart by their last digit."""

import re
from decimal import Decimal
from enum import StrEnum

from carimbo.simulator.nfse.case import NoteCase

SPECIAL_RATE = Decimal("2.00")
GREATEST_REDUCTION = Decimal(60)
"""In percent of the base."""
# City, `04` (other benefits) and a sequence, as nBM is put together (tiposSimples 1.01).
_NUMBER = re.compile("([0-9]{7})040000([1-4])")


class Benefit(StrEnum):
    """`tpBM`, which the number of a benefit ends with."""

    EXEMPTION = "1"
    PERCENTAGE = "2"
    """Of the base, taken off it."""
    AMOUNT = "3"
    """Taken off the base."""
    RATE = "4"
    """Another rate."""


def benefit_of(case: NoteCase) -> Benefit | None:
    """The benefit that a declaration names, if the city of incidence has it."""
    found = _NUMBER.fullmatch(case.text("valores/trib/tribMun/BM/nBM"))
    if found is None or found.group(1) != case.city_of_incidence:
        return None
    return Benefit(found.group(2))


def is_exempt(case: NoteCase) -> bool:
    """Tell whether the benefit leaves nothing to be paid."""
    return benefit_of(case) is Benefit.EXEMPTION
