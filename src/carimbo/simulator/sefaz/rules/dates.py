"""When a document was issued, against the authority's clock."""

from collections.abc import Callable, Collection
from datetime import timedelta

from carimbo.simulator.sefaz.document import JudgedDocument

TOLERANCE = timedelta(minutes=5)
"""Between the clocks of company and authority (MOC 7.0, B09-10)."""


def issued_in_the_future(document: JudgedDocument) -> bool:
    """MOC 7.0, B09-10."""
    return document.issued_at > document.world.now + TOLERANCE


def issued_before(limit: timedelta, emissions: Collection[str]) -> Callable[[JudgedDocument], bool]:
    """Makes a rule: a document of one of some ways of emission (`tpEmis`) was issued too long ago."""

    def is_too_old(document: JudgedDocument) -> bool:
        return document.emission in emissions and document.issued_at < document.world.now - limit

    return is_too_old
