"""The NFC-e as a document type."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from carimbo.fiscal.body.transmit import Transmit
from carimbo.fiscal.catalog.sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import DocumentType, Issuing, NumberingRules, PointOfSale, Requirements
from carimbo.fiscal.documents.nfce.contingency import printed_emission, transmission_deadline
from carimbo.fiscal.documents.nfce.document import NAME
from carimbo.fiscal.documents.nfce.from_catalog import FILLING
from carimbo.fiscal.documents.nfce.from_sale import body_of_sale
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings, missing_settings
from carimbo.fiscal.documents.nfce.xml import issue, review
from carimbo.fiscal.goods.catalog_form import goods_sections
from carimbo.fiscal.goods.catalog_item import GoodsFiscal, missing_without_defaults
from carimbo.fiscal.goods.definition import addressee_of, identity_of_invoice, missing_for_rules
from carimbo.fiscal.goods.events import RECEIPT_CANCELLATION, inutilization_rules_of
from carimbo.fiscal.goods.hints import hint_for_rejection
from carimbo.fiscal.goods.preview import lines_of_xml, totals_of_xml
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file

# A receipt outside of contingency is refused if it arrives more than 5 minutes after its issue (MOC 7.0,
# rule 704); one minute is reserved for clock differences and transmission.
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
    numbering=NumberingRules(inutilization=inutilization_rules_of("65")),
    requirements=Requirements(
        settings=missing_settings,
        setting_words={
            "nfce.cscId": "o identificador do CSC",
            "nfce.csc": "o CSC",
            "nfce.homologation.cscId": "o identificador do CSC de homologação",
            "nfce.homologation.csc": "o CSC de homologação",
        },
        rules=partial(missing_for_rules, NAME),
    ),
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
        papers=(PaperSize.ROLL_80, PaperSize.ROLL_58),
        print_name="NFCe",
        issue_date=lambda request: request.issue_date,
        lines=lines_of_xml,
        totals=totals_of_xml,
        waits=_waits,
        stale_after=_STALE_AFTER,
    ),
    point_of_sale=PointOfSale(
        printed_emission, lambda request: request.access_key, _printed_fields, transmission_deadline
    ),
    catalog_sale=CatalogSale(
        ItemType.PRODUCT,
        GoodsFiscal,
        missing_without_defaults,
        body_of_sale,
        sections=goods_sections,
    ),
    catalog_filling=FILLING,
    events=(RECEIPT_CANCELLATION,),
    secret_settings=("csc", "homologation.csc"),
)
