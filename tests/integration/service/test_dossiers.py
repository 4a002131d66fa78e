"""Whatever changes a company makes another revision of it, and is seen by the next document."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.service import companies, company_settings, state_registrations
from carimbo.service.access import Gatekeeper
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.certificates import delete_certificate, upload_certificate
from carimbo.service.dossier import Dossier, Dossiers
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.companies import Company
from carimbo.storage.database import Database
from integration.storage.document_rows import Shop
from support import CNPJ

NOW = datetime.now(UTC)
NFE, NFCE = (next(kind for kind in DOCUMENT_TYPES if kind.name == name) for name in ("nfe", "nfce"))
NEW_COMPANY = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
CSC = {"active": True, "cscId": "1", "csc": "0123456789ABCDEF0123456789ABCDEF"}


@dataclass(frozen=True)
class Owner:
    """A subscription with a company, and what changes it."""

    database: Database
    subscription_id: UUID
    company_id: UUID
    certificates: tuple[SampleCertificate, SampleCertificate]

    @property
    def which(self) -> tuple[Database, UUID, UUID]:
        return self.database, self.subscription_id, self.company_id

    async def company(self) -> Company:
        return await companies.find_company(*self.which, deleted_too=True)

    async def dossier(self, dossiers: Dossiers) -> Dossier:
        """The company as it is now."""
        return await dossiers.of(self.subscription_id, self.company_id, (await self.company()).revision)

    async def upload(self, certificate: SampleCertificate) -> None:
        opener, company = _Opened(0, certificate=certificate), await self.company()
        await upload_certificate(self.database, opener, self.subscription_id, company, b"", "", NOW)


@dataclass(frozen=True)
class _Opened(CertificateOpener):
    """Has a certificate that is open already, and so needs no process."""

    certificate: SampleCertificate = field(kw_only=True)

    async def open(self, pfx: bytes, password: str, subscription_id: UUID) -> A1Certificate:
        return A1Certificate.from_bundle(self.certificate.to_pem())


@pytest.fixture(scope="module")
def certificates(authority: SampleAuthority) -> tuple[SampleCertificate, SampleCertificate]:
    """Two of the same company."""
    day = timedelta(days=1)
    one, other = (authority.issue_company(CNPJ, "LOJA", NOW - day, NOW + days * day) for days in (300, 301))
    return one, other


@pytest.fixture
async def owner(
    database: Database, gatekeeper: Gatekeeper, certificates: tuple[SampleCertificate, SampleCertificate]
) -> Owner:
    subscription_id = (await create_subscription(gatekeeper, "Teste")).subscription_id
    command = companies.NewCompany.model_validate(NEW_COMPANY)
    company = await companies.create_company(database, subscription_id, command)
    return Owner(database, subscription_id, company.id, certificates)


@pytest.fixture
def dossiers(database: Database) -> Dossiers:
    return Dossiers(database)


async def rename(owner: Owner) -> None:
    changes = companies.CompanyChanges.model_validate({"tradeName": "Nova"})
    await companies.update_company(*owner.which, changes)


async def move_to_homologation(owner: Owner) -> None:
    change = companies.EnvironmentChange(environment=Environment.HOMOLOGATION)
    await companies.switch_environment(*owner.which, change)


async def register(owner: Owner) -> None:
    registration = state_registrations.NewStateRegistration(state="SP", number="110042490114")
    await state_registrations.add_state_registration(*owner.which, registration)


async def deregister(owner: Owner) -> None:
    async with owner.database.autocommit(owner.subscription_id) as tenant:
        (registration,) = await tenant.state_registrations.all(owner.company_id)
    await state_registrations.delete_state_registration(*owner.which, registration.id)


async def change_settings(owner: Owner, **settings: Any) -> None:
    changes = company_settings.CompanySettings.model_validate(settings)
    await company_settings.change_settings(*owner.which, changes)


async def change_series(owner: Owner) -> None:
    await change_settings(owner, nfe={"series": 7})


async def change_csc(owner: Owner) -> None:
    await change_settings(owner, nfce=CSC)


async def change_defaults(owner: Owner) -> None:
    await change_settings(owner, defaults={"cfop": "5405"})


async def change_both(owner: Owner) -> None:
    changes = {"tradeName": "Nova", "settings": {"nfe": {"series": 7}}}
    command = company_settings.CompanyWithSettings.model_validate(changes)
    await company_settings.update_company_with_settings(*owner.which, command)


async def upload(owner: Owner) -> None:
    await owner.upload(owner.certificates[0])


async def remove_certificate(owner: Owner) -> None:
    await delete_certificate(*owner.which)


async def delete(owner: Owner) -> None:
    await companies.delete_company(*owner.which)


async def revive(owner: Owner) -> None:
    command = companies.NewCompany.model_validate({**NEW_COMPANY, "tradeName": "Nova"})
    await companies.create_company(owner.database, owner.subscription_id, command)


def csc_of(dossier: Dossier) -> object:
    return getattr(dossier.settings_of(NFCE), "csc", None)


async def nothing(_: Owner) -> None:
    pass


Change = Callable[[Owner], Awaitable[None]]


@dataclass(frozen=True)
class Case:
    """A change, what came before it, and what is to be seen of it."""

    change: Change
    seen: Callable[[Dossier], object]
    before: object
    after: object
    first: Change = nothing


CASES = [
    Case(rename, lambda dossier: dossier.row.trade_name, None, "Nova"),
    Case(move_to_homologation, lambda dossier: dossier.environment_of(NFE), "production", "homologation"),
    Case(register, lambda dossier: [one.number for one in dossier.registrations], [], ["110042490114"]),
    Case(deregister, lambda dossier: len(dossier.registrations), 1, 0, first=register),
    Case(change_series, lambda dossier: dossier.settings_of(NFE).series, 1, 7),
    Case(change_csc, csc_of, None, CSC["csc"]),
    Case(change_defaults, lambda dossier: dossier.row.settings.get("defaults"), None, {"cfop": "5405"}),
    Case(change_both, lambda dossier: dossier.settings_of(NFE).series, 1, 7),
    Case(upload, lambda dossier: dossier.has_valid_certificate(NOW), False, True),
    Case(remove_certificate, lambda dossier: dossier.has_valid_certificate(NOW), True, False, first=upload),
    Case(delete, csc_of, CSC["csc"], None, first=change_csc),
    Case(revive, lambda dossier: dossier.row.deleted_at is None, False, True, first=delete),
]


class TestRevision:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case.change.__name__)
    async def test_a_change_makes_another_one_which_shows_it(
        self, owner: Owner, dossiers: Dossiers, case: Case
    ) -> None:
        await case.first(owner)
        old = await owner.dossier(dossiers)
        assert case.seen(old) == case.before
        await case.change(owner)
        new = await owner.dossier(dossiers)
        assert new.revision > old.revision
        assert case.seen(new) == case.after

    @pytest.mark.parametrize("change", [rename, register, change_csc, upload, move_to_homologation])
    async def test_the_next_document_knows_it(self, owner: Owner, dossiers: Dossiers, change: Change) -> None:
        """And so does one that is under way already."""
        shop = Shop(owner.database, owner.subscription_id, owner.company_id)
        under_way = await shop.added()
        await change(owner)
        revision = (await owner.dossier(dossiers)).revision
        for document in (under_way, await shop.added()):
            assert (await shop.read(document.id)).company_revision == revision

    async def test_reading_makes_none(self, owner: Owner, dossiers: Dossiers) -> None:
        before = await owner.company()
        await owner.dossier(dossiers)
        await company_settings.read_settings(*owner.which)
        assert await owner.company() == before


class TestMemory:
    async def test_a_company_that_did_not_change_is_read_once(self, owner: Owner, dossiers: Dossiers) -> None:
        first = await owner.dossier(dossiers)
        assert await owner.dossier(dossiers) is first
        await rename(owner)
        assert await owner.dossier(dossiers) is not first

    async def test_who_knows_an_older_revision_gets_what_is_there_now(
        self, owner: Owner, dossiers: Dossiers
    ) -> None:
        old = (await owner.company()).revision
        await rename(owner)
        found = await dossiers.of(owner.subscription_id, owner.company_id, old)
        assert (found.row.trade_name, found.revision) == ("Nova", (await owner.company()).revision)

    async def test_what_nobody_asked_for_lately_is_forgotten(self, owner: Owner) -> None:
        dossiers, kept = Dossiers(owner.database, most_remembered=2), []
        for _ in range(3):
            await rename(owner)
            kept.append(await owner.dossier(dossiers))
        for dossier, remembered in zip(kept[::-1], (True, True, False), strict=True):
            found = await dossiers.of(owner.subscription_id, owner.company_id, dossier.revision)
            assert (found is dossier) == remembered

    async def test_a_company_that_is_not_there_is_told(self, owner: Owner, dossiers: Dossiers) -> None:
        with pytest.raises(LookupError, match=str(owner.subscription_id)):
            await dossiers.of(owner.subscription_id, owner.subscription_id, 1)


class TestDossier:
    async def test_shown_to_a_programmer_hides_its_secrets(self, owner: Owner, dossiers: Dossiers) -> None:
        await change_csc(owner)
        dossier = await owner.dossier(dossiers)
        assert csc_of(dossier) == CSC["csc"]
        assert str(CSC["csc"]) not in repr(dossier)


class TestSeal:
    async def test_without_a_certificate_there_is_none(self, owner: Owner, dossiers: Dossiers) -> None:
        assert await dossiers.seal_of(await owner.dossier(dossiers)) is None

    async def test_it_is_opened_once_though_the_company_changes(
        self, owner: Owner, dossiers: Dossiers
    ) -> None:
        await upload(owner)
        first = await dossiers.seal_of(await owner.dossier(dossiers))
        assert first is not None
        await rename(owner)
        assert await dossiers.seal_of(await owner.dossier(dossiers)) is first

    async def test_another_certificate_is_another_seal(self, owner: Owner, dossiers: Dossiers) -> None:
        for certificate in owner.certificates:
            await owner.upload(certificate)
            assert await self._sealed_with(owner, dossiers) == await self._uploaded(owner)

    async def test_a_certificate_that_comes_back_is_used_again(
        self, owner: Owner, dossiers: Dossiers
    ) -> None:
        """Though a document that knew it was at work while another one had taken its place."""
        one, other = owner.certificates
        await owner.upload(one)
        old = await owner.dossier(dossiers)
        await owner.upload(other)
        await dossiers.seal_of(old)
        await owner.upload(one)
        assert await self._sealed_with(owner, dossiers) == await self._uploaded(owner)

    async def test_one_that_is_destroyed_seals_no_more(self, owner: Owner, dossiers: Dossiers) -> None:
        await upload(owner)
        assert await self._sealed_with(owner, dossiers) is not None
        await remove_certificate(owner)
        assert await self._sealed_with(owner, dossiers) is None

    async def _sealed_with(self, owner: Owner, dossiers: Dossiers) -> str | None:
        seal = await dossiers.seal_of(await owner.dossier(dossiers))
        return seal.certificate.fingerprint if seal else None

    async def _uploaded(self, owner: Owner) -> str:
        async with owner.database.autocommit(owner.subscription_id) as tenant:
            stored = await tenant.certificates.get(owner.company_id)
        assert stored is not None
        return stored.fingerprint
