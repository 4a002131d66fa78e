"""The authority of a state is out of service while its NF-e are on their way: each sale is billed once."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_judge import contradictions_after_contingency
from acceptance.fault_programs import Failpoint, Gate, Program
from acceptance.fault_site import CALM, INUTILIZATION, Site

ORDERED, LATE = 45, 5
NORMAL_WAY = "1"
# An attempt that was replaced is looked for until it could no longer arrive, which depends on the last two.
SOON = {
    "contingency_after_seconds": "2",
    "authority_retry_longest_seconds": "1",
    "authority_connect_seconds": "2",
    "authority_read_seconds": "2",
}
AT_SVC, SVC_AUTHORIZED = "emission_type = '6'", "emission_type = '6' and state = 'authorized'"


def attempts(company: Company, condition: str) -> str:
    """An SQL expression: how many attempts of a company's documents are so."""
    return f"(select count(*) from emissions where company_id = '{company.id}' and {condition})"


def worker_of(site: Site, **settings: str) -> AbstractContextManager[Program]:
    """A worker for which contingency begins soon, and who asks so seldom that an hour's questions suffice."""
    seldom = {
        "contingency_after_seconds": "8",
        "authority_retry_first_seconds": "1",
        "authority_retry_longest_seconds": "8",
        "worker_concurrency": "10",
    }
    return site.worker(None, **{**seldom, **settings})


async def order(company: Company, how_many: int) -> None:
    """Order so many NF-e."""
    for _ in range(how_many):
        await company.issue("nfe")


async def order_while_it_breaks_down(site: Site, company: Company) -> None:
    """Answers get lost, then nothing arrives any more, then the authority says that it is out of service.

    However fast the worker is, each of this meets what is ordered during it.
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


async def replaced(site: Site, company: Company, state: str) -> list[int]:
    """The numbers of the attempts that another one took the place of and that came to a state."""
    rows = await site.fetch(
        "select e.number from emissions e join documents d on d.id = e.document_id"
        " where e.company_id = $1 and e.state = $2 and e.ordinal <> d.emission order by e.number",
        company.id,
        state,
    )
    return [row["number"] for row in rows]


async def gaps_of(company: Company) -> list[dict[str, Any]]:
    """What the ledger of numbers tells of the company's only series."""
    (series,) = await company.read("numbering")
    return list(series["gaps"])


def numbers_in(ranges: list[dict[str, Any]]) -> list[int]:
    """All the numbers of ranges."""
    return [number for one in ranges for number in range(one["numberStart"], one["numberEnd"] + 1)]


async def settle(site: Site, company: Company) -> None:
    """Wait until every document has its verdict, and every attempt that was replaced its fate."""
    await site.until_settled(company)
    await site.until(
        f"not exists (select from strays where company_id = '{company.id}' and next_action_at is not null)"
    )
    await site.until_told(company)


class TestAuthorityThatIsOut:
    async def test_with_50_documents_on_their_way_bills_each_of_them_once(
        self, site: Site, company: Company
    ) -> None:
        """Half a minute stands for hours, and eight seconds for the time until contingency begins."""
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
                await self.require_normal_way(site, company)
                await self.require_all_billed_once(site, company)
                await self.require_no_gap_is_left(site, company)

    async def test_does_not_get_what_a_frozen_worker_meant_to_send(
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

    async def require_normal_way(self, site: Site, company: Company) -> None:
        """New documents go to the authority again, and one that it judges ends the outage."""
        outage = "select from outages where authorizer = 'SP'"
        # What the authority said of itself counts for 15 seconds.
        await site.until(f"not exists ({outage} and seen_at > now() - interval '20 seconds')")
        document = await company.issue("nfe")
        await site.until_settled(company)
        assert (await company.read(f"nfe/{document}"))["accessKey"][34] == NORMAL_WAY
        await site.until(f"not exists ({outage})")

    async def require_all_billed_once(self, site: Site, company: Company) -> None:
        """Some at the stand-in, some after an attempt that was canceled or never arrived."""
        assert await contradictions_after_contingency(site, company) == []
        assert await site.holds(f"{company.count('authorized')} = {ORDERED + LATE + 1}")
        assert await site.holds(f"{attempts(company, SVC_AUTHORIZED)} > 25")
        assert await replaced(site, company, "canceled")
        assert await replaced(site, company, "signed")

    async def require_no_gap_is_left(self, site: Site, company: Company) -> None:
        """The numbers that never arrived are listed, and are given up."""
        unknown, gaps = await replaced(site, company, "signed"), await gaps_of(company)
        assert {gap["reason"] for gap in gaps} == {"unknownToAuthority"}
        assert numbers_in(gaps) == numbers_in(await company.inutilize_gaps()) == unknown
        await site.until_told(company)
        assert await gaps_of(company) == []
        assert {entry["code"] for entry in await site.sent(company, INUTILIZATION)} == {"102"}
