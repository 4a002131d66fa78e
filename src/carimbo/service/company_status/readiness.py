"""Data that companies lack to issue, for many companies at once. No authority is asked."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import ValidationError

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.company_status.certificate_expiry import CertificateState, certificate_state, days_left
from carimbo.service.company_status.status import StatusReader, is_used, missing_to_issue
from carimbo.service.listing import Page, PageRequest
from carimbo.service.stored_records import log_unreadable
from carimbo.storage.certificates import StoredCertificate
from carimbo.storage.companies import CompanyRow
from carimbo.storage.document_figures import DocumentFigures, StatusCount


@dataclass(frozen=True, kw_only=True)
class TypeReadiness:
    """Whether a company can issue a document type today."""

    type: str
    environment: Environment
    is_used: bool
    """Whether it is active or, for a type without a switch, has documents or settings."""
    missing: tuple[str, ...]
    shortcut_missing: tuple[str, ...]
    """Settings that are missing only for the shortcut form of a request."""

    @property
    def is_ready(self) -> bool:
        return not self.missing


@dataclass(frozen=True, kw_only=True)
class CompanyReadiness:
    """A company with its certificate, and what it lacks for each document type."""

    company: CompanyRow
    certificate: StoredCertificate | None
    certificate_state: CertificateState | None
    """None if there is no certificate."""
    certificate_days: int | None
    types: tuple[TypeReadiness, ...]
    is_readable: bool = True
    """Whether its stored data can be read; if not, nothing else is known about it."""

    @property
    def used_types(self) -> tuple[TypeReadiness, ...]:
        return tuple(each for each in self.types if each.is_used)

    @property
    def is_ready(self) -> bool:
        """Whether it can issue all types that it uses, or any type if it uses none yet."""
        if self.used_types:
            return all(each.is_ready for each in self.used_types)
        return any(each.is_ready for each in self.types)


async def list_readiness(
    reader: StatusReader,
    subscription_id: UUID,
    company_ids: Collection[UUID] | None,
    search: str | None,
    request: PageRequest,
) -> Page[CompanyReadiness]:
    """Lists companies by name with what they lack; None as `company_ids` means all of the subscription."""
    async with reader.database.autocommit(subscription_id) as tenant:
        rows = await tenant.companies.search(company_ids, search, request.offset, request.page_size)
        total = await tenant.companies.count_search(company_ids, search)
    return Page(await read_readiness(reader, subscription_id, rows), total, request)


async def read_readiness(
    reader: StatusReader, subscription_id: UUID, companies: Sequence[CompanyRow]
) -> list[CompanyReadiness]:
    """Returns what companies lack, in their order; of those that can't be read, only that they can't."""
    company_ids = [company.id for company in companies]
    async with reader.database.autocommit(subscription_id) as tenant:
        counts = await DocumentFigures(tenant.connection, subscription_id, company_ids).counts()
    with_documents = types_with_documents(counts)
    read = await reader.snapshots.readable_of_companies(subscription_id, companies)
    readiness = {company.id: _unreadable(company) for company in read.unreadable}
    for snapshot in read.snapshots:
        company = snapshot.row
        try:
            readiness[company.id] = _readiness(reader, snapshot, with_documents.get(company.id, set()))
        except ValidationError as error:
            log_unreadable("companies", company.id, error)
            readiness[company.id] = _unreadable(company)
    return [readiness[company.id] for company in companies if company.id in readiness]


def types_with_documents(counts: Sequence[StatusCount]) -> Mapping[UUID, AbstractSet[str]]:
    """Returns the types of which each company has documents, or a series in use."""
    types: dict[UUID, set[str]] = {}
    for count in counts:
        types.setdefault(count.company_id, set()).add(count.type)
    return types


def _readiness(
    reader: StatusReader, snapshot: CompanySnapshot, with_documents: AbstractSet[str]
) -> CompanyReadiness:
    certificate, now = snapshot.certificate, reader.clock()
    return CompanyReadiness(
        company=snapshot.row,
        certificate=certificate,
        certificate_state=_state(certificate, now),
        certificate_days=days_left(certificate.expires_at, now) if certificate else None,
        types=tuple(
            _type_readiness(reader, snapshot, document_type, with_documents)
            for document_type in DOCUMENT_TYPES
        ),
    )


def _unreadable(company: CompanyRow) -> CompanyReadiness:
    return CompanyReadiness(
        company=company,
        certificate=None,
        certificate_state=None,
        certificate_days=None,
        types=(),
        is_readable=False,
    )


def _state(certificate: StoredCertificate | None, now: datetime) -> CertificateState | None:
    return certificate_state(certificate.expires_at, now) if certificate else None


def _type_readiness(
    reader: StatusReader,
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    with_documents: AbstractSet[str],
) -> TypeReadiness:
    lacking = document_type.requirements.shortcut
    return TypeReadiness(
        type=document_type.name,
        environment=snapshot.environment_of(document_type),
        is_used=is_used(snapshot, document_type, with_documents),
        missing=missing_to_issue(reader, snapshot, document_type),
        shortcut_missing=lacking(snapshot.settings_of(document_type)) if lacking else (),
    )
