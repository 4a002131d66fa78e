"""What carimbo knows of the NFC-e."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from carimbo.fiscal.catalog_sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import DocumentType, Issuing, Numbering, PointOfSale, Requirements
from carimbo.fiscal.documents.nfce.contingency import printed_emission
from carimbo.fiscal.documents.nfce.document import NAME
from carimbo.fiscal.documents.nfce.from_catalog import FILLING
from carimbo.fiscal.documents.nfce.from_sale import body_of_sale
from carimbo.fiscal.documents.nfce.offline_term import transmission_deadline
from carimbo.fiscal.documents.nfce.request import NfceRequest, Transmit
from carimbo.fiscal.documents.nfce.settings import NfceSettings, missing_settings
from carimbo.fiscal.documents.nfce.xml import issue, review
from carimbo.fiscal.goods.addressee import addressee_of
from carimbo.fiscal.goods.catalog_item import GoodsFiscal, needed_alone
from carimbo.fiscal.goods.company_facts import missing_for_rules
from carimbo.fiscal.goods.events import RECEIPT_CANCELLATION
from carimbo.fiscal.goods.hints import hint_for_rejection
from carimbo.fiscal.goods.lines import lines_of_xml
from carimbo.fiscal.goods.signed_identity import identity_of_invoice
from carimbo.fiscal.goods.voiding import voiding_of
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import Paper
from carimbo.fiscal.rejection_file import rejection_file
from carimbo.fiscal.schemas import Schema

# One that is not of contingency is refused when it arrives more than 5 minutes after its issue (MOC 7.0,
# rule 704); the minute below that is for clocks that differ and for the way.
_STALE_AFTER = timedelta(minutes=4)


def _waits(request: NfceRequest) -> bool:
    return request.transmit is Transmit.LATER


def _printed_fields(request: NfceRequest) -> Mapping[str, Any]:
    return {
        "issueMode": request.issue_mode,
        "accessKey": request.access_key,
        "number": request.number,
        "series": request.series,
    }


NFCE = DocumentType(
    name=NAME,
    title="NFC-e",
    model="65",
    settings=NfceSettings,
    collection="nfce",
    namespace="invoices",
    event_prefix="nfce",
    event_group="nfce",
    is_urgent=True,
    numbering=Numbering(voiding=voiding_of("65")),
    requirements=Requirements(settings=missing_settings, rules=partial(missing_for_rules, NAME)),
    feature="nfceEmission",
    issuing=Issuing(
        request=NfceRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=hint_for_rejection,
        identity=identity_of_invoice,
        addressee=addressee_of,
        archived=partial(authorized_document, NFE_DIALECT),
        refused=rejection_file,
        schema=Schema.NFE,
        papers=(Paper.ROLL_80, Paper.ROLL_58),
        print_name="NFCe",
        issue_date=lambda request: request.issue_date,
        lines=lines_of_xml,
        waits=_waits,
        stale_after=_STALE_AFTER,
    ),
    point_of_sale=PointOfSale(
        printed_emission, lambda request: request.access_key, _printed_fields, transmission_deadline
    ),
    catalog_sale=CatalogSale(ItemType.PRODUCT, GoodsFiscal, needed_alone, body_of_sale),
    catalog_filling=FILLING,
    events=(RECEIPT_CANCELLATION,),
    secret_settings=("csc", "homologation.csc"),
)
