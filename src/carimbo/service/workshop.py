"""Where documents are made: the fiscal library, lent a clock, chance and threads."""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from carimbo.fiscal.access_key import choose_numeric_code
from carimbo.fiscal.catalog_filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import Emission, UnusableEmission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.issuance import Issuance, Review, Surroundings
from carimbo.fiscal.local_time import BRASILIA, moment_of
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software
from carimbo.service.dossier import Dossier

T = TypeVar("T")


@dataclass(frozen=True)
class DocumentSource:
    """What a document is made of, but for its number and its signature."""

    kind: DocumentType
    request: Body
    dossier: Dossier
    environment: Environment
    asked_at: datetime | None = None
    """When it was asked for, by the database's clock, if that was before now."""
    filling: FillingReview = NOTHING_FILLED
    """What is to be said of filling the request from the catalog."""

    def printed_emission(self) -> Emission | tuple[Problem, ...] | None:
        """Returns what a document that is on paper already was issued under, or what is wrong with that."""
        point_of_sale = self.kind.point_of_sale
        if point_of_sale is None:
            return None
        return point_of_sale.printed_emission(self.request, self.dossier.company, self.environment)


Survey = Callable[[DocumentSource], Awaitable[Surroundings]]
"""Finds out what others have to say of a document."""
_CODES = 100_000_000
_TRIAL_NUMBER, _TRIAL_CODE = 1, "48210379"
# No code is that of a number of nine digits and more.
_NO_NUMBER = 0
# Characters of a request of about ten items: reviewed in less time than it takes to hand it to a thread and
# back, counting what the other requests wait.
_SMALL = 2_000


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="workshop")


async def nobody_asked(*_: object) -> Surroundings:
    """For when there is nobody to ask."""
    return Surroundings()


@dataclass(frozen=True)
class Workshop:
    """Reviews and makes documents, in threads: signing and checking let go of the interpreter."""

    schemas: Schemas
    software: Software
    clock: Callable[[], datetime]
    survey: Survey = nobody_asked
    clock_offset: timedelta = timedelta()
    """How far the clock is ahead of the database's."""
    _executor: ThreadPoolExecutor = field(default_factory=_threads, repr=False)

    async def review(
        self, source: DocumentSource, *, at: datetime | None = None, in_place: bool = False
    ) -> Review:
        """Makes a document for trial and returns what is to be said of it; a small one without a thread.

        One that is to be issued later may be right only then, as one whose day is to come; but rates of then
        may not be known yet, and so it may also be right as of now. Problems and warnings of filling the
        request from the catalog join those of the document.
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
        review_request = source.kind.issuing.review
        if in_place:
            review = review_request(source.request, issuance)
        else:
            review = await self._in_thread(review_request, source.request, issuance)
        warnings = (*source.filling.warnings, *review.warnings, *source.dossier.warnings_for(source.kind))
        return replace(review, warnings=warnings)

    async def make(
        self, source: DocumentSource, emission: Emission, signer: Signer
    ) -> SignedDocument | tuple[Problem, ...]:
        """Makes and signs a document."""
        issuance = await self._issuance(source, emission, signer, self.clock())
        return await self._in_thread(source.kind.issuing.issue, source.request, issuance)

    def emission_now(
        self,
        source: DocumentSource,
        number: int,
        series: int = 1,
        numeric_code: str = _TRIAL_CODE,
        now: datetime | None = None,
    ) -> Emission:
        """Returns what a document is issued under: its own date if it asks for one, else this moment."""
        now, state = now or self.clock(), source.dossier.company.address.state
        asked = source.kind.issuing.issue_date(source.request)
        return Emission(
            environment=source.environment,
            series=series,
            number=number,
            numeric_code=numeric_code,
            issued_at=local_moment(moment_of(asked or now, state, now), state),
        )

    def service_time(self, database_time: datetime) -> datetime:
        """Returns what the clock showed at a moment by the database's clock."""
        return database_time + self.clock_offset

    @property
    def today(self) -> date:
        """The day that rates and rules are looked up by."""
        return self.clock().astimezone(BRASILIA).date()

    def _trial_emission(self, source: DocumentSource, now: datetime) -> Emission | tuple[Problem, ...]:
        """Returns what a document is made under for trial: what its paper says, else a number for any."""
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
            company=source.dossier.company,
            emission=emission,
            software=self.software,
            settings=source.dossier.settings_of(source.kind),
            signer=signer,
            schemas=self.schemas,
            now=now,
            asked_at=source.asked_at and self.service_time(source.asked_at),
            surroundings=await self.survey(source),
        )

    async def _in_thread(self, make: Callable[[Any, Issuance], T], request: Body, issuance: Issuance) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, make, request, issuance)


def is_small(text: str) -> bool:
    """Returns whether the request of a JSON is reviewed without a thread."""
    return len(text) < _SMALL


def draw_numeric_code() -> str:
    """A code that nobody can guess, which makes the access key one that nobody can guess."""
    return choose_numeric_code(_NO_NUMBER, lambda: secrets.randbelow(_CODES))
