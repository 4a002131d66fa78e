"""The CT-e as a document type."""

from datetime import timedelta
from functools import partial

from carimbo.fiscal.document_type import DocumentType, Issuing
from carimbo.fiscal.documents.cte.document import MODEL, NAME
from carimbo.fiscal.documents.cte.events import CTE_CANCELLATION, CTE_CORRECTION
from carimbo.fiscal.documents.cte.from_documents import FILLING
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.documents.cte.xml import issue, review
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file
from carimbo.fiscal.transport.hints import hint_for_rejection
from carimbo.fiscal.transport.making import identity_of_waybill
from carimbo.fiscal.transport.request import ServicePurpose

# A CT-e is refused if it arrives more than 168 hours after its issue (228); an hour is left for clocks that
# differ and for the transmission.
_STALE_AFTER = timedelta(hours=167)


def _addressee_of(request: CteRequest) -> Addressee | None:
    taker = request.party_in(request.taker)
    return Addressee(taker.name, taker.email, taker.tax_id) if taker else None


def _replaced_key(request: CteRequest) -> str | None:
    return request.substitution.access_key if request.substitution else None


CTE = DocumentType(
    name=NAME,
    title="CT-e",
    is_masculine=True,
    model=MODEL,
    settings=CteSettings,
    collection="cte",
    namespace="cte",
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
    holds_while_inactive=True,
    issuing=Issuing(
        request=CteRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=hint_for_rejection,
        identity=identity_of_waybill,
        addressee=_addressee_of,
        archived=partial(authorized_document, CTE_DIALECT),
        refused=rejection_file,
        schema=Schema.CTE,
        papers=(PaperSize.A4,),
        print_name="DACTE",
        issue_date=lambda request: request.issue_date,
        stale_after=_STALE_AFTER,
        # Contingency authorities take neither complements nor substitutions (517).
        fits_contingency=lambda request: request.purpose is ServicePurpose.NORMAL,
    ),
    reference_filling=FILLING,
    replaced_key=_replaced_key,
    contingencies={"SVRS": EmissionType.SVC_RS, "SVSP": EmissionType.SVC_SP},
    events=(CTE_CANCELLATION, CTE_CORRECTION),
)
