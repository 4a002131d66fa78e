"""What carimbo knows of the NFS-e."""

from uuid import UUID

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.catalog_sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import (
    DocumentType,
    Issuing,
    Municipal,
    Numbering,
    Replacement,
    Requirements,
)
from carimbo.fiscal.documents.nfse.catalog_item import ServiceFiscal, needed_alone
from carimbo.fiscal.documents.nfse.events import NOTE_CANCELLATION
from carimbo.fiscal.documents.nfse.files import (
    authorized_note,
    identity_of_declaration,
)
from carimbo.fiscal.documents.nfse.from_catalog import FILLING
from carimbo.fiscal.documents.nfse.from_sale import body_of_sale, customer_gaps
from carimbo.fiscal.documents.nfse.hints import hint_for_rejection
from carimbo.fiscal.documents.nfse.own_fields import NOTE_FIELDS
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.request_rules import missing_for_rules
from carimbo.fiscal.documents.nfse.sale import sale_of
from carimbo.fiscal.documents.nfse.service_facts import missing_for_shortcut
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.territory import jurisdiction_of
from carimbo.fiscal.documents.nfse.total_due import read_authorized_amounts
from carimbo.fiscal.documents.nfse.xml import issue, review
from carimbo.fiscal.printout import Paper
from carimbo.fiscal.rejection_file import rejection_file
from carimbo.fiscal.schemas import Schema


def _replaced(request: NfseRequest) -> UUID | None:
    return request.replaces.document_id if request.replaces else None


def _addressee(request: NfseRequest) -> Addressee:
    borrower = request.borrower
    return Addressee(borrower.name, borrower.email, borrower.tax_id)


NFSE = DocumentType(
    name="nfse",
    title="NFS-e",
    model="",
    settings=NfseSettings,
    collection="nfse",
    numbering=Numbering(last_number=999_999_999_999_999, is_by_authority=True, taken_code="E0014"),
    requirements=Requirements(
        state_registration=False, rules=missing_for_rules, shortcut=missing_for_shortcut
    ),
    namespace="invoices",
    event_prefix="nfse",
    event_group="invoice",
    issuing=Issuing(
        request=NfseRequest,
        review=review,
        issue=issue,
        external_id=lambda request: request.external_id,
        hint=hint_for_rejection,
        identity=identity_of_declaration,
        addressee=_addressee,
        archived=authorized_note,
        authorized_amounts=read_authorized_amounts,
        refused=rejection_file,
        schema=Schema.NFSE_DPS,
        papers=(Paper.A4,),
        print_name="DANFSe",
    ),
    municipal=Municipal(jurisdiction_of),
    replacement=Replacement(_replaced),
    direct_sale=sale_of,
    catalog_sale=CatalogSale(ItemType.SERVICE, ServiceFiscal, needed_alone, body_of_sale, customer_gaps),
    catalog_filling=FILLING,
    events=(NOTE_CANCELLATION,),
    own_fields=NOTE_FIELDS,
)
