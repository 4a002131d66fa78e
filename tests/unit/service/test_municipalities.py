"""What is remembered of municipalities: facts for everybody, failures for whoever failed."""

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
from carimbo.service.issuing.municipalities import Municipalities, Place

NFSE = next(kind for kind in DOCUMENT_TYPES if kind.name == "nfse")
CITY, SERVICE, DAY = "3550308", "01.05.01.000", date(2026, 11, 14)
JOINED = Agreement(CITY, is_active=True, uses_national_emitter=True)
SILENCE = NotJudged(cause=Cause.TIMEOUT, detail="")


@dataclass
class Nation:
    """An authority that answers as it is told, and counts; who asks is told by its certificate."""

    answer: Agreement | NotJudged = JOINED
    asked: list[str] = field(default_factory=list)

    async def agreement(self, sender: str, city_code: str) -> Agreement | NotJudged:
        self.asked.append(sender)
        await asyncio.sleep(0)
        return self.answer

    async def rate(self, sender: str, city_code: str, service_code: str, day: date) -> MunicipalRate:
        self.asked.append(f"{sender} {service_code} {day}")
        return MunicipalRate(city_code, service_code, Decimal(2))


@dataclass
class Desk:
    """What remembers, with a clock that is moved by hand."""

    nation: Nation = field(default_factory=Nation)
    now: datetime = datetime(2026, 11, 14, 12, tzinfo=UTC)
    memory: Municipalities = field(init=False)

    def __post_init__(self) -> None:
        authorities = cast(Any, {"nfse": self.nation})
        self.memory = Municipalities(cast(Any, self), authorities, lambda: self.now)

    async def seal_of(self, dossier: Any) -> Any:
        """The certificate of a company, which is known by its tax id here; some take longer to be opened."""
        name = dossier.row.tax_id
        if name == "slow":
            await asyncio.sleep(0.05)
        certificate = SimpleNamespace(fingerprint=name)
        return SimpleNamespace(certificate=certificate, sender=lambda tax_id, _: tax_id) if name else None

    async def ask(self, company: str = "one", *, insist: bool = False) -> Agreement | None:
        return await self.memory.agreement(self.place_of(company), insist=insist)

    def place_of(self, company: str) -> Place:
        dossier = SimpleNamespace(row=SimpleNamespace(tax_id=company))
        return Place(NFSE, cast(Any, dossier), Environment.PRODUCTION, CITY)


@pytest.fixture
def desk() -> Desk:
    return Desk()


class TestFact:
    async def test_is_asked_for_once_and_serves_every_company(self, desk: Desk) -> None:
        assert [await desk.ask("one"), await desk.ask("two"), await desk.ask("")] == [JOINED] * 3
        assert desk.nation.asked == ["one"]

    async def test_is_asked_for_once_by_many_at_the_same_time(self, desk: Desk) -> None:
        assert await asyncio.gather(*(desk.ask() for _ in range(20))) == [JOINED] * 20
        assert desk.nation.asked == ["one"]

    async def test_that_was_learnt_while_a_certificate_was_opened_is_not_asked_for_again(
        self, desk: Desk
    ) -> None:
        told = await asyncio.gather(desk.ask("slow"), desk.ask("one"))
        assert list(told) == [JOINED] * 2
        assert desk.nation.asked == ["one"]

    async def test_is_asked_for_again_after_half_a_day(self, desk: Desk) -> None:
        await desk.ask()
        desk.now += timedelta(hours=12)
        desk.nation.answer = Agreement(CITY, is_active=False, uses_national_emitter=False)
        assert await desk.ask() == desk.nation.answer

    async def test_of_yesterday_is_better_than_nothing(self, desk: Desk) -> None:
        await desk.ask()
        desk.now += timedelta(days=1)
        desk.nation.answer = SILENCE
        assert [await desk.ask(), await desk.ask("")] == [JOINED] * 2


class TestFailure:
    async def test_is_remembered_for_two_minutes(self, desk: Desk) -> None:
        desk.nation.answer = SILENCE
        assert [await desk.ask(), await desk.ask()] == [None, None]
        assert desk.nation.asked == ["one"]
        desk.now += timedelta(minutes=2)
        desk.nation.answer = JOINED
        assert await desk.ask() == JOINED

    async def test_is_nobody_elses(self, desk: Desk) -> None:
        desk.nation.answer = SILENCE
        await desk.ask("one")
        desk.nation.answer = JOINED
        assert await desk.ask("two") == JOINED

    async def test_does_not_keep_from_asking_who_insists(self, desk: Desk) -> None:
        desk.nation.answer = SILENCE
        await desk.ask()
        desk.nation.answer = JOINED
        assert await desk.ask(insist=True) == JOINED


class TestRate:
    async def test_is_remembered_by_service_and_day(self, desk: Desk) -> None:
        place = desk.place_of("one")
        for day in (DAY, DAY, DAY + timedelta(days=1)):
            told = await desk.memory.rate(place, SERVICE, day)
            assert told and told.rate == 2
        assert desk.nation.asked == [f"one {SERVICE} 2026-11-14", f"one {SERVICE} 2026-11-15"]
