"""Every change of a company creates a new revision, which the next document sees."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.service.access import Authenticator
from carimbo.service.companies import company_bodies, company_settings, registration, state_registrations
from carimbo.service.companies.certificates import CertificateOpener, delete_certificate, upload_certificate
from carimbo.service.companies.snapshot import CompanySnapshot, CompanySnapshots
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from integration.storage.document_rows import Shop
from support import CNPJ

NOW = datetime.now(UTC)
NFE, NFCE = (
    next(document_type for document_type in DOCUMENT_TYPES if document_type.name == name)
    for name in ("nfe", "nfce")
)
NEW_COMPANY = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
CSC = {"active": True, "cscId": "1", "csc": "0123456789ABCDEF0123456789ABCDEF"}


@dataclass(frozen=True)
class Owner:
    """A subscription with a company, and functions that change it."""

    database: Database
    subscription_id: UUID
    company_id: UUID
    certificates: tuple[SampleCertificate, SampleCertificate]

    @property
    def arguments(self) -> tuple[Database, UUID, UUID]:
        return self.database, self.subscription_id, self.company_id

    async def company(self) -> CompanyRow:
        return await registration.find_company(*self.arguments, deleted_too=True)

    async def snapshot(self, snapshots: CompanySnapshots) -> CompanySnapshot:
        return await snapshots.of(self.subscription_id, self.company_id, (await self.company()).revision)

    async def upload(self, certificate: SampleCertificate) -> None:
        opener, company = _Opened(0, certificate=certificate), await self.company()
        await upload_certificate(self.database, opener, self.subscription_id, company, b"", "", NOW)


@dataclass(frozen=True)
class _Opened(CertificateOpener):
    """Returns a certificate that is open already, without a process."""

    certificate: SampleCertificate = field(kw_only=True)

    async def open(self, pfx: bytes, password: str, subscription_id: UUID) -> A1Certificate:
        return A1Certificate.from_bundle(self.certificate.to_pem())


@pytest.fixture(scope="module")
def certificates(authority: SampleAuthority) -> tuple[SampleCertificate, SampleCertificate]:
    """Two certificates of the same company."""
    day = timedelta(days=1)
    first, second = (
        authority.issue_company(CNPJ, "LOJA", NOW - day, NOW + days * day) for days in (300, 301)
    )
    return first, second


@pytest.fixture
async def owner(
    database: Database,
    authenticator: Authenticator,
    certificates: tuple[SampleCertificate, SampleCertificate],
) -> Owner:
    subscription_id = (await create_subscription(authenticator, "Teste")).subscription_id
    command = company_bodies.NewCompany.model_validate(NEW_COMPANY)
    company = await registration.create_company(database, subscription_id, command)
    return Owner(database, subscription_id, company.id, certificates)


@pytest.fixture
def snapshots(database: Database) -> CompanySnapshots:
    return CompanySnapshots(database)


async def rename(owner: Owner) -> None:
    changes = company_bodies.CompanyChanges.model_validate({"tradeName": "Nova"})
    await registration.update_company(*owner.arguments, changes)


async def move_to_homologation(owner: Owner) -> None:
    change = company_bodies.EnvironmentChange(environment=Environment.HOMOLOGATION)
    await registration.switch_environment(*owner.arguments, change)


async def register(owner: Owner) -> None:
    registration = state_registrations.NewStateRegistration(state="SP", number="110042490114")
    await state_registrations.add_state_registration(*owner.arguments, registration)


async def deregister(owner: Owner) -> None:
    async with owner.database.autocommit(owner.subscription_id) as tenant:
        (registration,) = await tenant.state_registrations.all(owner.company_id)
    await state_registrations.delete_state_registration(*owner.arguments, registration.id)


async def change_settings(owner: Owner, **settings: Any) -> None:
    changes = company_settings.CompanySettings.model_validate(settings)
    await company_settings.change_settings(*owner.arguments, changes)


async def change_series(owner: Owner) -> None:
    await change_settings(owner, nfe={"series": 7})


async def change_csc(owner: Owner) -> None:
    await change_settings(owner, nfce=CSC)


async def change_defaults(owner: Owner) -> None:
    await change_settings(owner, defaults={"cfop": "5405"})


async def change_both(owner: Owner) -> None:
    changes = {"tradeName": "Nova", "settings": {"nfe": {"series": 7}}}
    command = company_settings.CompanyWithSettings.model_validate(changes)
    await company_settings.update_company_with_settings(*owner.arguments, command)


async def upload(owner: Owner) -> None:
    await owner.upload(owner.certificates[0])


async def remove_certificate(owner: Owner) -> None:
    await delete_certificate(*owner.arguments)


async def delete(owner: Owner) -> None:
    await registration.delete_company(*owner.arguments)


async def revive(owner: Owner) -> None:
    command = company_bodies.NewCompany.model_validate({**NEW_COMPANY, "tradeName": "Nova"})
    await registration.create_company(owner.database, owner.subscription_id, command)


def csc_of(snapshot: CompanySnapshot) -> object:
    return getattr(snapshot.settings_of(NFCE), "csc", None)


async def nothing(_: Owner) -> None:
    pass


Change = Callable[[Owner], Awaitable[None]]


@dataclass(frozen=True)
class ChangeCase:
    """A change, its preparation, and a value of the snapshot before and after it."""

    change: Change
    seen: Callable[[CompanySnapshot], object]
    before: object
    after: object
    first: Change = nothing


CASES = [
    ChangeCase(rename, lambda snapshot: snapshot.row.trade_name, None, "Nova"),
    ChangeCase(
        move_to_homologation, lambda snapshot: snapshot.environment_of(NFE), "production", "homologation"
    ),
    ChangeCase(
        register,
        lambda snapshot: [registration.number for registration in snapshot.registrations],
        [],
        ["110042490114"],
    ),
    ChangeCase(deregister, lambda snapshot: len(snapshot.registrations), 1, 0, first=register),
    ChangeCase(change_series, lambda snapshot: snapshot.settings_of(NFE).series, 1, 7),
    ChangeCase(change_csc, csc_of, None, CSC["csc"]),
    ChangeCase(
        change_defaults, lambda snapshot: snapshot.row.settings.get("defaults"), None, {"cfop": "5405"}
    ),
    ChangeCase(change_both, lambda snapshot: snapshot.settings_of(NFE).series, 1, 7),
    ChangeCase(upload, lambda snapshot: snapshot.has_valid_certificate(NOW), False, True),
    ChangeCase(
        remove_certificate, lambda snapshot: snapshot.has_valid_certificate(NOW), True, False, first=upload
    ),
    ChangeCase(delete, csc_of, CSC["csc"], None, first=change_csc),
    ChangeCase(revive, lambda snapshot: snapshot.row.deleted_at is None, False, True, first=delete),
]


class TestRevision:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case.change.__name__)
    async def test_a_change_creates_a_new_revision_that_shows_it(
        self, owner: Owner, snapshots: CompanySnapshots, case: ChangeCase
    ) -> None:
        await case.first(owner)
        old = await owner.snapshot(snapshots)
        assert case.seen(old) == case.before
        await case.change(owner)
        new = await owner.snapshot(snapshots)
        assert new.revision > old.revision
        assert case.seen(new) == case.after

    @pytest.mark.parametrize("change", [rename, register, change_csc, upload, move_to_homologation])
    async def test_the_next_document_uses_the_new_revision(
        self, owner: Owner, snapshots: CompanySnapshots, change: Change
    ) -> None:
        """A document that is being processed uses it too."""
        shop = Shop(owner.database, owner.subscription_id, owner.company_id)
        under_way = await shop.added()
        await change(owner)
        revision = (await owner.snapshot(snapshots)).revision
        for document in (under_way, await shop.added()):
            assert (await shop.read(document.id)).company_revision == revision

    async def test_reading_creates_no_revision(self, owner: Owner, snapshots: CompanySnapshots) -> None:
        before = await owner.company()
        await owner.snapshot(snapshots)
        await company_settings.read_settings(*owner.arguments)
        assert await owner.company() == before


class TestCache:
    async def test_a_company_that_did_not_change_is_read_once(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        first = await owner.snapshot(snapshots)
        assert await owner.snapshot(snapshots) is first
        await rename(owner)
        assert await owner.snapshot(snapshots) is not first

    async def test_asking_for_an_older_revision_returns_the_current_one(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        old = (await owner.company()).revision
        await rename(owner)
        snapshot = await snapshots.of(owner.subscription_id, owner.company_id, old)
        assert (snapshot.row.trade_name, snapshot.revision) == ("Nova", (await owner.company()).revision)

    async def test_the_least_recently_used_snapshot_is_evicted(self, owner: Owner) -> None:
        snapshots, kept = CompanySnapshots(owner.database, max_remembered=2), []
        for _ in range(3):
            await rename(owner)
            kept.append(await owner.snapshot(snapshots))
        for snapshot, remembered in zip(kept[::-1], (True, True, False), strict=True):
            current = await snapshots.of(owner.subscription_id, owner.company_id, snapshot.revision)
            assert (current is snapshot) == remembered

    async def test_a_missing_company_raises_an_error(self, owner: Owner, snapshots: CompanySnapshots) -> None:
        with pytest.raises(LookupError, match=str(owner.subscription_id)):
            await snapshots.of(owner.subscription_id, owner.subscription_id, 1)


class TestSnapshot:
    async def test_the_repr_hides_the_secrets(self, owner: Owner, snapshots: CompanySnapshots) -> None:
        await change_csc(owner)
        snapshot = await owner.snapshot(snapshots)
        assert csc_of(snapshot) == CSC["csc"]
        assert str(CSC["csc"]) not in repr(snapshot)


class TestSigningIdentity:
    async def test_without_a_certificate_there_is_no_signing_identity(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        assert await snapshots.signing_identity_of(await owner.snapshot(snapshots)) is None

    async def test_the_certificate_is_opened_once_though_the_company_changes(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        await upload(owner)
        first = await snapshots.signing_identity_of(await owner.snapshot(snapshots))
        assert first is not None
        await rename(owner)
        assert await snapshots.signing_identity_of(await owner.snapshot(snapshots)) is first

    async def test_different_certificates_have_different_signing_identities(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        for certificate in owner.certificates:
            await owner.upload(certificate)
            assert await self._signing_fingerprint(owner, snapshots) == await self._uploaded_fingerprint(
                owner
            )

    async def test_a_certificate_uploaded_again_is_used_again(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        """Even if a document signed with it while another certificate had replaced it."""
        certificate, other = owner.certificates
        await owner.upload(certificate)
        old = await owner.snapshot(snapshots)
        await owner.upload(other)
        await snapshots.signing_identity_of(old)
        await owner.upload(certificate)
        assert await self._signing_fingerprint(owner, snapshots) == await self._uploaded_fingerprint(owner)

    async def test_a_removed_certificate_does_not_sign_any_more(
        self, owner: Owner, snapshots: CompanySnapshots
    ) -> None:
        await upload(owner)
        assert await self._signing_fingerprint(owner, snapshots) is not None
        await remove_certificate(owner)
        assert await self._signing_fingerprint(owner, snapshots) is None

    async def _signing_fingerprint(self, owner: Owner, snapshots: CompanySnapshots) -> str | None:
        identity = await snapshots.signing_identity_of(await owner.snapshot(snapshots))
        return identity.certificate.fingerprint if identity else None

    async def _uploaded_fingerprint(self, owner: Owner) -> str:
        async with owner.database.autocommit(owner.subscription_id) as tenant:
            stored = await tenant.certificates.get(owner.company_id)
        assert stored is not None
        return stored.fingerprint
