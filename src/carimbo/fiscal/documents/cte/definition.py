"""The CT-e as a document type."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType, Issuing, OwnFields, StoredFacts
from carimbo.fiscal.documents.cte.delivery_events import DELIVERED_AT
from carimbo.fiscal.documents.cte.document import MODEL, NAME
from carimbo.fiscal.documents.cte.events import CTE_EVENTS
from carimbo.fiscal.documents.cte.from_documents import FILLING
from carimbo.fiscal.documents.cte.received import RECEIVING
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.documents.cte.xml import issue, review
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file
from carimbo.fiscal.transport.hints import hint_for_rejection
from carimbo.fiscal.transport.issuing import CONTINGENCIES, STALE_AFTER, fits_contingency, replaced_key
from carimbo.fiscal.transport.waybill_making import identity_of_waybill


def _addressee_of(request: CteRequest) -> Addressee | None:
    taker = request.party_in(request.taker)
    return Addressee(taker.name, taker.email, taker.tax_id) if taker else None


class _WaybillFields(Record):
    """Fields that only the record of a CT-e has."""

    delivered_at: datetime | None = Field(
        description="CT-e: quando a carga foi entregue, segundo o comprovante de entrega em vigor."
    )


def _own_fields(stored: StoredFacts) -> Mapping[str, Any]:
    return {"delivered_at": stored.events.get(DELIVERED_AT)}


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
        stale_after=STALE_AFTER,
        fits_contingency=fits_contingency,
    ),
    reference_filling=FILLING,
    replaced_key=replaced_key,
    contingencies=CONTINGENCIES,
    events=CTE_EVENTS,
    own_fields=OwnFields(_WaybillFields, _own_fields),
    line_kinds={
        "component": "Componente do frete",
        "service": "Serviço",
        "nfe": "NF-e transportada",
        "cte": "CT-e anterior",
        "dce": "DC-e transportada",
        "paper": "Nota em papel",
        "other": "Outro documento",
    },
    receiving=RECEIVING,
)
