"""A company's data is changed or deleted while its documents are accepted and issued.

No document is lost or issued twice, and each outcome is published once.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from uuid import UUID

import httpx2
import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.service.subscriptions import set_plan
from integration.issuing.shop import KINDS, Shop, body_of
from support import data_of

ORDERS = 24
AT_ONCE = 4


async def replace_certificate(shop: Shop, certificate: A1Certificate) -> None:
    data_of(await shop.caller.http.delete(shop.path("/certificate")))
    await shop.set_certificate(certificate)


async def switch_environment(shop: Shop, _: A1Certificate) -> None:
    for environment in ("homologation", "production"):
        data_of(await shop.caller.http.patch(shop.path("/environment"), json={"environment": environment}))


async def move_series(shop: Shop, _: A1Certificate) -> None:
    for series in (2, 1):
        await shop.put_settings(nfe={"series": series}, nfce={"series": series}, nfse={"series": series})


async def add_and_delete_webhook(shop: Shop, _: A1Certificate) -> None:
    events = {"invoice": ["nfe.authorized", "nfse.authorized"], "nfce": ["nfce.authorized"]}
    body = {"url": "http://127.0.0.1:9/", "events": events}
    webhook = data_of(await shop.caller.http.post("/v1/webhooks", json=body))
    await asyncio.sleep(0.05)
    data_of(await shop.caller.http.delete(f"/v1/webhooks/{webhook['id']}"))


async def change_plan(shop: Shop, _: A1Certificate) -> None:
    for plan in ("trial", "unlimited"):
        await set_plan(shop.system.database, shop.caller.subscription_id, plan)


CHANGES: list[Callable[[Shop, A1Certificate], Awaitable[None]]] = [
    replace_certificate,
    switch_environment,
    move_series,
    add_and_delete_webhook,
    change_plan,
]


async def ordered(shop: Shop, how_many: int) -> list[httpx2.Response]:
    """Creates documents of all types in turn, a few at a time."""
    answers: list[httpx2.Response] = []
    for first in range(0, how_many, AT_ONCE):
        document_types = [KINDS[turn % len(KINDS)] for turn in range(first, first + AT_ONCE)]
        answers += await asyncio.gather(
            *(shop.post(f"/{document_type}", body_of(document_type)) for document_type in document_types)
        )
    return answers


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_documents_accepted_during_a_company_change_are_issued_once(
    shop: Shop, certificate: A1Certificate, change: Callable[[Shop, A1Certificate], Awaitable[None]]
) -> None:
    orders = asyncio.create_task(ordered(shop, ORDERS))
    while not orders.done():
        await change(shop, certificate)
    answers = await orders
    accepted = {answer.json()["data"]["id"] for answer in answers if answer.status_code == 202}
    assert {answer.status_code for answer in answers} <= {202, 402, 422}
    assert accepted
    documents = [
        await shop.settled(document) for document in data_of(await shop.get("/invoices", pageSize=100))
    ]
    assert {document["id"] for document in documents} == accepted
    refused = [document for document in documents if document["status"] == "rejected"]
    assert {document["rejection"]["code"] for document in refused} <= {"CERTIFICATE_MISSING"}
    for document in refused:
        assert (await shop.emit(document)).status_code == 202
    issued = [await shop.settled(document) for document in documents]
    assert {document["status"] for document in issued} == {"authorized"}
    events = await shop.system.fetch(
        "select document_id from events where company_id = $1 and topic like '%.authorized'", UUID(shop.id)
    )
    assert Counter(str(row["document_id"]) for row in events) == dict.fromkeys(accepted, 1)
