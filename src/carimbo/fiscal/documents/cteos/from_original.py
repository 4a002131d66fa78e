"""Fills a complement or substitution from the own CT-e OS that it corrects."""

from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.cteos.rules.original import RULES
from carimbo.fiscal.own_documents import ReferenceFilling
from carimbo.fiscal.transport.originals import Body, Originals, OwnDocuments, corrected_keys
from carimbo.fiscal.transport.request import ServicePurpose

_ORIGINALS = Originals("cteOs", "CT-e OS", CteOsRequest, RULES)
_ROUTE = (
    "takerParty",
    "takerContribution",
    "cfop",
    "municipalityStartIbge",
    "municipalityEndIbge",
    "route",
    "modal",
)
_SERVICE = (
    "serviceDescription",
    "serviceQuantity",
    "taf",
    "stateAgencyRegistration",
    "vehicle",
    "charter",
    "insurance",
    "referencedDocuments",
    "canceledAccessKey",
    "gtves",
)


def _fill(body: Body, request: CteOsRequest, own: OwnDocuments) -> tuple[Body, FillingReview]:
    """Returns the body with the fields of the CT-e OS that it complements or replaces."""
    if problems := tuple(dict.fromkeys(_ORIGINALS.differences(request, own))):
        return body, FillingReview(problems=problems)
    original = _ORIGINALS.first(request, own)
    if original is None:
        return body, NOTHING_FILLED
    is_complement = request.purpose is ServicePurpose.COMPLEMENT
    names = _ROUTE if is_complement else (*_ROUTE, *_SERVICE)
    return _ORIGINALS.repeated(body, request, {name: original[name] for name in names if name in original})


FILLING = ReferenceFilling(corrected_keys, _fill, lambda warning: warning.startswith(_ORIGINALS.beginning))
