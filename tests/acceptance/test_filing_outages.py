"""Whatever fails while filings are in progress: all of them are registered, none of them twice."""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Any

from acceptance.fault_company import ISSUED_TYPES, Company
from acceptance.fault_judge import contradictions_of_filings
from acceptance.fault_site import CALM, EVENT, INUTILIZATION, STORM, Site


async def authorized(site: Site, company: Company, document_types: list[str]) -> list[tuple[str, str]]:
    """Issues documents of these types, and returns the type and id of each."""
    ids = await asyncio.gather(*map(company.issue, document_types))
    with site.worker():
        await site.until_settled(company)
    assert await site.holds(f"{company.count('authorized')} = {len(document_types)}")
    return list(zip(document_types, ids, strict=True))


async def file_many(site: Site, company: Company, *, each: int, numbers: int) -> None:
    """Cancels `each` documents of each type, corrects others, and inutilizes numbers, all at once.

    Everything is requested twice, which makes no difference.
    """
    await company.skip_numbers("nfe", numbers + 1)
    documents = await authorized(site, company, [*ISSUED_TYPES] * each + ["nfe", "cte"] * each)
    canceled, corrected = documents[: -2 * each], documents[-2 * each :]

    def filings() -> Iterator[Awaitable[Any]]:
        for document_type, document in canceled:
            yield company.cancel(document_type, document)
        for document_type, document in corrected:
            yield company.correct(document_type, document)
        for number in range(1, numbers + 1):
            yield company.inutilize(number)

    await asyncio.gather(*filings(), *filings())


def untouched_of(company: Company) -> str:
    """Returns an SQL condition: some filing of a company has not been sent yet."""
    waiting = f"where company_id = '{company.id}' and state = 'queued'"
    return f"exists (select from event_filings {waiting}) or exists (select from inutilizations {waiting})"


class TestStorm:
    async def test_filings_survive_lost_late_and_failed_answers(self, site: Site, company: Company) -> None:
        await file_many(site, company, each=8, numbers=10)
        async with site.switched(**STORM):
            with site.worker(authority_read_seconds="3"):
                # A key may be consulted nine times an hour at most: the storm ends before they are used up.
                await site.until(f"not ({untouched_of(company)})")
                await site.until_faults_hit(company, (*EVENT, *INUTILIZATION), {"lostAnswers", "failures"})
                await site.switch(**CALM)
                await site.until_filed(company)
        assert await contradictions_of_filings(site, company) == []
