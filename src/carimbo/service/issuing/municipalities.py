"""What municipalities told the authorities, asked for once in a while and remembered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias, TypeVar

import structlog

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import NotJudged, Throttled, Unavailable
from carimbo.fiscal.sender import Sender
from carimbo.service.answer_log import in_log
from carimbo.service.dossier import Dossier, Dossiers
from carimbo.service.ports import MunicipalAuthority

T = TypeVar("T", bound=Agreement | MunicipalRate)
Answer: TypeAlias = T | Unavailable | Throttled | NotJudged
Ask: TypeAlias = Callable[[Sender], Awaitable[Answer[T]]]

_log = structlog.get_logger("carimbo.issuing")
# Agreements and rates change by the month; a question that failed may have an answer soon.
_GOOD_FOR = timedelta(hours=12)
_ASKED_AGAIN_AFTER = timedelta(minutes=2)
# Every municipality with some services each.
_MOST_REMEMBERED = 50_000


@dataclass(frozen=True)
class _Learnt:
    """What was learnt, and until when that is good enough."""

    fact: Agreement | MunicipalRate
    until: datetime


@dataclass(frozen=True)
class Place:
    """A municipality (IBGE) as the documents of a company meet it."""

    kind: DocumentType
    dossier: Dossier
    environment: Environment
    city: str


@dataclass(frozen=True)
class Municipalities:
    """Asks the authority of a type with the certificate of whoever wants to know."""

    dossiers: Dossiers
    authorities: Mapping[str, MunicipalAuthority]
    """By type name, for the types that depend on municipalities."""
    clock: Callable[[], datetime]
    _learnt: dict[tuple[str, ...], _Learnt] = field(default_factory=dict, repr=False)
    _failed: dict[tuple[str, ...], datetime] = field(default_factory=dict, repr=False)
    """By certificate too, until when nobody asks again: one that is refused is its owner's affair."""
    _asking: dict[tuple[str, ...], asyncio.Future[Any]] = field(default_factory=dict, repr=False)

    @property
    def today(self) -> date:
        """The day that rates are asked for, where none is told."""
        return self.clock().astimezone(BRASILIA).date()

    async def agreement(self, place: Place, *, insist: bool = False) -> Agreement | None:
        """What a municipality agreed with the authority; None where nobody could be asked.

        After a question that failed the next one waits, unless somebody insists.
        """
        authority = self.authorities[place.kind.name]
        return await self._known(place, (), lambda sender: authority.agreement(sender, place.city), insist)

    async def rate(
        self, place: Place, service_code: str, day: date, *, insist: bool = False
    ) -> MunicipalRate | None:
        """The rate of a service (`01.01.01.000`) on a day; None where nobody could be asked."""
        authority = self.authorities[place.kind.name]

        def ask(sender: Sender) -> Awaitable[Answer[MunicipalRate]]:
            return authority.rate(sender, place.city, service_code, day)

        return await self._known(place, (service_code, day.isoformat()), ask, insist)

    async def _known(self, place: Place, asked: tuple[str, ...], ask: Ask[T], insist: bool) -> T | None:
        """What is remembered, or is learnt now; what was true yesterday is better than nothing."""
        name = (place.kind.name, place.environment, place.city, *asked)
        seal = None if self._is_fresh(name) else await self.dossiers.seal_of(place.dossier)
        known, now = self._learnt.get(name), self.clock()
        before: T | None = known.fact if known else None  # type: ignore[assignment]
        # Somebody else may have learnt it while the certificate was opened.
        if seal is None or self._is_fresh(name):
            return before
        attempt = (seal.certificate.fingerprint, *name)
        if not insist and now < self._failed.get(attempt, now):
            return before
        sender = seal.sender(place.dossier.row.tax_id, place.environment)
        return await self._asked_once(attempt, sender, ask) or before

    def _is_fresh(self, name: tuple[str, ...]) -> bool:
        known = self._learnt.get(name)
        return known is not None and self.clock() < known.until

    async def _asked_once(self, attempt: tuple[str, ...], sender: Sender, ask: Ask[T]) -> T | None:
        """Ask; who wants to know the same at the same time waits for the one answer."""
        if attempt not in self._asking:
            self._asking[attempt] = asyncio.ensure_future(self._learn(attempt, sender, ask))
            self._asking[attempt].add_done_callback(lambda _: self._asking.pop(attempt, None))
        fact: T | None = await asyncio.shield(self._asking[attempt])
        return fact

    async def _learn(self, attempt: tuple[str, ...], sender: Sender, ask: Ask[T]) -> T | None:
        fact, (_, *name) = _learnt_from(await ask(sender), attempt), attempt
        for memory in (self._learnt, self._failed):
            if len(memory) >= _MOST_REMEMBERED:
                memory.clear()
        if fact is None:
            self._failed[attempt] = self.clock() + _ASKED_AGAIN_AFTER
        else:
            self._learnt[tuple(name)] = _Learnt(fact, self.clock() + _GOOD_FOR)
        return fact


def _learnt_from(answer: Answer[T], attempt: tuple[str, ...]) -> T | None:
    if isinstance(answer, Unavailable | Throttled | NotJudged):
        _log.warning("municipality_not_learnt", asked=attempt, **in_log(answer))
        return None
    return answer
