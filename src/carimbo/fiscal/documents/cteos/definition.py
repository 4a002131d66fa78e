"""The CT-e OS as a document type."""

from functools import partial

from carimbo.fiscal.document_type import DocumentType, Issuing
from carimbo.fiscal.documents.cteos.document import MODEL, NAME
from carimbo.fiscal.documents.cteos.events import CTE_OS_EVENTS
from carimbo.fiscal.documents.cteos.from_original import FILLING
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.cteos.settings import CteOsSettings
from carimbo.fiscal.documents.cteos.xml import issue, review
from carimbo.fiscal.layouts.cteos_v4.dialect import CTE_OS_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file
from carimbo.fiscal.transport.hints import hint_for_rejection
from carimbo.fiscal.transport.issuing import (
    CONTINGENCIES,
    STALE_AFTER,
    fits_contingency,
    replaced_key,
)
from carimbo.fiscal.transport.waybill_making import identity_of_waybill


def _addressee_of(request: CteOsRequest) -> Addressee | None:
    taker = request.taker_party
    return Addressee(taker.name, taker.email, taker.tax_id) if taker else None


CTE_OS = DocumentType(
    name=NAME,
    title="CT-e OS",
    is_masculine=True,
    model=MODEL,
    settings=CteOsSettings,
    # Both types are one module: switch and environment are in `settings.cte`.
    switched_by="cte",
    collection="cte-os",
    shared_collection="cte",
    namespace="cte",
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
    holds_while_inactive=True,
    issuing=Issuing(
        request=CteOsRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=hint_for_rejection,
        identity=identity_of_waybill,
        addressee=_addressee_of,
        archived=partial(authorized_document, CTE_OS_DIALECT),
        refused=rejection_file,
        schema=Schema.CTE_OS,
        papers=(PaperSize.A4,),
        print_name="DACTE-OS",
        issue_date=lambda request: request.issue_date,
        stale_after=STALE_AFTER,
        fits_contingency=fits_contingency,
    ),
    reference_filling=FILLING,
    replaced_key=replaced_key,
    contingencies=CONTINGENCIES,
    events=CTE_OS_EVENTS,
)
