"""Packs what an e-mail carries: a document's rows and files, all as of one instant."""

from dataclasses import dataclass

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import local_day
from carimbo.service.companies import require_company
from carimbo.service.delivery.emails import addressee_of
from carimbo.service.delivery.letter import Attachment, Letter
from carimbo.service.delivery.mailbox import is_plain
from carimbo.service.document_files import XmlFile, xml_of
from carimbo.service.document_record import record_of
from carimbo.service.documents import Reference, require_document
from carimbo.service.kinds import kind_named
from carimbo.service.printouts import PdfFile, Printouts, Sheet
from carimbo.storage.companies import Company
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emails import Email

# The clock of a company whose address nobody told.
_CAPITAL = "DF"


@dataclass(frozen=True)
class Hopeless:
    """There is nothing to send, and never will be."""

    reason: str
    """A sentence in Portuguese."""


NOBODY = Hopeless("Sem endereço de e-mail: nem o documento nem o cadastro do cliente o informam.")
_NOT_AUTHORIZED = Hopeless("O documento deixou de estar autorizado antes do envio.")


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """A document for somebody, but for its PDF, which is still to be drawn."""

    email: Email
    document: Document
    company: Company
    addressee: Addressee
    recipients: tuple[str, ...]
    xml: XmlFile
    sheet: Sheet

    def letter(self, recipients: tuple[str, ...], pdf: PdfFile) -> Letter:
        """What is handed over for some of the recipients."""
        record, company = record_of(self.document), self.company
        state = (company.address or {}).get("state", _CAPITAL)
        is_to_addressee = self.recipients == (self.addressee.email,)
        return Letter(
            id=self.email.id,
            to=tuple(filter(is_plain, self.recipients)),
            recipients=recipients,
            addressee=self.addressee.name if is_to_addressee else None,
            issuer=company.trade_name or company.legal_name,
            tax_id=company.tax_id,
            reply_to=company.email if company.email and is_plain(company.email) else None,
            title=kind_named(record.type).title,
            number=record.number,
            series=record.series,
            amount=record.amount,
            issued_on=local_day(record.issued_at or record.created_at, state),
            access_key=record.access_key or "",
            is_valid=record.environment is Environment.PRODUCTION,
            attachments=(
                Attachment(self.xml.name, "application/xml", self.xml.xml),
                Attachment(pdf.name, "application/pdf", pdf.pdf or b""),
            ),
            total_due=record.total_due,
        )


async def pack(tenant: Tenant, email: Email, printouts: Printouts) -> Parcel | Hopeless:
    """Read what an e-mail carries: the files as callers download them."""
    document = await require_document(tenant, Reference(tenant.subscription_id, email.document_id))
    if document.status != Status.AUTHORIZED:
        return _NOT_AUTHORIZED
    addressee = await addressee_of(tenant, document)
    recipients = tuple(email.recipients or filter(None, [addressee.email]))
    if not recipients:
        return NOBODY
    company = await require_company(tenant, document.company_id, deleted_too=True)
    xml = await xml_of(tenant, document)
    return Parcel(
        email=email,
        document=document,
        company=company,
        addressee=addressee,
        recipients=recipients,
        xml=xml,
        sheet=await printouts.sheet(tenant, document, company, xml=xml.xml),
    )
