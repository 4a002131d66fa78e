"""Many requests at once, at several API processes: no document is duplicated, and plans hold."""

import asyncio
from collections import Counter
from itertools import product

import httpx2

from acceptance.fault_company import Company
from acceptance.fault_judge import contradictions
from acceptance.fault_programs import named
from acceptance.fault_site import Site
from support import code_of


async def order_at_once(
    company: Company, document_type: str, urls: list[str], how_many: int, **wishes: str
) -> list[httpx2.Response]:
    """Sends this many requests at the same moment, at each API in turn."""
    orders = (company.create(document_type, at=urls[turn % len(urls)], **wishes) for turn in range(how_many))
    return list(await asyncio.gather(*orders))


class TestFiftyOrders:
    async def test_fifty_requests_with_one_key_or_external_id_create_one_document(
        self, site: Site, company: Company, urls: list[str]
    ) -> None:
        cases = [*product(["nfe", "nfse"], ["key", "external_id"])]
        for document_type, field in cases:
            answers = await order_at_once(
                company, document_type, urls, 50, **{field: f"pedido-{document_type}-{field}"}
            )
            replayed = [answer for answer in answers if answer.headers.get("Idempotent-Replayed") == "true"]
            with named(f"{document_type}, {field}"):
                assert Counter(answer.status_code for answer in answers) == {202: 1, 200: 49}
                assert {answer.status_code for answer in replayed} == {200} and len(replayed) == 49
                assert len({answer.json()["data"]["id"] for answer in answers}) == 1
        with site.worker():
            await site.until_settled(company)
        assert await site.holds(f"{company.count('authorized')} = {len(cases)}")
        assert await contradictions(site, company) == []


class TestTrial:
    async def test_trial_plan_accepts_exactly_ten_of_a_hundred_documents(
        self, site: Site, urls: list[str]
    ) -> None:
        async with site.company(plan="trial") as company:
            answers = await order_at_once(company, "nfe", urls, 100)
            assert Counter(answer.status_code for answer in answers) == {202: 10, 402: 90}
            refused = [answer for answer in answers if answer.status_code == 402]
            assert {code_of(answer) for answer in refused} == {"DOCUMENT_LIMIT_REACHED"}
            with site.worker():
                await site.until_settled(company)
            assert await site.holds(f"{company.count('authorized')} = 10")
            assert await contradictions(site, company) == []
