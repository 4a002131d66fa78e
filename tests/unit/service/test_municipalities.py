"""The cache of municipal data: facts are shared by all companies, failures belong to one."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

import pytest

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import Cause, NotJudged
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.issuing.pre_issue_queries import Municipalities, MunicipalityContext

NFSE = next(document_type for document_type in DOCUMENT_TYPES if document_type.name == "nfse")
CITY, SERVICE, DAY = "3550308", "01.05.01.000", date(2026, 11, 14)
JOINED = Agreement(CITY, is_active=True, uses_national_emitter=True)
SILENCE = NotJudged(cause=Cause.TIMEOUT, detail="")


@dataclass
class FakeAuthority:
    """A simulated authority that gives a fixed answer and records the sender of each question."""

    answer: Agreement | NotJudged = JOINED
    questions: list[str] = field(default_factory=list)

    async def agreement(self, sender: str, city_code: str) -> Agreement | NotJudged:
        self.questions.append(sender)
        await asyncio.sleep(0)
        return self.answer

    async def rate(self, sender: str, city_code: str, service_code: str, day: date) -> MunicipalRate:
        self.questions.append(f"{sender} {service_code} {day}")
        return MunicipalRate(city_code, service_code, Decimal(2))


@dataclass
class MunicipalCache:
    """The cache under test, with a clock that tests move."""

    authority: FakeAuthority = field(default_factory=FakeAuthority)
    now: datetime = datetime(2026, 11, 14, 12, tzinfo=UTC)
    memory: Municipalities = field(init=False)

    def __post_init__(self) -> None:
        authorities = cast(Any, {"nfse": self.authority})
        self.memory = Municipalities(cast(Any, self), authorities, lambda: self.now)

    async def signing_identity_of(self, snapshot: Any) -> Any:
        """Returns a company's tax id in place of its certificate; some take longer to open."""
        name = snapshot.row.tax_id
        if name == "slow":
            await asyncio.sleep(0.05)
        certificate = SimpleNamespace(fingerprint=name)
        return SimpleNamespace(certificate=certificate, sender=lambda tax_id, _: tax_id) if name else None

    async def ask(self, company: str = "one", *, insist: bool = False) -> Agreement | None:
        return await self.memory.agreement(self.place_of(company), insist=insist)

    def place_of(self, company: str) -> MunicipalityContext:
        snapshot = SimpleNamespace(row=SimpleNamespace(tax_id=company))
        return MunicipalityContext(NFSE, cast(Any, snapshot), Environment.PRODUCTION, CITY)


@pytest.fixture
def cache() -> MunicipalCache:
    return MunicipalCache()


class TestFact:
    async def test_fact_is_fetched_once_for_all_companies(self, cache: MunicipalCache) -> None:
        assert [await cache.ask("one"), await cache.ask("two"), await cache.ask("")] == [JOINED] * 3
        assert cache.authority.questions == ["one"]

    async def test_concurrent_requests_fetch_a_fact_once(self, cache: MunicipalCache) -> None:
        assert await asyncio.gather(*(cache.ask() for _ in range(20))) == [JOINED] * 20
        assert cache.authority.questions == ["one"]

    async def test_fact_learnt_while_a_certificate_opens_is_not_fetched_again(
        self, cache: MunicipalCache
    ) -> None:
        answers = await asyncio.gather(cache.ask("slow"), cache.ask("one"))
        assert list(answers) == [JOINED] * 2
        assert cache.authority.questions == ["one"]

    async def test_fact_is_fetched_again_after_half_a_day(self, cache: MunicipalCache) -> None:
        await cache.ask()
        cache.now += timedelta(hours=12)
        cache.authority.answer = Agreement(CITY, is_active=False, uses_national_emitter=False)
        assert await cache.ask() == cache.authority.answer

    async def test_old_fact_is_used_when_the_authority_fails(self, cache: MunicipalCache) -> None:
        await cache.ask()
        cache.now += timedelta(days=1)
        cache.authority.answer = SILENCE
        assert [await cache.ask(), await cache.ask("")] == [JOINED] * 2


class TestFailure:
    async def test_failure_is_remembered_for_two_minutes(self, cache: MunicipalCache) -> None:
        cache.authority.answer = SILENCE
        assert [await cache.ask(), await cache.ask()] == [None, None]
        assert cache.authority.questions == ["one"]
        cache.now += timedelta(minutes=2)
        cache.authority.answer = JOINED
        assert await cache.ask() == JOINED

    async def test_failure_of_a_company_does_not_affect_others(self, cache: MunicipalCache) -> None:
        cache.authority.answer = SILENCE
        await cache.ask("one")
        cache.authority.answer = JOINED
        assert await cache.ask("two") == JOINED

    async def test_insisting_request_ignores_a_remembered_failure(self, cache: MunicipalCache) -> None:
        cache.authority.answer = SILENCE
        await cache.ask()
        cache.authority.answer = JOINED
        assert await cache.ask(insist=True) == JOINED


class TestRate:
    async def test_rate_is_remembered_by_service_and_day(self, cache: MunicipalCache) -> None:
        place = cache.place_of("one")
        for day in (DAY, DAY, DAY + timedelta(days=1)):
            answer = await cache.memory.rate(place, SERVICE, day)
            assert answer and answer.rate == 2
        assert cache.authority.questions == [f"one {SERVICE} 2026-11-14", f"one {SERVICE} 2026-11-15"]
