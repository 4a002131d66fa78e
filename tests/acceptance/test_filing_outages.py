"""Whatever fails while filings are in progress: all of them are registered, none of them twice."""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Any

from acceptance.fault_company import FILED_EVENTS, Company
from acceptance.fault_judge import contradictions_of_filings
from acceptance.fault_site import CALM, EVENT, INUTILIZATION, STORM, Site


async def ready_for_events(site: Site, company: Company, each: int) -> list[tuple[str, str, str]]:
    """Issues `each` documents for each event, and returns the type, event and id of each."""
    events = [*FILED_EVENTS] * each
    issued = (company.issue(document_type, event=event) for document_type, event in events)
    ids = await asyncio.gather(*issued)
    documents = [(*event, document) for event, document in zip(events, ids, strict=True)]
    with site.worker():
        await site.until_settled(company)
        undone = [document for _, event, document in documents if event == "deliveryCancellation"]
        await asyncio.gather(*(company.file("cte", "delivery", document) for document in undone))
        await site.until_filed(company)
    assert await site.holds(f"{company.count('authorized')} = {len(documents)}")
    return documents


async def file_many(site: Site, company: Company, *, each: int, numbers: int) -> None:
    """Files `each` events of each kind and inutilizes numbers, all at once.

    Everything is requested twice, which makes no difference.
    """
    await company.skip_numbers("nfe", numbers + 1)
    documents = await ready_for_events(site, company, each)

    def filings() -> Iterator[Awaitable[Any]]:
        for document_type, event, document in documents:
            yield company.file(document_type, event, document)
        for number in range(1, numbers + 1):
            yield company.inutilize(number)

    await asyncio.gather(*filings(), *filings())


def untouched_of(company: Company) -> str:
    """Returns an SQL condition: some filing of a company has not been sent yet."""
    waiting = f"where company_id = '{company.id}' and state = 'queued'"
    return f"exists (select from event_filings {waiting}) or exists (select from inutilizations {waiting})"


class TestStorm:
    async def test_filings_survive_lost_late_and_failed_answers(self, site: Site, company: Company) -> None:
        await file_many(site, company, each=4, numbers=10)
        async with site.switched(**STORM):
            with site.worker(authority_read_seconds="3"):
                # A key may be consulted nine times an hour at most: the storm ends before they are used up.
                await site.until(f"not ({untouched_of(company)})")
                await site.until_faults_hit(company, (*EVENT, *INUTILIZATION), {"lostAnswers", "failures"})
                await site.switch(**CALM)
                await site.until_filed(company)
        assert await contradictions_of_filings(site, company) == []
