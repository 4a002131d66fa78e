"""Fills a complement or substitution from the own CT-e OS that it corrects."""

from collections.abc import Iterator

from carimbo.fiscal.body.reading import STORED
from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.documents.cteos.document import NAME
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.cteos.rules.original import RULES
from carimbo.fiscal.documents.cteos.rules.references import CANCELED
from carimbo.fiscal.documents.cteos.service import has_road_group
from carimbo.fiscal.own_documents import ReferenceFilling
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.hints import hinted_problem
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
    if problems := tuple(dict.fromkeys((*_ORIGINALS.problems(request, own), *_unusable(request, own)))):
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


def _unusable(request: CteOsRequest, own: OwnDocuments) -> Iterator[Problem]:
    """Yields why an own document can't be the canceled one that this one follows."""
    document = own.get(request.canceled_access_key or "")
    if document is None or document.type != NAME:
        return
    path = "canceledAccessKey"
    if not document.is_canceled:
        yield hinted_problem("826", path, "O CT-e OS referenciado não está cancelado.", CANCELED)
    elif CteOsRequest.model_validate(document.request, context=STORED).service_type != request.service_type:
        yield hinted_problem("830", path, "O CT-e OS cancelado é de outro tipo de serviço.", CANCELED)


def _keys(request: CteOsRequest) -> tuple[str, ...]:
    """Returns the keys of the corrected documents, and of the canceled one that this one follows."""
    canceled = (request.canceled_access_key,) if request.canceled_access_key else ()
    return (*request.corrected_keys, *canceled)


FILLING = ReferenceFilling(
    _keys,
    _fill,
    lambda warning: warning.startswith(_ORIGINALS.beginning),
)
