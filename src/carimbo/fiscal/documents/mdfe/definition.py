"""The MDF-e as a document type."""

from datetime import datetime, timedelta
from functools import partial

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.body.transmit import Transmit
from carimbo.fiscal.document_type import DocumentType, Issuing, OwnFields
from carimbo.fiscal.documents.mdfe.closing_by_key import CLOSING_BY_KEY
from carimbo.fiscal.documents.mdfe.document import MODEL, NAME
from carimbo.fiscal.documents.mdfe.events import MDFE_EVENTS, usual_closing
from carimbo.fiscal.documents.mdfe.from_documents import FILLING
from carimbo.fiscal.documents.mdfe.hints import hint_for_rejection
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.settings import TERM_DAYS, MdfeSettings
from carimbo.fiscal.documents.mdfe.xml import identity_of_manifest, issue, review
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.lifecycle import CLOSED_AT
from carimbo.fiscal.open_documents import OpenTerm
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file

# A manifest is refused a day after its issue (228); an hour is left for clocks and the transmission.
_STALE_AFTER = timedelta(hours=23)


class MdfeFields(Record):
    """Fields that only the record of a manifest has."""

    closed_at: datetime | None = Field(
        description="MDF-e: quando o encerramento foi registrado. Enquanto é nulo, o autorizado está aberto."
    )


def _waits(request: MdfeRequest) -> bool:
    return request.transmit is Transmit.LATER


def _nobody(request: MdfeRequest) -> Addressee | None:
    """Returns None: a manifest is not sent to a customer."""
    return None


MDFE = DocumentType(
    name=NAME,
    title="MDF-e",
    is_masculine=True,
    model=MODEL,
    settings=MdfeSettings,
    collection="mdfe",
    namespace="mdfe",
    event_prefix="mdfe",
    event_group="mdfe",
    feature="mdfeEmission",
    issuing=Issuing(
        request=MdfeRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=hint_for_rejection,
        identity=identity_of_manifest,
        addressee=_nobody,
        archived=partial(authorized_document, MDFE_DIALECT),
        refused=rejection_file,
        schema=Schema.MDFE,
        papers=(PaperSize.A4,),
        print_name="DAMDFE",
        issue_date=lambda request: request.issue_date,
        waits=_waits,
        stale_after=_STALE_AFTER,
    ),
    offline_emission=EmissionType.OFFLINE_MANIFEST,
    reference_filling=FILLING,
    events=MDFE_EVENTS,
    prints_events=True,
    closing_by_key=CLOSING_BY_KEY,
    open_term=OpenTerm(
        days=TERM_DAYS,
        warned_days=(10, 5, 1),
        closing_setting="closeAfterDays",
        usual_closing=usual_closing,
    ),
    counts={
        "nfes": "NF-e transportadas",
        "ctes": "CT-e transportados",
        "mdfes": "MDF-e",
        "cargoQuantity": "Peso ou volume da carga",
    },
    own_fields=OwnFields(MdfeFields, lambda stored: {"closed_at": stored.events.get(CLOSED_AT)}),
)
