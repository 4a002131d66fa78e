"""Repeated requests create one document: across the real types, and where a document creates a sale."""

import asyncio
from collections import Counter

import httpx2
import pytest

from integration.issuing.actions import TRIAL, replayed, usage
from integration.issuing.shop import INVOICES, KINDS, NewShop, Shop, accepted, body_of, own_number

CROWD = 50


async def assert_one_document(shop: Shop, answers: list[httpx2.Response]) -> None:
    assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
    assert len({answer.json()["data"]["id"] for answer in answers}) == await shop.count() == 1
    record = await shop.settled(answers[0].json()["data"])
    assert (record["status"], own_number(record)) == ("authorized", 1)


@pytest.mark.parametrize("document_type", INVOICES)
async def test_idempotency_key_and_external_id_are_shared_by_all_invoices(
    shop: Shop, document_type: str
) -> None:
    document = accepted(await shop.post(f"/{document_type}", body_of(document_type, externalId="a"), key="k"))
    for other in INVOICES:
        by_key = replayed(await shop.post(f"/{other}", body_of(other), key="k"))
        by_id = replayed(await shop.post(f"/{other}", body_of(other, externalId="a"), key=f"k-{other}"))
        assert [(record["id"], record["type"]) for record in (by_key, by_id)] == [
            (document["id"], document_type)
        ] * 2


async def test_keys_of_cte_are_not_those_of_invoices(shop: Shop) -> None:
    invoice = accepted(await shop.post("/nfe", body_of("nfe", externalId="a"), key="k"))
    waybill = accepted(await shop.post("/cte", body_of("cte", externalId="a"), key="k"))
    assert waybill["id"] != invoice["id"]
    assert replayed(await shop.post("/cte", body_of("cte"), key="k"))["id"] == waybill["id"]


async def test_fifty_requests_with_one_key_create_one_document_and_one_sale(shop: Shop) -> None:
    answers = await asyncio.gather(*(shop.post("/nfse", body_of("nfse"), key="k") for _ in range(CROWD)))
    await assert_one_document(shop, answers)
    (row,) = await shop.system.fetch(f"select count(*) from sales where company_id = '{shop.id}'")
    assert row["count"] == 1


async def test_fifty_requests_with_one_external_id_create_one_document(shop: Shop) -> None:
    body = body_of("nfse", externalId="a")
    await assert_one_document(shop, await asyncio.gather(*(shop.post("/nfse", body) for _ in range(CROWD))))


async def test_fifty_requests_of_all_invoices_with_one_external_id_create_one_document(shop: Shop) -> None:
    document_types = (INVOICES * CROWD)[:CROWD]
    calls = (
        shop.post(f"/{document_type}", body_of(document_type, externalId="a"), key=f"k{place}")
        for place, document_type in enumerate(document_types)
    )
    await assert_one_document(shop, await asyncio.gather(*calls))


async def test_trial_plan_accepts_ten_of_a_hundred_concurrent_requests_of_all_types(
    new_shop: NewShop,
) -> None:
    shop = await new_shop(plan="trial")
    document_types = (KINDS * 100)[:100]
    answers = await asyncio.gather(
        *(shop.post(f"/{document_type}", body_of(document_type)) for document_type in document_types)
    )
    assert Counter(answer.status_code for answer in answers) == {202: TRIAL, 402: 90}
    for answer in answers:
        if answer.status_code == 202:
            assert (await shop.settled(answer.json()["data"]))["status"] == "authorized"
    assert await usage(shop) == {"total": (TRIAL, 0)}
