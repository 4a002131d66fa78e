"""The NFS-e as a document type."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.catalog.sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import (
    DocumentType,
    Issuing,
    Municipal,
    NumberingRules,
    OwnFields,
    Replacement,
    Requirements,
    StoredFacts,
)
from carimbo.fiscal.documents.nfse.catalog_form import service_sections
from carimbo.fiscal.documents.nfse.catalog_item import ServiceFiscal, needed_alone, sale_of
from carimbo.fiscal.documents.nfse.events import NOTE_CANCELLATION
from carimbo.fiscal.documents.nfse.form import FORM, REPLACED_ID
from carimbo.fiscal.documents.nfse.from_catalog import FILLING
from carimbo.fiscal.documents.nfse.from_sale import body_of_sale, customer_gaps
from carimbo.fiscal.documents.nfse.hints import hint_for_rejection
from carimbo.fiscal.documents.nfse.received import RECEIVING
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.request_rules import missing_for_rules
from carimbo.fiscal.documents.nfse.service_facts import missing_for_shortcut
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.territory import jurisdiction_of
from carimbo.fiscal.documents.nfse.totals import read_authorized_amounts
from carimbo.fiscal.documents.nfse.xml import authorized_note, identity_of_declaration, issue, review
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file


class RequestNumber(Record):
    """Series and number of the DPS; the authority assigns the number of the NFS-e itself."""

    series: int
    number: int


class _NoteFields(Record):
    """Fields that only the record of an NFS-e has."""

    dps: RequestNumber | None = Field(description="NFS-e: a série e o número da DPS, que são nossos.")


def _read(stored: StoredFacts) -> Mapping[str, Any]:
    return {"dps": RequestNumber(series=stored.series, number=stored.number)}


NOTE_FIELDS = OwnFields(_NoteFields, _read)


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
    numbering=NumberingRules(last_number=999_999_999_999_999, is_by_authority=True, taken_code="E0014"),
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
        papers=(PaperSize.A4,),
        print_name="DANFSe",
    ),
    municipal=Municipal(jurisdiction_of),
    replacement=Replacement(_replaced, REPLACED_ID),
    direct_sale=sale_of,
    catalog_sale=CatalogSale(
        ItemType.SERVICE,
        ServiceFiscal,
        needed_alone,
        body_of_sale,
        customer_gaps,
        sections=service_sections,
    ),
    catalog_filling=FILLING,
    events=(NOTE_CANCELLATION,),
    form=FORM,
    own_fields=NOTE_FIELDS,
    receiving=RECEIVING,
)
