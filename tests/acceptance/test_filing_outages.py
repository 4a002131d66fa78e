"""Whatever fails while statements are on their way: all of them are registered, none of them twice."""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Any

from acceptance.fault_company import KINDS, Company
from acceptance.fault_judge import contradictions_of_statements
from acceptance.fault_site import CALM, EVENT, INUTILIZATION, LATE, STORM, Site


async def authorized(site: Site, company: Company, kinds: list[str]) -> list[tuple[str, str]]:
    """Documents of these types, authorised: type and id of each."""
    ids = await asyncio.gather(*map(company.issue, kinds))
    with site.worker():
        await site.until_settled(company)
    assert await site.holds(f"{company.count('authorized')} = {len(kinds)}")
    return list(zip(kinds, ids, strict=True))


async def tell_much(site: Site, company: Company, *, each: int, numbers: int) -> None:
    """Cancel as many documents of each type, correct twice as many, and give numbers up, all at once.

    Everything is asked for twice, which makes no difference.
    """
    await company.skip_numbers("nfe", numbers + 1)
    documents = await authorized(site, company, [*KINDS, "nfe", "nfe"] * each)

    def statements() -> Iterator[Awaitable[Any]]:
        for turn, (kind, document) in enumerate(documents):
            yield company.correct(document) if turn % 5 > 2 else company.cancel(kind, document)
        for number in range(1, numbers + 1):
            yield company.inutilize(number)

    await asyncio.gather(*statements(), *statements())


def registered_of(company: Company) -> str:
    """An SQL expression: how many events of a company are registered."""
    return f"(select count(*) from event_filings where company_id = '{company.id}' and state = 'registered')"


def untouched_of(company: Company) -> str:
    """An SQL condition: something that a company told was not sent yet."""
    waiting = f"where company_id = '{company.id}' and state = 'queued'"
    return f"exists (select from event_filings {waiting}) or exists (select from inutilizations {waiting})"


class TestStorm:
    async def test_of_lost_late_and_failed_answers_is_weathered(self, site: Site, company: Company) -> None:
        await tell_much(site, company, each=8, numbers=10)
        async with site.switched(**STORM):
            with site.worker(authority_read_seconds="3"):
                # One key is consulted nine times an hour at most: the storm ends before chance uses them up.
                await site.until(f"not ({untouched_of(company)})")
                await site.until_struck(company, (*EVENT, *INUTILIZATION), {"lostAnswers", "failures"})
                await site.switch(**CALM)
                await site.until_told(company)
        assert await contradictions_of_statements(site, company) == []


class TestEmptiedQueue:
    async def test_is_filled_again_from_the_statements(self, site: Site, company: Company) -> None:
        await tell_much(site, company, each=5, numbers=5)
        assert len(await site.fetch("delete from pgqueuer returning id")) >= 25
        async with site.switched(**LATE):
            with site.worker(worker_concurrency="4"):
                await site.until(f"{registered_of(company)} > 0")
                assert await site.fetch("delete from pgqueuer returning id")
                await site.until_told(company)
        assert await contradictions_of_statements(site, company) == []
