"""What carimbo knows of the NF-e."""

from functools import partial

from carimbo.fiscal.catalog_sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import DocumentType, Issuing, Numbering, Requirements
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.from_catalog import FILLING
from carimbo.fiscal.documents.nfe.from_sale import body_of_sale, customer_gaps
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.documents.nfe.xml import issue, review
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.goods.addressee import addressee_of
from carimbo.fiscal.goods.catalog_item import GoodsFiscal, needed_alone
from carimbo.fiscal.goods.company_facts import missing_for_rules
from carimbo.fiscal.goods.events import CORRECTION, INVOICE_CANCELLATION
from carimbo.fiscal.goods.hints import hint_for_rejection
from carimbo.fiscal.goods.lines import lines_of_xml
from carimbo.fiscal.goods.signed_identity import identity_of_invoice
from carimbo.fiscal.goods.voiding import voiding_of
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import Paper
from carimbo.fiscal.rejection_file import rejection_file
from carimbo.fiscal.schemas import Schema

NFE = DocumentType(
    name=NAME,
    title="NF-e",
    model="55",
    settings=NfeSettings,
    collection="nfe",
    namespace="invoices",
    event_prefix="nfe",
    event_group="invoice",
    numbering=Numbering(voiding=voiding_of("55")),
    requirements=Requirements(rules=partial(missing_for_rules, NAME)),
    issuing=Issuing(
        request=NfeRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=hint_for_rejection,
        identity=identity_of_invoice,
        addressee=addressee_of,
        archived=partial(authorized_document, NFE_DIALECT),
        refused=rejection_file,
        schema=Schema.NFE,
        papers=(Paper.A4,),
        print_name="DANFE",
        issue_date=lambda request: request.issue_date,
        lines=lines_of_xml,
    ),
    catalog_sale=CatalogSale(ItemType.PRODUCT, GoodsFiscal, needed_alone, body_of_sale, customer_gaps),
    catalog_filling=FILLING,
    contingencies={"SVCAN": EmissionType.SVC_AN, "SVCRS": EmissionType.SVC_RS},
    events=(INVOICE_CANCELLATION, CORRECTION),
)
