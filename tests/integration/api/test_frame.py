"""Common behaviour of all routes: credentials, envelopes, limits, and errors."""

import asyncio

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.service.subscriptions import define_plan, set_plan
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import SubscriptionPlan
from support import ABSENT, BASE_URL, CNPJ, Caller, NewCaller, code_of, fields_of

JSON = {"Content-Type": "application/json"}


def dict_without(headers: httpx2.Headers, names: set[str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in names}


class TestCredentials:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"X-Api-Key": "nobody"},
            {"X-Api-Key": "00000000-0000-0000-0000-000000000001", "X-Api-Secret": "x"},
            {"X-Api-Key": "nobody", "X-Api-Secret": "x"},
            {"X-Api-Secret": "x"},
        ],
    )
    async def test_invalid_credentials_get_401_in_portuguese(
        self, stranger: httpx2.AsyncClient, headers: dict[str, str]
    ) -> None:
        answer = await stranger.get("/v1/companies", headers=headers)
        assert answer.status_code == 401
        assert answer.json() == {
            "success": False,
            "error": {
                "code": "INVALID_API_CREDENTIALS",
                "message": "Credenciais ausentes ou erradas: confira X-Api-Key e X-Api-Secret.",
                "details": None,
            },
        }

    async def test_wrong_secret_is_refused(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies", headers={"X-Api-Secret": caller.secret + "x"})
        assert code_of(answer) == "INVALID_API_CREDENTIALS"

    async def test_credentials_are_checked_before_the_body_is_read(
        self, stranger: httpx2.AsyncClient
    ) -> None:
        answer = await stranger.post("/v1/companies", content=b"{broken", headers=JSON)
        assert answer.status_code == 401

    async def test_credentials_are_required_on_unknown_private_paths(
        self, stranger: httpx2.AsyncClient
    ) -> None:
        assert (await stranger.get("/v1/nothing")).status_code == 401


class TestEnvelope:
    async def test_success_has_the_other_envelope_on_request(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies", headers={"X-Envelope": "ok"})
        assert answer.json() == {
            "ok": True,
            "data": [],
            "pageInfo": {"page": 1, "pageSize": 20, "total": 0},
        }

    async def test_errors_have_the_other_envelope_on_request(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/v1/companies", headers={"X-Envelope": "ok"})
        body = answer.json()
        assert body["ok"] is False
        assert body["code"] == "INVALID_API_CREDENTIALS"
        assert body["message"] == "Credenciais ausentes ou erradas: confira X-Api-Key e X-Api-Secret."
        assert body["statusCode"] == answer.status_code == 401

    async def test_other_envelope_does_not_change_other_media_types(
        self, stranger: httpx2.AsyncClient
    ) -> None:
        plain = await stranger.get("/openapi.yaml")
        assert (await stranger.get("/openapi.yaml", headers={"X-Envelope": "ok"})).text == plain.text


class TestPaths:
    async def test_proxy_prefix_reaches_the_same_routes(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        canonical = await caller.http.get(f"/v1/companies/{company_id}")
        assert (await caller.http.get(f"/api/v1/companies/{company_id}")).json() == canonical.json()

    async def test_unknown_path_is_404(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/nothing")
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
        assert "confira o caminho em /docs" in answer.json()["error"]["message"]

    async def test_wrong_method_lists_the_allowed_ones(self, caller: Caller) -> None:
        answer = await caller.http.put("/v1/companies", json={})
        assert (answer.status_code, code_of(answer)) == (405, "METHOD_NOT_ALLOWED")
        assert answer.headers["Allow"] == "GET, HEAD, POST"
        sentence = "Este endereço não aceita PUT: use GET, HEAD, POST."
        assert answer.json()["error"]["message"] == sentence

    async def test_trailing_slash_reaches_the_same_route(self, caller: Caller) -> None:
        body = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
        created = await caller.http.post("/v1/companies/", json=body)
        assert created.status_code == 200
        company = f"/v1/companies/{created.json()['data']['id']}"
        assert (await caller.http.get(f"/api{company}/")).json() == (await caller.http.get(company)).json()
        assert (await caller.http.get("/healthz/")).status_code == 200

    @pytest.mark.parametrize(
        ("path", "target"),
        [("/docs/", "/docs"), ("/docs/nf-e/?a=b", "/docs/nf-e?a=b")],
    )
    async def test_documentation_page_with_a_trailing_slash_redirects(
        self, stranger: httpx2.AsyncClient, path: str, target: str
    ) -> None:
        answer = await stranger.get(path)
        assert answer.status_code == 308
        # A proxy may serve the API under a path, which an absolute address would leave.
        assert answer.headers["Location"].startswith("../")
        assert answer.url.join(answer.headers["Location"]) == answer.url.join(target)

    async def test_repeated_query_parameter_is_named(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies?page=1&page=2")
        assert fields_of(answer) == {"page": "Campo enviado mais de uma vez."}

    @pytest.mark.parametrize("query", ["page=&pageSize=", "page=%20&pageSize=+", "page&pageSize"])
    async def test_empty_query_parameter_counts_as_absent(self, caller: Caller, query: str) -> None:
        plain = await caller.http.get("/v1/utils/cfop")
        assert (await caller.http.get(f"/v1/utils/cfop?{query}")).json() == plain.json()

    async def test_empty_query_parameter_with_an_unknown_name_is_named(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies?pagesize=&page=")
        assert fields_of(answer) == {"pagesize": "Campo desconhecido: seria pageSize?"}

    async def test_unknown_query_parameter_is_named(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies?pagesize=5")
        assert fields_of(answer) == {"pagesize": "Campo desconhecido: seria pageSize?"}


class TestHead:
    @pytest.mark.parametrize(
        "path", ["/healthz", "/docs", "/openapi.json", "/v1/companies", "/v1/utils/cfop?search=5102"]
    )
    async def test_head_has_the_headers_of_get_and_no_body(self, caller: Caller, path: str) -> None:
        head, get = await caller.http.head(path), await caller.http.get(path)
        assert (head.status_code, head.content) == (get.status_code, b"")
        assert int(head.headers["Content-Length"]) == len(get.content)
        own = {"x-request-id"}
        assert dict_without(head.headers, own) == dict_without(get.headers, own)

    async def test_head_has_the_length_of_the_other_envelope(self, caller: Caller) -> None:
        headers = {"X-Envelope": "ok"}
        head = await caller.http.head("/v1/companies", headers=headers)
        get = await caller.http.get("/v1/companies", headers=headers)
        assert head.headers["Content-Length"] == str(len(get.content))

    async def test_head_is_refused_where_get_is(self, caller: Caller) -> None:
        assert (await caller.http.head("/v1/nothing")).status_code == 404
        refused = await caller.http.head(f"/v1/webhooks/{ABSENT}/test")
        assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


class TestSafeHeaders:
    async def test_private_answers_are_not_cached(self, caller: Caller, stranger: httpx2.AsyncClient) -> None:
        for answer in (
            await caller.http.get("/v1/user/api-credentials"),
            await caller.http.get("/api/v1/companies"),
            await caller.http.get("/v1/nothing"),
            await stranger.get("/v1/companies"),
        ):
            assert answer.headers["Cache-Control"] == "no-store"

    async def test_answers_forbid_guessing_the_media_type(self, stranger: httpx2.AsyncClient) -> None:
        for path in ("/docs", "/healthz", "/v1/companies", "/openapi.yaml"):
            assert (await stranger.get(path)).headers["X-Content-Type-Options"] == "nosniff"

    async def test_documentation_page_forbids_frames_and_its_links_work(
        self, stranger: httpx2.AsyncClient
    ) -> None:
        page = await stranger.get("/docs")
        policy = page.headers["Content-Security-Policy"].split("; ")
        assert {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} <= set(policy)
        link = page.url.join("openapi.json")
        assert (await stranger.get(link)).headers["Content-Type"] == "application/json"


class TestRequestId:
    async def test_every_answer_has_a_request_id(self, stranger: httpx2.AsyncClient) -> None:
        for path in ("/healthz", "/v1/companies", "/nothing"):
            assert len((await stranger.get(path)).headers["X-Request-Id"]) == 36

    async def test_request_id_of_the_caller_is_kept(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/healthz", headers={"X-Request-Id": "order-42"})
        assert answer.headers["X-Request-Id"] == "order-42"

    async def test_overlong_request_id_is_replaced(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/healthz", headers={"X-Request-Id": "a" * 500})
        assert len(answer.headers["X-Request-Id"]) == 36


class TestPages:
    @pytest.mark.parametrize(
        "query",
        ["page=0", "page=-1", "page=x", "pageSize=0", "pageSize=101", "page=1e3", "page=99999999999999"],
    )
    async def test_pages_out_of_range_are_invalid(self, caller: Caller, query: str) -> None:
        answer = await caller.http.get(f"/v1/companies?{query}")
        assert list(fields_of(answer)) == [query.partition("=")[0]]

    async def test_pages_beyond_the_end_are_empty(self, caller: Caller) -> None:
        await caller.create_company()
        answer = await caller.http.get("/v1/companies?page=1000&pageSize=100")
        assert answer.json()["data"] == []
        assert answer.json()["pageInfo"] == {"page": 1000, "pageSize": 100, "total": 1}


class TestRateLimit:
    async def test_rate_limit_of_the_plan_is_kept_under_a_burst(
        self, new_caller: NewCaller, database: Database, app: FastAPI
    ) -> None:
        caller = await new_caller()
        await define_plan(database, SubscriptionPlan("five", None, None, requests_per_minute=5))
        await set_plan(database, caller.subscription_id, "five")
        answers = await asyncio.gather(*(caller.http.get("/v1/companies") for _ in range(15)))
        refused = [answer for answer in answers if answer.status_code != 200]
        assert len(refused) == 10
        for answer in refused:
            assert (answer.status_code, code_of(answer)) == (429, "RATE_LIMIT_EXCEEDED")
            assert 1 <= int(answer.headers["Retry-After"]) <= 60

    async def test_rate_limit_is_counted_per_subscription(
        self, new_caller: NewCaller, database: Database
    ) -> None:
        await define_plan(database, SubscriptionPlan("one", None, None, requests_per_minute=1))
        first, second = await new_caller("one"), await new_caller("one")
        assert (await first.http.get("/v1/companies")).status_code == 200
        assert (await first.http.get("/v1/companies")).status_code == 429
        assert (await second.http.get("/v1/companies")).status_code == 200


class TestHealth:
    async def test_health_and_readiness_need_no_credentials(self, stranger: httpx2.AsyncClient) -> None:
        assert (await stranger.get("/healthz")).json() == {"status": "ok"}
        assert (await stranger.get("/readyz")).json() == {"status": "ok"}
        assert (await stranger.head("/readyz")).status_code == 200


class TestUnforeseenErrors:
    async def test_unexpected_errors_get_500_with_the_request_id(
        self, app: FastAPI, caller: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def explode(*_: object) -> None:
            raise ZeroDivisionError("boom")

        monkeypatch.setattr("carimbo.service.companies.registration.list_companies", explode)
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as http:
            answer = await http.get("/v1/companies", headers=caller.http.headers)
        assert (answer.status_code, code_of(answer)) == (500, "INTERNAL_ERROR")
        assert answer.json()["error"]["details"] == {"requestId": answer.headers["X-Request-Id"]}
        assert "boom" not in answer.text
