"""The A1 certificate of each company: checked at upload, stored encrypted, never returned.

A file is opened in a separate process: OpenSSL checks an RSA key for a fifth of a second (seconds, for a
hostile file) without releasing the GIL, so a thread would stall every other request. A process can also be
stopped.
"""

import asyncio
import base64
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

import structlog
from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.identity.certificate import A1Certificate, is_expensive
from carimbo.service.authority_answers import CERTIFICATE_CODES
from carimbo.service.companies import certificate_process
from carimbo.service.companies.certificate_process import Fault
from carimbo.service.companies.registration import audit_company, lock_company
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.json_values import utc_text
from carimbo.storage.audit import AuditAction
from carimbo.storage.certificates import CertificateSummary, StoredCertificate
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.queue import retry_answered

_log = structlog.get_logger("carimbo.service")
_ORDINARY_AT_ONCE = 2
_EXPENSIVE_AT_ONCE = 1
# An ordinary file takes about a second. The cost of some files can't be seen in advance, because the key is
# encrypted together with the certificates. Such a file is stopped after this time, and opened again in the
# slot for expensive files.
_ORDINARY_SECONDS = 5.0
_CODES = {
    Fault.WRONG_PASSWORD: ErrorCode.CERTIFICATE_PASSWORD_INVALID,
    Fault.UNUSABLE: ErrorCode.CERTIFICATE_INVALID,
}
_UNOPENABLE = "O arquivo do certificado não pôde ser aberto."
_NO_COMPANY = "O certificado não traz CNPJ: envie um e-CNPJ A1 da ICP-Brasil."
SECRET_NAME = "certificate"  # noqa: S105 - the name of a secret, not one
_TOO_SLOW = "O arquivo do certificado demora demais para ser aberto: exporte-o de novo com as opções padrão."


class _TookTooLong(Exception):
    """The process was stopped before it answered."""


@dataclass(frozen=True)
class CertificateOpener:
    """Opens a few files at a time, at most one per subscription, each within a time limit.

    Expensive files have a slot of their own, so ordinary files never wait for them.
    """

    timeout_seconds: float
    _ordinary: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_ORDINARY_AT_ONCE), repr=False
    )
    _expensive: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_EXPENSIVE_AT_ONCE), repr=False
    )
    # Weak: a lock is dropped after the last upload that uses it.
    _locks: WeakValueDictionary[UUID, asyncio.Lock] = field(default_factory=WeakValueDictionary, repr=False)

    async def open(self, pfx: bytes, password: str, subscription_id: UUID) -> A1Certificate:
        """Opens a PFX file, or refuses it with the code of the reason."""
        # In a thread: scanning a hostile file takes a tenth of a second.
        expensive = await asyncio.to_thread(is_expensive, pfx)
        request = json.dumps({"pfx": base64.b64encode(pfx).decode(), "password": password}).encode()
        async with self._locks.setdefault(subscription_id, asyncio.Lock()):
            answer = await self._run_in_slot(request, expensive)
        if "fault" in answer:
            raise Refusal(_CODES[Fault(answer["fault"])], answer["message"])
        return A1Certificate.from_bundle(base64.b64decode(answer["bundle"]))

    async def _run_in_slot(self, request: bytes, expensive: bool) -> dict[str, Any]:
        if not expensive:
            async with self._ordinary:
                with suppress(_TookTooLong):
                    return await self._run(request, min(_ORDINARY_SECONDS, self.timeout_seconds))
        async with self._expensive:
            try:
                return await self._run(request, self.timeout_seconds)
            except _TookTooLong:
                raise Refusal(ErrorCode.CERTIFICATE_INVALID, _TOO_SLOW) from None

    async def _run(self, request: bytes, seconds: float) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            # -P: no imports from the working directory. No environment: it has the master keys.
            sys.executable, "-P", "-m", certificate_process.__name__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={},
            start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(seconds):
                answer, complaint = await process.communicate(request)
        except TimeoutError:
            raise _TookTooLong from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode != 0:
            _log.error("certificate_opener_died", returncode=process.returncode, complaint=complaint.decode())
            raise Refusal(ErrorCode.CERTIFICATE_INVALID, _UNOPENABLE)
        return dict(json.loads(answer))


class CertificateDetails(Record):
    """The public data of a certificate."""

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
    """The response to the deletion of a certificate."""

    company_id: UUID
    deleted: bool = True


async def upload_certificate(
    database: Database,
    opener: CertificateOpener,
    subscription_id: UUID,
    company: CompanyRow,
    pfx: bytes,
    password: str,
    now: datetime,
) -> CertificateRecord:
    """Checks a PFX file against the company and stores it encrypted, in place of any earlier one.

    Work that waits for a certificate, or for one that the authority accepts, is tried again at once.
    """
    certificate = await opener.open(pfx, password, subscription_id)
    _check(certificate, company, now)
    summary = CertificateSummary(
        tax_id=certificate.owner or "",
        subject_name=certificate.subject_name,
        serial_number=str(certificate.serial_number),
        fingerprint=certificate.fingerprint,
        valid_from=certificate.not_before,
        expires_at=certificate.not_after,
    )
    async with database.tenant(subscription_id) as tenant:
        locked = await lock_company(tenant, company.id)
        await tenant.secrets.put(company.id, SECRET_NAME, certificate.to_bundle())
        stored = await tenant.certificates.put(company.id, summary)
        await retry_answered(tenant.connection, subscription_id, company.id, CERTIFICATE_CODES)
        details = {
            "subjectName": stored.subject_name,
            "serialNumber": stored.serial_number,
            "expiresAt": utc_text(stored.expires_at),
        }
        await audit_company(tenant, AuditAction.CERTIFICATE_STORED, locked, details)
    return _record(company.id, stored)


async def read_certificate(database: Database, subscription_id: UUID, company_id: UUID) -> CertificateRecord:
    """Returns the dates and the owner of a company's certificate."""
    async with database.tenant(subscription_id) as tenant:
        stored = await tenant.certificates.get(company_id)
    if stored is None:
        raise not_found("Certificado não encontrado.")
    return _record(company_id, stored)


async def delete_certificate(
    database: Database, subscription_id: UUID, company_id: UUID
) -> CertificateDeleted:
    """Deletes a company's certificate and key."""
    async with database.tenant(subscription_id) as tenant:
        company = await lock_company(tenant, company_id)
        if not await tenant.certificates.delete(company_id):
            raise not_found("Certificado não encontrado.")
        await tenant.secrets.delete(company_id, SECRET_NAME)
        await audit_company(tenant, AuditAction.CERTIFICATE_DELETED, company)
    return CertificateDeleted(company_id=company_id)


def _check(certificate: A1Certificate, company: CompanyRow, now: datetime) -> None:
    if not certificate.belongs_to_base(company.tax_id):
        raise Refusal(
            ErrorCode.CERTIFICATE_TAX_ID_MISMATCH,
            _NO_COMPANY if certificate.owner is None else None,
            companyTaxId=company.tax_id,
            certificateTaxId=certificate.owner,
        )
    if now >= certificate.not_after:
        raise Refusal(ErrorCode.CERTIFICATE_EXPIRED, expiresAt=utc_text(certificate.not_after))
    if now < certificate.not_before:
        raise Refusal(
            ErrorCode.CERTIFICATE_INVALID,
            "O certificado ainda não está em vigor.",
            validFrom=utc_text(certificate.not_before),
        )


def _record(company_id: UUID, stored: StoredCertificate) -> CertificateRecord:
    return CertificateRecord(company_id=company_id, certificate=CertificateDetails.model_validate(stored))
