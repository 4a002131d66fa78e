"""The third step: request, company, number and this moment become a document."""

from dataclasses import dataclass, replace
from datetime import datetime

from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Seal
from carimbo.service.issuing.case import Case
from carimbo.storage.emissions import Emission as Attempt


@dataclass(frozen=True)
class Made:
    """A signed document, and the moment that it tells as that of its issue."""

    signed: SignedDocument
    issued_at: datetime


async def build(means: WorkerContext, case: Case, seal: Seal) -> Made | tuple[Problem, ...]:
    """Make the document, sign it, and hold it against the XSD; or tell every problem."""
    under = _emission_of(means, case)
    if isinstance(under, tuple):
        return under
    signed = await means.workshop.make(case.source, under, seal.signer)
    return signed if isinstance(signed, tuple) else Made(signed, under.issued_at)


def _emission_of(means: WorkerContext, case: Case) -> Emission | tuple[Problem, ...]:
    """What it is issued under: the number that it has and this moment, or what its paper says."""
    printed = case.source.printed_emission()
    if printed is not None:
        return printed
    taken = case.emission
    now = means.workshop.emission_now(case.source, taken.number, taken.series, taken.numeric_code)
    if taken.emission_type == EmissionType.NORMAL:
        return now
    return replace(
        now, type=EmissionType(taken.emission_type), contingency=_contingency(taken, now.issued_at)
    )


def _contingency(taken: Attempt, issued_at: datetime) -> Contingency:
    """Since when and why: what is dated back was not issued before the contingency began."""
    started_at = (taken.contingency_started_at or issued_at).astimezone(issued_at.tzinfo)
    return Contingency(min(started_at, issued_at).replace(microsecond=0), taken.contingency_reason or "")
