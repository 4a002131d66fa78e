"""Builds documents: calls the fiscal library with a clock, random numbers and threads."""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import Emission, UnusableEmission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import choose_numeric_code
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import ExternalFacts, Issuance, Review, Software
from carimbo.fiscal.local_time import BRASILIA, moment_of
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.service.companies.snapshot import CompanySnapshot

T = TypeVar("T")


@dataclass(frozen=True)
class DocumentSource:
    """Everything that a document is built from, except its number and its signature."""

    document_type: DocumentType
    request: Body
    snapshot: CompanySnapshot
    environment: Environment
    asked_at: datetime | None = None
    """When it was requested, by the database's clock; None if now."""
    filling: FillingReview = NOTHING_FILLED
    """Problems and warnings of filling the request from the catalog."""
    final_emission: Emission | None = None
    """The emission of a document that we issued offline; None if its emission may still change."""

    def printed_emission(self) -> Emission | tuple[Problem, ...] | None:
        """Returns the emission of a document that is on paper already, or its problems.

        None if the document is not printed yet.
        """
        point_of_sale = self.document_type.point_of_sale
        if point_of_sale is None:
            return self.final_emission
        return point_of_sale.printed_emission(self.request, self.snapshot.company, self.environment)


QuerySurroundings = Callable[[DocumentSource], Awaitable[ExternalFacts]]
"""Queries authorities and other outside sources about a document before it is built."""
_CODES = 100_000_000
_TRIAL_NUMBER, _TRIAL_CODE = 1, "48210379"
# Two codes are drawn before the number is known; storage uses the one that differs from the number.
_NO_NUMBER = 0
# The length of a request with about ten items. Passing it to a thread and back would take longer than its
# review, even if we count the time that other requests wait.
_SMALL = 2_000


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="document-builder")


async def no_queries(*_: object) -> ExternalFacts:
    """Answers without asking anybody."""
    return ExternalFacts()


@dataclass(frozen=True)
class DocumentBuilder:
    """Reviews and builds documents, in threads: signing and schema validation release the GIL."""

    schemas: Schemas
    software: Software
    clock: Callable[[], datetime]
    query_surroundings: QuerySurroundings = no_queries
    clock_offset: timedelta = timedelta()
    """How far our clock is ahead of the database's."""
    _executor: ThreadPoolExecutor = field(default_factory=_threads, repr=False)

    async def review(
        self, source: DocumentSource, *, at: datetime | None = None, in_place: bool = False
    ) -> Review:
        """Builds a document for trial and returns its problems, warnings and preview.

        `at` is for a document that is issued later: it is valid if it is valid now or at that time. Its date
        may be in the future, and the rates of that day may not be published yet. `in_place` reviews without a
        thread. Problems and warnings of filling the request from the catalog join those of the document.
        """
        now = self.clock()
        review = await self._review_as_of(now, source, in_place=in_place)
        if not review.problems or at is None or at <= now:
            return review
        later = await self._review_as_of(at, source, in_place=in_place)
        return review if later.problems else later

    async def _review_as_of(self, now: datetime, source: DocumentSource, *, in_place: bool) -> Review:
        emission = self._trial_emission(source, now)
        if isinstance(emission, tuple):
            return Review(emission)
        issuance = await self._issuance(source, emission, Signer.throwaway(), now)
        issuance = replace(issuance, unfilled=source.filling.problems)
        review_request = source.document_type.issuing.review
        if in_place:
            review = review_request(source.request, issuance)
        else:
            review = await self._in_thread(review_request, source.request, issuance)
        warnings = (
            *source.filling.warnings,
            *review.warnings,
            *source.snapshot.warnings_for(source.document_type),
        )
        return replace(review, warnings=warnings)

    async def make(
        self, source: DocumentSource, emission: Emission, signer: Signer
    ) -> SignedDocument | tuple[Problem, ...]:
        """Builds and signs a document."""
        issuance = await self._issuance(source, emission, signer, self.clock())
        return await self._in_thread(source.document_type.issuing.issue, source.request, issuance)

    def emission_now(
        self,
        source: DocumentSource,
        number: int,
        series: int = 1,
        numeric_code: str = _TRIAL_CODE,
        now: datetime | None = None,
    ) -> Emission:
        """Returns the emission of a document, at the date of the request if it has one, else now.

        The date of a document that waited until the authority would refuse it as too old becomes now.
        """
        now, state = now or self.clock(), source.snapshot.company.address.state
        issue_date = source.document_type.issuing.issue_date(source.request)
        issued_at = moment_of(issue_date or now, state, now)
        limit = source.document_type.issuing.stale_after
        if (
            limit
            and source.asked_at
            and now - issued_at > limit >= self.service_time(source.asked_at) - issued_at
        ):
            issued_at = now
        return Emission(
            environment=source.environment,
            series=series,
            number=number,
            numeric_code=numeric_code,
            issued_at=local_moment(issued_at, state),
        )

    def service_time(self, database_time: datetime) -> datetime:
        """Converts a moment of the database's clock to our clock."""
        return database_time + self.clock_offset

    @property
    def today(self) -> date:
        """The day by which rates and rules are looked up."""
        return self.clock().astimezone(BRASILIA).date()

    def _trial_emission(self, source: DocumentSource, now: datetime) -> Emission | tuple[Problem, ...]:
        """Returns the emission of a trial: the printed one if there is one, else with a fixed number."""
        printed = source.printed_emission()
        if printed is not None:
            return printed
        try:
            return self.emission_now(source, _TRIAL_NUMBER, now=now)
        except UnusableEmission as unusable:
            return (Problem(SCHEMA_PROBLEM, "issueDate", str(unusable)),)

    async def _issuance(
        self, source: DocumentSource, emission: Emission, signer: Signer, now: datetime
    ) -> Issuance:
        return Issuance(
            company=source.snapshot.company,
            emission=emission,
            software=self.software,
            settings=source.snapshot.settings_of(source.document_type),
            other_settings=source.snapshot.settings_beside(source.document_type),
            signer=signer,
            schemas=self.schemas,
            now=now,
            asked_at=source.asked_at and self.service_time(source.asked_at),
            external_facts=await self.query_surroundings(source),
        )

    async def _in_thread(self, make: Callable[[Any, Issuance], T], request: Body, issuance: Issuance) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, make, request, issuance)


def is_small(text: str) -> bool:
    """Returns whether a request is small enough to be reviewed without a thread."""
    return len(text) < _SMALL


def random_numeric_code() -> str:
    """Returns a random code, which makes the access key unpredictable."""
    return choose_numeric_code(_NO_NUMBER, lambda: secrets.randbelow(_CODES))
