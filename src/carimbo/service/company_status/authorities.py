"""The authorities that matter for some companies, as our own traffic shows them. None is asked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.company_status.contingency import TypeContingencyRecord, contingency_of
from carimbo.service.company_status.readiness import types_with_documents
from carimbo.service.company_status.status import StatusReader, is_used
from carimbo.service.issuing.routes import (
    AuthorityServices,
    ContingencyMode,
    authority_services_for,
    normal_service_for,
)
from carimbo.service.outage_board import OutageBoard
from carimbo.service.receiving.sync import stream_status
from carimbo.storage.authority_traffic import LastAuthorization, last_authorizations
from carimbo.storage.companies import CompanyRow
from carimbo.storage.document_figures import DocumentFigures
from carimbo.storage.outages import AuthorityService, OutageRow
from carimbo.storage.receptions import Reception
from carimbo.storage.streams import StreamRow, read_streams

MAX_COMPANIES = 200
"""How many companies have their settings read, those that changed last."""


@dataclass(frozen=True, kw_only=True)
class ObservedAuthority:
    """An authority's service for a document type, and what was last seen of it."""

    type: str
    authorizer: str
    environment: str
    states: tuple[str, ...]
    """The states of the companies that send documents to it."""
    companies: int
    is_contingency: bool
    outage: OutageRow | None
    """Failures without a success since, also old ones."""
    is_out: bool
    """Whether the last failure is recent."""
    last_authorized_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ObservedDistribution:
    """The distribution of received documents of a service, for the companies that follow it."""

    service: str
    environment: str
    companies: int
    statuses: tuple[str, ...]
    """The different statuses of these companies, as in `StreamRecord`."""
    last_answered_at: datetime | None
    last_code: str | None
    last_message: str | None


@dataclass(frozen=True, kw_only=True)
class CompanyContingency:
    """A document type of a company that is in contingency, or whose contingency is not automatic."""

    company: CompanyRow
    mode: ContingencyMode
    record: TypeContingencyRecord


@dataclass(frozen=True, kw_only=True)
class AuthorityBoard:
    """All authorities that matter for some companies."""

    authorities: tuple[ObservedAuthority, ...]
    distributions: tuple[ObservedDistribution, ...]
    contingencies: tuple[CompanyContingency, ...]
    unreadable: tuple[CompanyRow, ...]
    """Companies whose stored data can't be read: no other part has them."""
    others: int
    """Companies whose settings were not read: there are many."""


@dataclass(frozen=True)
class _Use:
    """A document type that a company uses, and the services that it is sent to."""

    snapshot: CompanySnapshot
    document_type: DocumentType
    environment: Environment
    state: str
    normal: AuthorityService
    services: AuthorityServices | None
    """None if there is no contingency."""

    def was_authorized_by(self, service: AuthorityService, authorization: LastAuthorization) -> bool:
        """Returns whether a document of this use was authorized by one of its services."""
        is_at_contingency = self.services is not None and self.services.is_at_contingency(
            authorization.emission_type
        )
        is_same_environment = authorization.environment == self.environment
        return is_same_environment and is_at_contingency == (service != self.normal)

    @property
    def all_services(self) -> Iterator[AuthorityService]:
        yield self.normal
        if self.services is not None and self.services.contingency is not None:
            yield self.services.contingency


@dataclass
class _Group:
    """The uses of a service, and the last authorizations among them."""

    is_contingency: bool
    states: set[str] = field(default_factory=set)
    companies: set[UUID] = field(default_factory=set)
    authorized_at: list[datetime] = field(default_factory=list)


async def read_authorities(
    reader: StatusReader, subscription_id: UUID, company_ids: Collection[UUID] | None
) -> AuthorityBoard:
    """Returns the authorities of the companies that a person may see; None means all of the subscription."""
    async with reader.database.autocommit(subscription_id) as tenant:
        companies = await tenant.companies.changed_last(company_ids, MAX_COMPANIES)
        total = await tenant.companies.count_search(company_ids, None)
        read_ids = [company.id for company in companies]
        counts = await DocumentFigures(tenant.connection, subscription_id, read_ids).counts()
        receptions = await tenant.receptions.active_of_companies(read_ids)
        streams = await read_streams(tenant.connection, [reception.stream_id for reception in receptions])
    read = await reader.snapshots.readable_of_companies(subscription_id, companies)
    with_documents = types_with_documents(counts)
    uses = [use for each in read.snapshots for use in _uses(each, with_documents.get(each.row.id, set()))]
    async with reader.database.autocommit(subscription_id) as tenant:
        authorizations = await last_authorizations(
            tenant.connection,
            subscription_id,
            [use.snapshot.row.id for use in uses],
            [use.document_type.name for use in uses],
        )
    return AuthorityBoard(
        authorities=await _authorities(reader.outages, _groups(uses, authorizations)),
        distributions=_distributions(read.snapshots, receptions, streams, reader.clock()),
        contingencies=await _contingencies(reader, uses),
        unreadable=tuple(read.unreadable),
        others=total - len(companies),
    )


def _uses(snapshot: CompanySnapshot, with_documents: AbstractSet[str]) -> Iterator[_Use]:
    state = snapshot.row.state
    if state is None:
        return
    for document_type in DOCUMENT_TYPES:
        if is_used(snapshot, document_type, with_documents):
            environment = snapshot.environment_of(document_type)
            normal = normal_service_for(snapshot, document_type, environment)
            services = authority_services_for(snapshot, document_type, environment)
            yield _Use(snapshot, document_type, environment, state, normal, services)


def _groups(
    uses: Sequence[_Use], authorizations: Sequence[LastAuthorization]
) -> Mapping[tuple[str, AuthorityService], _Group]:
    """Returns the uses of each service, by document type and service."""
    by_use: dict[tuple[UUID, str], list[LastAuthorization]] = {}
    for authorization in authorizations:
        by_use.setdefault((authorization.company_id, authorization.type), []).append(authorization)
    groups: dict[tuple[str, AuthorityService], _Group] = {}
    for use in uses:
        company_id, type_name = use.snapshot.row.id, use.document_type.name
        for service in use.all_services:
            group = groups.setdefault((type_name, service), _Group(is_contingency=service != use.normal))
            group.states.add(use.state)
            group.companies.add(company_id)
            group.authorized_at += [
                each.authorized_at
                for each in by_use.get((company_id, type_name), ())
                if use.was_authorized_by(service, each)
            ]
    return groups


async def _authorities(
    board: OutageBoard, groups: Mapping[tuple[str, AuthorityService], _Group]
) -> tuple[ObservedAuthority, ...]:
    outages = {outage.service: outage for outage in await board.last_outages()}
    recent = {outage.service for outage in await board.current_outages()}
    authorities = [
        ObservedAuthority(
            type=type_name,
            authorizer=service.authorizer,
            environment=service.environment,
            states=tuple(sorted(group.states)),
            companies=len(group.companies),
            is_contingency=group.is_contingency,
            outage=outages.get(service),
            is_out=service in recent,
            last_authorized_at=max(group.authorized_at, default=None),
        )
        for (type_name, service), group in groups.items()
    ]
    order = [document_type.name for document_type in DOCUMENT_TYPES]
    return tuple(
        sorted(
            authorities,
            key=lambda each: (order.index(each.type), each.is_contingency, each.environment, each.states),
        )
    )


async def _contingencies(reader: StatusReader, uses: Sequence[_Use]) -> tuple[CompanyContingency, ...]:
    """Returns the types that are in contingency, and those whose contingency is not automatic."""
    items = []
    for use in uses:
        mode = ContingencyMode(use.snapshot.row.contingency_mode)
        record = await contingency_of(
            reader.outages, use.snapshot, use.document_type, use.environment, reader.clock()
        )
        if record is not None and (record.active or mode is not ContingencyMode.AUTOMATIC):
            items.append(CompanyContingency(company=use.snapshot.row, mode=mode, record=record))
    return tuple(items)


def _distributions(
    snapshots: Sequence[CompanySnapshot],
    receptions: Sequence[Reception],
    streams: Mapping[UUID, StreamRow],
    now: datetime,
) -> tuple[ObservedDistribution, ...]:
    by_company = {snapshot.row.id: snapshot for snapshot in snapshots}
    groups: dict[tuple[str, str], list[Reception]] = {}
    for reception in receptions:
        if reception.company_id in by_company:
            groups.setdefault((reception.service, reception.environment), []).append(reception)
    distributions = []
    for (service, environment), group in sorted(groups.items()):
        statuses = {
            stream_status(streams[each.stream_id], each, by_company[each.company_id], now) for each in group
        }
        # What others with the same CNPJ have received is none of a company's business before it is proved.
        answered = [streams[each.stream_id] for each in group if each.proved_fingerprint is not None]
        newest = max(answered, key=lambda stream: stream.answered_at or stream.ask_at, default=None)
        distributions.append(
            ObservedDistribution(
                service=service,
                environment=environment,
                companies=len(group),
                statuses=tuple(sorted(statuses)),
                last_answered_at=newest.answered_at if newest else None,
                last_code=newest.last_code if newest else None,
                last_message=newest.last_message if newest else None,
            )
        )
    return tuple(distributions)
