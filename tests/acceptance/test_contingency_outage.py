"""The authority of a state is out of service while NF-e are in progress: each sale is billed once."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_judge import contradictions_after_contingency
from acceptance.fault_programs import Failpoint, Gate, Program
from acceptance.fault_site import CALM, INUTILIZATION, Site

ORDERED, LATE = 45, 5
NORMAL_EMISSION = "1"
# A superseded attempt is consulted until it can no longer arrive, which depends on the last two.
SOON = {
    "contingency_after_seconds": "2",
    "authority_retry_longest_seconds": "1",
    "authority_connect_seconds": "2",
    "authority_read_seconds": "2",
}
AT_SVC, SVC_AUTHORIZED = "emission_type = '6'", "emission_type = '6' and state = 'authorized'"


def attempts(company: Company, condition: str) -> str:
    """Returns an SQL expression: the number of attempts of a company that meet a condition."""
    return f"(select count(*) from emissions where company_id = '{company.id}' and {condition})"


def worker_of(site: Site, **settings: str) -> AbstractContextManager[Program]:
    """Starts a worker that enters contingency soon, and stays within the hourly limit of consults."""
    seldom = {
        "contingency_after_seconds": "8",
        "authority_retry_first_seconds": "1",
        "authority_retry_longest_seconds": "8",
        "worker_concurrency": "10",
    }
    return site.worker(None, **{**seldom, **settings})


async def order(company: Company, how_many: int) -> None:
    """Requests this many NF-e."""
    for _ in range(how_many):
        await company.issue("nfe")


async def order_while_it_breaks_down(site: Site, company: Company) -> None:
    """Requests NF-e while answers get lost, then nothing arrives, then the authority reports an outage.

    However fast the worker is, each fault hits the NF-e that are requested during it.
    """
    unanswered = attempts(company, "state = 'sent' and tries > 0")
    await order(company, 10)
    await site.until(f"{company.count('authorized')} >= 5")
    await site.switch(lostAnswers=1)
    await order(company, 15)
    await site.until(f"{unanswered} >= 10")
    await site.switch(lostAnswers=0, failures=1)
    await order(company, 15)
    # More than those whose answers can have been lost.
    await site.until(f"{unanswered} >= 25")
    await site.switch(failures=0, outages={"SP": "109"})
    await order(company, 5)


async def superseded_numbers(site: Site, company: Company, state: str) -> list[int]:
    """Returns the numbers of the superseded attempts in a state."""
    rows = await site.fetch(
        "select e.number from emissions e join documents d on d.id = e.document_id"
        " where e.company_id = $1 and e.state = $2 and e.ordinal <> d.emission order by e.number",
        company.id,
        state,
    )
    return [row["number"] for row in rows]


async def gaps_of(company: Company) -> list[dict[str, Any]]:
    """Returns the gaps of the company's only series."""
    (series,) = await company.read("numbering")
    return list(series["gaps"])


def numbers_in(ranges: list[dict[str, Any]]) -> list[int]:
    """Returns all numbers of the ranges."""
    return [number for gap in ranges for number in range(gap["numberStart"], gap["numberEnd"] + 1)]


async def settle(site: Site, company: Company) -> None:
    """Waits until every document and every superseded attempt is settled."""
    await site.until_settled(company)
    await site.until(
        f"not exists (select from strays where company_id = '{company.id}' and next_action_at is not null)"
    )
    await site.until_filed(company)


class TestAuthorityThatIsOut:
    async def test_outage_with_50_documents_in_progress_bills_each_of_them_once(
        self, site: Site, company: Company
    ) -> None:
        """Half a minute represents hours, and eight seconds the time until contingency begins."""
        async with site.switched(latencySeconds=0.2):
            with worker_of(site) as victim:
                await order_while_it_breaks_down(site, company)
                await site.until(f"{attempts(company, AT_SVC)} >= 10")
                await victim.kill()
            with worker_of(site):
                await site.until_settled(company)
                assert {gap["reason"] for gap in await gaps_of(company)} == {"unknownFate"}
                assert await company.inutilize_gaps() == []
                await order(company, LATE)
                await site.switch(**CALM)
                await settle(site, company)
                await self.assert_normal_emission_resumes(site, company)
                await self.assert_all_billed_once(site, company)
                await self.assert_no_gap_is_left(site, company)

    async def test_document_of_a_frozen_worker_is_not_sent_after_the_outage(
        self, site: Site, company: Company, tmp_path: Path
    ) -> None:
        gate = Gate.closed_in(tmp_path)
        await company.issue("nfe", external_id="frozen")
        async with site.switched():
            with site.worker(Failpoint("frozen", "signed", gate)) as frozen:
                await gate.until_reached_by(1)
                await site.switch(outages={"SP": "109"})
                with worker_of(site, **SOON):
                    await site.until_settled(company)
                    await site.switch(outages=None)
                    await settle(site, company)
                    gate.open()
                    assert await frozen.terminate() == 0
                    await settle(site, company)
        assert await contradictions_after_contingency(site, company) == []

    async def assert_normal_emission_resumes(self, site: Site, company: Company) -> None:
        """New documents go to the authority again, and the first verdict ends the outage."""
        outage = "select from outages where authorizer = 'SP'"
        # The status that the authority reported counts for 15 seconds.
        await site.until(f"not exists ({outage} and seen_at > now() - interval '20 seconds')")
        document = await company.issue("nfe")
        await site.until_settled(company)
        assert (await company.read(f"nfe/{document}"))["accessKey"][34] == NORMAL_EMISSION
        await site.until(f"not exists ({outage})")

    async def assert_all_billed_once(self, site: Site, company: Company) -> None:
        """Some were authorized at the contingency authority, after a first attempt was canceled or lost."""
        assert await contradictions_after_contingency(site, company) == []
        assert await site.holds(f"{company.count('authorized')} = {ORDERED + LATE + 1}")
        assert await site.holds(f"{attempts(company, SVC_AUTHORIZED)} > 25")
        assert await superseded_numbers(site, company, "canceled")
        assert await superseded_numbers(site, company, "signed")

    async def assert_no_gap_is_left(self, site: Site, company: Company) -> None:
        """The numbers that never arrived are listed as gaps and can be inutilized."""
        unknown, gaps = await superseded_numbers(site, company, "signed"), await gaps_of(company)
        assert {gap["reason"] for gap in gaps} == {"unknownToAuthority"}
        assert numbers_in(gaps) == numbers_in(await company.inutilize_gaps()) == unknown
        await site.until_filed(company)
        assert await gaps_of(company) == []
        assert {entry["code"] for entry in await site.sent(company, INUTILIZATION)} == {"102"}
