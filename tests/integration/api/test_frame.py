"""What every route has in common: credentials, envelopes, limits, and right answers to wrong requests."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.api.openapi import contract
from carimbo.service.subscriptions import define_plan, set_plan
from carimbo.storage.database import Database
from carimbo.storage.subscriptions import Plan
from support import BASE_URL, CNPJ, Caller, NewCaller, code_of, fields_of

_FEW = 2
COMPANY = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
JSON = {"Content-Type": "application/json"}


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
    async def test_invalid_ones_get_401_in_portuguese(
        self, stranger: httpx2.AsyncClient, headers: dict[str, str]
    ) -> None:
        answer = await stranger.get("/v1/companies", headers=headers)
        assert answer.status_code == 401
        assert answer.json() == {
            "success": False,
            "error": {
                "code": "INVALID_API_CREDENTIALS",
                "message": "Credenciais de API inválidas.",
                "details": None,
            },
        }

    async def test_a_wrong_secret_is_refused(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies", headers={"X-Api-Secret": caller.secret + "x"})
        assert code_of(answer) == "INVALID_API_CREDENTIALS"

    async def test_are_checked_before_the_body_is_read(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.post("/v1/companies", content=b"{broken", headers=JSON)
        assert answer.status_code == 401

    async def test_are_asked_for_on_unknown_private_paths_too(self, stranger: httpx2.AsyncClient) -> None:
        assert (await stranger.get("/v1/nothing")).status_code == 401


class TestEnvelope:
    async def test_form_b_on_success(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies", headers={"X-Envelope": "ok"})
        assert answer.json() == {
            "ok": True,
            "data": [],
            "pageInfo": {"page": 1, "pageSize": 20, "total": 0},
        }

    async def test_form_b_on_errors(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/v1/companies", headers={"X-Envelope": "ok"})
        body = answer.json()
        assert body["ok"] is False
        assert body["code"] == "INVALID_API_CREDENTIALS"
        assert body["message"] == "Credenciais de API inválidas."
        assert body["statusCode"] == answer.status_code == 401

    async def test_form_b_leaves_other_media_types_alone(self, stranger: httpx2.AsyncClient) -> None:
        plain = await stranger.get("/openapi.yaml")
        assert (await stranger.get("/openapi.yaml", headers={"X-Envelope": "ok"})).text == plain.text


class TestPaths:
    async def test_the_proxy_prefix_is_the_same_service(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        canonical = await caller.http.get(f"/v1/companies/{company_id}")
        assert (await caller.http.get(f"/api/v1/companies/{company_id}")).json() == canonical.json()

    async def test_an_unknown_path_is_404(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/nothing")
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")

    async def test_a_wrong_method_names_every_right_one(self, caller: Caller) -> None:
        answer = await caller.http.put("/v1/companies", json={})
        assert (answer.status_code, code_of(answer)) == (405, "METHOD_NOT_ALLOWED")
        assert answer.headers["Allow"] == "GET, POST"

    async def test_a_query_parameter_sent_twice_is_named(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies?page=1&page=2")
        assert fields_of(answer) == {"page": "Campo enviado mais de uma vez."}

    async def test_an_unknown_query_parameter_is_named(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/companies?pagesize=5")
        assert fields_of(answer) == {"pagesize": "Campo desconhecido."}


class TestRequestId:
    async def test_is_on_every_answer(self, stranger: httpx2.AsyncClient) -> None:
        for path in ("/healthz", "/v1/companies", "/nothing"):
            assert len((await stranger.get(path)).headers["X-Request-Id"]) == 36

    async def test_a_callers_own_is_kept(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/healthz", headers={"X-Request-Id": "order-42"})
        assert answer.headers["X-Request-Id"] == "order-42"

    async def test_a_hostile_one_is_replaced(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/healthz", headers={"X-Request-Id": "a" * 500})
        assert len(answer.headers["X-Request-Id"]) == 36


class TestBody:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"{'taxId': 1}",
            b'{"taxId": NaN}',
            b'{"simplesRate": Infinity}',
            b"\xff\xfe",
            '{"taxId": 1}'.encode("utf-16"),
            '{"email": "\\u0000"}'.encode("utf-16-le"),
            b'{"a": "\\u0041", "b": ' + b"[" * 900 + b"]" * 900 + b"}",
            b'{"legalName": "\\ud800"}',
            b'{"legalName": "a\\u0000b"}',
            b'{"legalName": "a\x00b"}',
            b"[" * 100_000,
            b'{"a":' * 50_000,
        ],
    )
    async def test_that_is_not_json_gets_400(self, caller: Caller, body: bytes) -> None:
        answer = await caller.http.post("/v1/companies", content=body, headers=JSON)
        assert (answer.status_code, code_of(answer)) == (400, "MALFORMED_JSON")

    @pytest.mark.parametrize("body", [b"[]", b"1", b'"text"', b"null", b"true"])
    async def test_that_is_no_object_is_invalid(self, caller: Caller, body: bytes) -> None:
        answer = await caller.http.post("/v1/companies", content=body, headers=JSON)
        assert list(fields_of(answer)) == ["body"]

    @pytest.mark.parametrize(
        "number",
        ["1e400", "-1e400", "1e1000000000", "1" * 5000, "1e-400", "0.00001", "101", "-1", "true", '"6"'],
    )
    async def test_with_an_impossible_number_names_its_field(self, caller: Caller, number: str) -> None:
        content = f'{{"taxId": "{CNPJ}", "legalName": "Loja", "simplesRate": {number}}}'
        answer = await caller.http.post("/v1/companies", content=content, headers=JSON)
        assert list(fields_of(answer)) == ["simplesRate"]

    @pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data", ""])
    async def test_of_another_media_type_gets_415(self, caller: Caller, media_type: str) -> None:
        content = json.dumps(COMPANY)
        answer = await caller.http.post(
            "/v1/companies", content=content, headers={"Content-Type": media_type}
        )
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")

    async def test_of_a_change_may_be_called_a_merge_patch(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/environment"
        headers = {"Content-Type": "application/merge-patch+json"}
        content = json.dumps({"environment": "homologation"})
        answer = await caller.http.patch(path, content=content, headers=headers)
        assert answer.json()["data"]["environment"] == "homologation"

    async def test_of_a_creation_is_no_merge_patch(self, caller: Caller) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = await caller.http.post("/v1/companies", content=json.dumps(COMPANY), headers=headers)
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")

    async def test_with_a_charset_is_read(self, caller: Caller) -> None:
        headers = {"Content-Type": "application/json; charset=utf-8"}
        answer = await caller.http.post("/v1/companies", content=json.dumps(COMPANY), headers=headers)
        assert answer.status_code == 200

    async def test_over_the_limit_gets_413(self, caller: Caller) -> None:
        answer = await caller.http.post("/v1/companies", content=b" " * (4 * 1024 * 1024 + 1), headers=JSON)
        assert (answer.status_code, code_of(answer)) == (413, "PAYLOAD_TOO_LARGE")
        assert answer.json()["error"]["details"] == {"limitBytes": 4 * 1024 * 1024}

    async def test_over_the_limit_without_a_length_gets_413(self, caller: Caller) -> None:
        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(5):
                yield b" " * 1024 * 1024

        answer = await caller.http.post("/v1/companies", content=chunks(), headers=JSON)
        assert (answer.status_code, code_of(answer)) == (413, "PAYLOAD_TOO_LARGE")

    async def test_with_wrong_fields_is_told_all_of_them_at_once(self, caller: Caller) -> None:
        body = {
            "taxId": "11222333000182",
            "legalName": 5,
            "email": "not an e-mail",
            "colour": "blue",
            "taxRegime": "big",
            "address": {
                "zipcode": "123",
                "street": "Rua",
                "number": "1",
                "district": "Centro",
                "state": "XX",
            },
        }
        assert fields_of(await caller.http.post("/v1/companies", json=body)) == {
            "taxId": "CNPJ inválido: confira os 14 caracteres e os dígitos verificadores.",
            "legalName": "Deve ser um texto.",
            "email": "E-mail inválido.",
            "colour": "Campo desconhecido.",
            "taxRegime": "Valor inválido: use 'simples', 'simplesExcess', 'normal' ou 'mei'.",
            "address.zipcode": "CEP inválido: informe 8 dígitos.",
            "address.city": "Campo obrigatório.",
            "address.state": "UF inválida: informe a sigla, por exemplo SP.",
        }
        assert (await caller.http.get("/v1/companies")).json()["pageInfo"]["total"] == 0

    async def test_with_hundreds_of_wrong_fields_is_told_the_first_of_them(self, caller: Caller) -> None:
        body = COMPANY | {f"campo{place}": 1 for place in range(300)}
        answer = await caller.http.post("/v1/companies", json=body)
        assert list(fields_of(answer)) == [f"campo{place}" for place in range(100)]
        assert answer.json()["error"]["details"]["omitted"] == 200
        assert "300 campos inválidos" in answer.json()["error"]["message"]

    async def test_of_nothing_but_wrong_fields_is_refused_by_every_route_in_a_few_words(
        self, app: FastAPI, caller: Caller
    ) -> None:
        """Listing hundreds of thousands of them would keep everybody else waiting."""
        company_id, body = await caller.create_company(), {f"campo{place}": 1 for place in range(20_000)}
        for method, path in _operations_with_a_body(app):
            target = path.format(companyId=company_id, id=company_id)
            answer = await caller.http.request(method, target, json=body)
            assert len(fields_of(answer)) <= _FEW, path
            assert len(answer.content) < 1_000


def _operations_with_a_body(app: FastAPI) -> list[tuple[str, str]]:
    """All but the merge patch of a document, whose names are held against the document's."""
    return [
        (method.upper(), path)
        for path, operations in contract(app)["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
        and operation["operationId"] != "changeInvoice"
    ]


class TestPages:
    @pytest.mark.parametrize(
        "query",
        ["page=0", "page=-1", "page=x", "pageSize=0", "pageSize=101", "page=1e3", "page=99999999999999"],
    )
    async def test_out_of_bounds_are_invalid(self, caller: Caller, query: str) -> None:
        answer = await caller.http.get(f"/v1/companies?{query}")
        assert list(fields_of(answer)) == [query.partition("=")[0]]

    async def test_beyond_the_end_are_empty(self, caller: Caller) -> None:
        await caller.create_company()
        answer = await caller.http.get("/v1/companies?page=1000&pageSize=100")
        assert answer.json()["data"] == []
        assert answer.json()["pageInfo"] == {"page": 1000, "pageSize": 100, "total": 1}


class TestRateLimit:
    async def test_of_the_plan_is_kept_under_a_burst(
        self, new_caller: NewCaller, database: Database, app: FastAPI
    ) -> None:
        caller = await new_caller()
        await define_plan(database, Plan("five", None, None, requests_per_minute=5))
        await set_plan(database, caller.subscription_id, "five")
        answers = await asyncio.gather(*(caller.http.get("/v1/companies") for _ in range(15)))
        refused = [answer for answer in answers if answer.status_code != 200]
        assert len(refused) == 10
        for answer in refused:
            assert (answer.status_code, code_of(answer)) == (429, "RATE_LIMIT_EXCEEDED")
            assert 1 <= int(answer.headers["Retry-After"]) <= 60

    async def test_counts_a_subscription_apart_from_the_others(
        self, new_caller: NewCaller, database: Database
    ) -> None:
        await define_plan(database, Plan("one", None, None, requests_per_minute=1))
        first, second = await new_caller("one"), await new_caller("one")
        assert (await first.http.get("/v1/companies")).status_code == 200
        assert (await first.http.get("/v1/companies")).status_code == 429
        assert (await second.http.get("/v1/companies")).status_code == 200


class TestHealth:
    async def test_alive_and_ready_need_no_credentials(self, stranger: httpx2.AsyncClient) -> None:
        assert (await stranger.get("/healthz")).json() == {"status": "ok"}
        assert (await stranger.get("/readyz")).json() == {"status": "ok"}
        assert (await stranger.head("/readyz")).status_code == 200


class TestUnforeseenErrors:
    async def test_get_500_in_the_envelope_with_the_request_id(
        self, app: FastAPI, caller: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def explode(*_: object) -> None:
            raise ZeroDivisionError("boom")

        monkeypatch.setattr("carimbo.service.companies.list_companies", explode)
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as http:
            answer = await http.get("/v1/companies", headers=caller.http.headers)
        assert (answer.status_code, code_of(answer)) == (500, "INTERNAL_ERROR")
        assert answer.json()["error"]["details"] == {"requestId": answer.headers["X-Request-Id"]}
        assert "boom" not in answer.text
