"""Parts about the companies themselves: readiness, authorities out of service, contingency, distributions."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from pydantic import ValidationError

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.company_status.contingency import contingency_of
from carimbo.service.company_status.readiness import types_with_documents
from carimbo.service.company_status.status import StatusReader, is_used, missing_to_issue
from carimbo.service.issuing.routes import ContingencyMode, authority_services_for, normal_service_for
from carimbo.service.overview.items import (
    AuthorityOutage,
    ContingencyItem,
    NamedCompany,
    StreamItem,
    UnreadyCompany,
)
from carimbo.service.receiving.stream_warnings import StreamWarningCode, stream_warnings
from carimbo.service.receiving.sync import is_current, stream_status
from carimbo.service.services import Services
from carimbo.service.stored_records import log_unreadable
from carimbo.storage.companies import CompanyRow
from carimbo.storage.document_figures import StatusCount
from carimbo.storage.outages import AuthorityService, OutageRow
from carimbo.storage.receptions import Reception
from carimbo.storage.streams import StreamRow, read_streams

MAX_CHECKED = 200
"""How many companies have their settings read, those that changed last."""
_CERTIFICATE_ALONE = ("certificate",)
# The other warnings need nobody now: the next question comes by itself, or the documents are gone.
_STOPPING = frozenset(
    {
        StreamWarningCode.NOBODY_ASKS,
        StreamWarningCode.QUERY_REFUSED,
        StreamWarningCode.QUERIES_BLOCKED,
        StreamWarningCode.QUERIES_PARKED,
        StreamWarningCode.READING_PARKED,
        StreamWarningCode.OTHER_READER,
    }
)


@dataclass(frozen=True)
class CheckedCompanies:
    """Facts from the settings of the companies."""

    outages: list[AuthorityOutage]
    contingencies: list[ContingencyItem]
    streams: list[StreamItem]
    unready: list[UnreadyCompany]
    unreadable: list[NamedCompany]
    """Companies whose stored data can't be read: no other part has them."""
    unchecked: int


@dataclass(frozen=True)
class _UsedTypes:
    """A company with the document types that it uses."""

    company: NamedCompany
    snapshot: CompanySnapshot
    types: tuple[DocumentType, ...]


@dataclass
class _Senders:
    """The companies and the types that send documents to an authority."""

    types: set[str] = field(default_factory=set)
    companies: dict[UUID, NamedCompany] = field(default_factory=dict)
    is_contingency: bool = False


async def check_companies(
    services: Services,
    subscription_id: UUID,
    companies: Sequence[CompanyRow],
    counts: Sequence[StatusCount],
    receptions: Sequence[Reception],
    now: datetime,
) -> CheckedCompanies:
    """Returns what the companies need, by their settings; of the companies that changed last."""
    checked = sorted(companies, key=lambda company: company.updated_at, reverse=True)[:MAX_CHECKED]
    read = await services.issuing.snapshots.readable_of_companies(subscription_id, checked)
    types_by_company = types_with_documents(counts)
    reader = services.status_reader
    used: list[_UsedTypes] = []
    unready: list[UnreadyCompany] = []
    unreadable = [NamedCompany.of(company) for company in read.unreadable]
    for snapshot in read.snapshots:
        company = _used_types(snapshot, types_by_company)
        try:
            item = _unready(reader, company)
        except ValidationError as error:
            log_unreadable("companies", snapshot.row.id, error)
            unreadable.append(company.company)
            continue
        used.append(company)
        if item is not None:
            unready.append(item)
    by_id = {company.snapshot.row.id: company for company in used}
    return CheckedCompanies(
        outages=await _outages(reader, used),
        contingencies=[item for company in used for item in await _contingencies(reader, company, now)],
        streams=await _streams(services, by_id, receptions, now),
        unready=unready,
        unreadable=unreadable,
        unchecked=len(companies) - len(checked),
    )


def _used_types(snapshot: CompanySnapshot, types_by_company: Mapping[UUID, AbstractSet[str]]) -> _UsedTypes:
    with_documents = types_by_company.get(snapshot.row.id, set())
    types = [
        document_type for document_type in DOCUMENT_TYPES if is_used(snapshot, document_type, with_documents)
    ]
    return _UsedTypes(NamedCompany.of(snapshot.row), snapshot, tuple(types))


def _unready(reader: StatusReader, used: _UsedTypes) -> UnreadyCompany | None:
    """Returns what a company lacks for the types that it uses; for any type, if it uses none yet.

    A company that only lacks its certificate is among the certificates.
    """
    missing = {
        document_type.name: missing_to_issue(reader, used.snapshot, document_type)
        for document_type in used.types or DOCUMENT_TYPES
    }
    unready = {name: names for name, names in missing.items() if names}
    if not unready or (not used.types and len(unready) < len(missing)):
        return None
    if not used.types:
        # The type that lacks least is the one that it will use first.
        nearest = min(unready, key=lambda name: len(unready[name]))
        unready = {nearest: unready[nearest]}
    names = tuple(dict.fromkeys(name for missing_names in unready.values() for name in missing_names))
    if names == _CERTIFICATE_ALONE:
        return None
    return UnreadyCompany(company=used.company, missing=names, types=tuple(unready) if used.types else ())


async def _outages(reader: StatusReader, companies: Sequence[_UsedTypes]) -> list[AuthorityOutage]:
    """Returns the outages of authorities to which these companies send documents, the longest first."""
    outages = {outage.service: outage for outage in await reader.outages.current_outages()}
    if not outages:
        return []
    senders: dict[AuthorityService, _Senders] = {}
    for used in companies:
        for document_type, service, is_contingency in _services_of(used):
            if service in outages:
                entry = senders.setdefault(service, _Senders())
                entry.types.add(document_type.name)
                entry.companies[used.company.id] = used.company
                entry.is_contingency = is_contingency
    items = [_outage(outages[service], entry) for service, entry in senders.items()]
    return sorted(items, key=lambda item: item.since)


def _services_of(used: _UsedTypes) -> Iterator[tuple[DocumentType, AuthorityService, bool]]:
    """Yields the services that a company's documents are sent to, and whether each is for contingency."""
    for document_type in used.types:
        environment = used.snapshot.environment_of(document_type)
        yield document_type, normal_service_for(used.snapshot, document_type, environment), False
        services = authority_services_for(used.snapshot, document_type, environment)
        if services is not None and services.contingency is not None:
            yield document_type, services.contingency, True


def _outage(outage: OutageRow, senders: _Senders) -> AuthorityOutage:
    return AuthorityOutage(
        authorizer=outage.authorizer,
        model=outage.model,
        environment=outage.environment,
        since=outage.since,
        code=outage.code,
        message=outage.message,
        types=tuple(sorted(senders.types)),
        companies=tuple(senders.companies.values()),
        is_contingency=senders.is_contingency,
    )


async def _contingencies(reader: StatusReader, used: _UsedTypes, now: datetime) -> list[ContingencyItem]:
    """Returns the types that a company issues in contingency now."""
    items = []
    is_forced = used.snapshot.row.contingency_mode == ContingencyMode.FORCED
    for document_type in used.types:
        environment = used.snapshot.environment_of(document_type)
        record = await contingency_of(reader.outages, used.snapshot, document_type, environment, now)
        if record is not None and record.active:
            items.append(
                ContingencyItem(
                    company=used.company,
                    type=record.type,
                    is_forced=is_forced,
                    authorizer=record.authorizer,
                    stand_in=record.stand_in,
                    since=record.since,
                    reason=record.reason,
                )
            )
    return items


async def _streams(
    services: Services, companies: Mapping[UUID, _UsedTypes], receptions: Sequence[Reception], now: datetime
) -> list[StreamItem]:
    """Returns the distributions that are stopped, or that another program reads too."""
    followed = [reception for reception in receptions if reception.company_id in companies]
    if not followed:
        return []
    async with services.database.connection() as connection:
        streams = await read_streams(connection, [reception.stream_id for reception in followed])
    items = []
    for reception in followed:
        used = companies[reception.company_id]
        if item := _stream(streams[reception.stream_id], reception, used, now):
            items.append(item)
    return items


def _stream(stream: StreamRow, reception: Reception, used: _UsedTypes, now: datetime) -> StreamItem | None:
    status = stream_status(stream, reception, used.snapshot, now)
    current = is_current(reception, used.snapshot)
    warnings = stream_warnings(stream, reception, (), status, is_current=current)
    stopping = tuple(warning for warning in warnings if warning.code in _STOPPING)
    if not stopping:
        return None
    return StreamItem(
        company=used.company,
        service=reception.service,
        environment=reception.environment,
        warnings=stopping,
    )
