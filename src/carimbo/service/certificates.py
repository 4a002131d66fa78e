"""The A1 certificate of each company: checked at upload, sealed at rest, never given out."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.fields import Record
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.companies import lock_company
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.last_answer import CERTIFICATE_CODES
from carimbo.service.shown import utc_text
from carimbo.storage.certificates import CertificateSummary, StoredCertificate
from carimbo.storage.companies import Company
from carimbo.storage.database import Database
from carimbo.storage.retries import retry_answered

_NO_COMPANY = "O certificado não traz CNPJ: envie um e-CNPJ A1 da ICP-Brasil."
SECRET_NAME = "certificate"  # noqa: S105 - the name of a secret, not one


class CertificateDetails(Record):
    """What may be shown of a certificate."""

    tax_id: str = Field(examples=["11222333000181"])
    subject_name: str = Field(examples=["LOJA MODELO COMERCIO LTDA"])
    serial_number: str = Field(examples=["7302918846219"])
    fingerprint: str = Field(description="SHA-256 do certificado.", examples=["9f86d081884c7d65..."])
    valid_from: datetime
    expires_at: datetime
    uploaded_at: datetime


class CertificateRecord(Record):
    """A company and its certificate."""

    company_id: UUID
    certificate: CertificateDetails


class CertificateDeleted(Record):
    """What deleting a certificate answers."""

    company_id: UUID
    deleted: bool = True


async def upload_certificate(
    database: Database,
    opener: CertificateOpener,
    subscription_id: UUID,
    company: Company,
    pfx: bytes,
    password: str,
    now: datetime,
) -> CertificateRecord:
    """Checks a PFX file against the company and keeps it sealed, in place of any earlier one.

    Work that waits for a certificate, or for another than the one that was refused, is tried again at once.
    """
    certificate = await opener.open(pfx, password, subscription_id)
    _check(certificate, company, now)
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company.id)
        await tenant.secrets.put(company.id, SECRET_NAME, certificate.to_bundle())
        stored = await tenant.certificates.put(company.id, _summary(certificate))
        await retry_answered(tenant.connection, subscription_id, company.id, CERTIFICATE_CODES)
    return _record(company.id, stored)


async def read_certificate(database: Database, subscription_id: UUID, company_id: UUID) -> CertificateRecord:
    """Show the dates and owner of a company's certificate."""
    async with database.tenant(subscription_id) as tenant:
        stored = await tenant.certificates.get(company_id)
    if stored is None:
        raise not_found("Certificado não encontrado.")
    return _record(company_id, stored)


async def delete_certificate(
    database: Database, subscription_id: UUID, company_id: UUID
) -> CertificateDeleted:
    """Destroy a company's certificate and key."""
    async with database.tenant(subscription_id) as tenant:
        await lock_company(tenant, company_id)
        if not await tenant.certificates.delete(company_id):
            raise not_found("Certificado não encontrado.")
        await tenant.secrets.delete(company_id, SECRET_NAME)
    return CertificateDeleted(company_id=company_id)


def _check(certificate: A1Certificate, company: Company, now: datetime) -> None:
    if not certificate.belongs_to_base(company.tax_id):
        raise Refusal(
            Code.CERTIFICATE_TAX_ID_MISMATCH,
            _NO_COMPANY if certificate.owner is None else None,
            companyTaxId=company.tax_id,
            certificateTaxId=certificate.owner,
        )
    if now >= certificate.not_after:
        raise Refusal(Code.CERTIFICATE_EXPIRED, expiresAt=utc_text(certificate.not_after))
    if now < certificate.not_before:
        raise Refusal(
            Code.CERTIFICATE_INVALID,
            "O certificado ainda não está em vigor.",
            validFrom=utc_text(certificate.not_before),
        )


def _summary(certificate: A1Certificate) -> CertificateSummary:
    return CertificateSummary(
        tax_id=certificate.owner or "",
        subject_name=certificate.subject_name,
        serial_number=str(certificate.serial_number),
        fingerprint=certificate.fingerprint,
        valid_from=certificate.not_before,
        expires_at=certificate.not_after,
    )


def _record(company_id: UUID, stored: StoredCertificate) -> CertificateRecord:
    return CertificateRecord(company_id=company_id, certificate=CertificateDetails.model_validate(stored))
