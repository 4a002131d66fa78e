"""The second step: a document that still keeps the rules gets a number, which is never another's."""

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.lifecycle import Happening
from carimbo.fiscal.problems import Problem
from carimbo.service.issuing.case import Case, Means
from carimbo.service.issuing.workshop import draw_numeric_code
from carimbo.storage.document_events import NewEvent
from carimbo.storage.emissions import Place
from carimbo.storage.issuing import NumericCodes


async def problems_since(means: Means, case: Case) -> tuple[Problem, ...]:
    """What the rules say today; the same request of the same company on the same day was judged already."""
    seen = (case.document.reviewed_revision, case.document.reviewed_on)
    if seen == (case.dossier.revision, means.workshop.today):
        return ()
    return (await means.workshop.review(case.kind, case.request, case.dossier, case.environment)).problems


async def take_number(means: Means, case: Case) -> Case:
    """Take the next number and write down whose it is, in one statement: no gap, no twin.

    The attempt before it, if there is one, turned out to have a number that is somebody else's.
    """
    document = case.document
    series = case.dossier.settings_of(case.kind).series
    place = Place(document.company_id, document.type, document.environment, series, case.kind.last_number)
    ordinal = document.emission.ordinal + 1 if document.emission else 1
    codes = NumericCodes(draw_numeric_code(), draw_numeric_code())
    happened = NewEvent(type=Happening.NUMBERED, status=document.status)
    async with means.database.steps_of(case.lease) as steps:
        emission = await steps.take_number(place, ordinal, codes, EmissionType.NORMAL, [happened])
    return case.with_emission(emission)
