"""The document type of the wagon bill, which belongs to a second SEFAZ family."""

import re
from datetime import datetime
from functools import partial

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType, Issuing, OwnFields
from carimbo.fiscal.issuance import signed_identity
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.lifecycle import CLOSED_AT
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file
from toy.wagon.events import ARRIVAL
from toy.wagon.layout import DIALECT, MODEL
from toy.wagon.request import WagonRequest, WagonSettings
from toy.wagon.xml import issue, review

_ID = re.compile(rb'<infToy [^>]*?Id="Toy([0-9A-Z]+)"')


class _WagonFields(Record):
    """Fields that only the record of a wagon bill has."""

    closed_at: datetime | None


WAGON = DocumentType(
    name="wagon",
    title="Wagon",
    is_masculine=True,
    model=MODEL,
    settings=WagonSettings,
    collection="wagon",
    namespace="wagon",
    event_prefix="wagon",
    event_group="wagon",
    issuing=Issuing(
        request=WagonRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=lambda code, message: None,
        identity=partial(signed_identity, _ID),
        addressee=lambda request: Addressee(request.receiver, None, None),
        archived=partial(authorized_document, DIALECT),
        refused=rejection_file,
        # The wagon has no XSD; the service compiles that of every type when it starts.
        schema=Schema.NFE_SERVICE_QUERY,
        papers=(PaperSize.A4,),
        print_name="WAGON",
    ),
    events=(ARRIVAL,),
    own_fields=OwnFields(_WagonFields, lambda stored: {"closed_at": stored.events.get(CLOSED_AT)}),
)
