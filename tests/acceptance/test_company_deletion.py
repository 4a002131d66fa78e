"""A company is deleted while two API processes accept its documents and answers get lost."""

import asyncio

import httpx2

from acceptance.fault_company import Company
from acceptance.fault_programs import named
from acceptance.fault_site import Site

ORDERS = 20
APART = 0.006
TURNS = 4


async def order_apart(company: Company, urls: list[str], how_many: int = ORDERS) -> list[httpx2.Response]:
    """Requests documents some milliseconds apart, at each API in turn."""
    calls = []
    for turn in range(how_many):
        calls.append(asyncio.create_task(company.create(("nfe", "nfse")[turn // 2 % 2], at=urls[turn % 2])))
        await asyncio.sleep(APART)
    return list(await asyncio.gather(*calls))


async def test_deletion_during_requests_loses_no_accepted_document(site: Site, urls: list[str]) -> None:
    with site.worker():
        for turn in range(TURNS):
            with named(f"a deletion after {turn} orders"):
                async with site.company() as company:
                    await assert_none_lost(site, company, urls, turn)


async def assert_none_lost(site: Site, company: Company, urls: list[str], turn: int) -> None:
    """Deletes a company after some requests; all accepted documents must be authorized."""
    async with site.switched(lostAnswers=0.5):
        orders = asyncio.create_task(order_apart(company, urls))
        await asyncio.sleep(APART * turn)
        deletion = await company.http.delete(f"/v1/companies/{company.id}")
        answers = await orders
    await site.until_settled(company)
    codes = [answer.status_code for answer in answers]
    assert set(codes) <= {202, 404}, codes
    assert await site.holds(f"{company.count('authorized')} = {codes.count(202)}")
    assert (deletion.status_code, 404 in codes) in {(200, True), (409, False)}
