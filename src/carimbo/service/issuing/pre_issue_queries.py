"""Queries before a document is built: facts of municipalities (cached), and the replaced document."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

import structlog

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.issuance import ExternalFacts, ReplacedDocument
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.municipal_agreement import Agreement, Jurisdiction, MunicipalRate
from carimbo.fiscal.outcome import NotJudged, Throttled, Unavailable
from carimbo.service.authority_answers import log_fields
from carimbo.service.companies.snapshot import CompanySnapshot, CompanySnapshots
from carimbo.service.documents.builder import DocumentSource
from carimbo.service.documents.files import signed_file
from carimbo.service.ports import MunicipalAuthority
from carimbo.storage.database import Database

T = TypeVar("T", bound=Agreement | MunicipalRate)
MunicipalAnswer: TypeAlias = T | Unavailable | Throttled | NotJudged
AskMunicipality: TypeAlias = Callable[[AuthorityCredentials], Awaitable[MunicipalAnswer[T]]]

_log = structlog.get_logger("carimbo.issuing")
# Agreements and rates change about monthly; a failed query may succeed soon.
_FRESH_FOR = timedelta(hours=12)
_RETRY_AFTER = timedelta(minutes=2)
# Enough for all municipalities with several services each.
_MAX_CACHED = 50_000


@dataclass(frozen=True)
class _CachedFact:
    """A fact, and until when it is fresh."""

    fact: Agreement | MunicipalRate
    until: datetime


@dataclass(frozen=True)
class MunicipalityContext:
    """A municipality (IBGE code), with the company and the document type that the query is for."""

    document_type: DocumentType
    snapshot: CompanySnapshot
    environment: Environment
    city: str


@dataclass(frozen=True)
class Municipalities:
    """Cached queries about municipalities, with the certificate of the company that needs the answer."""

    snapshots: CompanySnapshots
    authorities: Mapping[str, MunicipalAuthority]
    """Authorities by type name, for the types that depend on municipalities."""
    clock: Callable[[], datetime]
    _cached: dict[tuple[str, ...], _CachedFact] = field(default_factory=dict, repr=False)
    _failed: dict[tuple[str, ...], datetime] = field(default_factory=dict, repr=False)
    """When to ask again after a failure. The key contains the certificate, which may be the cause."""
    _asking: dict[tuple[str, ...], asyncio.Future[Any]] = field(default_factory=dict, repr=False)

    @property
    def today(self) -> date:
        """The day that rates are asked for by default."""
        return self.clock().astimezone(BRASILIA).date()

    async def agreement(self, municipality: MunicipalityContext, *, insist: bool = False) -> Agreement | None:
        """Returns the agreement of a municipality with the authority; None if it is unknown.

        After a failure the next query waits, unless `insist` is true.
        """
        authority = self.authorities[municipality.document_type.name]
        return await self._cached_or_asked(
            municipality, (), lambda sender: authority.agreement(sender, municipality.city), insist
        )

    async def rate(
        self, municipality: MunicipalityContext, service_code: str, day: date, *, insist: bool = False
    ) -> MunicipalRate | None:
        """Returns the rate of a service (`01.01.01.000`) on a day; None if the authority can't be asked."""
        authority = self.authorities[municipality.document_type.name]

        def ask(sender: AuthorityCredentials) -> Awaitable[MunicipalAnswer[MunicipalRate]]:
            return authority.rate(sender, municipality.city, service_code, day)

        return await self._cached_or_asked(municipality, (service_code, day.isoformat()), ask, insist)

    async def _cached_or_asked(
        self,
        municipality: MunicipalityContext,
        question: tuple[str, ...],
        ask: AskMunicipality[T],
        insist: bool,
    ) -> T | None:
        """Returns the cached fact if it is fresh, else asks; an old fact is better than none."""
        name = (municipality.document_type.name, municipality.environment, municipality.city, *question)
        identity = (
            None if self._is_fresh(name) else await self.snapshots.signing_identity_of(municipality.snapshot)
        )
        cached, now = self._cached.get(name), self.clock()
        fact: T | None = cached.fact if cached else None  # type: ignore[assignment]
        # Another task may have cached it while the certificate was opened.
        if identity is None or self._is_fresh(name):
            return fact
        attempt = (identity.certificate.fingerprint, *name)
        if not insist and now < self._failed.get(attempt, now):
            return fact
        sender = identity.sender(municipality.snapshot.row.tax_id, municipality.environment)
        return await self._ask_once(attempt, sender, ask) or fact

    def _is_fresh(self, name: tuple[str, ...]) -> bool:
        cached = self._cached.get(name)
        return cached is not None and self.clock() < cached.until

    async def _ask_once(
        self, attempt: tuple[str, ...], sender: AuthorityCredentials, ask: AskMunicipality[T]
    ) -> T | None:
        """Asks the authority; tasks that need the same answer at the same time share one query."""
        if attempt not in self._asking:
            self._asking[attempt] = asyncio.ensure_future(self._query(attempt, sender, ask))
            self._asking[attempt].add_done_callback(lambda _: self._asking.pop(attempt, None))
        fact: T | None = await asyncio.shield(self._asking[attempt])
        return fact

    async def _query(
        self, attempt: tuple[str, ...], sender: AuthorityCredentials, ask: AskMunicipality[T]
    ) -> T | None:
        fact, (_, *name) = _fact_of(await ask(sender), attempt), attempt
        for cache in (self._cached, self._failed):
            if len(cache) >= _MAX_CACHED:
                cache.clear()
        if fact is None:
            self._failed[attempt] = self.clock() + _RETRY_AFTER
        else:
            self._cached[tuple(name)] = _CachedFact(fact, self.clock() + _FRESH_FOR)
        return fact


def _fact_of(answer: MunicipalAnswer[T], attempt: tuple[str, ...]) -> T | None:
    if isinstance(answer, Unavailable | Throttled | NotJudged):
        _log.warning("municipality_not_learnt", asked=attempt, **log_fields(answer))
        return None
    return answer


_NOTHING = ExternalFacts()
_NO_MUNICIPALITY = Jurisdiction(())


@dataclass(frozen=True)
class PreIssueQueries:
    """Collects the external facts that a document type needs."""

    database: Database
    municipalities: Municipalities

    async def query_surroundings(self, source: DocumentSource) -> ExternalFacts:
        """Returns the external facts for a document; most types need none."""
        document_type, request, snapshot, environment = (
            source.document_type,
            source.request,
            source.snapshot,
            source.environment,
        )
        if document_type.municipal is None and document_type.replacement is None:
            return _NOTHING
        replaced = document_type.replacement.replaced_id(request) if document_type.replacement else None
        jurisdiction = _NO_MUNICIPALITY
        if document_type.municipal:
            jurisdiction = document_type.municipal.jurisdiction(
                request, snapshot.company, snapshot.settings_of(document_type)
            )
        contexts = {
            city: MunicipalityContext(document_type, snapshot, environment, city)
            for city in jurisdiction.cities
        }
        agreements, rate = await asyncio.gather(
            self._agreements(contexts), self._rate(contexts, jurisdiction)
        )
        return ExternalFacts(
            agreements=agreements,
            iss_rate=rate,
            replaced=await self._replaced(document_type, snapshot, environment, replaced)
            if replaced
            else None,
        )

    async def _agreements(self, contexts: dict[str, MunicipalityContext]) -> dict[str, Agreement]:
        """Returns the known agreements by municipality."""
        agreements = await asyncio.gather(*map(self.municipalities.agreement, contexts.values()))
        return {agreement.city_code: agreement for agreement in agreements if agreement}

    async def _rate(
        self, contexts: dict[str, MunicipalityContext], jurisdiction: Jurisdiction
    ) -> Decimal | None:
        municipality = contexts.get(jurisdiction.taxed_at or "")
        if municipality is None:
            return None
        day = jurisdiction.on or self.municipalities.today
        rate = await self.municipalities.rate(municipality, jurisdiction.service_code, day)
        return rate.rate if rate else None

    async def _replaced(
        self,
        document_type: DocumentType,
        snapshot: CompanySnapshot,
        environment: Environment,
        document_id: UUID,
    ) -> ReplacedDocument | None:
        """Returns a replaceable document: authorized, of the same company, type and environment."""
        async with self.database.autocommit(snapshot.subscription_id) as tenant:
            document = await tenant.documents.get(document_id)
            if document is None or document.status != Status.AUTHORIZED or document.emission is None:
                return None
            same = (document.company_id, document.type, document.environment)
            if same != (snapshot.row.id, document_type.name, environment):
                return None
            signed = await tenant.archive.get(document.id, signed_file(document.emission.digest or ""))
        key = document.emission.document_key
        return ReplacedDocument(key, signed) if key and signed else None
