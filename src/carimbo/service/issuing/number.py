"""The second step: a document that still keeps the rules gets a number, which is never another's."""

from dataclasses import replace

from carimbo.fiscal.lifecycle import EmissionState, Happening
from carimbo.service.contexts import WorkerContext
from carimbo.service.issuing.case import Case
from carimbo.service.workshop import draw_numeric_code
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Place
from carimbo.storage.issuing import EmissionWay, NumericCodes


async def take_number(means: WorkerContext, case: Case, way: EmissionWay) -> Case:
    """Take the next number and write down whose it is, in one statement: no gap, no twin.

    The attempt before it, if there is one, turned out to have a number that is somebody else's, or nobody
    knows what became of it.
    """
    document, before = case.document, case.document.emission
    series = case.dossier.settings_of(case.kind).series
    place = Place(
        document.company_id, document.type, document.environment, series, case.kind.numbering.last_number
    )
    async with means.database.steps_of(case.lease) as steps:
        emission = await steps.take_number(
            place,
            before.ordinal + 1 if before else 1,
            NumericCodes(draw_numeric_code(), draw_numeric_code()),
            way,
            [*told_of_way(document, way), NewEvent(type=Happening.NUMBERED, status=document.status)],
            leaves_stray=before is not None and before.state == EmissionState.SENT,
        )
    return case.with_emission(emission)


async def redirect(means: WorkerContext, case: Case, way: EmissionWay) -> Case:
    """Let a document that no authority has go another way, under its number: its key becomes another."""
    async with means.database.steps_of(case.lease) as steps:
        await steps.redirect(case.emission.ordinal, way, told_of_way(case.document, way))
    changed = replace(
        case.emission,
        emission_type=way.emission_type,
        contingency_started_at=way.contingency_started_at,
        contingency_reason=way.contingency_reason,
        state=EmissionState.NUMBERED,
        access_key=None,
        digest=None,
        receipt=None,
        tries=0,
    )
    return case.with_emission(changed)


def told_of_way(document: Document, way: EmissionWay) -> list[NewEvent]:
    """What the history tells of a way that is not the normal one, in the words of the document itself."""
    if way.contingency_reason is None:
        return []
    reason = way.contingency_reason
    return [NewEvent(type=Happening.CONTINGENCY, status=document.status, authority_message=reason)]
