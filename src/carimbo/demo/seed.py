"""What the demo starts with: a subscription, and a company that is ready to issue and has things to sell."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from carimbo.demo.samples import CATALOG
from carimbo.service.access import Gatekeeper, RotationRequest, rotate_credential
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.certificates import read_certificate, upload_certificate
from carimbo.service.companies import NewCompany, create_company, find_company
from carimbo.service.company_settings import CompanySettings, change_settings
from carimbo.service.errors import Code, Refusal
from carimbo.service.pages import PageRequest
from carimbo.service.product_bodies import ProductBody
from carimbo.service.products import create_product
from carimbo.service.state_registrations import (
    NewStateRegistration,
    add_state_registration,
    list_state_registrations,
)
from carimbo.service.subscriptions import NewCredentials, create_subscription, list_subscriptions
from carimbo.simulator.certificates import CertificateFolder
from carimbo.storage.database import Database

SUBSCRIPTION_NAME = "Demonstração"
TAX_ID = "11222333000181"
LEGAL_NAME = "Loja Modelo Comércio Ltda"
PFX_PASSWORD = "carimbo"  # noqa: S105 - of a certificate without any value
_OPENING_SECONDS = 30

_COMPANY: dict[str, Any] = {
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
    """Find the demo's subscription or make it; a secret that is no longer known is replaced."""
    gatekeeper = await Gatekeeper.open(database)
    existing = [s for s in await list_subscriptions(database) if s.name == SUBSCRIPTION_NAME]
    if not existing:
        return await create_subscription(gatekeeper, SUBSCRIPTION_NAME, plan="unlimited")
    subscription_id = existing[0].id
    if secret is not None and await _opens(gatekeeper, subscription_id, secret):
        return NewCredentials(subscription_id, secret)
    rotated = await rotate_credential(gatekeeper, subscription_id, RotationRequest())
    return NewCredentials(subscription_id, rotated.api_secret)


@dataclass(frozen=True)
class CompanyFile:
    """The company's A1 file in the simulator's folder, and gone when the authority that made it is."""

    certificates: CertificateFolder
    path: Path

    def is_there(self) -> bool:
        """Tell whether the simulator's authority, and so its file, is still the same."""
        return self.path.exists()

    def make(self, now: datetime) -> bytes:
        """Write a new one."""
        pfx = self.certificates.issue(TAX_ID, LEGAL_NAME.upper(), now).to_pfx(PFX_PASSWORD)
        self.path.write_bytes(pfx)
        return pfx


async def seed_company(database: Database, subscription_id: UUID, file: CompanyFile, now: datetime) -> UUID:
    """Make the sample company complete: what it lacks is added, what a user changed is left alone.

    `now` is by the service's clock, on which its certificate has to be in force.
    """
    try:
        created = await create_company(database, subscription_id, NewCompany.model_validate(_COMPANY))
    except Refusal as refusal:
        if refusal.code is not Code.DUPLICATE_RESOURCE or refusal.details is None:
            raise
        company_id = UUID(refusal.details["existingId"])
    else:
        company_id = created.id
    await _seed_settings(database, subscription_id, company_id)
    await _seed_registration(database, subscription_id, company_id)
    await _seed_certificate(database, subscription_id, company_id, file, now)
    await _seed_catalog(database, subscription_id, company_id)
    return company_id


async def _seed_settings(database: Database, subscription_id: UUID, company_id: UUID) -> None:
    company = await find_company(database, subscription_id, company_id)
    if not company.settings:
        settings = CompanySettings.model_validate(_SETTINGS)
        await change_settings(database, subscription_id, company_id, settings)


async def _seed_registration(database: Database, subscription_id: UUID, company_id: UUID) -> None:
    listed = await list_state_registrations(database, subscription_id, company_id, PageRequest())
    if not listed.total:
        registration = NewStateRegistration.model_validate({"state": "SP", "number": "110042490114"})
        await add_state_registration(database, subscription_id, company_id, registration)


async def _seed_certificate(
    database: Database, subscription_id: UUID, company_id: UUID, file: CompanyFile, now: datetime
) -> None:
    if file.is_there() and not await _needs_certificate(database, subscription_id, company_id, now):
        return
    company = await find_company(database, subscription_id, company_id)
    opener = CertificateOpener(_OPENING_SECONDS)
    await upload_certificate(database, opener, subscription_id, company, file.make(now), PFX_PASSWORD, now)


async def _seed_catalog(database: Database, subscription_id: UUID, company_id: UUID) -> None:
    for item in CATALOG:
        try:
            await create_product(database, subscription_id, company_id, ProductBody.model_validate(item).root)
        except Refusal as refusal:
            if refusal.code is not Code.DUPLICATE_RESOURCE:
                raise


async def _needs_certificate(
    database: Database, subscription_id: UUID, company_id: UUID, now: datetime
) -> bool:
    try:
        current = await read_certificate(database, subscription_id, company_id)
    except Refusal:
        return True
    return not current.certificate.valid_from <= now < current.certificate.expires_at


async def _opens(gatekeeper: Gatekeeper, subscription_id: UUID, secret: str) -> bool:
    try:
        await gatekeeper.authenticate(str(subscription_id), secret)
    except Refusal:
        return False
    return True
