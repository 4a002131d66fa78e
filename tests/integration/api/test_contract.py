"""The published contract holds: generated requests get documented answers, over real HTTP."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
import yaml
from fastapi import FastAPI
from schemathesis.generation import GenerationMode

from carimbo.api.openapi import contract
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.service.access import Authenticator
from carimbo.settings import Settings
from integration.api.contract_cases import (
    Case,
    corners_of,
    operation_id_of,
    operations_of,
    random_cases,
    wrong_answers,
)
from integration.api.contract_server import ISSUING, Server, serving
from integration.webhooks.listener import contract_of_events

Operations = list[dict[str, Any]]


@pytest.fixture(scope="module")
async def server(
    settings: Settings, authenticator: Authenticator, company_certificate: SampleCertificate
) -> AsyncIterator[Server]:
    async with serving(settings, authenticator, company_certificate) as server:
        yield server


@pytest.fixture(scope="module")
def published(app: FastAPI) -> dict[str, Any]:
    return contract(app)


@pytest.fixture(scope="module")
def operations(published: dict[str, Any]) -> Operations:
    return [operation for methods in published["paths"].values() for operation in methods.values()]


def a_few_cases(published: dict[str, Any]) -> Iterator[Case]:
    """Generates for every operation one request of each kind; `make fuzz` sends many of each."""
    for operation in operations_of(published).values():
        yield from corners_of(operation, max_cases=100, max_per_kind=1)
        if operation.body:
            yield from random_cases(operation, GenerationMode.POSITIVE, 1)


class TestTheContract:
    def test_every_operation_keeps_the_contract(
        self, published: dict[str, Any], operations: Operations, server: Server
    ) -> None:
        cases = list(a_few_cases(published))
        assert {operation_id_of(case) for case in cases} == {
            operation["operationId"] for operation in operations
        }
        wrong = wrong_answers(cases, server)
        assert not wrong, "\n".join(wrong)

    def test_contract_has_requests_of_every_issued_type(self) -> None:
        document_types = [document_type.name for document_type in DOCUMENT_TYPES]
        assert {f"create{name[0].upper()}{name[1:]}" for name in document_types} <= set(ISSUING)

    async def test_contract_is_published_as_yaml(
        self, stranger: httpx2.AsyncClient, published: dict[str, Any]
    ) -> None:
        answer = await stranger.get("/openapi.yaml")
        assert answer.headers["content-type"].startswith("application/yaml")
        assert yaml.load(answer.text, yaml.CSafeLoader) == published
        assert published["openapi"].startswith("3.1")

    def test_contract_has_the_webhook_calls_of_every_event(self, published: dict[str, Any]) -> None:
        """The webhook tests validate calls with the contract of events alone."""
        events, schemas = contract_of_events(), published["components"]["schemas"]
        assert published["webhooks"] == events["webhooks"]
        assert {name: schemas[name] for name in events["components"]["schemas"]} == (
            events["components"]["schemas"]
        )

    def test_contract_requires_both_headers_together(self, published: dict[str, Any]) -> None:
        assert published["security"] == [{"apiKey": [], "apiSecret": []}]
        headers = {scheme["name"] for scheme in published["components"]["securitySchemes"].values()}
        assert headers == {"X-Api-Key", "X-Api-Secret"}

    def test_every_error_of_an_operation_is_documented_with_an_example(self, operations: Operations) -> None:
        for operation in operations:
            for status in ("401", "413", "422", "429", "500", "503"):
                examples = operation["responses"][status]["content"]["application/json"]["examples"]
                assert all(example["value"]["error"]["message"] for example in examples.values())

    def test_errors_have_the_documented_schema_and_media_type(self, operations: Operations) -> None:
        for operation in operations:
            for status in operation["responses"].keys() - {"200", "202", "304"}:
                content = operation["responses"][status]["content"]
                schemas = {media_type: media["schema"] for media_type, media in content.items()}
                assert schemas == {"application/json": {"$ref": "#/components/schemas/Failure"}}

    def test_every_patch_operation_accepts_merge_patch(self, published: dict[str, Any]) -> None:
        changes = [methods["patch"] for methods in published["paths"].values() if "patch" in methods]
        assert changes
        for operation in changes:
            content = operation["requestBody"]["content"]
            assert list(content) == ["application/json", "application/merge-patch+json"]
            assert content["application/json"] == content["application/merge-patch+json"]

    def test_replay_header_is_documented_for_issuing_operations(self, operations: Operations) -> None:
        issuing = [operation for operation in operations if operation["operationId"] in ISSUING]
        with_header = [
            (operation["operationId"], status)
            for operation in issuing
            for status in ("200", "202")
            if "Idempotent-Replayed" in operation["responses"][status]["headers"]
        ]
        assert sorted(with_header) == sorted((name, "200") for name in ISSUING)

    def test_conflicts_of_concurrent_requests_are_documented(self, operations: Operations) -> None:
        raced = ("emitInvoice", "transmitNfce", "changeInvoice")
        codes = {
            operation["operationId"]: operation["responses"]["409"]["content"]["application/json"][
                "examples"
            ].keys()
            for operation in operations
            if operation["operationId"] in raced
        }
        needed = {"INVALID_STATE", "VERSION_CONFLICT"}
        assert [name for name in raced if not needed <= codes[name]] == []

    def test_contract_has_limits_as_json_schema_and_portuguese_texts(self, published: dict[str, Any]) -> None:
        schemas = published["components"]["schemas"]
        series = schemas["NfeSettings"]["properties"]["series"]
        assert (series["minimum"], series["maximum"]) == (0, 889)
        assert "Successful" not in json.dumps(published)
        assert not any("description" in schema for schema in schemas.values())

    async def test_documentation_pages_load_nothing_from_outside(
        self, stranger: httpx2.AsyncClient, operations: Operations
    ) -> None:
        overview = await stranger.get("/docs")
        assert all(f'id="{operation["operationId"]}"' in overview.text for operation in operations)
        group = await stranger.get("/docs/nf-e")
        assert 'id="createNfe"' in group.text
        for page in (overview, group):
            assert page.headers["content-type"].startswith("text/html")
            assert "script-src 'self'" in page.headers["content-security-policy"]
            assert "unsafe-inline" not in page.headers["content-security-policy"]

    async def test_files_of_the_documentation_pages_are_served(self, stranger: httpx2.AsyncClient) -> None:
        files = {
            "docs.css": "text/css",
            "docs.js": "text/javascript",
            "search.js": "text/javascript",
            "indice.json": "application/json",
        }
        answers = {name: await stranger.get(f"/docs/{name}") for name in files}
        assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(files, 200)
        types = {name: answer.headers["content-type"].partition(";")[0] for name, answer in answers.items()}
        assert types == files

    async def test_unknown_documentation_page_is_not_found(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/docs/nada")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")

    async def test_root_redirects_to_the_documentation(self, stranger: httpx2.AsyncClient) -> None:
        answer = await stranger.get("/")
        assert (answer.status_code, answer.headers["Location"]) == (307, "docs")
