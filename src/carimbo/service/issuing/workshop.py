"""Where documents are made: the fiscal library, lent a clock, chance and threads."""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from carimbo.fiscal.access_key import choose_numeric_code
from carimbo.fiscal.catalog_filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.document_type import DocumentType, Issuance, Issuing, Review, Surroundings
from carimbo.fiscal.emission import Emission, UnusableEmission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.local_time import BRASILIA, moment_of
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software
from carimbo.service.issuing.dossier import Dossier

T = TypeVar("T")
Survey = Callable[[DocumentType, Body, Dossier, Environment], Awaitable[Surroundings]]
"""Finds out what others have to say of a document."""
_CODES = 100_000_000
_TRIAL_NUMBER, _TRIAL_CODE = 1, "48210379"
# No code is that of a number of nine digits and more.
_NO_NUMBER = 0


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
        self,
        kind: DocumentType,
        request: Body,
        dossier: Dossier,
        environment: Environment,
        *,
        asked_at: datetime | None = None,
        at: datetime | None = None,
        in_place: bool = False,
        filling: FillingReview = NOTHING_FILLED,
    ) -> Review:
        """Make a document for trial and tell what is to be said of it; a small one without a thread.

        One that is to be issued later may be right only then, as one whose day is to come; but rates of then
        may not be known yet, and so it may also be right as of now. Problems and warnings of filling the
        request from the catalog join those of the document.
        """
        now = self.clock()
        tried = partial(
            self._reviewed, kind, request, dossier, environment, asked_at, filling=filling, in_place=in_place
        )
        review = await tried(now)
        if not review.problems or at is None or at <= now:
            return review
        later = await tried(at)
        return review if later.problems else later

    async def _reviewed(
        self,
        kind: DocumentType,
        request: Body,
        dossier: Dossier,
        environment: Environment,
        asked_at: datetime | None,
        now: datetime,
        *,
        filling: FillingReview,
        in_place: bool,
    ) -> Review:
        emission = self._tried_under(kind, request, dossier, environment, now)
        if isinstance(emission, tuple):
            return Review(emission)
        signer = Signer.throwaway()
        issuance = await self._issuance(kind, request, dossier, emission, signer, asked_at, now)
        issuance = replace(issuance, unfilled=filling.problems)
        if in_place:
            review = issuing_of(kind).review(request, issuance)
        else:
            review = await self._in_thread(issuing_of(kind).review, request, issuance)
        warnings = (*filling.warnings, *review.warnings, *dossier.warnings_for(kind))
        return replace(review, warnings=warnings)

    async def make(
        self,
        kind: DocumentType,
        request: Body,
        dossier: Dossier,
        emission: Emission,
        signer: Signer,
        asked_at: datetime | None = None,
    ) -> SignedDocument | tuple[Problem, ...]:
        """Make and sign a document."""
        issuance = await self._issuance(kind, request, dossier, emission, signer, asked_at, self.clock())
        return await self._in_thread(issuing_of(kind).issue, request, issuance)

    def emission_now(
        self,
        dossier: Dossier,
        environment: Environment,
        number: int,
        request: Body,
        series: int = 1,
        numeric_code: str | None = None,
        now: datetime | None = None,
    ) -> Emission:
        """What a document is issued under: its own date if it asks for one, else this moment."""
        asked: date | None = getattr(request, "issue_date", None)
        now, state = now or self.clock(), dossier.company.address.state
        return Emission(
            environment=environment,
            series=series,
            number=number,
            numeric_code=numeric_code or _TRIAL_CODE,
            issued_at=local_moment(moment_of(asked or now, state, now), state),
        )

    def service_time(self, database_time: datetime) -> datetime:
        """Returns what the clock showed at a moment by the database's clock."""
        return database_time + self.clock_offset

    @property
    def today(self) -> date:
        """The day that rates and rules are looked up by."""
        return self.clock().astimezone(BRASILIA).date()

    def _tried_under(
        self, kind: DocumentType, request: Body, dossier: Dossier, environment: Environment, now: datetime
    ) -> Emission | tuple[Problem, ...]:
        """What a document is made under for trial: what its paper says, else a number that stands for any."""
        printed = printed_emission(kind, request, dossier, environment)
        if printed is not None:
            return printed
        try:
            return self.emission_now(dossier, environment, _TRIAL_NUMBER, request, now=now)
        except UnusableEmission as unusable:
            return (Problem(SCHEMA_PROBLEM, "issueDate", str(unusable)),)

    async def _issuance(
        self,
        kind: DocumentType,
        request: Body,
        dossier: Dossier,
        emission: Emission,
        signer: Signer,
        asked_at: datetime | None,
        now: datetime,
    ) -> Issuance:
        return Issuance(
            company=dossier.company,
            emission=emission,
            software=self.software,
            settings=dossier.settings_of(kind),
            signer=signer,
            schemas=self.schemas,
            now=now,
            asked_at=asked_at and self.service_time(asked_at),
            surroundings=await self.survey(kind, request, dossier, emission.environment),
        )

    async def _in_thread(self, make: Callable[[Any, Issuance], T], request: Body, issuance: Issuance) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, make, request, issuance)


def printed_emission(
    kind: DocumentType, request: Body, dossier: Dossier, environment: Environment
) -> Emission | tuple[Problem, ...] | None:
    """What a document that is on paper already was issued under, or what is wrong with that; else None."""
    read = issuing_of(kind).printed_emission
    return read(request, dossier.company, environment) if read else None


def issuing_of(kind: DocumentType) -> Issuing:
    """How a type is issued; only types that can be have routes and documents."""
    if kind.issuing is None:
        raise LookupError(f"{kind.name} can't be issued")
    return kind.issuing


def draw_numeric_code() -> str:
    """A code that nobody can guess, which makes the access key one that nobody can guess."""
    return choose_numeric_code(_NO_NUMBER, lambda: secrets.randbelow(_CODES))
