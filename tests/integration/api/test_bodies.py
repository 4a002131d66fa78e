"""Bodies that cannot be read, or have unknown fields."""

import json
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.api.openapi import contract
from support import CNPJ, Caller, code_of, fields_of

_FEW = 2
_MERGED = ("changeInvoice", "changeSale", "patchSale", "replaceCustomer", "replaceProduct")
COMPANY = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
JSON = {"Content-Type": "application/json"}


async def sent(caller: Caller, body: bytes) -> tuple[httpx2.Response, bytes]:
    """Sends a body that must be refused, and returns it with the answer."""
    return await caller.http.post("/v1/companies", content=body, headers=JSON), body


class TestBody:
    async def test_body_that_is_not_json_gets_400(self, caller: Caller) -> None:
        bodies = [
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
        ]
        answers = [await sent(caller, body) for body in bodies]
        codes = [(answer.status_code, code_of(answer), body[:40]) for answer, body in answers]
        assert codes == [(400, "MALFORMED_JSON", body[:40]) for body in bodies]

    async def test_body_that_is_no_object_is_invalid(self, caller: Caller) -> None:
        answers = [await sent(caller, body) for body in (b"[]", b"1", b'"text"', b"null", b"true")]
        assert [body for answer, body in answers if list(fields_of(answer)) != ["body"]] == []

    async def test_impossible_number_is_reported_with_its_field(self, caller: Caller) -> None:
        numbers = (
            "1e400", "-1e400", "1e1000000000", "1" * 5000, "1e-400", "0.00001", "101", "-1", "true", '"6"',
        )  # fmt: skip
        required = f'"taxId": "{CNPJ}", "legalName": "Loja"'
        bodies = [f'{{{required}, "simplesRate": {number}}}'.encode() for number in numbers]
        answers = [await sent(caller, body) for body in bodies]
        assert [body for answer, body in answers if list(fields_of(answer)) != ["simplesRate"]] == []

    @pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data", ""])
    async def test_body_of_another_media_type_gets_415(self, caller: Caller, media_type: str) -> None:
        content = json.dumps(COMPANY)
        answer = await caller.http.post(
            "/v1/companies", content=content, headers={"Content-Type": media_type}
        )
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")

    async def test_change_accepts_the_media_type_of_merge_patch(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/environment"
        headers = {"Content-Type": "application/merge-patch+json"}
        content = json.dumps({"environment": "homologation"})
        answer = await caller.http.patch(path, content=content, headers=headers)
        assert answer.json()["data"]["environment"] == "homologation"

    async def test_creation_refuses_the_media_type_of_merge_patch(self, caller: Caller) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = await caller.http.post("/v1/companies", content=json.dumps(COMPANY), headers=headers)
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")

    async def test_body_with_a_charset_is_read(self, caller: Caller) -> None:
        headers = {"Content-Type": "application/json; charset=utf-8"}
        answer = await caller.http.post("/v1/companies", content=json.dumps(COMPANY), headers=headers)
        assert answer.status_code == 200

    async def test_body_over_the_size_limit_gets_413(self, caller: Caller) -> None:
        answer = await caller.http.post("/v1/companies", content=b" " * (4 * 1024 * 1024 + 1), headers=JSON)
        assert (answer.status_code, code_of(answer)) == (413, "PAYLOAD_TOO_LARGE")
        assert answer.json()["error"]["details"] == {"limitBytes": 4 * 1024 * 1024}

    async def test_body_over_the_limit_without_a_length_gets_413(self, caller: Caller) -> None:
        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(5):
                yield b" " * 1024 * 1024

        answer = await caller.http.post("/v1/companies", content=chunks(), headers=JSON)
        assert (answer.status_code, code_of(answer)) == (413, "PAYLOAD_TOO_LARGE")

    async def test_all_wrong_fields_are_reported_at_once(self, caller: Caller) -> None:
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
            "email": "E-mail inválido: informe um endereço como nome@example.com.",
            "colour": "Campo desconhecido.",
            "taxRegime": "Valor inválido: use 'simples', 'simplesExcess', 'normal' ou 'mei'.",
            "address.zipcode": "CEP inválido: informe 8 dígitos.",
            "address.city": "Campo obrigatório.",
            "address.state": "UF inválida: informe a sigla, por exemplo SP.",
        }
        assert (await caller.http.get("/v1/companies")).json()["pageInfo"]["total"] == 0

    async def test_only_the_first_hundred_wrong_fields_are_reported(self, caller: Caller) -> None:
        body = COMPANY | {f"campo{position}": 1 for position in range(300)}
        answer = await caller.http.post("/v1/companies", json=body)
        assert list(fields_of(answer)) == [f"campo{position}" for position in range(100)]
        assert answer.json()["error"]["details"]["omitted"] == 200
        assert "300 campos inválidos" in answer.json()["error"]["message"]

    async def test_every_route_refuses_a_body_of_unknown_fields_briefly(
        self, app: FastAPI, caller: Caller
    ) -> None:
        """Listing hundreds of thousands of them would delay other requests."""
        company_id, wordy = await caller.create_company(), []
        content = json.dumps({f"campo{position}": 1 for position in range(20_000)})
        for method, path in _operations_with_a_body(app):
            target = path.format(companyId=company_id, id=company_id)
            answer = await caller.http.request(method, target, content=content, headers=JSON)
            if len(fields_of(answer)) > _FEW or len(answer.content) >= 1_000:
                wordy.append(f"{method} {path}")
        assert wordy == []


def _operations_with_a_body(app: FastAPI) -> list[tuple[str, str]]:
    """Returns all operations with a JSON body, except changes that need a stored record."""
    return [
        (method.upper(), path)
        for path, operations in contract(app)["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
        and operation["operationId"] not in _MERGED
    ]
