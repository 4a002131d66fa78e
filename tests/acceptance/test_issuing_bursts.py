"""Many requests at once, at several API processes: no document is duplicated, and plans hold."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import cycle, islice, product

import httpx2

from acceptance.fault_company import Company, order
from acceptance.fault_judge import contradictions
from acceptance.fault_programs import named
from acceptance.fault_site import Site
from support import code_of


async def order_at_once(
    company: Company,
    document_types: Sequence[str],
    urls: list[str],
    how_many: int,
    key: str | None = None,
    **wishes: str,
) -> list[httpx2.Response]:
    """Sends this many requests at the same moment, for each type at each API in turn."""
    bodies = {document_type: order(document_type, **wishes) for document_type in document_types}
    turns = islice(cycle(product(document_types, urls)), how_many)
    orders = (
        company.post_order(document_type, bodies[document_type], key=key, at=url)
        for document_type, url in turns
    )
    return list(await asyncio.gather(*orders))


class TestFiftyOrders:
    async def test_fifty_requests_with_one_key_or_external_id_create_one_document(
        self, site: Site, company: Company, urls: list[str]
    ) -> None:
        # CT-e and CT-e OS share their keys, so that one key creates a document of either type.
        cases = [*product([("nfe",), ("nfse",), ("cte", "cteOs"), ("mdfe",)], ["key", "external_id"])]
        for document_types, field in cases:
            name = f"pedido-{'-'.join(document_types)}-{field}"
            answers = await order_at_once(company, document_types, urls, 50, **{field: name})
            replayed = [answer for answer in answers if answer.headers.get("Idempotent-Replayed") == "true"]
            with named(name):
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
            answers = await order_at_once(company, ["nfe"], urls, 100)
            assert Counter(answer.status_code for answer in answers) == {202: 10, 402: 90}
            refused = [answer for answer in answers if answer.status_code == 402]
            assert {code_of(answer) for answer in refused} == {"DOCUMENT_LIMIT_REACHED"}
            with site.worker():
                await site.until_settled(company)
            assert await site.holds(f"{company.count('authorized')} = 10")
            assert await contradictions(site, company) == []
