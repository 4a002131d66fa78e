"""The same order twice is one document: across the real types, and where a document makes a sale too."""

import asyncio
from collections import Counter

import httpx2
import pytest

from integration.issuing.actions import TRIAL, replayed, usage
from integration.issuing.shop import KINDS, NewShop, Shop, accepted, body_of, own_number

CROWD = 50


async def assert_one(shop: Shop, answers: list[httpx2.Response]) -> None:
    assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
    assert len({answer.json()["data"]["id"] for answer in answers}) == await shop.count() == 1
    record = await shop.settled(answers[0].json()["data"])
    assert (record["status"], own_number(record)) == ("authorized", 1)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_and_an_external_id_are_shared_by_all_types(shop: Shop, kind: str) -> None:
    made = accepted(await shop.post(f"/{kind}", body_of(kind, externalId="a"), key="k"))
    for other in KINDS:
        by_key = replayed(await shop.post(f"/{other}", body_of(other), key="k"))
        by_id = replayed(await shop.post(f"/{other}", body_of(other, externalId="a"), key=f"k-{other}"))
        assert [(one["id"], one["type"]) for one in (by_key, by_id)] == [(made["id"], kind)] * 2


async def test_fifty_with_one_key_make_one_document_and_one_sale(shop: Shop) -> None:
    answers = await asyncio.gather(*(shop.post("/nfse", body_of("nfse"), key="k") for _ in range(CROWD)))
    await assert_one(shop, answers)
    (row,) = await shop.floor.fetch(f"select count(*) from sales where company_id = '{shop.id}'")
    assert row["count"] == 1


async def test_fifty_with_one_external_id_make_one_document(shop: Shop) -> None:
    body = body_of("nfse", externalId="a")
    await assert_one(shop, await asyncio.gather(*(shop.post("/nfse", body) for _ in range(CROWD))))


async def test_fifty_of_all_types_with_one_external_id_make_one(shop: Shop) -> None:
    kinds = (KINDS * CROWD)[:CROWD]
    calls = (
        shop.post(f"/{kind}", body_of(kind, externalId="a"), key=f"k{place}")
        for place, kind in enumerate(kinds)
    )
    await assert_one(shop, await asyncio.gather(*calls))


async def test_of_a_hundred_of_all_types_at_once_a_trial_accepts_ten(new_shop: NewShop) -> None:
    shop = await new_shop(plan="trial")
    kinds = (KINDS * 100)[:100]
    answers = await asyncio.gather(*(shop.post(f"/{kind}", body_of(kind)) for kind in kinds))
    assert Counter(answer.status_code for answer in answers) == {202: TRIAL, 402: 90}
    for answer in answers:
        if answer.status_code == 202:
            assert (await shop.settled(answer.json()["data"]))["status"] == "authorized"
    assert await usage(shop) == {"total": (TRIAL, 0)}
