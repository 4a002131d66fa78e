"""Documents belong to one company of one subscription, and outlive the company."""

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
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
from integration.issuing.system import System
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
BY_ID = [
    f"/v1/invoices/{document_type}.{form}"
    for document_type in ("{nfce}", "{nfse}")
    for form in ("xml", "pdf")
]
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
async def owner(system: System, certificate: A1Certificate) -> Shop:
    return await ready_shop(system, await system.new_caller(), certificate)


@pytest.fixture(scope="module")
async def owned(owner: Shop) -> dict[str, str]:
    """Returns the ids of a company with a refused NF-e and other authorized documents."""
    return await issued_by(owner)


async def issued_by(owner: Shop) -> dict[str, str]:
    refused = await owner.issue("nfe", notes=REFUSED)
    others = {document_type: (await owner.issue(document_type))["id"] for document_type in ("nfce", "nfse")}
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
    """Calls routes and returns those that do not answer 404, or that changed the owner's documents."""
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
    async def test_another_subscription_finds_nothing_and_changes_nothing(
        self, system: System, owner: Shop, owned: dict[str, str]
    ) -> None:
        stranger = (await system.new_caller()).http
        wrong = await wrong_routes(owner, stranger, EVERY_ROUTE, owned)
        assert not wrong, "\n".join(wrong)

    async def test_another_subscription_gets_the_same_answers_as_for_unknown_ids(
        self, system: System, owned: dict[str, str]
    ) -> None:
        stranger, absent = (await system.new_caller()).http, dict.fromkeys(owned, ABSENT)
        differences = []
        for route in EVERY_ROUTE:
            foreign, nothing = [(await call(stranger, route, ids)).json() for ids in (owned, absent)]
            if foreign != nothing:
                differences.append(f"{named(route)} answers {foreign} instead of {nothing}")
        assert not differences, "\n".join(differences)

    async def test_another_subscription_finds_nothing_under_its_own_company(
        self, owner: Shop, owned: dict[str, str], new_shop: NewShop
    ) -> None:
        other = await new_shop()
        ids = owned | {"company": other.id}
        wrong = await wrong_routes(owner, other.caller.http, OF_A_DOCUMENT, ids)
        assert not wrong, "\n".join(wrong)


class TestAnotherCompany:
    async def test_another_company_of_the_same_subscription_has_other_documents(
        self, owner: Shop, owned: dict[str, str], new_shop: NewShop
    ) -> None:
        other = await new_shop(owner.caller)
        ids = owned | {"company": other.id}
        wrong = await wrong_routes(owner, owner.caller.http, OF_A_DOCUMENT, ids)
        assert not wrong, "\n".join(wrong)


@dataclass(frozen=True)
class DeletedCompany:
    """A deleted company, with the ids of its documents and their contents before."""

    shop: Shop
    ids: dict[str, str]
    before: list[bytes]


@pytest.fixture(scope="module")
async def deleted_company(system: System, certificate: A1Certificate) -> DeletedCompany:
    shop = await ready_shop(system, await system.new_caller(), certificate)
    ids = await issued_by(shop)
    before = await everything_read(shop, ids)
    data_of(await shop.caller.http.delete(shop.path()))
    return DeletedCompany(shop, ids, before)


async def everything_read(shop: Shop, ids: dict[str, str]) -> list[bytes]:
    answers = [await shop.caller.http.get(path.format(**ids)) for path in (*LISTS, *READS, *BY_ID)]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.content for answer in answers]


class TestDeletedCompany:
    async def test_documents_of_a_deleted_company_can_be_read(self, deleted_company: DeletedCompany) -> None:
        assert await everything_read(deleted_company.shop, deleted_company.ids) == deleted_company.before

    async def test_deleted_company_can_not_issue_or_change_documents(
        self, deleted_company: DeletedCompany
    ) -> None:
        routes = [*CREATES, *CHANGES, STATUS]
        wrong = await wrong_routes(
            deleted_company.shop, deleted_company.shop.caller.http, routes, deleted_company.ids
        )
        assert not wrong, "\n".join(wrong)

    async def test_company_with_a_document_in_process_can_not_be_deleted(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            answer = await shop.caller.http.delete(shop.path())
            details = error_of(answer, 409, "INVALID_STATE")
            assert "1 documento e 0 eventos ou inutilizações" in answer.json()["error"]["message"]
            assert details["currentStatus"] == "processing"
            assert "processing" not in details["allowed"]
        assert (await shop.settled(document))["status"] == "authorized"
        assert data_of(await shop.caller.http.delete(shop.path())) == {"id": shop.id, "deleted": True}

    async def test_company_whose_authority_does_not_answer_can_not_be_deleted(self, shop: Shop) -> None:
        await shop.create("nfse", notes=UNANSWERED)
        error_of(await shop.caller.http.delete(shop.path()), 409, "INVALID_STATE")

    async def test_deletion_during_a_burst_leaves_no_document_in_process(
        self, system: System, shop: Shop
    ) -> None:
        calls = [shop.post(f"/{document_type}", body_of(document_type)) for document_type in KINDS * 4]
        calls.insert(5, shop.caller.http.delete(shop.path()))
        answers = await asyncio.gather(*calls)
        deletion = answers.pop(5)
        assert deletion.status_code in (200, 409)
        assert {answer.status_code for answer in answers} <= {202, 404, 422}
        await system.until(
            f"not exists (select from documents where company_id = '{shop.id}' and status = 'processing')"
        )
