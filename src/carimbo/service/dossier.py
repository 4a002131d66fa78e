"""A company as its documents need it: everything it has, at one revision."""

from base64 import b64encode
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from pydantic.alias_generators import to_camel

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.company import Company
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.software import Software
from carimbo.service.certificates import SECRET_NAME
from carimbo.service.companies import shown_company
from carimbo.service.company_settings import modules_with_secrets, stored_settings, tax_defaults_of
from carimbo.storage.certificates import StoredCertificate
from carimbo.storage.companies import Company as CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.state_registrations import StateRegistration

_COMPANY_FIELDS = (
    "tax_id", "legal_name", "trade_name", "address", "phone", "tax_regime", "pis_cofins_regime",
    "municipal_registration", "cnae_code", "simples_rate", "simples_iss_regime",
    "ibs_cbs_regime",
)  # fmt: skip


@dataclass(frozen=True)
class Dossier:
    """A company, its registrations, its certificate's dates and its settings with their secrets."""

    subscription_id: UUID
    row: CompanyRow
    registrations: tuple[StateRegistration, ...]
    certificate: StoredCertificate | None
    modules: Mapping[str, ModuleSettings] = field(repr=False)
    invalid_settings: tuple[str, ...] = ()
    """The paths of stored settings whose values can't be read: no document is made without them."""
    unknown_settings: tuple[str, ...] = ()
    """The paths of stored settings that another version wrote: documents are made without them."""

    @property
    def revision(self) -> int:
        return self.row.revision

    @cached_property
    def company(self) -> Company:
        """The issuer for the fiscal library; only of a company that has what every document needs."""
        fields: dict[str, Any] = {to_camel(name): getattr(self.row, name) for name in _COMPANY_FIELDS}
        registered = [{"state": one.state, "number": one.number} for one in self.registrations]
        defaults = tax_defaults_of(self.row)
        return Company.model_validate({**fields, "stateRegistrations": registered, "defaults": defaults})

    def settings_of(self, kind: DocumentType) -> ModuleSettings:
        """What the company set for a type."""
        return self.modules[kind.name]

    def warnings_for(self, kind: DocumentType) -> tuple[str, ...]:
        """What a document of a type should say of the settings that it is made without."""
        unknown = _of_type(self.unknown_settings, kind)
        sentence = "Parte das configurações da empresa não pôde ser lida e ficou de fora"
        return (f"{sentence}: {', '.join(unknown)}.",) if unknown else ()

    def environment_of(self, kind: DocumentType) -> Environment:
        """Where documents of a type are issued."""
        return self.settings_of(kind).environment_beside(Environment(self.row.environment))

    def missing_for(self, kind: DocumentType, environment: Environment) -> tuple[str, ...]:
        """Everything that the company lacks for issuing a type, but for its certificate."""
        lacking = kind.requirements.settings
        settings = lacking(self.settings_of(kind), environment) if lacking else ()
        # A default in the place of a series or an environment would make another document than was meant.
        invalid = _of_type(self.invalid_settings, kind)
        # Without its options a company of Simples Nacional would seem to inform no IBS and CBS.
        options = ("ibsCbsRegime",) if self.row.ibs_cbs_regime is None else ()
        return tuple(dict.fromkeys((*self.missing_registration(kind), *options, *settings, *invalid)))

    def missing_for_rules(self, kind: DocumentType, software: Software, now: datetime) -> tuple[str, ...]:
        """Returns what the company lacks by the rules of a type that are in force today."""
        lacking = kind.requirements.rules
        if lacking is None or self.row.address is None or self.row.tax_regime is None:
            return ()
        return lacking(self.company, software, local_day(now, self.company.address.state))

    def missing_registration(self, kind: DocumentType) -> tuple[str, ...]:
        """What the company lacks for telling a type's authority anything, but for its certificate."""
        needed = (("address", self.row.address), ("taxRegime", self.row.tax_regime))
        missing = [name for name, value in needed if value is None]
        if kind.requirements.state_registration and not self._is_registered:
            missing.append("stateRegistration")
        return tuple(missing)

    @property
    def _is_registered(self) -> bool:
        """Whether the tax office of its state knows the company."""
        state = (self.row.address or {}).get("state")
        return any(one.state == state for one in self.registrations)

    def has_valid_certificate(self, now: datetime) -> bool:
        """Tell whether there is a certificate that is in force."""
        certificate = self.certificate
        return certificate is not None and certificate.valid_from <= now < certificate.expires_at


def _of_type(paths: tuple[str, ...], kind: DocumentType) -> tuple[str, ...]:
    """Returns the paths of settings that documents of a type are made with."""
    return tuple(path for path in paths if path.split(".")[0] in (kind.name, "defaults"))


@dataclass(frozen=True)
class Seal:
    """A company's certificate, opened, with what signs by it."""

    certificate: A1Certificate
    signer: Signer

    def has_signed(self, xml: bytes) -> bool:
        """Returns whether signed bytes bear this certificate."""
        return b64encode(self.certificate.certificate_der) in xml

    def sender(self, tax_id: str, environment: Environment) -> Sender:
        """Who asks the authorities."""
        return Sender(self.certificate, tax_id, environment)


class Dossiers:
    """Reads companies, and remembers those that did not change."""

    def __init__(self, database: Database, most_remembered: int = 500) -> None:
        self._database = database
        self._most = most_remembered
        self._dossiers: OrderedDict[tuple[UUID, int], Dossier] = OrderedDict()
        self._seals: OrderedDict[tuple[UUID, str], Seal] = OrderedDict()

    async def of(self, subscription_id: UUID, company_id: UUID, revision: int) -> Dossier:
        """The company whole, at the given revision or a newer one."""
        known = self._dossiers.get((company_id, revision))
        if known is not None:
            self._dossiers.move_to_end((company_id, revision))
            return known
        async with self._database.snapshot(subscription_id) as tenant:
            company = await tenant.companies.get(company_id, deleted_too=True)
            if company is None:
                raise LookupError(f"company {company_id} is gone")
            dossier = await _read(tenant, company)
        self._dossiers[company_id, dossier.revision] = dossier
        if len(self._dossiers) > self._most:
            self._dossiers.popitem(last=False)
        return dossier

    async def seal_of(self, dossier: Dossier) -> Seal | None:
        """The company's opened certificate, if it has one."""
        if dossier.certificate is None:
            return None
        name = (dossier.row.id, dossier.certificate.fingerprint)
        if name not in self._seals:
            seal = await self._open(dossier)
            if seal is None or seal.certificate.fingerprint != dossier.certificate.fingerprint:
                # Replaced since the dossier was read: whose it is will be known by another one.
                return seal
            self._seals[name] = seal
            if len(self._seals) > self._most:
                self._seals.popitem(last=False)
        self._seals.move_to_end(name)
        return self._seals[name]

    async def _open(self, dossier: Dossier) -> Seal | None:
        async with self._database.tenant(dossier.subscription_id) as tenant:
            bundle = await tenant.secrets.get(dossier.row.id, SECRET_NAME)
        if bundle is None:
            return None
        certificate = A1Certificate.from_bundle(bundle)
        return Seal(certificate, Signer.of(certificate))


async def _read(tenant: Tenant, company: CompanyRow) -> Dossier:
    registrations = await tenant.state_registrations.all(company.id)
    stored = stored_settings(company)
    shown = shown_company(company)
    are_read = bool(shown.ibs_cbs_regime) or company.ibs_cbs_regime == []
    company = replace(
        company,
        address=company.address if shown.address else None,
        tax_regime=shown.tax_regime,
        pis_cofins_regime=shown.pis_cofins_regime,
        ibs_cbs_regime=company.ibs_cbs_regime if are_read else None,
    )
    return Dossier(
        subscription_id=tenant.subscription_id,
        row=company,
        registrations=tuple(registrations),
        certificate=await tenant.certificates.get(company.id),
        modules=await modules_with_secrets(tenant, company, stored.model),
        invalid_settings=stored.invalid,
        unknown_settings=stored.unknown,
    )
