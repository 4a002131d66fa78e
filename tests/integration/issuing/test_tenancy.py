"""Documents belong to one company of one subscription, and outlive the company."""

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.floor import Floor
from integration.issuing.shop import (
    KINDS,
    NFCE,
    NFE,
    NFSE,
    REFUSED,
    UNANSWERED,
    NewShop,
    Shop,
    body_of,
    error_of,
    ready_shop,
)
from support import ABSENT, data_of

Route = tuple[str, str, Any]
LISTS = [f"/v1/companies/{{company}}/{name}" for name in ("nfe", "nfce", "nfse", "invoices")]
READS = [
    *(
        f"/v1/companies/{{company}}/nfce/{{nfce}}{rest}" for rest in ("", "/xml", "/pdf", "/events", "/items")
    ),
    *(
        f"/v1/companies/{{company}}/nfe/{{nfe}}{rest}" for rest in ("", "/events", "/items", "/rejection-xml")
    ),
    *(
        f"/v1/companies/{{company}}/nfse/{{nfse}}{rest}" for rest in ("", "/xml", "/pdf", "/events")
    ),
    "/v1/companies/{company}/invoices/{nfe}",
]  # fmt: skip
BY_ID = [f"/v1/invoices/{kind}.{form}" for kind in ("{nfce}", "{nfse}") for form in ("xml", "pdf")]
CREATES: list[Route] = [
    ("POST", "/v1/companies/{company}/nfe", NFE),
    ("POST", "/v1/companies/{company}/nfce", NFCE),
    ("POST", "/v1/companies/{company}/nfce?dryRun=true", NFCE),
    ("POST", "/v1/companies/{company}/nfse", NFSE),
]
CHANGES: list[Route] = [
    ("DELETE", "/v1/companies/{company}/nfse/{nfse}", None),
    ("POST", "/v1/companies/{company}/nfce/{nfce}/transmit", None),
    ("POST", "/v1/companies/{company}/invoices/{nfe}/emit", None),
    ("PATCH", "/v1/companies/{company}/invoices/{nfe}", {"version": 1, "notes": None}),
]
STATUS: Route = ("GET", "/v1/companies/{company}/status", None)
OF_A_DOCUMENT: list[Route] = [*(("GET", path, None) for path in READS), *CHANGES]
EVERY_ROUTE: list[Route] = [
    *(("GET", path, None) for path in [*LISTS, *READS, *BY_ID]),
    *CREATES,
    *CHANGES,
    STATUS,
]


async def call(client: httpx2.AsyncClient, route: Route, ids: dict[str, str]) -> httpx2.Response:
    method, path, body = route
    return await client.request(method, path.format(**ids), json=body)


@pytest.fixture(scope="module")
async def owner(floor: Floor, certificate: A1Certificate) -> Shop:
    return await ready_shop(floor, await floor.new_caller(), certificate)


@pytest.fixture(scope="module")
async def owned(owner: Shop) -> dict[str, str]:
    """A company with a refused NF-e and other documents that are authorized, by their ids."""
    return await issued_by(owner)


async def issued_by(owner: Shop) -> dict[str, str]:
    refused = await owner.issue("nfe", notes=REFUSED)
    others = {kind: (await owner.issue(kind))["id"] for kind in ("nfce", "nfse")}
    return {"company": owner.id, "nfe": refused["id"], **others}


async def everything_of(owner: Shop) -> tuple[Any, int]:
    return data_of(await owner.get("/invoices")), await owner.count()


def named(route: Route) -> str:
    return f"{route[0]} {route[1].removeprefix('/v1/companies')}"


def not_found(answer: httpx2.Response) -> bool:
    return answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND"


async def wrong_routes(
    owner: Shop, client: httpx2.AsyncClient, routes: list[Route], ids: dict[str, str]
) -> list[str]:
    """Calls routes and returns those that were found, or that changed what the owner has."""
    wrong, before = [], await everything_of(owner)
    for route in routes:
        answer = await call(client, route, ids)
        after = await everything_of(owner)
        if not not_found(answer) or after != before:
            change = "" if after == before else f"; documents changed from {before} to {after}"
            wrong.append(f"{named(route)} answers {answer.status_code} {answer.text[:200]}{change}")
        before = after
    return wrong


class TestAnotherSubscription:
    async def test_finds_nothing_and_changes_nothing(
        self, floor: Floor, owner: Shop, owned: dict[str, str]
    ) -> None:
        stranger = (await floor.new_caller()).http
        wrong = await wrong_routes(owner, stranger, EVERY_ROUTE, owned)
        assert not wrong, "\n".join(wrong)

    async def test_learns_nothing_from_the_answers(self, floor: Floor, owned: dict[str, str]) -> None:
        stranger, absent = (await floor.new_caller()).http, dict.fromkeys(owned, ABSENT)
        telling = []
        for route in EVERY_ROUTE:
            foreign, nothing = [(await call(stranger, route, ids)).json() for ids in (owned, absent)]
            if foreign != nothing:
                telling.append(f"{named(route)} answers {foreign} instead of {nothing}")
        assert not telling, "\n".join(telling)

    async def test_finds_nothing_under_a_company_of_its_own(
        self, owner: Shop, owned: dict[str, str], new_shop: NewShop
    ) -> None:
        other = await new_shop()
        ids = owned | {"company": other.id}
        wrong = await wrong_routes(owner, other.caller.http, OF_A_DOCUMENT, ids)
        assert not wrong, "\n".join(wrong)


class TestAnotherCompany:
    async def test_of_the_same_subscription_has_other_documents(
        self, owner: Shop, owned: dict[str, str], new_shop: NewShop
    ) -> None:
        other = await new_shop(owner.caller)
        ids = owned | {"company": other.id}
        wrong = await wrong_routes(owner, owner.caller.http, OF_A_DOCUMENT, ids)
        assert not wrong, "\n".join(wrong)


@dataclass(frozen=True)
class Gone:
    """A company that was deleted, with the ids of its documents and what could be read of them before."""

    shop: Shop
    ids: dict[str, str]
    before: list[bytes]


@pytest.fixture(scope="module")
async def gone(floor: Floor, certificate: A1Certificate) -> Gone:
    shop = await ready_shop(floor, await floor.new_caller(), certificate)
    ids = await issued_by(shop)
    before = await everything_read(shop, ids)
    data_of(await shop.caller.http.delete(shop.path()))
    return Gone(shop, ids, before)


async def everything_read(shop: Shop, ids: dict[str, str]) -> list[bytes]:
    answers = [await shop.caller.http.get(path.format(**ids)) for path in (*LISTS, *READS, *BY_ID)]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.content for answer in answers]


class TestDeletedCompany:
    async def test_leaves_its_documents_readable(self, gone: Gone) -> None:
        assert await everything_read(gone.shop, gone.ids) == gone.before

    async def test_issues_and_changes_no_more(self, gone: Gone) -> None:
        routes = [*CREATES, *CHANGES, STATUS]
        wrong = await wrong_routes(gone.shop, gone.shop.caller.http, routes, gone.ids)
        assert not wrong, "\n".join(wrong)

    async def test_is_not_deleted_while_a_document_is_on_its_way(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            made = await shop.create()
            answer = await shop.caller.http.delete(shop.path())
            details = error_of(answer, 409, "INVALID_STATE")
            assert "1 documento e 0 eventos ou inutilizações" in answer.json()["error"]["message"]
            assert details["currentStatus"] == "processing"
            assert "processing" not in details["allowed"]
        assert (await shop.settled(made))["status"] == "authorized"
        assert data_of(await shop.caller.http.delete(shop.path())) == {"id": shop.id, "deleted": True}

    async def test_is_not_deleted_while_the_authority_does_not_answer(self, shop: Shop) -> None:
        await shop.create("nfse", notes=UNANSWERED)
        error_of(await shop.caller.http.delete(shop.path()), 409, "INVALID_STATE")

    async def test_in_the_middle_of_a_burst_leaves_nothing_on_its_way(self, floor: Floor, shop: Shop) -> None:
        calls = [shop.post(f"/{kind}", body_of(kind)) for kind in KINDS * 4]
        calls.insert(5, shop.caller.http.delete(shop.path()))
        answers = await asyncio.gather(*calls)
        deletion = answers.pop(5)
        assert deletion.status_code in (200, 409)
        assert {answer.status_code for answer in answers} <= {202, 404, 422}
        await floor.until(
            f"not exists (select from documents where company_id = '{shop.id}' and status = 'processing')"
        )
