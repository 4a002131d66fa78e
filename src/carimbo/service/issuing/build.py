"""The third step: request, company, number and this moment become a document."""

from carimbo.fiscal.emission import Emission
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.issuing.case import Case, Means
from carimbo.service.issuing.dossier import Seal


async def build(
    means: Means, case: Case, seal: Seal, under: Emission
) -> SignedDocument | tuple[Problem, ...]:
    """Make the document, sign it, and hold it against the XSD; or tell every problem."""
    return await means.workshop.make(case.kind, case.request, case.dossier, under, seal.signer)


def emission_of(means: Means, case: Case) -> Emission:
    """What it is issued under: the number that it has, and the moment in which it is made."""
    taken = case.emission
    return means.workshop.emission_now(
        case.dossier, case.environment, taken.number, case.request, taken.series, taken.numeric_code
    )
