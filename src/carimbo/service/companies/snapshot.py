"""A company with everything that issuing needs, at one revision."""

from base64 import b64encode
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.parties.company import Company
from carimbo.service.companies.certificates import SECRET_NAME
from carimbo.service.companies.company_settings import (
    module_secrets,
    modules_with_secrets,
    stored_settings,
    tax_defaults_of,
)
from carimbo.service.companies.registration import company_record
from carimbo.service.stored_records import log_unreadable
from carimbo.storage.certificates import StoredCertificate
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.envelope import DecryptionFailed
from carimbo.storage.state_registrations import StateRegistrationRow

_COMPANY_FIELDS = (
    "tax_id", "legal_name", "trade_name", "address", "phone", "tax_regime", "pis_cofins_regime",
    "municipal_registration", "cnae_code", "simples_rate", "simples_iss_regime",
    "ibs_cbs_regime",
)  # fmt: skip


@dataclass(frozen=True)
class CompanySnapshot:
    """A company with its registrations, the dates of its certificate, and its settings with their secrets."""

    subscription_id: UUID
    row: CompanyRow
    registrations: tuple[StateRegistrationRow, ...]
    certificate: StoredCertificate | None
    modules: Mapping[str, ModuleSettings] = field(repr=False)
    invalid_settings: tuple[str, ...] = ()
    """Paths of stored settings whose values can't be read: no document is issued without them."""
    unknown_settings: tuple[str, ...] = ()
    """Paths of stored settings that only another version has: documents are issued without them."""

    @property
    def revision(self) -> int:
        return self.row.revision

    @cached_property
    def company(self) -> Company:
        """The issuer for the fiscal library; only for a company whose registration is complete."""
        fields: dict[str, Any] = {to_camel(name): getattr(self.row, name) for name in _COMPANY_FIELDS}
        registered = [
            {"state": registration.state, "number": registration.number}
            for registration in self.registrations
        ]
        defaults = tax_defaults_of(self.row)
        return Company.model_validate({**fields, "stateRegistrations": registered, "defaults": defaults})

    def settings_of(self, document_type: DocumentType) -> ModuleSettings:
        """Returns the company's settings of a document type."""
        return self.modules[document_type.name]

    def settings_beside(self, document_type: DocumentType) -> tuple[ModuleSettings, ...]:
        """Returns the company's settings of all other modules."""
        return tuple(settings for name, settings in self.modules.items() if name != document_type.name)

    def switch_of(self, document_type: DocumentType) -> ModuleSettings:
        """Returns the settings that say whether, and in which environment, a type is issued."""
        return self.modules[document_type.switch_module]

    def warnings_for(self, document_type: DocumentType) -> tuple[str, ...]:
        """Returns warnings about unknown settings that documents of a type are issued without."""
        unknown = _of_type(self.unknown_settings, document_type)
        sentence = "Parte das configurações da empresa não pôde ser lida e ficou de fora"
        return (f"{sentence}: {', '.join(unknown)}.",) if unknown else ()

    def environment_of(self, document_type: DocumentType) -> Environment:
        """Returns the environment in which documents of a type are issued."""
        return self.switch_of(document_type).effective_environment(Environment(self.row.environment))

    def missing_for(self, document_type: DocumentType, environment: Environment) -> tuple[str, ...]:
        """Returns what the company lacks to issue a type, apart from its certificate."""
        lacking = document_type.requirements.settings
        settings = lacking(self.settings_of(document_type), environment) if lacking else ()
        # A default in place of an unreadable series or environment would issue a different document.
        invalid = _of_type(self.invalid_settings, document_type)
        # Without its options a company of Simples Nacional would seem not to inform IBS and CBS.
        options = ("ibsCbsRegime",) if self.row.ibs_cbs_regime is None else ()
        return tuple(
            dict.fromkeys((*self.missing_registration(document_type), *options, *settings, *invalid))
        )

    def missing_for_rules(
        self, document_type: DocumentType, software: Software, now: datetime
    ) -> tuple[str, ...]:
        """Returns what the company lacks by the rules of a type that apply today."""
        lacking = document_type.requirements.rules
        if lacking is None or self.row.address is None or self.row.tax_regime is None:
            return ()
        return lacking(self.company, software, local_day(now, self.company.address.state))

    def missing_registration(self, document_type: DocumentType) -> tuple[str, ...]:
        """Returns what the company lacks to send requests to a type's authority, except its certificate."""
        needed = (("address", self.row.address), ("taxRegime", self.row.tax_regime))
        missing = [name for name, value in needed if value is None]
        state = self.row.state
        is_registered = any(registration.state == state for registration in self.registrations)
        if document_type.requirements.state_registration and not is_registered:
            missing.append("stateRegistration")
        return tuple(missing)

    def has_valid_certificate(self, now: datetime) -> bool:
        """Returns whether the company has a certificate that is valid now."""
        certificate = self.certificate
        return certificate is not None and certificate.valid_from <= now < certificate.expires_at


def _of_type(paths: tuple[str, ...], document_type: DocumentType) -> tuple[str, ...]:
    """Returns those paths whose settings documents of a type use."""
    return tuple(path for path in paths if path.split(".")[0] in (document_type.name, "defaults"))


@dataclass(frozen=True)
class ReadSnapshots:
    """The snapshots of companies, and the companies whose stored data can't be read."""

    snapshots: list[CompanySnapshot]
    unreadable: list[CompanyRow]


@dataclass(frozen=True)
class SigningIdentity:
    """A company's opened certificate and the signer that uses it."""

    certificate: A1Certificate
    signer: Signer

    def has_signed(self, xml: bytes) -> bool:
        """Returns whether signed XML contains this certificate."""
        return b64encode(self.certificate.certificate_der) in xml

    def sender(self, tax_id: str, environment: Environment) -> AuthorityCredentials:
        """Returns the sender of requests to the authorities."""
        return AuthorityCredentials(self.certificate, tax_id, environment)


class CompanySnapshots:
    """Reads company snapshots and opened certificates, and caches them by revision and fingerprint."""

    def __init__(self, database: Database, max_remembered: int = 500) -> None:
        self._database = database
        self._max_remembered = max_remembered
        self._snapshots: OrderedDict[tuple[UUID, int], CompanySnapshot] = OrderedDict()
        self._identities: OrderedDict[tuple[UUID, str], SigningIdentity] = OrderedDict()

    async def of(self, subscription_id: UUID, company_id: UUID, revision: int) -> CompanySnapshot:
        """Returns the snapshot of a company at the given revision or a newer one."""
        cached = self._snapshots.get((company_id, revision))
        if cached is not None:
            self._snapshots.move_to_end((company_id, revision))
            return cached
        async with self._database.snapshot(subscription_id) as tenant:
            company = await tenant.companies.get(company_id, deleted_too=True)
            if company is None:
                raise LookupError(f"company {company_id} is gone")
            [snapshot] = await _read(tenant, [company])
        self._remember(snapshot)
        return snapshot

    async def of_companies(
        self, subscription_id: UUID, companies: Sequence[CompanyRow]
    ) -> list[CompanySnapshot]:
        """Returns the snapshots of several companies; those that are not cached are read together."""
        keys = [(company.id, company.revision) for company in companies]
        snapshots = {key: self._snapshots[key] for key in keys if key in self._snapshots}
        missing = [company for company in companies if (company.id, company.revision) not in snapshots]
        if missing:
            async with self._database.snapshot(subscription_id) as tenant:
                # A row at an older revision than its settings and certificate would be cached for ever.
                current = await tenant.companies.by_name([company.id for company in missing], len(missing))
                read = {snapshot.row.id: snapshot for snapshot in await _read(tenant, current)}
            for company in missing:
                if snapshot := read.get(company.id):
                    snapshots[company.id, company.revision] = snapshot
                    self._remember(snapshot)
        return [snapshots[key] for key in keys if key in snapshots]

    async def readable_of_companies(
        self, subscription_id: UUID, companies: Sequence[CompanyRow]
    ) -> ReadSnapshots:
        """Returns the snapshots of several companies as far as their stored data can be read.

        They are read together. If that fails, they are read one by one, so that a damaged company does not
        hide the others.
        """
        try:
            return ReadSnapshots(await self.of_companies(subscription_id, companies), [])
        except (DecryptionFailed, ValidationError):
            pass
        read = ReadSnapshots([], [])
        for company in companies:
            try:
                read.snapshots.extend(await self.of_companies(subscription_id, [company]))
            except (DecryptionFailed, ValidationError) as error:
                log_unreadable("companies", company.id, error)
                read.unreadable.append(company)
        return read

    def _remember(self, snapshot: CompanySnapshot) -> None:
        self._snapshots[snapshot.row.id, snapshot.revision] = snapshot
        if len(self._snapshots) > self._max_remembered:
            self._snapshots.popitem(last=False)

    async def signing_identity_of(self, snapshot: CompanySnapshot) -> SigningIdentity | None:
        """Returns the company's opened certificate, if it has one."""
        if snapshot.certificate is None:
            return None
        key = (snapshot.row.id, snapshot.certificate.fingerprint)
        if key not in self._identities:
            async with self._database.tenant(snapshot.subscription_id) as tenant:
                bundle = await tenant.secrets.get(snapshot.row.id, SECRET_NAME)
            if bundle is None:
                return None
            certificate = A1Certificate.from_bundle(bundle)
            identity = SigningIdentity(certificate, Signer.of(certificate))
            if certificate.fingerprint != snapshot.certificate.fingerprint:
                # Replaced since the snapshot was read: it is cached with the next snapshot.
                return identity
            self._identities[key] = identity
            if len(self._identities) > self._max_remembered:
                self._identities.popitem(last=False)
        self._identities.move_to_end(key)
        return self._identities[key]


async def _read(tenant: Tenant, companies: Sequence[CompanyRow]) -> list[CompanySnapshot]:
    company_ids = [company.id for company in companies]
    registrations = await tenant.state_registrations.of_companies(company_ids)
    certificates = await tenant.certificates.of_companies(company_ids)
    secrets = await module_secrets(tenant, company_ids)
    return [
        _snapshot(
            tenant.subscription_id,
            company,
            tuple(registrations.get(company.id, ())),
            certificates.get(company.id),
            secrets.get(company.id, {}),
        )
        for company in companies
    ]


def _snapshot(
    subscription_id: UUID,
    company: CompanyRow,
    registrations: tuple[StateRegistrationRow, ...],
    certificate: StoredCertificate | None,
    secrets: Mapping[str, bytes],
) -> CompanySnapshot:
    stored = stored_settings(company)
    record = company_record(company)
    has_readable_options = bool(record.ibs_cbs_regime) or company.ibs_cbs_regime == []
    company = replace(
        company,
        address=company.address if record.address else None,
        tax_regime=record.tax_regime,
        pis_cofins_regime=record.pis_cofins_regime,
        ibs_cbs_regime=company.ibs_cbs_regime if has_readable_options else None,
    )
    return CompanySnapshot(
        subscription_id=subscription_id,
        row=company,
        registrations=registrations,
        certificate=certificate,
        modules=modules_with_secrets(stored.model, secrets),
        invalid_settings=stored.invalid,
        unknown_settings=stored.unknown,
    )
