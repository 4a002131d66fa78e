"""Fills a complement or substitution from the own CT-e OS that it corrects."""

from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.documents.cteos.document import NAME
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.cteos.rules.original import RULES
from carimbo.fiscal.documents.cteos.service import has_road_group
from carimbo.fiscal.own_documents import ReferenceFilling
from carimbo.fiscal.transport.originals import Body, Originals, OwnDocuments
from carimbo.fiscal.transport.request import ServicePurpose

_ORIGINALS = Originals(NAME, "CT-e OS", CteOsRequest, RULES)
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
    names = set(_ROUTE if is_complement else (*_ROUTE, *_SERVICE))
    if request.taf or request.state_agency_registration:
        # A carrier has one of the two.
        names -= {"taf", "stateAgencyRegistration"}
    if "modal" in request.model_fields_set and not has_road_group(request):
        names -= {"vehicle", "charter"}
    fields = {name: value for name, value in original.items() if name in names}
    return _ORIGINALS.repeated(body, request, fields)


FILLING = ReferenceFilling(
    lambda request: request.corrected_keys,
    _fill,
    lambda warning: warning.startswith(_ORIGINALS.beginning),
)
