"""A company is deleted while its documents are accepted by two API processes, and answers get lost."""

import asyncio

import httpx2

from acceptance.fault_company import Company
from acceptance.fault_programs import named
from acceptance.fault_site import Site

ORDERS = 20
APART = 0.006
TURNS = 4


async def order_apart(company: Company, urls: list[str], how_many: int = ORDERS) -> list[httpx2.Response]:
    """Order documents some milliseconds apart, at each API by turns."""
    calls = []
    for turn in range(how_many):
        calls.append(asyncio.create_task(company.create(("nfe", "nfse")[turn // 2 % 2], at=urls[turn % 2])))
        await asyncio.sleep(APART)
    return list(await asyncio.gather(*calls))


async def test_deletion_beside_orders_loses_none_that_was_accepted(site: Site, urls: list[str]) -> None:
    with site.worker():
        for turn in range(TURNS):
            with named(f"a deletion after {turn} orders"):
                async with site.company() as company:
                    await require_none_lost(site, company, urls, turn)


async def require_none_lost(site: Site, company: Company, urls: list[str], turn: int) -> None:
    """Deletes a company after so many orders, and requires that what was accepted is authorised."""
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
