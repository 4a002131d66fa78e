"""Creates the demo's data: a subscription, and a company with a catalog that is ready to issue."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from carimbo.demo.samples import CATALOG
from carimbo.service.access import Authenticator, RotationRequest, rotate_credential
from carimbo.service.catalog.product_bodies import ProductBody
from carimbo.service.catalog.products import create_product
from carimbo.service.companies.certificates import CertificateOpener, read_certificate, upload_certificate
from carimbo.service.companies.company_bodies import NewCompany
from carimbo.service.companies.company_settings import CompanySettings, change_settings
from carimbo.service.companies.registration import create_company, find_company
from carimbo.service.companies.state_registrations import (
    NewStateRegistration,
    add_state_registration,
    list_state_registrations,
)
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.listing import PageRequest
from carimbo.service.subscriptions import NewCredentials, create_subscription, list_subscriptions
from carimbo.simulator.program.certificates import CertificateFolder
from carimbo.storage.database import Database

SUBSCRIPTION_NAME = "Demonstração"
TAX_ID = "11222333000181"
STATE_REGISTRATION = "110042490114"
LEGAL_NAME = "Loja Modelo Comércio Ltda"
PFX_PASSWORD = "carimbo"  # noqa: S105 - of a certificate without any value
_OPENING_SECONDS = 30

COMPANY: dict[str, Any] = {
    "taxId": TAX_ID,
    "legalName": LEGAL_NAME,
    "tradeName": "Loja Modelo",
    "email": "fiscal@example.com",
    "phone": "1133334444",
    "address": {
        "zipcode": "01310100", "street": "Avenida Paulista", "number": "1000",
        "district": "Bela Vista", "city": "São Paulo", "state": "SP",
    },
    "taxRegime": "simples",
    "municipalRegistration": "12345678",
    "cnaeCode": "4751201",
    "simplesRate": 6,
    "simplesIssRegime": 1,
}  # fmt: skip
_SETTINGS: dict[str, Any] = {
    "nfe": {"series": 1},
    "nfce": {"active": True, "series": 1, "cscId": "1", "csc": "0123456789ABCDEF0123456789ABCDEF"},
    "cte": {"active": True, "series": 1, "rntrc": "12345678"},
    "cteOs": {"series": 1},
    "mdfe": {"series": 1},
    "nfse": {"series": 1, "federalServiceCode": "01.05", "issRate": 2},
    "defaults": {
        "productInvoiceType": "nfe",
        "cfop": "5102",
        "presence": "inPerson",
        "paymentMethod": "pix",
        "approximateTaxRates": {"federal": 13.45, "state": 18},
    },
    "email": {"sendOnAuthorization": True},
}


async def seed_credentials(database: Database, secret: str | None) -> NewCredentials:
    """Returns the credentials of the demo's subscription, which is created if there is none.

    A secret that is missing or no longer valid is replaced by a new one.
    """
    authenticator = await Authenticator.open(database)
    existing = [s for s in await list_subscriptions(database) if s.name == SUBSCRIPTION_NAME]
    if not existing:
        return await create_subscription(authenticator, SUBSCRIPTION_NAME, plan="unlimited")
    subscription_id = existing[0].id
    if secret is not None and await _is_valid_secret(authenticator, subscription_id, secret):
        return NewCredentials(subscription_id, secret)
    rotated = await rotate_credential(authenticator, subscription_id, RotationRequest())
    return NewCredentials(subscription_id, rotated.api_secret)


@dataclass(frozen=True)
class CompanyCertificateFile:
    """The company's A1 file in the simulator's folder; it is deleted with the authority that issued it."""

    certificates: CertificateFolder
    path: Path

    def exists(self) -> bool:
        """Returns whether there is a file, and so the authority that issued it."""
        return self.path.exists()

    def create(self, now: datetime) -> bytes:
        """Writes a new file and returns its content."""
        pfx = self.certificates.issue(TAX_ID, LEGAL_NAME.upper(), now).to_pfx(PFX_PASSWORD)
        self.path.write_bytes(pfx)
        return pfx


async def seed_company(
    database: Database, subscription_id: UUID, file: CompanyCertificateFile, now: datetime
) -> UUID:
    """Returns the id of the sample company, which is created or completed; changes of a user are kept.

    `now` is by the service's clock: its certificate must be valid then.
    """
    try:
        created = await create_company(database, subscription_id, NewCompany.model_validate(COMPANY))
    except Refusal as refusal:
        if refusal.code is not ErrorCode.DUPLICATE_RESOURCE or refusal.details is None:
            raise
        company_id = UUID(refusal.details["existingId"])
    else:
        company_id = created.id

    company = await find_company(database, subscription_id, company_id)
    if not company.settings:
        settings = CompanySettings.model_validate(_SETTINGS)
        await change_settings(database, subscription_id, company_id, settings)
    listed = await list_state_registrations(database, subscription_id, company_id, PageRequest())
    if not listed.total:
        registration = NewStateRegistration.model_validate({"state": "SP", "number": STATE_REGISTRATION})
        await add_state_registration(database, subscription_id, company_id, registration)
    await _seed_certificate(database, subscription_id, company_id, file, now)
    await _seed_catalog(database, subscription_id, company_id)
    return company_id


async def _seed_certificate(
    database: Database, subscription_id: UUID, company_id: UUID, file: CompanyCertificateFile, now: datetime
) -> None:
    if file.exists() and not await _needs_certificate(database, subscription_id, company_id, now):
        return
    company = await find_company(database, subscription_id, company_id)
    opener = CertificateOpener(_OPENING_SECONDS)
    await upload_certificate(database, opener, subscription_id, company, file.create(now), PFX_PASSWORD, now)


async def _seed_catalog(database: Database, subscription_id: UUID, company_id: UUID) -> None:
    for item in CATALOG:
        try:
            await create_product(database, subscription_id, company_id, ProductBody.model_validate(item).root)
        except Refusal as refusal:
            if refusal.code is not ErrorCode.DUPLICATE_RESOURCE:
                raise


async def _needs_certificate(
    database: Database, subscription_id: UUID, company_id: UUID, now: datetime
) -> bool:
    try:
        current = await read_certificate(database, subscription_id, company_id)
    except Refusal:
        return True
    return not current.certificate.valid_from <= now < current.certificate.expires_at


async def _is_valid_secret(authenticator: Authenticator, subscription_id: UUID, secret: str) -> bool:
    try:
        await authenticator.authenticate(str(subscription_id), secret)
    except Refusal:
        return False
    return True
