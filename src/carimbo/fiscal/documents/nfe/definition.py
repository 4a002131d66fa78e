"""The NF-e as a document type."""

from functools import partial

from carimbo.fiscal.catalog.sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import DocumentType, Issuing, NumberingRules, Requirements
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.form import FORM
from carimbo.fiscal.documents.nfe.from_catalog import FILLING
from carimbo.fiscal.documents.nfe.from_sale import body_of_sale, customer_gaps
from carimbo.fiscal.documents.nfe.received import RECEIVING
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.documents.nfe.xml import issue, review
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.goods.catalog_form import goods_sections
from carimbo.fiscal.goods.catalog_item import GoodsFiscal, missing_without_defaults
from carimbo.fiscal.goods.definition import addressee_of, identity_of_invoice, missing_for_rules
from carimbo.fiscal.goods.events import CORRECTION, INVOICE_CANCELLATION, inutilization_rules_of
from carimbo.fiscal.goods.hints import hint_for_rejection
from carimbo.fiscal.goods.preview import lines_of_xml, totals_of_xml
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file

NFE = DocumentType(
    name=NAME,
    title="NF-e",
    model="55",
    settings=NfeSettings,
    collection="nfe",
    namespace="invoices",
    event_prefix="nfe",
    event_group="invoice",
    numbering=NumberingRules(inutilization=inutilization_rules_of("55")),
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
        papers=(PaperSize.A4,),
        print_name="DANFE",
        issue_date=lambda request: request.issue_date,
        lines=lines_of_xml,
        totals=totals_of_xml,
    ),
    catalog_sale=CatalogSale(
        ItemType.PRODUCT,
        GoodsFiscal,
        missing_without_defaults,
        body_of_sale,
        customer_gaps,
        sections=goods_sections,
    ),
    catalog_filling=FILLING,
    contingencies={"SVCAN": EmissionType.SVC_AN, "SVCRS": EmissionType.SVC_RS},
    events=(INVOICE_CANCELLATION, CORRECTION),
    form=FORM,
    receiving=RECEIVING,
)
